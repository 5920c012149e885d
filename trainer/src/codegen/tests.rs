use super::*;
use crate::model::inspect::tests::{Outcome, golden, goldens};
use nearmark_format::Num;

#[test]
fn vectors_notice_what_an_answer_can_show() -> Outcome {
    // Every center and every coordinate takes part in a distance; of prototypes and means only the nearest do.
    for (name, least) in [("family-cmvda", 48), ("family-nsse", 48), ("bench-gaussian", 40), ("bench-int-gaussian", 48)]
    {
        let Vector { noticed, tried, .. } = Facts::of(&golden(name)?, name)?.vector;
        assert!(noticed >= least, "{name}: {noticed} of {tried}");
    }
    for (path, file) in goldens()? {
        let Vector { noticed, tried, .. } = Facts::of(&file, "any")?.vector;
        println!("{path}: {noticed} of {tried}");
        assert!(10 * noticed >= tried, "{path}: {noticed} of {tried}");
    }
    Ok(())
}

#[test]
fn the_vector_has_the_type_of_the_training_rows() -> Outcome {
    assert_eq!(Facts::of(&golden("family-cmvda")?, "")?.vector.values.num(), Num::U8);
    assert_eq!(Facts::of(&golden("bench-gaussian")?, "")?.vector.values.num(), Num::F32);
    Ok(())
}

#[test]
fn the_head_comment_states_origin_and_features() -> Outcome {
    let files = rust(&golden("family-cmvda")?, "shapes")?;
    let source = String::from_utf8(files[1].1.clone())?;
    let head: Vec<&str> = source.lines().take_while(|line| line.starts_with("//")).collect();
    assert!(head[0].starts_with("// 16 u8 values -> "), "{}", head[0]);
    assert!(head[1].contains("method cmvda, 100 training rows"), "{}", head[1]);
    assert!(head.contains(
        &r#"//     nearmark = { version = "0.1", default-features = false, features = ["f32", "gaussian"] }"#
    ));
    assert!(head.contains(&"//     mod shapes;"));
    Ok(())
}

#[test]
fn models_that_hold_items_state_their_number() -> Outcome {
    let text = |file: &ModelFile| -> Outcome<String> { Ok(String::from_utf8(rust(file, "found")?[1].1.clone())?) };
    let (items, means) = (golden("int-items")?, golden("family-cmvda")?);
    let count = items.items().ok_or("no items")?;
    assert!(text(&items)?.contains(&format!("pub const ITEMS: usize = {count};\n")));
    assert!(!text(&means)?.contains("ITEMS"));
    let facts = Facts::of(&items, "found")?;
    assert!(c::header(&facts, &Target::HOST).contains(&format!("#define FOUND_ITEMS {count}\n")));
    Ok(())
}

#[test]
fn names_that_only_the_provenance_has_stay_on_the_workstation() -> Outcome {
    let mut model = golden("family-cmvda")?.decode();
    let names = std::mem::take(&mut model.names);
    model.info.iter_mut().for_each(|info| info.class_names.clone_from(&names));
    let file = ModelFile::encode(&model)?;
    assert_eq!(file.class_names(), ["bar", "dot", "hook", "ring"]);
    for (name, content) in rust(&file, "shapes")? {
        assert!(!String::from_utf8_lossy(&content).contains("hook"), "{name}");
    }
    Ok(())
}

#[test]
fn the_library_has_the_stages_of_the_model_and_no_others() -> Outcome {
    let features = |name: &str, target: &str| golden(name).map(|file| c_features(&file, &Target::named(target)));
    assert_eq!(features("gaussian", "m4f")?, ["panic-handler", "names", "f32", "gaussian"]);
    assert_eq!(features("int-knn-5", "m0")?, ["panic-handler", "names", "int", "knn"]);
    assert!(features("int-knn-5", "m7")?.ends_with(&["dsp"]));
    Ok(())
}
