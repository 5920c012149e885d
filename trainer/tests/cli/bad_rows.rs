//! Rows that cannot be learned from: a clear message, exit code 1, no file left, an older one intact.

use crate::sandbox::{Outcome, Sandbox, clouds};

/// A folder with an older model that no failure may touch.
fn with(table: &str) -> Outcome<Sandbox> {
    let sandbox = Sandbox::new()?;
    sandbox.write("rows.csv", table)?;
    sandbox.write("old.nmk", "an older model")?;
    Ok(sandbox)
}

/// Fits onto the old file and onto a new one; both must fail in the same way and leave everything as it was.
fn refused(table: &str, parts: &[&str]) -> Outcome {
    let sandbox = with(table)?;
    sandbox.fails("fit rows.csv -o old.nmk", 1, parts)?;
    sandbox.fails("fit rows.csv -o new.nmk", 1, parts)?;
    sandbox.fails("fit rows.csv -o new.nmk --save-config run.toml --holdout 0.2 --json", 1, parts)?;
    Ok(())
}

#[test]
fn a_value_that_is_not_a_number_is_told_with_its_place() -> Outcome {
    for bad in ["NaN", "inf", "-Infinity", "oops", "", "1e39", "-1e300"] {
        let table = format!("a,b,class\n1,2,x\n3,{bad},y\n5,6,x\n");
        refused(&table, &["reading rows.csv", "line 3", "b"])?;
    }
    Ok(())
}

#[test]
fn a_row_of_another_length_is_told_with_its_line() -> Outcome {
    refused("a,b,class\n1,2,x\n3,4,5,y\n", &["reading rows.csv", "line 3", "4", "3"])?;
    refused("a,b,class\n1,2,x\n3,y\n", &["reading rows.csv", "line 3"])
}

#[test]
fn a_table_without_rows_is_refused() -> Outcome {
    refused("", &["reading rows.csv", "no rows"])?;
    refused("a,b,class\n", &["reading rows.csv", "no rows"])
}

#[test]
fn one_class_is_not_enough() -> Outcome {
    refused("a,b,class\n1,2,x\n3,4,x\n5,6,x\n", &["only one class (x)", "two"])
}

#[test]
fn rows_that_are_all_equal_are_refused() -> Outcome {
    refused(&format!("a,b,class\n{}", "1,2,x\n1,2,y\n".repeat(5)), &["rows are equal"])
}

#[test]
fn a_class_of_one_row_is_learned_and_refused_where_a_split_needs_two() -> Outcome {
    let sandbox = with(&(clouds(8) + "9,9,single\n"))?;
    sandbox.ok("fit rows.csv -o new.nmk")?;
    sandbox.ok("eval new.nmk rows.csv")?;
    sandbox.fails("compare rows.csv --cv 3 --methods cmvda,lda", 1, &["class single has 1 row"])?;
    Ok(())
}

#[test]
fn constant_columns_duplicate_rows_and_more_columns_than_rows_are_no_trouble() -> Outcome {
    let constant = clouds(8).lines().map(|line| format!("7,{line}")).collect::<Vec<_>>().join("\n");
    let doubled = clouds(8) + &clouds(8).replace("a,b,class\n", "");
    let row = |i: usize| {
        let cells = (0..30).map(|j| ((j * 7 + 1) * i % 23).to_string());
        cells.chain([["x", "y"][i % 2].to_owned()]).collect::<Vec<_>>().join(",")
    };
    let wide = (1..9).map(row).collect::<Vec<_>>().join("\n");
    for table in [constant, doubled, wide] {
        let sandbox = with(&table)?;
        for method in ["cmvda", "lda", "pca", "kdple", "nsse", "dple"] {
            sandbox.ok(&format!("fit rows.csv -o new.nmk --method {method}"))?;
            let accuracy = sandbox.ok("eval new.nmk rows.csv --json")?.json()?["accuracy"].as_f64();
            assert!(accuracy.is_some_and(|accuracy| accuracy >= 0.75), "{method}: {accuracy:?}");
        }
    }
    Ok(())
}

#[test]
fn more_dimensions_than_the_rows_give_are_refused_with_the_most_there_are() -> Outcome {
    let sandbox = with(&clouds(4))?;
    sandbox.fails("fit rows.csv -o new.nmk --method lda --dim 5", 1, &["dim is 5", "at most 1"])?;
    sandbox.fails("fit rows.csv -o new.nmk --method pca --dim 50", 1, &["50"])?;
    sandbox.fails("fit rows.csv -o new.nmk --head knn:100", 1, &["100", "8 rows"])?;
    Ok(())
}

#[test]
fn labels_never_seen_and_rows_of_another_width_are_refused() -> Outcome {
    let sandbox = with(&clouds(6))?;
    sandbox.ok("fit rows.csv -o new.nmk")?;
    sandbox.write("other.csv", "a,b,class\n1,2,low\n3,4,strange\n")?;
    sandbox.fails("eval new.nmk other.csv", 1, &["other.csv", "label 'strange' is not a class of the model"])?;
    sandbox.write("wide.csv", "a,b,c,class\n1,2,3,low\n3,4,5,high\n")?;
    sandbox.fails("eval new.nmk wide.csv", 1, &["takes 2 input values, got 3"])?;
    sandbox.fails("predict new.nmk wide.csv -o answers.csv", 1, &["wide.csv"])?;
    sandbox.fails("embed new.nmk wide.csv -o z.npy", 1, &["wide.csv"])?;
    Ok(())
}

#[test]
fn more_than_a_model_can_hold_is_refused_before_any_work() -> Outcome {
    let many: Vec<String> = (0..70_000).map(|i| format!("{},{},c{i}", i % 7, i % 11)).collect();
    refused(&many.join("\n"), &["70000 classes"])?;
    let sandbox = with(&clouds(6))?;
    sandbox.fails("fit rows.csv -o new.nmk --features random:100000", 2, &["features", "65532"])?;
    sandbox.fails("fit rows.csv -o new.nmk --features random:65532", 1, &["memory"])?;
    Ok(())
}

#[test]
fn a_label_column_that_does_not_exist_is_told_with_those_that_do() -> Outcome {
    let sandbox = with(&clouds(6))?;
    sandbox.fails("fit rows.csv -o new.nmk --label kind", 1, &["reading rows.csv", "kind", "class"])?;
    sandbox.fails("fit rows.csv -o new.nmk --label 9", 1, &["reading rows.csv", "9"])?;
    sandbox.fails("fit rows.csv -o new.nmk --drop nothing", 1, &["reading rows.csv", "nothing"])?;
    Ok(())
}
