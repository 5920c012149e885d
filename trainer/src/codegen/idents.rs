//! Names that people gave, as identifiers.

/// Words that Rust keeps or may keep for itself, crates that a module would hide, and files that cargo gives a
/// meaning: an export must not overwrite somebody's `main.rs`.
const TAKEN: [&str; 60] = [
    "abstract", "alloc", "as", "async", "await", "become", "box", "break", "build", "const", "continue", "core",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "lib", "loop", "macro", "match", "mod", "move", "mut", "nearmark", "override", "priv", "pub", "ref", "return",
    "self", "static", "std", "struct", "super", "trait", "true", "try", "type", "typeof", "union", "unsafe", "unsized",
    "use", "virtual", "where", "while", "yield", "main", "test",
];

/// The identifier that stands for a file's name: lower case, ASCII, words joined by `_`, no keyword.
#[must_use]
pub fn module_name(stem: &str) -> String {
    let name = words(stem).map(str::to_ascii_lowercase).collect::<Vec<_>>().join("_");
    match name.as_bytes().first() {
        None => "model".to_owned(),
        Some(b'0'..=b'9') => format!("model_{name}"),
        Some(_) if TAKEN.contains(&name.as_str()) => format!("model_{name}"),
        Some(_) => name,
    }
}

/// Variants of a Rust enum, one per name: `Circle`, `WalkUp`, and `Class3` where nothing better is possible. Where all
/// names are numbers, 3 is the number that was given, not the place among them.
pub(super) fn variants(names: &[String]) -> Vec<String> {
    numbered(names, "Class").unwrap_or_else(|| unique(names, camel, |class| format!("Class{class}")))
}

/// Constants of a C enum, one per name: `CIRCLE`, `WALK_UP`, and `3` where nothing better is possible. They go
/// behind a prefix.
pub(super) fn constants(names: &[String]) -> Vec<String> {
    numbered(names, "").unwrap_or_else(|| unique(names, upper, |class| class.to_string()))
}

/// The names themselves behind a prefix, if each is a different number in its plain form.
fn numbered(names: &[String], prefix: &str) -> Option<Vec<String>> {
    let number = |name: &String| name.parse::<u64>().ok().filter(|number| number.to_string() == *name);
    let numbers: Vec<u64> = names.iter().map(number).collect::<Option<_>>()?;
    let distinct = numbers.iter().collect::<std::collections::HashSet<_>>().len() == numbers.len();
    distinct.then(|| numbers.iter().map(|number| format!("{prefix}{number}")).collect())
}

/// The ident of each name, or the fallback where a name has none, shares it, or takes another's fallback.
fn unique(names: &[String], ident: impl Fn(&str) -> Option<String>, fallback: impl Fn(usize) -> String) -> Vec<String> {
    let idents: Vec<Option<String>> = names.iter().map(|name| ident(name)).collect();
    let reserved: Vec<String> = (0..names.len()).map(&fallback).collect();
    let mut seen = std::collections::HashMap::new();
    for ident in idents.iter().flatten() {
        *seen.entry(ident.clone()).or_insert(0) += 1;
    }
    let free = |ident: &String| seen[ident] == 1 && !reserved.contains(ident);
    idents.into_iter().zip(&reserved).map(|(ident, own)| ident.filter(free).unwrap_or_else(|| own.clone())).collect()
}

fn camel(name: &str) -> Option<String> {
    let mut ident = String::new();
    for word in plain(name)? {
        // A word in capitals is read as one: linters take it for an acronym.
        let shout = word.len() > 1 && !word.contains(|c: char| c.is_ascii_lowercase());
        let (first, rest) = word.split_at(1);
        ident += &first.to_ascii_uppercase();
        ident += &if shout { rest.to_ascii_lowercase() } else { rest.to_owned() };
    }
    (ident != "Self").then_some(ident)
}

fn upper(name: &str) -> Option<String> {
    Some(plain(name)?.map(str::to_ascii_uppercase).collect::<Vec<_>>().join("_"))
}

/// The words of a name that is ASCII, has any, and starts with a letter.
fn plain(name: &str) -> Option<impl Iterator<Item = &str>> {
    let first = words(name).next()?;
    (name.is_ascii() && first.starts_with(|c: char| c.is_ascii_alphabetic())).then(|| words(name))
}

/// Runs of ASCII letters and digits.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str], idents: impl Fn(&[String]) -> Vec<String>) -> Vec<String> {
        idents(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn names_become_variants_in_camel_case() {
        let names = ["circle", "walk up", "IDLE", "left-turn_2", "toThePoint"];
        assert_eq!(of(&names, variants), ["Circle", "WalkUp", "Idle", "LeftTurn2", "ToThePoint"]);
        assert_eq!(of(&names, constants), ["CIRCLE", "WALK_UP", "IDLE", "LEFT_TURN_2", "TOTHEPOINT"]);
    }

    #[test]
    fn numbers_keep_the_number_that_was_given() {
        assert_eq!(of(&["1", "2", "10"], variants), ["Class1", "Class2", "Class10"]);
        assert_eq!(of(&["1", "2", "10"], constants), ["1", "2", "10"]);
        assert_eq!(of(&["-1", "1"], variants), ["Class0", "Class1"]);
    }

    #[test]
    fn what_cannot_be_an_identifier_is_numbered() {
        assert_eq!(of(&["0", "1"], variants), ["Class0", "Class1"]);
        assert_eq!(
            of(&["größe", "self", "", "+", "9 lives"], variants),
            ["Class0", "Class1", "Class2", "Class3", "Class4"]
        );
        assert_eq!(of(&["größe", "self"], constants), ["0", "SELF"]);
    }

    #[test]
    fn names_that_meet_are_all_numbered() {
        assert_eq!(of(&["a b", "c", "a-b"], variants), ["Class0", "C", "Class2"]);
        // Its own number or another's: neither may be taken by a name.
        assert_eq!(of(&["class1", "up", "class2"], variants), ["Class0", "Up", "Class2"]);
    }

    #[test]
    fn modules_are_lower_case_and_no_keywords() {
        let names = ["Gestures v2.1", "my-model", "2nd", "type", "nearmark", "main", "…", "größe"];
        let expected =
            ["gestures_v2_1", "my_model", "model_2nd", "model_type", "model_nearmark", "model_main", "model", "gr_e"];
        assert_eq!(names.map(module_name), expected);
    }
}
