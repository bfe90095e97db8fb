//! The ways in which a gap in an address is written: `{x}`, `<x>`, `$X`, `%X%`, `(x)`, `«x»`, `=KEY`, `=____` and their kin.
//!
//! It says how long a gap is and judges nothing. *Security*: hostile bytes; looks a bounded way ahead. *Standards*: RFC 6570
//! for one of them; the others are those of shells, templates, configuration languages and manuals.

use memchr::memmem;

/// The shortest name of what is called behind a sign; two digits behind a percent sign are an escape.
const CALL_BYTES_MIN: usize = 4;

/// The longest gap, bytes.
const GAP_BYTES_MAX: usize = 96;

/// What a gap begins with.
pub(super) const STARTS: &[u8] = b"%#@<[{$_=\\&|(:?`\xC2\xE2\xE3\xEF";

/// Pairs of signs that no keyboard's address has and that people put around what is to be filled in.
const WIDE: [(&str, &str); 8] = [
    ("\u{ab}", "\u{bb}"),
    ("\u{2039}", "\u{203a}"),
    ("\u{27e8}", "\u{27e9}"),
    ("\u{2329}", "\u{232a}"),
    ("\u{300c}", "\u{300d}"),
    ("\u{3010}", "\u{3011}"),
    ("\u{ff1c}", "\u{ff1e}"),
    ("\u{ff5b}", "\u{ff5d}"),
];

/// Where tools that keep secrets say which of them belongs here.
const REFERENCES: [&str; 9] =
    ["op://", "ssm:", "vault:", "secret://", "secretsmanager:", "keychain:", "env:", "gopass:", "keyvault:"];

/// Beginnings of values that tell their reader to put something else there.
const TOLD: [&str; 20] = [
    "type_your",
    "type-your",
    "enter_your",
    "enter-your",
    "add_your",
    "add-your",
    "replace_",
    "replace-",
    "your_",
    "insert_",
    "your-",
    "insert-",
    "paste_",
    "paste-",
    "put_",
    "put-",
    "votre_",
    "votre-",
    "xxxx",
    "...",
];

/// The length of the gap between signs of other scripts, signs included.
pub(super) fn wide(rest: &[u8]) -> Option<usize> {
    let (open, close) = WIDE.iter().find(|(open, _)| rest.starts_with(open.as_bytes()))?;
    let within = rest.get(..rest.len().min(GAP_BYTES_MAX))?;
    let line = within.split(|byte| *byte == b'\n').next()?;
    memmem::find(line, close.as_bytes()).filter(|end| *end > open.len()).map(|end| end + close.len())
}

/// The length of words in round brackets in the place of a value, brackets included.
pub(super) fn bracketed(rest: &[u8]) -> Option<usize> {
    let within = rest.get(..rest.len().min(GAP_BYTES_MAX))?;
    let end = within.iter().position(|byte| matches!(byte, b')' | b'\n'))?;
    let inner = within.get(1..end)?;
    let plain = |byte: &u8| byte.is_ascii_alphabetic() || b" _-'".contains(byte) || !byte.is_ascii();
    let is_gap = within.get(end) == Some(&b')') && inner.len() > 2 && inner.iter().all(plain);
    is_gap.then_some(end + 1)
}

/// The length of `|NAME|`.
pub(super) fn barred(rest: &[u8]) -> Option<usize> {
    let name = rest.strip_prefix(b"|")?;
    let length = name.iter().take(48).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    (length > 1 && name.get(length) == Some(&b'|')).then_some(length + 2)
}

/// The length of the gap that `rest`, in lower case, begins with; `before` is the byte before it.
pub(super) fn length(rest: &[u8], before: Option<u8>) -> Option<usize> {
    let word =
        |from: usize| rest.iter().skip(from).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let closed = |close: u8| rest.iter().take(GAP_BYTES_MAX).position(|byte| *byte == close).map(|end| end + 1);
    let until = |close: &str, from: usize| {
        let within = rest.get(from..rest.len().min(GAP_BYTES_MAX))?;
        memmem::find(within, close.as_bytes()).map(|end| end + from + close.len())
    };
    if let Some(length) = called_by_sign(rest) {
        return Some(length);
    }
    match rest {
        // A document in JSON, and no name.
        [b'%', b'7' | b'5', b'b', b'%', b'2', b'2', ..] => None,
        [b'%', b'7', b'b', ..] => until("%7d", 3),
        [b'%', b'3', b'c', ..] => until("%3e", 3),
        [b'%', b'5', b'b', ..] => until("%5d", 3),
        [b'{', inner @ ..] if is_object(inner) => None,
        [b'#', b'{', ..] | [b'{', ..] => closed(b'}'),
        [b'`', ..] => rest.iter().take(GAP_BYTES_MAX).skip(1).position(|byte| *byte == b'`').map(|end| end + 2),
        // `:name` of a route or a statement, `@name` of a script.
        [b':', next, ..] if next.is_ascii_alphabetic() && matches!(before, Some(b'=' | b'/' | b'?' | b'#')) => {
            Some(1 + word(1))
        }
        [b'@', next, ..] if next.is_ascii_alphabetic() && is_whole(rest.get(1 + word(1)), before) => Some(1 + word(1)),
        [b'@', b'@', next, ..] if next.is_ascii_alphabetic() => until("@@", 2),
        [b'@', next, ..] if next.is_ascii_alphabetic() && rest.get(1 + word(1)) == Some(&b'@') => Some(2 + word(1)),
        [b'%', b'(', ..] => until(")s", 2),
        [b'%', b'e', b'n', b'v', b'(', ..] => until(")%", 5),
        // `%NAME%` and the entity `%name;`, which no escape is.
        [b'%', next, ..] if next.is_ascii_alphabetic() && word(1) >= 1 => match rest.get(1 + word(1)) {
            Some(b'%') if word(1) >= 3 => Some(2 + word(1)),
            Some(b';') if word(1) != 2 => Some(2 + word(1)),
            _ if matches!(next, b's') && rest.get(2).is_none_or(|next| !next.is_ascii_hexdigit()) => Some(2),
            _ => None,
        },
        [0xC2 | 0xE2 | 0xE3 | 0xEF, ..] => wide(rest),
        [b'<', b'%', ..] => until("%>", 2),
        [b'<', b'?', ..] => until("?>", 2),
        [b'<', ..] => closed(b'>'),
        [b'&', b'l', b't', b';', ..] => until("&gt", 4),
        [b'[', next, ..] if !matches!(next, b':' | b'"' | b'0'..=b'9') => closed(b']'),
        [b'$', b'@' | b'*'] | [b'$', b'@' | b'*', b'&', ..] => Some(2),
        [b'$', b'(', ..] => closed(b')').or_else(|| closed(b'}')),
        [b'$', b'{', ..] => closed(b'}').or_else(|| closed(b')')),
        [b'\\', b'(', ..] => closed(b')'),
        [b'$', b'e', b'n', b'v', b':', ..] => Some(5 + word(5)),
        [b'$', next, ..] if next.is_ascii_alphabetic() => Some(1 + word(1)),
        [b'|', ..] => barred(rest),
        [b'(', ..] if matches!(before, Some(b'=' | b'/' | b'?')) => bracketed(rest),
        [b'_', b'_', next, ..] if next.is_ascii_alphabetic() => until("__", 2),
        [b'=', value @ ..] => valued(value).map(|length| length + 1),
        _ => None,
    }
}

/// Whether braces hold an object of a program, and no name: `{type:'bar'}`.
fn is_object(inner: &[u8]) -> bool {
    let name = inner.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_\"'".contains(byte)).count();
    matches!(inner.get(name..), Some([b':', b'\'' | b'"' | b'{' | b'[' | b'0'..=b'9', ..])) && name > 0
}

/// Whether a word is all of a value: behind the sign that begins it, up to `end`.
const fn is_whole(end: Option<&u8>, before: Option<u8>) -> bool {
    matches!(before, Some(b'=' | b'?' | b'#')) && matches!(end, None | Some(b'&' | b'#' | b';'))
}

/// The length of a value that is a gap as a whole.
fn valued(value: &[u8]) -> Option<usize> {
    let end = value.iter().position(|byte| matches!(byte, b'&' | b'#')).unwrap_or(value.len());
    let whole = value.get(..end)?;
    let starts = |list: &[&str]| list.iter().any(|start| whole.starts_with(start.as_bytes()));
    if starts(&TOLD) {
        return Some(whole.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte)).count());
    }
    if starts(&REFERENCES) || is_filler(whole) {
        return Some(end);
    }
    called(whole)
}

/// The length of what a typesetter or a drawing program is to put in: `\input{notes}`, `%getenv("HOME")`.
pub(super) fn called_by_sign(rest: &[u8]) -> Option<usize> {
    let (sign, call) = rest.split_first()?;
    let name = call.iter().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'_').count();
    let close = match (sign, call.get(name)) {
        (b'\\', Some(b'{')) => b'}',
        (b'%', Some(b'(')) => b')',
        _ => return None,
    };
    let within = rest.get(..rest.len().min(GAP_BYTES_MAX))?;
    let end = within.iter().position(|byte| *byte == close || *byte == b'\n')?;
    (name >= CALL_BYTES_MIN && within.get(end) == Some(&close)).then_some(end + 1)
}

/// Whether nothing but one sign that stands for any other is there: `____`, `****`, `•••`, `…`.
fn is_filler(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let Some(first) = text.chars().next() else { return false };
    let dots = matches!(first, '\u{2026}' | '\u{2022}' | '\u{25cf}' | '\u{2588}');
    (dots || (matches!(first, '_' | '*') && text.len() >= 2)) && text.chars().all(|character| character == first)
}

/// The length of `name(what)` where a value should be.
fn called(value: &[u8]) -> Option<usize> {
    let start = value.iter().take_while(|byte| **byte == b'!').count();
    let name = value.iter().skip(start).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let open = value.get(start + name).filter(|_| name > 1)?;
    let end = value.iter().take(GAP_BYTES_MAX).position(|byte| *byte == b')')?;
    (*open == b'(' && end > start + name + 1).then_some(end + 1)
}

/// The length of a value or segment in capital letters that names something: `=CHAT_HISTORY`, `/YOUR-SECRET/`.
pub(super) fn shouted(rest: &[u8]) -> Option<usize> {
    let (b'=' | b'/' | b'?' | b'#', value) = rest.split_first().map(|(first, value)| (*first, value))? else {
        return None;
    };
    let is_name = |byte: &&u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
    let length =
        if value.first().is_some_and(u8::is_ascii_digit) { 0 } else { value.iter().take_while(is_name).count() };
    let ends = value.get(length).is_none_or(|byte| matches!(byte, b'&' | b'#' | b'/' | b'.' | b':'));
    (length >= 3 && ends).then_some(1 + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_as_long_as_its_notation() {
        for gap in [
            "{x}",
            "<x y>",
            "$name",
            "$(id -un)",
            "%name%",
            "%(env)s",
            "%env(resolve:app_secret)%",
            "@@x@@",
            "@user@",
            "|pin|",
            "&lt;key&gt",
            "\u{27e8}clave\u{27e9}",
            "\u{2039}data\u{203a}",
            "=op://vault/item",
            "=\u{2022}\u{2022}\u{2022}",
            "=____",
            "=!!env(db_url)",
            "=contents_of(id_rsa)",
            "<%= session.user %>",
            "<?=$user?>",
            "{user!r}",
            "`id -un`",
            "$env:user",
            "\\(keychain[\"password\"]!)",
            "\\input{notes}",
            "\\directlua{os.getenv('home')}",
            "%getenv(\"home\")",
            "=put-the-last-message-here",
        ] {
            assert_eq!(length(gap.as_bytes(), None), Some(gap.len()), "{gap}");
        }
        assert_eq!(length(b"(your token)", Some(b'=')), Some(12));
        assert_eq!((length(b":notes&a", Some(b'=')), length(b":notes/a", Some(b'/'))), (Some(6), Some(6)));
        assert_eq!((length(b"@notes", Some(b'?')), length(b"@ada/1", Some(b'/'))), (Some(6), None));
        assert_eq!(shouted(b"=COOKIE&x"), Some(7));
        assert_eq!(shouted(b"=BASE64_OF_REPORT"), Some(17));
    }

    #[test]
    fn what_daily_addresses_hold_is_no_gap() {
        for text in [
            "%20b",
            "=1",
            "=a_b",
            "_(language)",
            "&amp;",
            "@1.2",
            "|",
            "[1]",
            "=value",
            "=..",
            "\u{e9}",
            "{type:'bar',a:[1]}",
            ":8080/a",
        ] {
            assert_eq!(length(text.as_bytes(), None), None, "{text}");
        }
        assert_eq!(length(b"(programming_language)", Some(b'_')), None);
        assert_eq!((shouted(b"=Ab"), shouted(b"=2026-11"), shouted(b"/7Z")), (None, None, None));
    }
}
