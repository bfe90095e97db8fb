//! What the report and `serve` share: frame, style, charts, the table of requests, one request.
//!
//! Pure: facts in, HTML out. *Security*: strangers' words go through [`foreign`]. The macro escapes every text. The
//! policy of each page forbids scripts, foreign loads and all styles but this one, which it names by digest.
//! *Standards*: HTML, Content Security Policy level 3.

mod chart;
mod items;
mod request;
mod requests;
mod summary;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_documents::escape::visible;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

pub(crate) use chart::charts;
pub(crate) use items::items;
pub(crate) use request::{facts, whole};
pub(crate) use requests::{Entry, requests};
pub(crate) use summary::Summary;

/// The style of every page.
const STYLE: &str = include_str!("page/style.css");
/// The most characters of a stranger's words in a cell.
const WORDS_CHARACTERS_MAX: usize = 300;
/// The most strangers' words in a list.
const LISTED_MAX: usize = 20;

/// The Content Security Policy: the page shows itself and submits its forms only to its own origin.
pub(crate) fn content_policy() -> String {
    let digest = BASE64_STANDARD.encode(Sha256::digest(STYLE));
    format!("default-src 'none'; style-src 'sha256-{digest}'; form-action 'self'; base-uri 'none'")
}

/// A whole page. The browser reloads it after this many seconds.
pub(crate) fn page(title: &str, body: &Markup, refresh_seconds: Option<u32>) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(content_policy());
                @if let Some(seconds) = refresh_seconds { meta http-equiv="refresh" content=(seconds); }
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    }
}

/// A stranger's words, shortened and made harmless: invisible and reordering characters are spelled out, and
/// right-to-left text is isolated.
pub(crate) fn foreign(text: &str) -> Markup {
    let shown: String = text.chars().take(WORDS_CHARACTERS_MAX).flat_map(visible).collect();
    let is_cut = text.chars().nth(WORDS_CHARACTERS_MAX).is_some();
    html! { bdi { (shown) @if is_cut { "…" } } }
}

/// The first few of several words, in a sentence.
pub(crate) fn listed(words: &[String]) -> Markup {
    html! {
        @for (place, word) in words.iter().take(LISTED_MAX).enumerate() { @if place > 0 { ", " } (foreign(word)) }
        @if words.len() > LISTED_MAX { " and " (words.len() - LISTED_MAX) " more" }
    }
}

/// A stranger's lines, whole and made harmless.
pub(crate) fn foreign_lines(text: &str) -> Markup {
    let shown: String = text.split_inclusive('\n').map(visible_line).collect();
    html! { pre { bdi { (shown) } } }
}

fn visible_line(line: &str) -> String {
    let (words, end) = line.strip_suffix('\n').map_or((line, ""), |words| (words, "\n"));
    words.chars().flat_map(visible).chain(end.chars()).collect()
}

/// A time, to the second; the page says once that times are UTC.
pub(crate) fn moment(time: DateTime<Utc>) -> Markup {
    let (day, hour) = (time.format("%Y-%m-%d"), time.format("%H:%M:%S"));
    html! { time datetime={ (day) "T" (hour) "Z" } { (day) " " (hour) } }
}

/// A time, to the millisecond if known.
pub(crate) fn instant(time: DateTime<Utc>) -> Markup {
    match time.timestamp_subsec_millis() {
        0 => moment(time),
        _ => {
            html! { time datetime=(time.to_rfc3339_opts(SecondsFormat::Millis, true)) { (time.format("%Y-%m-%d %H:%M:%S%.3f")) } }
        }
    }
}

/// A number, in groups of three digits.
pub(crate) fn number(number: usize) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            shown.push('\u{202f}');
        }
        shown.push(digit);
    }
    shown
}

/// Tiles: the number of requests, by outcome.
pub(crate) fn tiles(summary: &Summary) -> Markup {
    html! {
        ul.tiles {
            li { strong { (number(summary.requests)) } " requests" }
            @for (class, count) in summary.shown_classes() {
                li { strong { (number(count)) } i.dot.(class.as_str()) {} (class.as_str()) }
            }
            @if summary.released > 0 { li { strong { (number(summary.released)) } " released" } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strangers_words_stay_words() {
        for (text, shown) in [
            ("<script>alert(1)</script>", "<bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi>"),
            ("\" onload=\"x", "<bdi>&quot; onload=&quot;x</bdi>"),
            ("a\u{202e}b\u{0}\n\u{e0041}", "<bdi>a\\u{202e}b\\u{0}\\u{a}\\u{e0041}</bdi>"),
            ("שלום", "<bdi>שלום</bdi>"),
        ] {
            assert_eq!(foreign(text).into_string(), shown);
        }
        assert!(foreign(&"x".repeat(10_000)).into_string().len() < 400);
        assert_eq!(foreign_lines("</pre>\n\u{1b}[1m").into_string(), "<pre><bdi>&lt;/pre&gt;\n\\u{1b}[1m</bdi></pre>");
    }

    #[test]
    fn the_policy_of_a_page_names_exactly_its_style_and_allows_nothing_foreign() {
        let page = page("T", &html! {}, None).into_string();
        let style = page.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
        let digest = BASE64_STANDARD.encode(Sha256::digest(style));
        assert!(page.contains(&format!("style-src 'sha256-{digest}';")), "{page}");
        assert!(!style.contains("url(") && !style.contains('<') && !style.contains("@import"));
    }

    #[test]
    fn numbers_stand_in_groups_of_three() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(number), ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]);
    }
}
