//! Tells whether a request document is only the beginning of one: a slow writer leaves such a file for a while.
//!
//! Does not judge complete documents. *Security*: a stranger chose the bytes; they are read once, in linear time.

use super::Form;

/// Whether these bytes are only the beginning of a document: nothing, a file filled with NULs in advance, a character that was cut in
/// two, front matter or a JSON value without its end.
pub fn is_unfinished(bytes: &[u8], form: Form) -> bool {
    if bytes.last().is_none_or(|last| *last == 0) {
        return true;
    }
    match std::str::from_utf8(bytes) {
        Err(error) => error.error_len().is_none(),
        Ok(text) if text.trim_ascii().is_empty() => true,
        Ok(text) => match form {
            Form::Markdown => is_front_matter_open(text),
            Form::Json => serde_json::from_str::<serde::de::IgnoredAny>(text).is_err_and(|error| error.is_eof()),
        },
    }
}

/// Whether it begins as front matter does, and the line that ends it is not there.
fn is_front_matter_open(text: &str) -> bool {
    let fence = gatepost_documents::front_matter::FENCE;
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let is_begun = first == fence || (text == first && fence.starts_with(first));
    is_begun && !lines.any(|line| line == fence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_beginning_of_a_document_is_unfinished_until_its_front_matter_ends() {
        let front = "---\nrequest_id: TR-x\npurpose: Größe\n---";
        let document = format!("{front}\n# Request\n");
        for length in 0..document.len() {
            let is_open = length < front.len();
            assert_eq!(is_unfinished(&document.as_bytes()[..length], Form::Markdown), is_open, "{length}");
        }
    }

    #[test]
    fn every_beginning_of_a_json_document_is_unfinished() {
        let document = r#"{"request_id": "TR-x", "args": [1, "ü", {"a": null}]}"#;
        for length in 0..document.len() {
            assert!(is_unfinished(&document.as_bytes()[..length], Form::Json), "{length}");
        }
        assert!(!is_unfinished(document.as_bytes(), Form::Json));
    }

    #[test]
    fn a_file_that_was_filled_in_advance_is_unfinished_and_a_wrong_one_is_not() {
        let filled = [b"---\na: 1\n---\n".as_slice(), &[0; 9]].concat();
        assert!(is_unfinished(&filled, Form::Markdown) && is_unfinished(&[0; 4096], Form::Json));
        for (text, form) in [
            ("# No front matter", Form::Markdown),
            ("---- \n", Form::Markdown),
            ("--\n", Form::Markdown),
            ("{\"a\": 1,}", Form::Json),
            ("null", Form::Json),
        ] {
            assert!(!is_unfinished(text.as_bytes(), form), "{text}");
        }
    }
}
