//! `builtin:text`: the whole output as one text; invalid UTF-8 becomes U+FFFD.

use serde_json::{Value, json};

pub(super) fn parse(raw: &[u8]) -> Value {
    json!({"raw_output": String::from_utf8_lossy(raw)})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_not_lost_in_silence() {
        assert_eq!(parse(b"a\xff\0b"), json!({"raw_output": "a\u{fffd}\0b"}));
        assert_eq!(parse(b""), json!({"raw_output": ""}));
    }
}
