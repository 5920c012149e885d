use super::*;
use crate::io::Column;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn report(text: &str, options: &Options) -> Result<Report, Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.csv");
    std::fs::write(&path, text)?;
    Ok(check(&path.to_string_lossy(), options, &Run::default())?)
}

fn kinds(report: &Report) -> Vec<(&'static str, Option<usize>)> {
    report.findings.iter().map(|finding| (finding.kind, finding.column)).collect()
}

/// Rows of two measured values, `before` and `after` around them.
fn table(header: &str, before: impl Fn(usize) -> String, after: impl Fn(usize) -> String) -> String {
    let row = |i: usize| format!("{}{},{}{}\n", before(i), i * 7 % 11, i * 5 % 13, after(i));
    format!("{header}\n{}", (0..60).map(row).collect::<String>())
}

#[test]
fn an_index_that_pandas_left_in_is_dropped() -> Outcome {
    let class = |i: usize| format!(",{}", ["low", "mid", "high"][i / 20]);
    let found = report(&table(",a,b,kind", |i| format!("{i},"), class), &Options::default())?;
    assert_eq!(kinds(&found), [("index", Some(0))]);
    assert_eq!(found.options.drop, [Column::Index(0)]);
    assert_eq!(found.loaded.map(|loaded| loaded.data.width()), Some(2));
    Ok(())
}

#[test]
fn clocks_ids_and_permuted_indices_are_named() -> Outcome {
    let class = |i: usize| format!(",{}", i % 2);
    let of =
        |header: &str, before: &dyn Fn(usize) -> String| report(&table(header, before, class), &Options::default());
    assert_eq!(kinds(&of("q,a,b,kind", &|i| format!("{},", i * 17 % 60))?), [("index", Some(0))]);
    assert_eq!(kinds(&of("q,a,b,kind", &|i| format!("{}.5,", i * i))?), [("time", Some(0))]);
    assert_eq!(kinds(&of("q,a,b,kind", &|i| format!("{},", 1_700_000_000 + i * 37 % 1000))?), [("time", Some(0))]);
    assert_eq!(kinds(&of("part_id,a,b,kind", &|i| format!("{},", i * 31 % 17))?), [("id", Some(0))]);
    assert_eq!(kinds(&of("subject,a,b,kind", &|i| format!("{},", i / 10))?), [("source", Some(0))]);
    assert_eq!(kinds(&of("q,a,b,kind", &|i| format!("{},", i * 31 % 17))?), []);
    Ok(())
}

#[test]
fn rows_that_come_in_runs_are_named() -> Outcome {
    // Recordings of ten rows; a recording has a place of its own.
    let place = |i: usize, by: usize| (i / 10 * by % 97) as f64 + (i * 7 % 10) as f64 / 50.0;
    let row = |i: usize| format!("{},{},{},{}\n", place(i, 37), place(i, 61), place(i, 83), i / 10 % 2);
    let text: String = (0..400).map(row).collect();
    let found = report(&format!("a,b,c,kind\n{text}"), &Options::default())?;
    assert_eq!(kinds(&found), [("runs", None)]);
    Ok(())
}

#[test]
fn a_column_made_from_the_label_is_named_and_kept() -> Outcome {
    let leak = |i: usize| format!("{}.25,", (i * 7 % 5) + 10 * (i % 2));
    let found = report(&table("leak,a,b,kind", leak, |i| format!(",{}", i % 2)), &Options::default())?;
    assert_eq!(kinds(&found), [("predicts", Some(0))]);
    assert_eq!(found.options.drop, []);
    Ok(())
}

#[test]
fn all_problems_of_a_messy_table_are_found_at_once() -> Outcome {
    let mut text = "id;when;size;note;empty;kind\n".to_owned();
    for i in 0..30 {
        let size = if i == 3 { String::new() } else { format!("{},5", i * 7 % 11) };
        let line =
            format!("p{i};2024-05-{:02};{size};{};;{}\n", i + 1, ["red", "blue"][i % 2], ["ok", "Ok", "bad"][i % 3]);
        text.push_str(&line);
    }
    let found = report(&text, &Options::default())?;
    let expected = [("text", 0), ("date", 1), ("decimal", 2), ("missing", 2), ("text", 3), ("empty", 4)];
    assert_eq!(kinds(&found)[..6], expected.map(|(kind, column)| (kind, Some(column))));
    Ok(())
}

#[test]
fn the_label_is_found_by_its_name_or_because_the_last_column_is_measured() -> Outcome {
    let named = report(
        &table("class,a,b,weight", |i| format!("{},", i % 2), |i| format!(",{}.5", i * 3 % 7)),
        &Options::default(),
    )?;
    assert_eq!((kinds(&named), named.options.label), (vec![("label", Some(0))], Some(Column::Written("class".into()))));
    let words = |i: usize| format!("{},", ["x", "y"][i % 2]);
    let guessed = report(&table("sort,a,b,weight", words, |i| format!(",{}.5", i * 3 % 7)), &Options::default())?;
    assert_eq!(guessed.options.label, Some(Column::Written("sort".into())));
    Ok(())
}

#[test]
fn labels_that_differ_only_in_case_or_spaces_and_rare_ones_are_named() -> Outcome {
    let class = |i: usize| format!(",{}", ["ok", "OK ", "o k", "bad"][if i == 59 { 3 } else { i % 3 }]);
    let found = report(&table("q,a,b,kind", |i| format!("{},", i * 31 % 17), class), &Options::default())?;
    assert_eq!(kinds(&found), [("alike-labels", None), ("few-rows", None)]);
    assert!(found.findings[0].text.contains("`OK`, `o k`, `ok`"), "{}", found.findings[0].text);
    Ok(())
}

#[test]
fn images_and_series_are_left_alone() -> Outcome {
    for name in ["builtin:digits:train", "builtin:gestures"] {
        let found = check(name, &Options::default(), &Run::default())?;
        let columns = found.findings.iter().filter(|finding| finding.column.is_some()).count();
        assert_eq!((columns, found.failure), (0, None), "{name}");
    }
    assert!(check("nowhere.csv", &Options::default(), &Run::default()).is_err());
    Ok(())
}
