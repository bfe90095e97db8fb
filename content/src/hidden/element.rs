//! Elements whose words a browser does not show: hidden by style or attribute, inert, or kept in an attribute.
//!
//! *Security*: hostile bytes; each keyword has a bounded neighbourhood, and a bounded number of classes is followed.
//! *Standards*: HTML, sections 3.2.6, 6.1 and 15.3; SVG 2, section 11; WAI-ARIA 1.2.

use std::ops::Range;

use memchr::memmem;

use super::colour::colour;
use super::rule;
use super::style::{colours, hides, is_covert, is_pale, is_paper, is_put_off, meet};
use super::tag::{Tag, without_tags};
use super::talk::{Talk, calls_machine, demands, names_machine, talk, urges};
use crate::rule::Strength::{Addressed, Mentioned};
use crate::rule::{Hit, Rule, Strength};

/// How much of a style sheet inside a page is read, and how many hiding selectors of a view are followed.
const SHEET_BYTES_MAX: usize = 8192;
pub(super) const SELECTORS_MAX: usize = 32;

/// How many tags around one are asked for the colour of its ground.
const PARENTS_MAX: usize = 4;

/// Keywords that stand in a tag whose element may be hidden.
pub(super) const HIDING: [&str; 31] = [
    "popover",
    "\"hide\"",
    "offscreen",
    "off-screen",
    "text-transparent",
    "text-[0",
    "scale-0",
    " x=\"-",
    "textlength=",
    "systemlanguage=",
    "<text x=",
    "style=",
    " text=\"#",
    "hidden",
    "color=",
    "opacity=",
    "visibility=",
    "display=",
    "font-size=",
    "fill=",
    "bgcolor=",
    "inert",
    "width=",
    "height=",
    "transform=",
    "clip-path=",
    "size=",
    "sr-only",
    "d-none",
    "invisible",
    "opacity-0",
];

/// Classes of the usual style sheets that hide, whole words of the attribute.
const CLASSES: [&str; 24] = [
    "offscreen",
    "off-screen",
    "a11y-hidden",
    "element-invisible",
    "assistive-text",
    "text-[0px]",
    "text-[0]",
    "hidden",
    "hide",
    "d-none",
    "invisible",
    "opacity-0",
    "sr-only",
    "visually-hidden",
    "visuallyhidden",
    "is-hidden",
    "screen-reader-text",
    "screen-reader-only",
    "text-transparent",
    "text-hide",
    "display-none",
    "u-hidden",
    "hidden-xs-up",
    "scale-0",
];

/// How the classes begin whose words are read out instead.
const READ_OUT: [&str; 4] = ["sr-only", "visually", "screen-reader", "assistive"];

/// Elements without words, nearly all of drawings, which may close themselves.
const WORDLESS: [&str; 10] =
    ["path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "use", "image", "img"];

/// What a style sheet puts words into a page with.
pub(super) const INSERTED: [&str; 2] = ["content:\"", "content:'"];

/// Beginnings of elements that are not shown, or only where something is missing.
pub(super) const INERT: [&str; 28] = [
    "<clippath",
    "<w:comment",
    "<office:annotation",
    "<template",
    "<noscript",
    "<noframes",
    "<noembed",
    "<details",
    "<dialog",
    "<metadata",
    "<desc",
    "<datalist",
    "<canvas",
    "<audio",
    "<video",
    "<object",
    "<iframe",
    "<applet",
    "<symbol",
    "<defs",
    "<progress",
    "<meter",
    "<rp>",
    "<mj-preview",
    "<xml",
    "<comment",
    "<script type=\"text/",
    "<annotation",
];

/// Attributes with words that are shown seldom or never.
pub(super) const WORDED: [&str; 19] = [
    "dc:description=",
    "longdesc=",
    "title=",
    "alt=",
    "aria-label=",
    "aria-description=",
    "content=",
    "summary=",
    "data-",
    "placeholder=",
    "label=",
    "srcdoc=",
    "aria-roledescription=",
    "aria-valuetext=",
    "abbr=",
    "standby=",
    "prompt=",
    "description=",
    "aria-placeholder=",
];

/// Attributes whose words are for those who use a page, and are shown or read out to them.
const SHOWN: [&str; 10] = [
    "title",
    "alt",
    "aria-label",
    "aria-description",
    "content",
    "summary",
    "placeholder",
    "label",
    "description",
    "prompt",
];

/// What pages tell their visitors to do.
const INTERFACE: [&str; 36] = [
    "click", "press", "tap", "select", "open", "close", "enter", "type", "search", "skip", "go", "choose", "show",
    "hide", "toggle", "download", "upload", "view", "read", "see", "learn", "follow", "share", "copy", "print",
    "please", "use", "add", "remove", "edit", "sign", "log", "submit", "send", "visit", "delete",
];

fn hit(rule: &'static Rule, range: Range<usize>, strength: Strength) -> Hit {
    Hit { rule, range, strength }
}

/// What words weigh that no reader sees.
fn weight(words: &[u8]) -> Option<Strength> {
    match talk(words) {
        Talk::Silent => None,
        Talk::Mark => Some(Mentioned),
        Talk::Prose | Talk::Sentence | Talk::Directive => Some(Addressed),
    }
}

/// What words weigh that were hidden with an effort: two are enough, and one that asks for something.
fn effort(words: &[u8]) -> Option<Strength> {
    let count = words.split(|byte| !byte.is_ascii_alphabetic()).filter(|word| word.len() >= 2).count();
    if count >= 2 { weight(words).map(|_| Addressed) } else { weight(words) }
}

/// The element of the tag around `at`, if its words are hidden, and the byte behind the tag.
pub(super) fn hidden(bytes: &[u8], at: usize) -> (Option<Hit>, usize) {
    Tag::around(bytes, at).map_or((None, 0), |tag| (hidden_by(bytes, &tag), tag.end))
}

fn hidden_by(bytes: &[u8], tag: &Tag<'_>) -> Option<Hit> {
    let is = |name: &str, values: &[&str]| {
        let value = tag.attribute(name).map(<[u8]>::to_ascii_lowercase);
        value.is_some_and(|value| values.iter().any(|wanted| value.trim_ascii() == wanted.as_bytes()))
    };
    if tag.name() == b"input" && is("type", &["hidden"]) {
        let value = tag.attribute("value")?;
        return (talk(value) >= Talk::Sentence).then_some(Hit {
            rule: rule::ATTRIBUTE,
            range: tag.start..tag.end,
            strength: Addressed,
        });
    }
    let number = |name: &str| {
        let value = std::str::from_utf8(tag.attribute(name)?).ok()?;
        value.trim().trim_end_matches("px").parse::<f64>().ok()
    };
    let at_most = |name: &str, most: f64| number(name).is_some_and(|value| value <= most);
    let small = |name: &str| at_most(name, 0.05);
    let is_open = !closes_itself(tag);
    let (words, place) = tag.words(bytes);
    let outside = |name: &str| number(name).is_some_and(|place| !(-500.0..4000.0).contains(&place));
    let on_ground = on_ground(bytes, tag);
    let is_hidden =
        tag.attribute("style").is_some_and(|style| hides(style) && !(on_ground == Some(false) && is_pale(style)))
            || on_ground == Some(true)
            || (tag.attribute("hidden").is_some() && !is("hidden", &["false"]))
            || is("visibility", &["hidden", "collapse"])
            || is("display", &["none"])
            || (is_open && (small("opacity") || small("fill-opacity") || at_most("font-size", 1.0)))
            || (is_open
                && is("fill", &["none", "transparent"])
                && !tag.text.windows(7).any(|word| word.eq_ignore_ascii_case(b"stroke="))
                && !is_painted(tag, bytes.get(place.clone()).unwrap_or_default()))
            || (on_ground.is_none()
                && tag.attribute("color").is_some_and(|colour| is_paper(colour, tag.attribute("bgcolor"))))
            || (is_open && (small("width") || small("height")))
            || small("textlength")
            || is("systemlanguage", &["xx", "x-none", "zxx", "und"])
            || (tag.name() == b"text" && (outside("x") || outside("y")))
            || tag.attribute("transform").is_some_and(|value| {
                let value = value.to_ascii_lowercase();
                value.starts_with(b"scale(0)") || value.starts_with(b"scale(0,") || value.starts_with(b"translate(-9")
            });
    let range = tag.start..place.end;
    let classes = tag.attribute("class").unwrap_or_default().split(u8::is_ascii_whitespace);
    let mut classes = classes.filter(|class| CLASSES.iter().any(|name| name.as_bytes() == *class)).peekable();
    if classes.peek().is_some() && !is_hidden {
        // Pages say a lot to those who have them read out.
        let is_read_out = classes.all(|class| READ_OUT.iter().any(|begin| class.starts_with(begin.as_bytes())));
        let strength = match talk(&words) {
            Talk::Silent | Talk::Mark => return None,
            Talk::Prose => Mentioned,
            // A sentence that is no directive names no machine and claims nothing.
            Talk::Sentence if is_read_out => Mentioned,
            _ if is_read_out && !calls(&words) || !is_read_out && is_interface(&words) => Mentioned,
            _ => Addressed,
        };
        return Some(hit(rule::STYLED, range, strength));
    }
    if is_hidden {
        let is_usual = ["hidden", "visibility", "display", "opacity", "width", "height"];
        let is_covert = match tag.attribute("style") {
            Some(style) if hides(style) => is_covert(style),
            _ => !is_usual.iter().any(|name| tag.attribute(name).is_some()),
        };
        let strength = match talk(&words) {
            _ if is_covert => effort(&words)?,
            // Pages keep what they may have to say in elements that are shown when it is time.
            Talk::Prose | Talk::Sentence if is_put_away(tag) => Mentioned,
            Talk::Directive if is_put_away(tag) && !demands(&words) && !names_machine(&words) => Mentioned,
            _ => weight(&words)?,
        };
        return Some(hit(rule::STYLED, range, strength));
    }
    let is_clipped = tag.name() == b"text" && tag.attribute("clip-path").is_some();
    let is_aside = is_clipped
        || is("aria-hidden", &["true"])
        || tag.attribute("inert").is_some()
        || tag.attribute("popover").is_some();
    let strength = if talk(&words) >= Talk::Sentence { Addressed } else { Mentioned };
    (is_aside && talk(&words) >= Talk::Prose).then_some(Hit { rule: rule::STYLED, range, strength })
}

/// Whether a tag ends its element, which has no words then: HTML does not know this of elements that may have some, and a stroke that
/// ends a value without quotation marks ends nothing else.
fn closes_itself(tag: &Tag<'_>) -> bool {
    let last = tag.text.strip_suffix(b"/").and_then(|rest| rest.last());
    let is_stroke = last.is_some_and(|byte| matches!(byte, b'"' | b'\'') || byte.is_ascii_whitespace());
    is_stroke && WORDLESS.iter().any(|name| name.as_bytes() == tag.name())
}

/// Whether all words within a group of a drawing stand in texts that have a colour of their own, and not that of paper.
fn is_painted(tag: &Tag<'_>, inner: &[u8]) -> bool {
    let is_colour =
        |fill: &[u8]| colour(&String::from_utf8_lossy(fill).to_lowercase()).is_some_and(|colour| colour.3 > 0.05);
    let has_colour = |text: &[u8]| {
        let fill = Tag::around(text, 1).and_then(|tag| tag.attribute("fill"));
        fill.is_some_and(|fill| is_colour(fill) && !is_paper(fill, None))
    };
    let is_blank = |text: &[u8]| without_tags(text).iter().all(u8::is_ascii_whitespace);
    let (mut rest, mut texts) = (inner, 0);
    while let Some(at) = memmem::find(rest, b"<text ") {
        let (before, text) = rest.split_at(at);
        // What is read may break off within a text, or within its tag.
        let end = memmem::find(text, b"</text>").map_or(text.len(), |end| end + b"</text>".len());
        if !is_blank(before) || text.contains(&b'>') && !has_colour(text) {
            return false;
        }
        rest = text.get(end..).unwrap_or_default();
        texts += 1;
    }
    tag.name() == b"g" && texts > 0 && is_blank(rest) && memmem::find(inner, b"<!").is_none()
}

/// Whether words call a machine, or ask for something that has weight; few of those that ask for nothing need be weighed.
fn calls(words: &[u8]) -> bool {
    names_machine(words) || demands(words) && urges(words)
}

/// Whether an element is one that a page shows when it is time to.
fn is_put_away(tag: &Tag<'_>) -> bool {
    let style = tag.attribute("style").unwrap_or_default().to_ascii_lowercase();
    tag.attribute("hidden").is_some() || memmem::find(&style, b"display").is_some()
}

/// Whether the words of a tag have the colour of the ground that it or a tag around it gives them; `None` where either is not known.
fn on_ground(bytes: &[u8], tag: &Tag<'_>) -> Option<bool> {
    let text = |value: &[u8]| String::from_utf8_lossy(value).trim().to_lowercase();
    let of_style = |tag: &Tag<'_>| tag.attribute("style").map(colours).unwrap_or_default();
    let (words, own) = of_style(tag);
    let words = words.or_else(|| tag.attribute("color").or_else(|| tag.attribute("text")).map(text))?;
    let own = own.or_else(|| tag.attribute("bgcolor").map(text));
    let around = || {
        let parents = tag.parents(bytes, PARENTS_MAX);
        parents.iter().find_map(|parent| of_style(parent).1.or_else(|| parent.attribute("bgcolor").map(text)))
    };
    meet(&words, &own.or_else(around)?)
}

/// Whether words are what a page tells whoever uses it.
fn is_interface(words: &[u8]) -> bool {
    let low = words.trim_ascii().to_ascii_lowercase();
    let first = low.split(|byte| !byte.is_ascii_alphabetic()).next().unwrap_or_default();
    !names_machine(words) && INTERFACE.iter().any(|verb| verb.as_bytes() == first)
}

/// The element that begins with `<template` and the like at `at`, if it has words.
pub(super) fn inert(bytes: &[u8], at: usize) -> Option<Hit> {
    let tag = Tag::around(bytes, at + 1)?;
    let (words, place) = tag.words(bytes);
    let range = tag.start..place.end;
    let name = tag.name();
    // An element whose name only begins alike is another; an object that loads nothing shows its words.
    let is_meant = INERT
        .iter()
        .any(|begin| begin.trim_matches(['<', '>']).split(' ').next().is_some_and(|known| known.as_bytes() == name));
    if !is_meant || name == b"object" && tag.text.len() == name.len() {
        return None;
    }
    if name == b"details" || name == b"dialog" {
        if tag.attribute("open").is_some() {
            return None;
        }
        let raw = bytes.get(place)?;
        // What is not closed goes on, and is shown.
        let begins = memmem::find(raw, b"<summary").is_some();
        let end = memmem::find(raw, b"</summary").or_else(|| begins.then_some(raw.len()));
        let summary = end.map(|end| without_tags(raw.get(..end).unwrap_or_default()));
        // With something to click on, a closed element is an everyday thing.
        let is_blank = summary.is_none_or(|summary| summary.iter().all(u8::is_ascii_whitespace));
        return if is_blank {
            let is_usual = name == b"dialog" && talk(&words) <= Talk::Sentence;
            Some(hit(rule::INERT, range, if is_usual { weight(&words).map(|_| Mentioned)? } else { weight(&words)? }))
        } else {
            calls_machine(&words).then(|| hit(rule::INERT, range, Addressed))
        };
    }
    // Descriptions in several languages, as catalogues have them.
    if name == b"comment" && tag.attribute("xml:lang").is_some() {
        return None;
    }
    // What a page says to those whose browser cannot do what it needs.
    let low = words.to_ascii_lowercase();
    let asks_for_more = ["javascript", "browser", "support", "frames", "fallback"]
        .iter()
        .any(|word| memmem::find(&low, word.as_bytes()).is_some());
    let asks_for_script = memmem::find(&low, b"javascript").is_some() || memmem::find(&low, b"browser").is_some();
    match talk(&words) {
        Talk::Sentence | Talk::Directive
            if urges(&words) && (!asks_for_more || (names_machine(&words) && !asks_for_script)) =>
        {
            Some(hit(rule::INERT, range, Addressed))
        }
        Talk::Prose | Talk::Sentence | Talk::Directive => Some(hit(rule::INERT, range, Mentioned)),
        _ => None,
    }
}

/// An attribute that holds a message, by the place of its name.
pub(super) fn attribute(bytes: &[u8], place: Range<usize>) -> Option<Hit> {
    let tag = Tag::around(bytes, place.start)?;
    let name = bytes.get(place.start..place.end)?.to_ascii_lowercase();
    let length =
        bytes.get(place.start..)?.iter().take(48).position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'-'))?;
    let name = if name == b"data-" { bytes.get(place.start..place.start + length)?.to_ascii_lowercase() } else { name };
    let name = std::str::from_utf8(&name).ok()?.trim_end_matches('=');
    let value = tag.attribute(name)?;
    let (is_shown, what) = (SHOWN.contains(&name), talk(value));
    if what < if is_shown { Talk::Directive } else { Talk::Sentence } {
        return None;
    }
    // Pages tell their visitors what to click on; machines are not their visitors.
    let speaks = names_machine(value) && (!is_shown || demands(value) || calls_machine(value));
    let strength = if speaks || (!is_shown && !is_interface(value)) { Addressed } else { Mentioned };
    Some(hit(rule::ATTRIBUTE, tag.start..tag.end, strength))
}

/// Words that a style sheet puts into a page, at its `content:"`, if they call a machine or ask for something.
pub(super) fn inserted(bytes: &[u8], place: Range<usize>) -> Option<Hit> {
    let rest = bytes.get(place.end..)?;
    let quote = *bytes.get(place.end.checked_sub(1)?)?;
    let words = rest.get(..rest.len().min(512))?.split(|byte| *byte == quote || *byte == b'\n').next()?;
    let strength = match (names_machine(words), demands(words)) {
        (true, true) => Addressed,
        (true, false) if talk(words) == Talk::Directive && words.contains(&b' ') => Mentioned,
        (false, true) => Mentioned,
        _ => return None,
    };
    Some(hit(rule::STYLED, place.start..place.end + words.len(), strength))
}

/// Elements whose class or id a style sheet at `at` hides, and the byte behind the sheet; `selectors` is how many more are followed.
pub(super) fn sheet(bytes: &[u8], at: usize, selectors: &mut usize) -> (Vec<Hit>, usize) {
    let rest = bytes.get(at..).unwrap_or_default();
    let rest = rest.get(..rest.len().min(SHEET_BYTES_MAX)).unwrap_or_default();
    let sheet = rest.get(..memmem::find(rest, b"</style").unwrap_or(rest.len())).unwrap_or_default();
    let mut hits = Vec::new();
    let hiding = sheet.split(|byte| *byte == b'}').filter_map(|block| {
        let open = block.iter().rposition(|byte| *byte == b'{')?;
        let selector = block.get(..open)?;
        let start = selector.iter().rposition(|byte| matches!(byte, b'>' | b'{' | b'/')).map_or(0, |at| at + 1);
        let declarations = block.get(open + 1..)?;
        let selectors = selector.get(start..)?.trim_ascii();
        hides(declarations).then(|| selectors.split(|byte| *byte == b',').map(|one| (one, is_put_off(declarations))))
    });
    for (selector, is_put_off) in hiding.flatten().take(*selectors) {
        *selectors = selectors.saturating_sub(1);
        // A part of an element that is hidden, as its selection, is not the element.
        if memmem::find(selector, b"::").is_some() {
            continue;
        }
        let selector = selector.split(|byte| *byte == b':').next().unwrap_or_default().trim_ascii_end();
        let Some(start) = selector.iter().rposition(|byte| matches!(byte, b'.' | b'#')) else {
            hits.extend(of_kind(bytes, selector, at..at + sheet.len()));
            continue;
        };
        let name = selector.get(start + 1..).unwrap_or_default().trim_ascii();
        if name.is_empty() || !name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')) {
            continue;
        }
        let attribute = if selector.get(start) == Some(&b'#') { "id" } else { "class" };
        let used = memmem::find_iter(bytes, name).take(64).filter(|place| *place >= at + sheet.len() || *place < at);
        let tags = used.filter_map(|place| Tag::around(bytes, place)).filter(|tag| {
            let value = tag.attribute(attribute).unwrap_or_default();
            value.split(u8::is_ascii_whitespace).any(|word| word == name)
        });
        hits.extend(tags.filter_map(|tag| {
            let (words, place) = tag.words(bytes);
            // Pages have words for screens of one size only.
            let strength = match talk(&words) {
                Talk::Prose | Talk::Sentence if is_put_off => Mentioned,
                _ => weight(&words)?,
            };
            Some(hit(rule::STYLED, tag.start..place.end, strength))
        }));
    }
    (hits, at + sheet.len())
}

/// The elements of a kind that a sheet at `sheet` hides all of, where they talk to somebody.
fn of_kind(bytes: &[u8], selector: &[u8], sheet: Range<usize>) -> Vec<Hit> {
    let name = selector.rsplit(|byte| matches!(byte, b' ' | b'>' | b'+' | b'~')).next().unwrap_or_default();
    if name.is_empty() || name.len() > 16 || !name.iter().all(u8::is_ascii_alphanumeric) {
        return Vec::new();
    }
    let open = [b"<", name].concat();
    let used = memmem::find_iter(bytes, &open).take(64).filter(|place| !sheet.contains(place));
    let tags =
        used.filter_map(|place| Tag::around(bytes, place + 1)).filter(|tag| tag.name() == name.to_ascii_lowercase());
    let found = tags.filter_map(|tag| {
        let (words, place) = tag.words(bytes);
        let strength = match talk(&words) {
            Talk::Directive if !is_interface(&words) => Addressed,
            Talk::Directive | Talk::Sentence => Mentioned,
            _ => return None,
        };
        Some(hit(rule::STYLED, tag.start..place.end, strength))
    });
    found.collect()
}
