//! How an address stands in a text: loaded by whatever shows the text, offered to be followed, or merely there.
//!
//! *Security*: it looks back over a bounded number of hostile bytes. *Standards*: CommonMark 0.31, sections 4.7, 6.3, 6.4 and
//! 6.5; HTML, section 4; CSS Values 4, section 4.5.

/// How far back the beginning of a link text or a tag is looked for, bytes.
const BACK_BYTES_MAX: usize = 256;

/// How far before its definition a label is looked for, bytes.
const LABEL_BACK_BYTES_MAX: usize = 2048;

/// How a reader meets an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Setting {
    /// It stands in the text like any other word.
    Bare,
    /// Somebody has to follow it.
    Offered,
    /// Whatever shows the text fetches it without asking: images, frames, styles, redirections.
    Loaded,
}

/// Attributes whose address is fetched, and those that only lead somewhere.
const LOADED: [&str; 24] = [
    "source",
    "src",
    "srcset",
    "data-src",
    "poster",
    "background",
    "data",
    "url",
    "action",
    "formaction",
    "manifest",
    "lowsrc",
    "codebase",
    "xlink:href",
    "ping",
    "dynsrc",
    "archive",
    "classid",
    "longdesc",
    "imagesrcset",
    "xmlurl",
    "schemalocation",
    "icon",
    "values",
];

/// Words before a colon, bracket or brace that make an image of what follows, in markups other than Markdown and HTML.
const IMAGES: [&str; 62] = [
    "image(",
    "\\includesvg{",
    "\\lstinputlisting{",
    "src:",
    ".src",
    "importscripts(",
    "sendbeacon(",
    "fetch(",
    "!include",
    "!includeurl",
    "attach:",
    "attach;value=uri:",
    "photo:",
    "photo;value=uri:",
    "logo;value=uri:",
    "sound:",
    "[image]",
    "[video]",
    "[audio]",
    "[media]",
    "[youtube]",
    "[iframe]",
    "[embed]",
    "[thumb]",
    "figure:",
    "location.href",
    "location.replace(",
    "background:",
    "image-set(",
    "[[image:",
    "[[file:",
    "{{image>",
    "includepicture",
    "image\":",
    "icon\":",
    "thumbnail\":",
    "poster\":",
    "avatar\":",
    "\"logo\":",
    "stylesheet:",
    "[img]",
    "image::",
    "image:",
    "figure::",
    "\\includegraphics{",
    "@import",
    "{{",
    "![[",
    "\\input{",
    "\\include{",
    "url(",
    "include::",
    "/f (",
    "/f(",
    "includetext",
    "#+include:",
    "$ref\":",
    "@context\":",
    "webhook_url\":",
    "webhook_url:",
    "webhook:",
    "refresh:",
];

const OFFERS: [&str; 14] = [
    "[[",
    "\\href{",
    "\\url{",
    "[url=",
    "[url]",
    "<",
    "link:",
    "/uri (",
    "/uri(",
    "hyperlink",
    "]8;;",
    "openurl\",\"url\":",
    "location:",
    "pdf: link",
];

/// Ends of words for what a renderer fetches.
const PICTURED: [&str; 17] = [
    "image",
    "img",
    "icon",
    "cover",
    "photo",
    "logo",
    "avatar",
    "thumbnail",
    "picture",
    "poster",
    "banner",
    "favicon",
    "iframe",
    "embed",
    "stylesheet",
    "screenshot",
    "figure",
];

/// Ends of words for what a reader follows.
const LINKED: [&str; 8] = ["href", "hyperlink", "uref", "ulink", "xref", "anchor", "backlink", "permalink"];

/// How an address that begins at `start` stands in the text.
pub(super) fn setting(bytes: &[u8], start: usize) -> Setting {
    let from = start.saturating_sub(BACK_BYTES_MAX);
    let before = bytes.get(from..start).unwrap_or_default();
    let before = trimmed(before, |byte| matches!(byte, b'"' | b'\'' | b'\\' | b' ' | b'\t' | b'`'));

    if let Some(text) = before.strip_suffix(b"](").or_else(|| before.strip_suffix(b"](<")) {
        return if is_image(text) { Setting::Loaded } else { Setting::Offered };
    }
    if before.ends_with(b"]:") || before.ends_with(b"]: <") {
        let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        // A comment may hold the document.
        let line = trimmed_start(line);
        return match line.strip_prefix(b"[").and_then(|rest| rest.split(|byte| *byte == b']').next()) {
            Some(label) if shows(bytes, start, label) => Setting::Loaded,
            Some(_) => Setting::Offered,
            None => Setting::Bare,
        };
    }
    let ends_with_any = |words: &[&str]| words.iter().any(|word| ends_with(before, word));
    if ends_with_any(&IMAGES) {
        return Setting::Loaded;
    }
    // What is left takes a look at all that stands before.
    match before.last() {
        Some(b'{' | b']' | b'm' | b'M') if bracketed_image(&before.to_ascii_lowercase()) => Setting::Loaded,
        Some(b'=') => {
            let low = before.to_ascii_lowercase();
            let attribute = low.strip_suffix(b"=").unwrap_or_default();
            match attribute_setting(trimmed(attribute, |byte| byte == b' '), &low) {
                Setting::Bare => called(bytes.get(from..start).unwrap_or_default()),
                known => known,
            }
        }
        // Textile: `!address!`.
        Some(b'!') => Setting::Loaded,
        // A link of MediaWiki, and lines of a macro or a menu.
        Some(b'[') => Setting::Offered,
        _ if is_entry(before) => Setting::Offered,
        _ if ends_with_any(&OFFERS) || is_target(before) => Setting::Offered,
        _ => called(bytes.get(from..start).unwrap_or_default()),
    }
}

/// What the word before an address calls it, in any markup that has a sign between the two: `img: "`, `|cover=`, `.href("`.
fn called(before: &[u8]) -> Setting {
    let is_sign = |byte: u8| matches!(byte, b'"' | b'\'' | b'=' | b':' | b'(' | b'{' | b'[' | b'>' | b' ' | b'\\');
    let word = trimmed(before, is_sign);
    let signs = before.get(word.len()..).unwrap_or_default();
    let start = word.iter().rposition(|byte| !byte.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
    let word = word.get(start..).unwrap_or_default();
    let is_end = |known: &str| {
        let at = word.len().checked_sub(known.len());
        at.is_some_and(|at| at == 0 || word.get(at).is_some_and(u8::is_ascii_uppercase)) && ends_with(word, known)
    };
    let is_any = |list: &[&str]| list.iter().any(|known| is_end(known));
    match () {
        () if signs.len() > 8 || !signs.iter().any(|byte| !matches!(byte, b' ' | b'>')) => Setting::Bare,
        () if is_any(&PICTURED)
            || is_addressed(before, &["image_", "icon_", "logo_", "img_", "avatar_", "photo_", "image-"]) =>
        {
            Setting::Loaded
        }
        () if is_any(&LINKED) => Setting::Offered,
        () => Setting::Bare,
    }
}

/// Whether the word before an address is that of what a renderer fetches, called its address: `"image_url": "`.
fn is_addressed(before: &[u8], words: &[&str]) -> bool {
    let name = trimmed(before, |byte| matches!(byte, b'"' | b'\'' | b'=' | b':' | b' ' | b'\\'));
    let name =
        ["url", "uri", "src"].iter().find_map(|end| ends_with(name, end).then(|| name.get(..name.len() - end.len())));
    name.flatten().is_some_and(|name| words.iter().any(|word| ends_with(name, word)))
}

/// Whether a line has nothing but a macro or an arrow before the address: `.UR`, `=>`.
fn is_entry(before: &[u8]) -> bool {
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_macro = |name: &[u8]| (2..=3).contains(&name.len()) && name.iter().all(u8::is_ascii_uppercase);
    line == b"=>" || line.strip_prefix(b".").is_some_and(is_macro)
}

/// `.. _name:` of reStructuredText, which an address follows.
fn is_target(before: &[u8]) -> bool {
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    line.ends_with(b":") && line.trim_ascii_start().starts_with(b".. _")
}

/// Whether a text ends with a word, in any mixture of cases.
fn ends_with(text: &[u8], word: &str) -> bool {
    let from = text.len().checked_sub(word.len());
    from.and_then(|from| text.get(from..)).is_some_and(|end| end.eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether an image before the definition at `at` uses its label.
fn shows(bytes: &[u8], at: usize, label: &[u8]) -> bool {
    let before = bytes.get(at.saturating_sub(LABEL_BACK_BYTES_MAX)..at).unwrap_or_default();
    let wanted = [b"][", label, b"]"].concat();
    let full = memchr::memmem::find(before, &wanted).and_then(|place| before.get(..place)).is_some_and(is_image);
    full || memchr::memmem::find(before, &[b"![", label, b"]"].concat()).is_some()
}

fn trimmed_start(line: &[u8]) -> &[u8] {
    let start = line.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'/' | b'*' | b'#' | b'!' | b'>' | b';'));
    line.get(start.unwrap_or(line.len())..).unwrap_or_default()
}

fn trimmed(bytes: &[u8], wanted: impl Fn(u8) -> bool) -> &[u8] {
    let kept = bytes.iter().rposition(|byte| !wanted(*byte)).map_or(0, |last| last + 1);
    bytes.get(..kept).unwrap_or_default()
}

/// Whether the bracket that a link text opens with has an exclamation mark before it.
fn is_image(text: &[u8]) -> bool {
    let mut depth = 0_usize;
    for (at, byte) in text.iter().enumerate().rev() {
        match byte {
            b']' => depth += 1,
            b'[' if depth == 0 => return at.checked_sub(1).and_then(|at| text.get(at)) == Some(&b'!'),
            b'[' => depth -= 1,
            _ => {}
        }
    }
    false
}

/// `\includegraphics[width=1cm]{`, `[img width=1]`, and the like.
fn bracketed_image(low: &[u8]) -> bool {
    let line = low.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let has = |word: &[u8]| memchr::memmem::find(line, word).is_some();
    (low.ends_with(b"]{") && has(b"\\includegraphics["))
        || (low.ends_with(b"]") && has(b"[img"))
        || (low.ends_with(b"system") && (has(b"<!entity") || has(b"<!doctype")))
}

fn attribute_setting(attribute: &[u8], low: &[u8]) -> Setting {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':');
    let start = attribute.iter().rposition(|byte| !is_name(byte)).map_or(0, |at| at + 1);
    let name = attribute.get(start..).unwrap_or_default();
    // A namespace that somebody declares changes nothing for lax readers.
    let name = name
        .strip_prefix(b"xlink:href")
        .map_or_else(|| name.rsplit(|byte| *byte == b':').next().unwrap_or(name), |_| name);
    let tag = low.iter().rposition(|byte| *byte == b'<').and_then(|at| low.get(at..)).unwrap_or_default();
    let in_tag = !tag.is_empty() && !tag.contains(&b'>');
    match name {
        b"href" if in_tag && ![&b"<a "[..], b"<a\n", b"<area"].iter().any(|name| tag.starts_with(name)) => {
            Setting::Loaded
        }
        b"href" | b"cite" if in_tag => Setting::Offered,
        b"url" if tag.starts_with(b"<meta") => Setting::Loaded,
        b"location" if in_tag => Setting::Loaded,
        b"target" if in_tag && tag.starts_with(b"<relationship") => {
            let is_fetched = [&b"/image\""[..], b"/attachedtemplate\"", b"/oleobject\"", b"/frame\""];
            let loads = is_fetched.iter().any(|kind| memchr::memmem::find(tag, kind).is_some());
            if loads { Setting::Loaded } else { Setting::Offered }
        }
        b"content" if memchr::memmem::find(tag, b"image").is_some() => Setting::Loaded,
        b"data" | b"url" | b"action" | b"archive" | b"background" | b"manifest" if !in_tag => Setting::Bare,
        _ if LOADED.iter().any(|loaded| loaded.as_bytes() == name) => Setting::Loaded,
        _ => Setting::Bare,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Setting {
        let at = text.find("//").unwrap_or(0);
        let start = text.find("https").unwrap_or(at);
        setting(text.as_bytes(), start)
    }

    #[test]
    fn what_a_renderer_fetches_is_loaded() {
        for text in [
            "![a](https://h/x)",
            "![a [b] c](<https://h/x>)",
            "<img alt='' src=\"https://h/x\">",
            "<img src=https://h/x>",
            "style=\"background:url('https://h/x')\"",
            "<meta http-equiv=refresh content=\"0;url=https://h/x\">",
            "<link rel=prefetch href=\"https://h/x\">",
            "@import \"https://h/x\";",
            "[img]https://h/x[/img]",
            ".. image:: https://h/x",
            "image::https://h/x[]",
            "\\includegraphics[width=1cm]{https://h/x}",
            "cover: https://h/x",
            "{\"heroImage\": \"https://h/x\"}",
            "|photo = https://h/x",
            "{\"image_url\": \"https://h/x\"}",
            "<!DOCTYPE a SYSTEM \"https://h/x\">",
            "<Relationship Type=\"http://s/relationships/image\" Target=\"https://h/x\"/>",
            "node [icon=\"https://h/x\"]",
            "#image(\"https://h/x\")",
            "{\"html\": \"<iframe src=\\\"https://h/x\\\">\"}",
        ] {
            assert_eq!(of(text), Setting::Loaded, "{text}");
        }
    }

    #[test]
    fn what_a_reader_has_to_follow_is_offered() {
        for text in [
            "[a](https://h/x)",
            "<https://h/x>",
            "[a]: https://h/x",
            "/// [a]: https://h/x",
            "<a href='https://h/x'>",
            "\\href{https://h/x}{y}",
            ".UR https://h/x",
            "=> https://h/x y",
            "* [https://h/x y]",
            "click a href \"https://h/x\"",
            "@uref{https://h/x, y}",
        ] {
            assert_eq!(of(text), Setting::Offered, "{text}");
        }
    }

    #[test]
    fn an_address_among_words_or_in_a_setting_is_bare() {
        for text in [
            "see https://h/x",
            "the image https://h/x",
            "discover: https://h/x",
            "url = https://h/x",
            "API_URL=https://h/x",
            "curl https://h/x",
            "data=https://h",
        ] {
            assert_eq!(of(text), Setting::Bare, "{text}");
        }
    }
}
