//! Whether the first line of a table names its columns.

use super::number;
use super::records::Record;

/// A header has words where the lines below have numbers.
///
/// The label column decides nothing by itself, since classes are often words. It does where the other cells leave a
/// doubt: a first line that mixes words and numbers is a header (wavelengths, say, or pandas' 0, 1, 2, …) unless its
/// label is a label of the lines below; then the word is a fault in the data, to be reported rather than skipped.
pub(super) fn is_header(first: &Record, below: &[Record], label: Option<usize>) -> bool {
    let feature = |(column, _): &(usize, &[u8])| Some(*column) != label;
    let cells = || first.iter().enumerate().filter(feature);
    let words: Vec<usize> = cells().filter(|(_, cell)| is_word(cell)).map(|(column, _)| column).collect();
    let numbers = cells().filter(|(_, cell)| number::parse(cell).is_some()).count();
    if below.is_empty() {
        return numbers == 0 && !words.is_empty();
    }
    // Decimal commas are a fault of the rows, to be reported there, and no reason to take names for a row.
    let is_number = |cell: &[u8]| number::parse(cell).is_some() || number::has_decimal_comma(cell);
    let is_number_below = |column: usize| below.iter().filter_map(|record| record.cell(column)).any(is_number);
    if words.iter().any(|&column| is_number_below(column)) {
        return numbers == 0 || label.is_none_or(|label| !continues_below(first, below, label));
    }
    words.is_empty() && label.is_some_and(|label| counts_up(first, label) && names_a_label(first, below, label))
}

fn is_word(cell: &[u8]) -> bool {
    number::parse(cell).is_none() && !number::is_missing(cell)
}

/// The first line's label is one of the labels below, or a number as they are.
fn continues_below(first: &Record, below: &[Record], label: usize) -> bool {
    let cell = first.cell(label).unwrap_or_default();
    let mut labels = below.iter().filter_map(|record| record.cell(label));
    if is_word(cell) { labels.any(|other| other == cell) } else { labels.all(|other| !is_word(other)) }
}

/// Columns named 0, 1, 2, … or 1, 2, 3, …, as tables without names of their own are written.
fn counts_up(first: &Record, label: usize) -> bool {
    let cells = first.iter().enumerate().filter(|(column, cell)| *column != label && !cell.is_empty());
    let values: Vec<Option<f64>> = cells.map(|(_, cell)| number::parse(cell)).collect();
    let start = values.first().copied().flatten();
    matches!(start, Some(start) if start == 0.0 || start == 1.0)
        && values.iter().zip(0_i32..).all(|(value, i)| *value == start.map(|start| start + f64::from(i)))
}

/// A word over numbers, or one of the usual names of such a column.
fn names_a_label(first: &Record, below: &[Record], label: usize) -> bool {
    const NAMES: [&[u8]; 6] = [b"label", b"labels", b"class", b"target", b"y", b"species"];
    let cell = first.cell(label).unwrap_or_default();
    let mut labels = below.iter().filter_map(|record| record.cell(label));
    let usual = NAMES.iter().any(|name| cell.eq_ignore_ascii_case(name));
    is_word(cell)
        && if usual { labels.all(|other| other != cell) } else { labels.all(|other| number::parse(other).is_some()) }
}

#[cfg(test)]
mod tests {
    use super::super::records::Records;
    use super::*;

    /// The label is the last column.
    fn header(text: &str) -> bool {
        let mut records = Records::new(Box::new(std::io::Cursor::new(text.to_owned())), None);
        let mut all = Vec::new();
        let mut record = Record::default();
        while records.read(&mut record).is_ok_and(|more| more) {
            all.push(std::mem::take(&mut record));
        }
        let first = all.remove(0);
        is_header(&first, &all, first.len().checked_sub(1))
    }

    #[test]
    fn words_over_numbers_are_a_header_whatever_the_labels_are() {
        assert!(header("a,b,label\n1,2,cat\n3,4,dog"));
        assert!(header("a,b,label\n1,2,0\n3,4,1"));
        assert!(header("\"a\",b,0\n1,2,0\n3,4,0"));
        assert!(header("id,400.5,401.5,label\n1,2,3,cat\n4,5,6,dog"));
        assert!(header(",a,label\n0,2,cat\n1,3,dog"));
        assert!(header("a;b;label\n1,5;2,5;cat\n3,5;4,5;dog"), "of numbers with decimal commas too");
    }

    #[test]
    fn a_text_label_alone_makes_no_header() {
        assert!(!header("1,2,cat\n3,4,dog"));
        assert!(!header("1,2,cat\n3,4,cat"));
        assert!(!header("5,2,label\n3,4,1"));
        assert!(!header("1,2,3\n4,5,6"));
    }

    #[test]
    fn counted_columns_are_a_header_if_the_label_has_a_name() {
        assert!(header("0,1,2,label\n5,6,7,cat\n8,9,1,dog"));
        assert!(header("0,1,2,kind\n5,6,7,0\n8,9,1,1"));
        assert!(header(",0,1,target\n0,6,7,0\n1,9,1,1"));
        assert!(!header("1,2,3,a\n4,5,6,b"));
        assert!(!header("0,1,2,0\n4,5,6,1"));
        assert!(!header("1,2,a\n3,4,"));
    }

    #[test]
    fn a_fault_in_the_first_line_of_data_makes_no_header() {
        assert!(!header("1,oops,3,0\n4,5,6,1"));
        assert!(!header("1,oops,3,cat\n4,5,6,dog\n7,8,9,cat"));
        assert!(!header("1,,3,cat\n4,5,6,dog"));
        assert!(!header("nan,2,cat\n4,5,dog"));
    }

    #[test]
    fn a_single_line_of_words_is_a_header_and_one_of_numbers_is_not() {
        assert!(header("a,b,label"));
        assert!(!header("1,2,cat"));
    }
}
