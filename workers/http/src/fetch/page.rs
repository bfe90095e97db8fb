//! The visible text of an HTML page, as Markdown.
//!
//! Scripts, styles, comments, and elements that an attribute or a style of the page hides are left out and counted. Nothing is escaped:
//! documents show the text in a fence. *Security*: hostile bytes. The tokenizer follows the standard; the tree is only an approximation
//! of a browser's, and in doubt more is left out. Not considered: style sheets of other files, and scripts. *Standards*: HTML, sections 13.2 and 15; CommonMark 0.31.

mod element;
mod style;
mod writer;

use std::time::Instant;

use gatepost_documents::sources::{LeftOut, TITLE_CHARS_MAX};
use html5gum::emitters::default::DefaultEmitter;
use html5gum::{StartTag, State, Token, Tokenizer};
use url::Url;

use element::{
    Kind, closes_paragraph, ends_before, ends_itself, holds_items, is_boundary, is_foreign_root, is_item, is_of_html,
    is_of_table, is_special, is_void,
};
use style::Sheet;
use writer::Writer;

/// The greatest depth of elements; deeper ones count as part of the last.
const DEPTH_MAX: usize = 512;

/// How many tokens are read between two looks at the clock.
const TOKENS_PER_LOOK: usize = 256;

/// The longest address of a link that is kept.
const LINK_BYTES_MAX: usize = 1_000;

/// A page as it is read.
pub(super) struct Page {
    /// The text.
    pub(super) text: String,
    /// The title on one line, truncated.
    pub(super) title: String,
    /// The number of omitted characters.
    pub(super) left_out: LeftOut,
}

/// Reads a page with links relative to `base`: one pass collects its style sheets, a second one the text. None if the deadline passes.
pub(super) fn read(html: &str, base: &Url, deadline: Instant) -> Option<Page> {
    let sheet = pass(html, base, Sheet::default(), deadline)?.found;
    let reader = pass(html, base, sheet, deadline)?;
    let (text, characters) = reader.writer.finish();
    let (title, unseen) = writer::seen(&reader.title.unwrap_or_default());
    let title: Vec<&str> = title.split_whitespace().collect();
    let title = title.join(" ").chars().take(TITLE_CHARS_MAX).collect();
    let (characters, rest) = (characters + unseen, u64::from(reader.is_lost));
    Some(Page { text, title, left_out: LeftOut { characters, rest, ..reader.left_out } })
}

fn pass<'a>(html: &str, base: &'a Url, sheet: Sheet, deadline: Instant) -> Option<Reader<'a>> {
    let mut reader = Reader {
        base,
        sheet,
        found: Sheet::default(),
        open: Vec::new(),
        is_lost: false,
        left_out: LeftOut::default(),
        title: None,
        writer: Writer::default(),
    };
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut tokens = Tokenizer::new_with_emitter(html, emitter);
    for number in 0_usize.. {
        if number.is_multiple_of(TOKENS_PER_LOOK) && Instant::now() >= deadline {
            return None;
        }
        let Some(Ok(token)) = tokens.next() else { break };
        match token {
            Token::StartTag(tag) => {
                let is_foreign = reader.is_in_foreign() && !is_of_html(&tag.name);
                reader.start(&tag);
                // Foreign elements contain no raw text (HTML, section 13.2.6.5); `noframes` always does.
                if is_foreign {
                    tokens.set_state(State::Data);
                } else if &**tag.name == b"noframes" {
                    tokens.set_state(State::RawText);
                }
            }
            Token::EndTag(tag) => reader.end(&tag.name),
            Token::String(text) => reader.text(&String::from_utf8_lossy(&text)),
            Token::Comment(comment) => {
                reader.left_out.comments += 1;
                // A CDATA section: the tokenizer ends it at its first `>`, which need not be its end.
                let is_cut = comment.starts_with(b"[CDATA[") && !comment.ends_with(b"]]");
                reader.is_lost |= is_cut && reader.is_in_foreign();
            }
            Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    Some(reader)
}

/// An open element.
struct Open {
    name: Vec<u8>,
    /// Whether the element itself hides its text.
    is_out: bool,
    /// Whether its text is the title.
    is_title: bool,
    /// The link of its text.
    link: Option<String>,
}

struct Reader<'a> {
    base: &'a Url,
    /// The known hiding selectors.
    sheet: Sheet,
    /// The hiding selectors of the style elements read so far.
    found: Sheet,
    open: Vec<Open>,
    /// Whether visibility is unknown, as after too deep nesting: then no further text is taken.
    is_lost: bool,
    left_out: LeftOut,
    title: Option<String>,
    writer: Writer,
}

impl Reader<'_> {
    fn is_out(&self) -> bool {
        self.is_lost || self.open.iter().any(|open| open.is_out)
    }

    fn start(&mut self, tag: &StartTag<()>) {
        let name: &[u8] = &tag.name;
        // The parser ignores a form within a form (HTML, section 13.2.6.4.7).
        if name == b"form" && self.open.iter().any(|open| open.name == b"form") {
            return;
        }
        self.break_out(name);
        self.end_implied(name);
        let was_out = self.is_out();
        let kind = Kind::of(name);
        let is_hidden = style::is_hidden(name, &tag.attributes) || self.sheet.hides(name, &tag.attributes);
        if !was_out {
            self.count(kind, is_hidden);
        }
        // Its attributes apply to the whole page, at any position.
        if is_hidden && matches!(name, b"html" | b"body") {
            self.found.hide(name);
        }
        // With a shadow root, the host's other children are not shown, except slotted ones.
        if name == b"template"
            && tag.attributes.contains_key(&b"shadowrootmode"[..])
            && let Some(host) = self.open.last_mut()
        {
            host.is_out = true;
        }
        let is_title = name == b"title" && self.title.is_none() && !was_out;
        let is_out = is_hidden || kind != Kind::Text || name == b"title" && !is_title;
        if is_void(name) || (tag.self_closing && self.is_foreign(name)) {
            if !was_out && !is_out {
                self.writer.void(name);
            }
            return;
        }
        if self.open.len() >= DEPTH_MAX {
            self.is_lost = true;
            return;
        }
        let is_shown = !was_out && !is_out && !is_title;
        let link = if is_shown && name == b"a" { self.link(tag) } else { None };
        if is_shown {
            self.writer.begin(name, link.is_some());
        }
        self.open.push(Open { name: name.to_vec(), is_out, is_title, link });
    }

    fn count(&mut self, kind: Kind, is_hidden: bool) {
        let count = match kind {
            Kind::Active => &mut self.left_out.scripts,
            Kind::Style => &mut self.left_out.styles,
            Kind::Media => &mut self.left_out.media,
            Kind::Field => &mut self.left_out.fields,
            Kind::Text if is_hidden => &mut self.left_out.hidden,
            Kind::Text => return,
        };
        *count += 1;
    }

    /// Whether an element is of SVG or `MathML`, in which a tag can close itself.
    fn is_foreign(&self, name: &[u8]) -> bool {
        matches!(name, b"svg" | b"math") || self.is_in_foreign()
    }

    /// Whether the parser is in SVG or `MathML`, and not in one of their elements that contain HTML.
    fn is_in_foreign(&self) -> bool {
        let mut names = self.open.iter().rev().map(|open| &*open.name);
        names.find_map(is_foreign_root).unwrap_or(false)
    }

    fn link(&self, tag: &StartTag<()>) -> Option<String> {
        let href = tag.attributes.get(&b"href"[..])?;
        let url = self.base.join(&String::from_utf8_lossy(href)).ok()?;
        let is_elsewhere = url.as_str().split('#').next() != self.base.as_str().split('#').next();
        let is_web = matches!(url.scheme(), "https" | "http") && url.as_str().len() <= LINK_BYTES_MAX;
        (is_web && is_elsewhere).then(|| url.as_str().replace('(', "%28").replace(')', "%29"))
    }

    /// Ends SVG or `MathML` where an element begins that only HTML has (HTML, section 13.2.6.5).
    fn break_out(&mut self, name: &[u8]) {
        if self.is_in_foreign() && is_of_html(name) {
            let roots = self.open.iter().rposition(|open| is_foreign_root(&open.name) == Some(true));
            if let Some(at) = roots {
                self.pop_to(at);
            }
        }
    }

    /// Closes the elements that an element of this name implicitly ends.
    fn end_implied(&mut self, name: &[u8]) {
        // Whether a table ends a paragraph depends on the doctype; a hidden paragraph continues.
        let ends = |open: &Open| open.name == b"p" && !(name == b"table" && open.is_out);
        if closes_paragraph(name)
            && let Some(at) = self.open.iter().rposition(|open| open.name == b"p" || is_boundary(&open.name))
            && self.open.get(at).is_some_and(ends)
        {
            self.pop_to(at);
        }
        let Some((ended, within)) = ends_before(name) else { return };
        let is_end = |open: &Open| within.contains(&&*open.name) || is_item(name) && holds_items(&open.name);
        let found = self.open.iter().rposition(|open| ended.contains(&&*open.name) || is_end(open));
        if let Some(at) = found.filter(|at| self.open.get(*at).is_some_and(|open| ended.contains(&&*open.name))) {
            self.pop_to(at);
        }
    }

    fn end(&mut self, name: &[u8]) {
        // Text after their end tags is still in them; after a frameset there is none.
        if matches!(name, b"html" | b"body" | b"frameset") {
            return;
        }
        // It ends everything in its template (HTML, section 13.2.6.4.4), none of which is shown.
        if name == b"template" {
            if let Some(at) = self.open.iter().rposition(|open| open.name == name) {
                self.open.truncate(at);
            }
            return;
        }
        let is_own_special = is_special(name);
        for at in (0..self.open.len()).rev() {
            let Some(open) = self.open.get(at) else { return };
            if open.name == name {
                return self.pop_to(at);
            }
            // A browser ignores this end tag, so the element stays open.
            let is_boundary = is_boundary(&open.name) && !is_of_table(name, &open.name)
                || name == b"li" && matches!(&*open.name, b"ul" | b"ol");
            if is_boundary || (!is_own_special && is_special(&open.name)) {
                return;
            }
        }
        if name == b"br" && !self.is_out() {
            self.writer.void(name);
        }
    }

    /// Closes the element at this place and all within it. A hiding element without its own end tag stays in effect, unless that tag
    /// may be omitted.
    fn pop_to(&mut self, at: usize) {
        let mut ended = Vec::new();
        while self.open.len() > at {
            let is_out = self.is_out();
            let Some(open) = self.open.pop() else { break };
            if !is_out && !open.is_title {
                self.writer.end(&open.name, open.link.as_deref());
            }
            ended.push(open);
        }
        ended.pop();
        let goes_on = |open: &Open| open.is_out && !ends_itself(&open.name);
        self.open.extend(ended.into_iter().rev().filter(goes_on));
    }

    fn text(&mut self, text: &str) {
        if self.open.last().is_some_and(|open| open.name == b"style") {
            self.found.read(text.as_bytes());
        }
        if self.open.last().is_some_and(|open| open.is_title) {
            self.title.get_or_insert_default().push_str(text);
        } else if !self.is_out() {
            self.writer.text(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(html: &str) -> Page {
        let deadline = Instant::now() + std::time::Duration::from_mins(1);
        read(html, &Url::parse("https://a.org/dir/page").unwrap(), deadline).unwrap()
    }

    #[test]
    fn an_article_becomes_markdown() {
        let html = "<!doctype html><title>An\n article </title><h1>One</h1><p>Two  <b>three</b>\nfour<br>five\
                    <p>See <a href='../x?a=(1)'>there</a> or <a href='#top'>here</a>.<ul><li>six<li>seven<ul><li>eight</ul></ul>\
                    <blockquote><p>nine<p>ten</blockquote><pre>a\n  b</pre><table><tr><th>c<th>d<tr><td>1<td>2</table>eleven";
        let Page { text, title, left_out } = page(html);
        let expected = "# One\n\nTwo three four\nfive\n\nSee [there](https://a.org/x?a=%281%29) or here.\n\n- six\n- seven\n  - eight\n\n\
                        > nine\n>\n> ten\n\n```\na\n  b\n```\n\nc | d\n1 | 2\n\neleven";
        assert_eq!((text.as_str(), title.as_str()), (expected, "An article"));
        assert_eq!(left_out, LeftOut::default());
    }

    #[test]
    fn what_a_reader_does_not_see_is_left_out_and_counted() {
        for (html, counted) in [
            ("<script>x</script>", LeftOut { scripts: 1, ..LeftOut::default() }),
            (
                "<noscript>x</noscript><template>x<b>x</b></template><iframe>x</iframe>",
                LeftOut { scripts: 3, ..LeftOut::default() },
            ),
            ("<style>x{}</style>", LeftOut { styles: 1, ..LeftOut::default() }),
            ("<!-- x -->", LeftOut { comments: 1, ..LeftOut::default() }),
            ("<p hidden>x</p>", LeftOut { hidden: 1, ..LeftOut::default() }),
            ("<div aria-hidden=TRUE>x<p>x</div>", LeftOut { hidden: 1, ..LeftOut::default() }),
            ("<span style='DISPLAY : no\\6e e!important'>x</span>", LeftOut { hidden: 1, ..LeftOut::default() }),
            ("<span style='font-size:0px'>x</span>", LeftOut { hidden: 1, ..LeftOut::default() }),
            ("<font color=#fff>x</font>", LeftOut { hidden: 1, ..LeftOut::default() }),
            (
                "<i class='a gone'>x</i><style>q, .b .gone { color: red; display/**/:none }</style>",
                LeftOut { hidden: 1, styles: 1, ..LeftOut::default() },
            ),
            ("<img alt=x><svg><text>x</text><a/></svg>", LeftOut { media: 2, ..LeftOut::default() }),
            (
                "<textarea>x</textarea><select><option>x</select><input value=x>",
                LeftOut { fields: 3, ..LeftOut::default() },
            ),
            ("\u{200b}\u{ad}\u{e0041}", LeftOut { characters: 3, ..LeftOut::default() }),
        ] {
            let page = page(&format!("<p>a</p>{html}<p>b</p>"));
            assert_eq!((page.text.as_str(), page.left_out), ("a\n\nb", counted), "{html}");
        }
    }

    #[test]
    fn what_is_lost_is_counted_and_what_ends_properly_loses_nothing() {
        let lost = page(&format!("<p>a{}x", "<div>".repeat(DEPTH_MAX + 1)));
        assert_eq!((lost.text.as_str(), lost.left_out.rest), ("a", 1));
        let lost = page("<p>a<svg><style><![CDATA[a>b{}]]></style></svg><p>x");
        assert_eq!((lost.text.as_str(), lost.left_out.rest), ("a", 1));
        for html in [
            "<p>a<svg><style><![CDATA[.a{fill:red}]]></style></svg><p>b",
            "<p>a<template><tr><td>x<div hidden></template><p>b",
        ] {
            let page = page(html);
            assert_eq!((page.text.as_str(), page.left_out.rest), ("a\n\nb", 0), "{html}");
        }
    }

    #[test]
    fn a_page_that_takes_too_long_is_given_up() {
        let base = Url::parse("https://a.org/").unwrap();
        assert!(read("<p>a", &base, Instant::now()).is_none());
        // Each of these took minutes.
        let later = Instant::now() + std::time::Duration::from_mins(1);
        for html in [
            format!("<style>{}b{{{}}}</style>x", "a,".repeat(60_000), "b{zoom:0}".repeat(14_400)),
            format!("<style>{}</style>x", "a{zoom:0;".repeat(27_700)),
            format!("<p style='left:{}'>x", "-e".repeat(124_900)),
        ] {
            assert!(read(&html, &base, later).is_some());
        }
    }

    #[test]
    fn hidden_text_does_not_come_out_where_tags_are_broken() {
        for html in [
            "<div hidden><table></div>x",
            "<b hidden><p>x</b>x",
            "<p><b hidden>x</p>x",
            "<div style=display:none><p>x</span>x",
            "<div hidden><button></div>x",
            "<div hidden><!--a></div>-->x",
            "<p title='<!--' hidden>x",
            "<svg><desc hidden/>x",
            "<svg><style></svg><div hidden></style></svg>x",
            "<svg><foreignObject><style></svg>x</style>",
            "<svg><title><style>.q{display:none}</style></title></svg><p class=q>x",
            "<div hidden>x",
            "<dialog>x",
            "<body><div hidden></body>x",
            "<html><body><div hidden></html>x",
            "<body hidden></body>x",
            "<body>x<body hidden>",
            "<form><div hidden></form>x",
            "<form><p hidden><form>x",
            "<ul><li><ul hidden></li>x",
            "<ul><li><section hidden><li>x",
            "<td><div hidden></td>x",
            "<tr><div hidden><tr>x",
            "<span><listing hidden></span>x",
            "<div hidden><noframes></div></noframes>x",
            "<p hidden><table><tr><td>x",
            "<div hidden><math><p></p><textarea></math></div></textarea>x",
            "<math><annotation-xml><style></math><div hidden></style>x",
            "<div hidden><math><![CDATA[></math></div>]]></math>x",
            "<frameset></frameset>x",
            "<ruby><rp>x</rp></ruby>",
            "<title>a</title><title>x</title>",
            "<progress>x</progress><meter>x</meter>",
            "<math><semantics><annotation>x",
            "<div><template shadowrootmode=open></template>x</div>",
        ] {
            assert_eq!(page(html).text, "", "{html}");
        }
        let deep = format!("{}<p hidden>x", "<div>".repeat(2 * DEPTH_MAX));
        assert_eq!(page(&deep).text, "");
        // The text is never much longer than the page.
        let quoted = page(&format!("{}<pre>{}", "<blockquote>".repeat(DEPTH_MAX - 2), "a\n".repeat(1_000)));
        assert!(quoted.text.len() < 40_000, "{}", quoted.text.len());
        let ended = format!("{}<div hidden><div></div>x", "<div>".repeat(DEPTH_MAX - 1));
        assert_eq!(page(&ended).text, "");
    }

    #[test]
    fn what_follows_something_hidden_is_seen() {
        for html in [
            "<p hidden>x<p>a",
            "<div hidden><p>x</div>a",
            "<li hidden>x<li>a",
            "<td hidden>x<td>a",
            "<img hidden>a",
            "<svg>x<p>a",
        ] {
            assert!(page(html).text.ends_with('a'), "{html}: {}", page(html).text);
        }
    }
}
