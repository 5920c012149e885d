//! Arrays as `NumPy` writes them, and as it does not.

use super::*;

/// An array as numpy would save it.
fn array(dtype: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let text = format!("{{'descr': '{dtype}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

fn read<T>(bytes: &[u8], values: impl Fn(Header, &mut &[u8]) -> Result<T, ReadError>) -> Result<T, String> {
    let mut input = bytes;
    let header = Header::read(&mut input, bytes.len() as u64);
    header.and_then(|header| values(header, &mut input)).map_err(|e| e.to_string())
}

fn matrix(bytes: &[u8]) -> Result<Mat, String> {
    read(bytes, |header, input| header.matrix("X", input, &Run::default()))
}

fn labels(bytes: &[u8]) -> Result<Vec<String>, String> {
    read(bytes, |header, input| header.labels("y", input))
}

#[test]
fn either_order_and_either_end_give_the_same_rows() {
    let expected = Ok(Mat::from_row_slice(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    let rows: Vec<u8> = [1_i16, 2, 3, 4, 5, 6].iter().flat_map(|v| v.to_be_bytes()).collect();
    let columns: Vec<u8> = [1.0_f32, 4.0, 2.0, 5.0, 3.0, 6.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(matrix(&array(">i2", false, "(2, 3)", &rows)), expected);
    assert_eq!(matrix(&array("<f4", true, "(2, 3)", &columns)), expected);
    assert_eq!(matrix(&array("|u1", false, "(2L, 3L)", &[1, 2, 3, 4, 5, 6])), expected);
}

#[test]
fn series_keep_their_channels_one_after_the_other_in_either_order() {
    // One row: channels (1 2 3) and (4 5 6).
    let expected = Ok(Mat::from_row_slice(1, 6, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    assert_eq!(matrix(&array("|u1", false, "(1, 2, 3)", &[1, 2, 3, 4, 5, 6])), expected);
    assert_eq!(matrix(&array("|u1", true, "(1, 2, 3)", &[1, 4, 2, 5, 3, 6])), expected);
}

#[test]
fn labels_are_integers_truth_values_whole_floats_or_text() {
    let text = |labels: &[&str]| Ok(labels.iter().map(ToString::to_string).collect());
    assert_eq!(labels(&array("|i1", false, "(2,)", &[0xFF, 7])), text(&["-1", "7"]));
    assert_eq!(labels(&array("|b1", false, "(2, 1)", &[0, 1])), text(&["0", "1"]));
    let floats: Vec<u8> = [3.0_f64, -2.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(labels(&array("<f8", false, "(2,)", &floats)), text(&["3", "-2"]));
    let wide: Vec<u8> = "aéb\0".chars().flat_map(|c| (c as u32).to_le_bytes()).collect();
    assert_eq!(labels(&array("<U2", false, "(2,)", &wide)), text(&["aé", "b"]));
    assert_eq!(labels(&array("|S2", false, "(2,)", b"cad\0")), text(&["ca", "d"]));
}

#[test]
fn what_is_no_table_or_no_label_is_refused() {
    let half: Vec<u8> = 0.5_f64.to_le_bytes().to_vec();
    assert_eq!(
        labels(&array("<f8", false, "(1,)", &half)),
        Err("`y`, row 0: the label 0.5 is neither an integer nor text".into())
    );
    assert_eq!(labels(&array("|S1", false, "(1,)", &[0])), Err("`y`, row 0: the label is empty".into()));
    let message = "`X` has shape (4,), expected (rows, features) or (rows, channels, time)";
    assert_eq!(matrix(&array("|u1", false, "(4,)", &[0; 4])), Err(message.into()));
    let message = "the array is of type |O, expected numbers or text, not Python objects: save it with .astype(str)";
    assert_eq!(labels(&array("|O", false, "(1,)", &[0; 8])), Err(message.into()));
    let message = "the array is of type <c16, expected real numbers or text";
    assert_eq!(matrix(&array("<c16", false, "(1, 1)", &[0; 16])), Err(message.into()));
    assert_eq!(matrix(b"PK\x03\x04 is a zip"), Err("not a NumPy array: it does not begin with \\x93NUMPY".into()));
}

#[test]
fn bytes_behind_the_values_are_refused() {
    let message = "more bytes than values: the file goes on behind the values that its shape declares";
    assert_eq!(matrix(&array("|u1", false, "(2, 2)", &[0; 5])), Err(message.into()));
    assert_eq!(matrix(&array("|u1", true, "(2, 2)", &[0; 5])), Err(message.into()));
    assert_eq!(labels(&array("|u1", false, "(2,)", &[0; 3])), Err(message.into()));
    let numbers = |bytes: &[u8]| read(bytes, |header, input| header.numbers("n", input));
    assert_eq!(numbers(&array("|u1", false, "(2,)", &[0; 3])), Err(message.into()));
}

#[test]
fn a_shape_beyond_the_file_is_refused_before_anything_is_allocated() {
    let message = matrix(&array("<f8", false, "(1000000, 1000000)", &[0; 8])).err().unwrap_or_default();
    assert_eq!(message, "truncated: shape (1000000, 1000000) needs more bytes than there are");
    let overflow = format!("({}, {})", usize::MAX, 16);
    assert!(matrix(&array("<f8", false, &overflow, &[0; 8])).is_err());
    // A zero axis hides any other from the product.
    let hidden = format!("(0, {}, {})", usize::MAX, 2);
    assert!(matrix(&array("<f8", false, &hidden, &[])).is_err());
    assert_eq!(matrix(&array("<f8", true, "(0, 1000000000000)", &[])), Err("no rows".into()));
    assert_eq!(matrix(&array("<f8", false, "(1000000000000, 0)", &[])), Err("rows have no columns".into()));
}
