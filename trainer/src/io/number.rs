//! Parses cells as numbers.

use super::error::{CellProblem, shorten};

/// Powers of ten that an f64 holds exactly, as far as a short decimal needs them.
const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// The nearest f64 of a decimal number.
pub(super) fn parse(cell: &[u8]) -> Option<f64> {
    short_decimal(cell).or_else(|| std::str::from_utf8(cell).ok()?.parse().ok())
}

/// Up to 15 digits with at most one point: both the digits and the power of ten are exact in an f64, so that their
/// quotient is the nearest value, and most cells of most tables need no more.
fn short_decimal(cell: &[u8]) -> Option<f64> {
    let (negative, digits) = match cell {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    let mut mantissa = 0_u64;
    let mut point = None;
    for (at, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => mantissa = mantissa * 10 + u64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(at),
            _ => return None,
        }
    }
    let decimals = point.map_or(0, |at| digits.len() - at - 1);
    let count = digits.len() - usize::from(point.is_some());
    if count == 0 || count > 15 {
        return None;
    }
    let value = if decimals == 0 { mantissa as f64 } else { mantissa as f64 / POWERS[decimals] };
    Some(if negative { -value } else { value })
}

/// Why a cell is no finite number.
pub(super) fn problem(cell: &[u8], parsed: Option<f64>) -> CellProblem {
    let text = shorten(&String::from_utf8_lossy(cell));
    if parsed.is_some_and(f64::is_finite) {
        CellProblem::TooLarge(text)
    } else if parsed.is_some() {
        CellProblem::NotFinite(text)
    } else if cell.is_empty() {
        CellProblem::Empty
    } else if has_decimal_comma(cell) {
        CellProblem::DecimalComma(text)
    } else if is_date(cell) {
        CellProblem::Date(text)
    } else if is_missing(cell) {
        CellProblem::Missing(text)
    } else {
        CellProblem::NotNumber(text)
    }
}

/// Whether a cell is a number but for a comma in the place of the decimal point.
pub(super) fn has_decimal_comma(cell: &[u8]) -> bool {
    cell.contains(&b',') && parse_with_comma(cell).is_some()
}

/// The nearest f64 of a number whose decimals follow a comma; one with a point may mean anything.
pub(super) fn parse_with_comma(cell: &[u8]) -> Option<f64> {
    if cell.contains(&b'.') {
        return None;
    }
    let point = |byte: &u8| if *byte == b',' { b'.' } else { *byte };
    parse(&cell.iter().map(point).collect::<Vec<u8>>())
}

/// A word that stands for a missing number; it does not decide whether a line is a header.
pub(super) fn is_missing(cell: &[u8]) -> bool {
    const WORDS: [&[u8]; 8] = [b"", b"na", b"n/a", b"nan", b"null", b"none", b"?", b"-"];
    WORDS.iter().any(|word| cell.eq_ignore_ascii_case(word))
}

/// A word that stands for a missing label. Fewer than for numbers: classes are called `none` or `-` by intention.
pub(super) fn is_missing_label(cell: &[u8]) -> bool {
    const WORDS: [&[u8]; 5] = [b"", b"na", b"n/a", b"nan", b"null"];
    WORDS.iter().any(|word| cell.eq_ignore_ascii_case(word))
}

/// Whether a cell is a date, a time of day, or both: `2024-05-01`, `1.5.2024 12:30`, `12:30:05.25`.
pub(super) fn is_date(cell: &[u8]) -> bool {
    let cell = cell.trim_ascii();
    let end = cell.iter().position(|byte| matches!(byte, b' ' | b'T')).unwrap_or(cell.len());
    let (first, rest) = (&cell[..end], cell.get(end + 1..).unwrap_or_default());
    is_day(first) && (rest.is_empty() || is_time(rest)) || end == cell.len() && is_time(first)
}

/// A time in seconds, or in the unit of a number: from midnight for a time of day, from 1970 for a date of the form
/// `2024-05-01 12:00:00.5`. Time zones do not count: a log has one.
pub(super) fn time(cell: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(cell).ok()?;
    if let Some(value) = parse(cell) {
        return Some(value).filter(|value| value.is_finite());
    }
    if text.is_empty() {
        return None;
    }
    let (day, clock) = match text.split_once(['T', ' ']) {
        Some((day, clock)) => (day, clock),
        None if text.contains(':') => ("", text),
        None => (text, ""),
    };
    let seconds = if clock.is_empty() { 0.0 } else { seconds(clock)? };
    if day.is_empty() { Some(seconds) } else { Some(86_400.0 * days(day)? + seconds) }
}

/// `12:30:05.25` in seconds.
fn seconds(clock: &str) -> Option<f64> {
    let digits = clock.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.')).unwrap_or(clock.len());
    let mut parts = clock[..digits].split(':').map(|part| part.parse::<f64>().ok());
    let (hours, minutes) = (parts.next()??, parts.next()??);
    let rest = parts.next().map_or(Some(0.0), |part| part)?;
    Some(3600.0 * hours + 60.0 * minutes + rest)
}

/// Days from 1970 to a date with the year first, in the Gregorian calendar.
fn days(date: &str) -> Option<f64> {
    let mut parts = date.split(['-', '/', '.']).map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if !(1000..=9999).contains(&year) || !(1..=12).contains(&month) {
        return None;
    }
    // Years begin in March, so that the leap day is the last of one.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some((365 * year + leap + (153 * month + 2) / 5 + day - 1 - 719_468) as f64)
}

/// Three numbers with one kind of separator, a year first or last.
fn is_day(text: &[u8]) -> bool {
    [b'-', b'/', b'.'].iter().any(|separator| {
        let parts: Vec<&[u8]> = text.split(|byte| byte == separator).collect();
        let is_number = |part: &&[u8]| (1..=4).contains(&part.len()) && part.iter().all(u8::is_ascii_digit);
        parts.len() == 3
            && parts.iter().all(is_number)
            && parts[1].len() <= 2
            && (parts[0].len() <= 2 && parts[2].len() != 3 && parts[2].len() != 1
                || parts[0].len() == 4 && parts[2].len() <= 2)
    })
}

/// Hours and minutes, perhaps seconds and a time zone.
fn is_time(text: &[u8]) -> bool {
    let parts: Vec<&[u8]> = text.splitn(3, |byte| *byte == b':').collect();
    let is_number = |part: &[u8]| (1..=2).contains(&part.len()) && part.iter().all(u8::is_ascii_digit);
    (2..=3).contains(&parts.len())
        && is_number(parts[0])
        && parts[1].get(..2).is_some_and(is_number)
        && parts.last().is_some_and(|last| last.first().is_some_and(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_decimals_are_the_nearest_values() {
        let cells = ["0", "-0", "7", "-12.5", ".5", "5.", "0.1", "-0.903497", "123456789.012345", "999999999999999"];
        for cell in cells {
            let exact: f64 = cell.parse().unwrap_or(f64::NAN);
            assert_eq!(parse(cell.as_bytes()).map(f64::to_bits), Some(exact.to_bits()), "{cell}");
        }
        let mut state = 1_u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let cell = format!("{}.{}", (state >> 40) % 100_000, (state >> 20) % 1_000_000_000);
            assert_eq!(parse(cell.as_bytes()), cell.parse().ok(), "{cell}");
        }
    }

    #[test]
    fn everything_else_is_left_to_the_standard_library() {
        assert_eq!(parse(b"1e-3"), Some(0.001));
        assert_eq!(parse(b"+2"), Some(2.0));
        assert_eq!(parse(b"3.14159265358979311600"), Some(std::f64::consts::PI));
        assert_eq!(parse(b"inf"), Some(f64::INFINITY));
        for cell in [&b""[..], b"-", b".", b"1.2.3", b"1 2", b"abc", b"\xFF"] {
            assert_eq!(parse(cell), None);
        }
    }

    #[test]
    fn dates_and_times_are_recognized() {
        for date in ["2024-05-01", "2024-05-01T12:30:05Z", "1.5.2024 12:30", "05/01/24", "12:30", "12:30:05.25"] {
            assert!(is_date(date.as_bytes()), "{date}");
        }
        for other in ["1.5", "-3", "1-2", "1.2.3", "red", "", "2024", "a:b", "192.168.0.1", "12:x"] {
            assert!(!is_date(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn times_are_seconds() {
        assert_eq!(time(b"12.5"), Some(12.5));
        assert_eq!(time(b"01:02:03.5"), Some(3723.5));
        assert_eq!(time(b"1970-01-02T00:00:01Z"), Some(86_401.0));
        assert_eq!(time(b"2024-03-01 00:00"), Some(1_709_251_200.0));
        for other in ["", "noon", "1.5.2024", "12:x", "nan"] {
            assert_eq!(time(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn problems_are_told_apart() {
        let of = |cell: &[u8]| problem(cell, parse(cell));
        assert_eq!(of(b""), CellProblem::Empty);
        assert_eq!(of(b"nan"), CellProblem::NotFinite("nan".into()));
        assert_eq!(of(b"1e999"), CellProblem::NotFinite("1e999".into()));
        assert_eq!(of(b"1,5"), CellProblem::DecimalComma("1,5".into()));
        assert_eq!(of(b"a,b"), CellProblem::NotNumber("a,b".into()));
    }
}
