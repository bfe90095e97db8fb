//! Decimal numbers in the spelling of documents, and the doubles that represent them exactly.
//!
//! *Security*: hostile text; linear in its length. *Standards*: RFC 8259 section 6 (the spelling), IEEE 754 (binary64).

/// The double that a decimal number names exactly enough: the shortest decimal that reads as this double has the same value. `None` if
/// the text is no such number, or if a double cannot keep its digits.
pub fn exact(text: &str) -> Option<f64> {
    let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite())?;
    (Decimal::read(text)? == Decimal::read(&format!("{number:e}"))?).then_some(number)
}

/// Whether a text is a number as JSON spells one: `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`
pub fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = text.split_once(['e', 'E']).map_or((text, None), |(left, right)| (left, Some(right)));
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(left, right)| (left, Some(right)));
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

/// A number as its significant digits times a power of ten: one form for each value.
#[derive(PartialEq)]
struct Decimal {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn read(text: &str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let unsigned = whole.strip_prefix('-').unwrap_or(whole);
        let all = format!("{unsigned}{fraction}");
        if unsigned.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let significant = all.trim_start_matches('0');
        let digits = significant.trim_end_matches('0');
        let shift = i64::try_from(significant.len() - digits.len()).ok()? - i64::try_from(fraction.len()).ok()?;
        let exponent = match digits {
            // A zero is a zero at any power.
            "" => 0,
            _ => exponent.parse::<i64>().ok()?.checked_add(shift)?,
        };
        Some(Self { is_negative: whole.starts_with('-'), digits: digits.to_owned(), exponent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_double_is_given_where_it_keeps_the_number() {
        for (text, number) in [
            ("0", 0.0),
            ("0.50", 0.5),
            ("0.1", 0.1),
            ("-1.25", -1.25),
            ("1e3", 1_000.0),
            ("1E+3", 1_000.0),
            ("0.0e999999999999", 0.0),
            ("5e-324", 5e-324),
            ("9007199254740992.0", 9_007_199_254_740_992.0),
            ("100000000000000000000000", 1e23),
        ] {
            assert_eq!(exact(text), Some(number), "{text}");
        }
        assert!(exact("-0").is_some_and(f64::is_sign_negative));
    }

    #[test]
    fn a_number_is_spelled_in_one_way() {
        for text in ["0", "-0", "10.50", "1e5", "1E-05", "0.0"] {
            assert!(is_number(text), "{text}");
        }
        for text in ["", "-", "+1", "01", "1.", ".5", "1e", "1e+", "0x1", "inf", "1 ", "--1", "1.5.2"] {
            assert!(!is_number(text), "{text}");
        }
    }

    #[test]
    fn a_number_that_a_double_would_round_has_none() {
        for text in [
            "0.12345678901234567890",
            "9007199254740993.0",
            "123456789012345678901234567890",
            "1e400",
            "1e-400",
            "3e-324",
            "inf",
            "nan",
            "",
            "-",
            ".5",
            "+1",
            "1e",
            "1_0",
            "0x10",
        ] {
            assert_eq!(exact(text), None, "{text}");
        }
    }
}
