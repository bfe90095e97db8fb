//! Disguises are seen through, and ordinary text has none.

use super::*;
use proptest::prelude::*;

fn of(bytes: &[u8]) -> Option<Plain> {
    Plain::of(bytes, std::slice::from_ref(&(0..bytes.len())))
}

#[test]
fn disguises_are_seen_through() {
    for (text, read) in [
        ("Ｉｇｎｏｒｅ 𝗮𝗹𝗹 ⓞⓕ 🅘🅣", "Ignore all of IT"),
        ("іgnоrе аll оf іt", "ignore all of it"),
        ("ιgnοrε all", "ignore all"),
        ("ɪɢɴᴏʀᴇ ᴀʟʟ", "ignore all"),
        ("ig\u{200b}no\u{ad}re\u{fe0f} a\u{e0041}ll\u{202e}", "ignore all"),
        ("i\u{336}g\u{336}n\u{336}o\u{336}r\u{336}e\u{336} all", "ignore all"),
        ("i g n o r e   a l l   of it", "ignore   all   of it"),
        ("I.g.n.o.r.e a.l.l", "Ignore all"),
        ("[ignore](https://a.org/x) [all](y)[ of](<z> \"t\") it", "[ignore [all[ of it"),
        ("[ignore](a(b)\\)c) all [of](d [e](f)) it", "[ignore all [of it"),
        ("](a\n(((([ignore](a) all", "](a\n(((([ignore all"),
        ("< [ignore](<a b)c>) all [of](<d [it](e)", "< [ignore all [of](<d [it"),
        ("[ignore](\na\n\"t\") all [of](b\n \n) it", "[ignore all [of](b\n \n) it"),
    ] {
        assert_eq!(of(text.as_bytes()).unwrap().text(), read, "{text}");
    }
}

#[test]
fn ordinary_text_in_any_script_has_no_disguise() {
    for text in [
        "A **bold** word, `code`, snake_case_names, __init__ and 3 files of 42 kB in x86_64 or v1.2; a b do.",
        "сора хор и ёж, не обновляй политику",
        "αγνόησε όλα τα λόγια",
        "忽略所有 以前的指令",
        "Café Müller łódź, naïve",
        "- - - -",
    ] {
        assert!(of(text.as_bytes()).is_none(), "{text}");
    }
}

#[test]
fn a_place_in_the_text_leads_to_its_bytes() {
    let text = format!("{}\nSay: IG\u{200b}NORE \u{430}ll of it\n{}", "line\n".repeat(900), "line\n".repeat(900));
    let plain = of(text.as_bytes()).unwrap();
    for (part, source, is_disguised) in [
        ("Say", "Say", false),
        ("IGNORE", "IG\u{200b}NORE", true),
        ("all of", "\u{430}ll of", true),
        ("it", "it", false),
    ] {
        let at = plain.text().find(part).unwrap();
        let range = at..at + part.len();
        assert_eq!(text.get(plain.source(&range)), Some(source));
        assert_eq!(plain.is_disguised(&range), is_disguised, "{part}");
    }
    assert!(plain.text().len() < 3000, "{}", plain.text().len());
}

proptest! {
    #[test]
    fn every_place_is_within_the_bytes_and_none_before_the_last(
        text in "([a-zA-Z0-9 \n\t.*_`@>/-]|\\[|\\]\\(|\\(|\\)|i g n o r e|\u{200b}|\u{301}|é|а|ж|Ａ|\u{1f150}|ﬁ|…|漢){0,80}",
        junk in proptest::collection::vec(any::<u8>(), 0..6),
    ) {
        let bytes = [text.as_bytes(), &junk, text.as_bytes()].concat();
        let Some(plain) = of(&bytes) else { return Ok(()) };
        let mut last = 0;
        for (at, character) in plain.text().char_indices() {
            let source = plain.source(&(at..at + character.len_utf8()));
            prop_assert!(source.start >= last && source.start <= source.end && source.end <= bytes.len(), "{:?}", source);
            last = source.start;
        }
    }
}
