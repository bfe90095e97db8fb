//! Durations: `30`, `30s`, `5m`, `1h30m`, `250ms`. A tool gets them in seconds.

use super::argument_type::ArgumentValue;

/// `30`, `30s`, `5m`, `1h30m`, `250ms` → seconds, with up to three decimals.
pub(super) fn duration(value: &ArgumentValue) -> Result<ArgumentValue, String> {
    let milliseconds = match value {
        ArgumentValue::Integer(seconds) => u64::try_from(*seconds).ok().and_then(|seconds| seconds.checked_mul(1000)),
        ArgumentValue::Text(text) => milliseconds(text),
        _ => None,
    };
    let milliseconds = milliseconds.ok_or("is not a duration such as 30, 5m, 1h30m or 250ms")?;
    let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000);
    let text =
        if rest == 0 { seconds.to_string() } else { format!("{seconds}.{rest:03}").trim_end_matches('0').to_owned() };
    Ok(ArgumentValue::Text(text))
}

/// Units largest first, each at most once; digits alone are seconds.
fn milliseconds(text: &str) -> Option<u64> {
    let mut total: u64 = 0;
    let mut rest = text;
    for (unit, unit_ms) in [("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)] {
        let digits = rest.len() - rest.trim_start_matches(|character: char| character.is_ascii_digit()).len();
        let (count, tail) = rest.split_at(digits);
        let name = tail.len() - tail.trim_start_matches(|character: char| character.is_ascii_alphabetic()).len();
        let (name, tail) = tail.split_at(name);
        if name == unit || (name.is_empty() && unit == "s" && digits == text.len()) {
            total = total.checked_add(count.parse::<u64>().ok()?.checked_mul(unit_ms)?)?;
            rest = tail;
        }
    }
    (!text.is_empty() && rest.is_empty()).then_some(total)
}
