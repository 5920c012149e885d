//! Text inside of files that give some characters a meaning.

/// A field of a CSV file, in quotes where it needs them.
pub(crate) fn csv_field(text: &str) -> String {
    let plain = !text.contains([',', '"', '\n', '\r']);
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

/// Text of an XML or HTML file.
pub(crate) fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_need_it() {
        assert_eq!((csv_field("lda"), csv_field("a,\"b\"")), ("lda".into(), "\"a,\"\"b\"\"\"".into()));
    }

    #[test]
    fn tags_and_quotes_are_escaped() {
        assert_eq!(xml("<a href=\"b&c\">"), "&lt;a href=&quot;b&amp;c&quot;&gt;");
    }
}
