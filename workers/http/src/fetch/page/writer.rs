//! Writes the text of a page as Markdown: headings, lists, quotations, rows of tables, preformatted text, links.

use super::element::is_block;

/// The greatest depth of quotations and lists in the text.
const DEPTH_MAX: usize = 8;

/// The text so far.
#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    /// Line ends to write before the next words: 0, 1, or 2 for an empty line.
    breaks: usize,
    /// A blank to write before the next words.
    has_blank: bool,
    /// The number of omitted invisible characters.
    unseen: u64,
    quotations: usize,
    /// The containers of the last line.
    quoted: usize,
    lists: usize,
    preformatted: usize,
    /// The marker to write before the next words of a list item or a heading.
    mark: String,
    /// Whether the row has a cell.
    has_cell: bool,
}

impl Writer {
    /// An element begins.
    pub(super) fn begin(&mut self, name: &[u8], is_link: bool) {
        match name {
            b"ul" | b"ol" | b"menu" => {
                self.end_line(if self.lists == 0 { 2 } else { 1 });
                self.lists += 1;
            }
            b"li" => {
                self.end_line(1);
                self.mark = format!("{}- ", "  ".repeat(self.lists.saturating_sub(1).min(DEPTH_MAX)));
            }
            b"tr" => {
                self.end_line(1);
                self.has_cell = false;
            }
            b"td" | b"th" => {
                if self.has_cell {
                    self.raw(" | ");
                }
                self.has_cell = true;
            }
            b"dt" | b"dd" | b"tbody" | b"thead" | b"tfoot" => self.end_line(1),
            _ if is_block(name) => self.end_line(2),
            _ => {}
        }
        match name {
            b"blockquote" => self.quotations += 1,
            b"pre" => {
                self.raw("```");
                self.end_line(1);
                self.preformatted += 1;
            }
            [b'h', level @ b'1'..=b'6'] => self.mark = format!("{} ", "#".repeat(usize::from(level - b'0'))),
            _ => {}
        }
        if is_link {
            self.raw("[");
        }
    }

    /// An element ends; `link` is the target of its text.
    pub(super) fn end(&mut self, name: &[u8], link: Option<&str>) {
        if let Some(link) = link {
            self.has_blank = false;
            self.text.push_str(&format!("]({link})"));
        }
        match name {
            b"pre" => {
                self.preformatted = self.preformatted.saturating_sub(1);
                self.end_line(1);
                self.raw("```");
            }
            b"ul" | b"ol" | b"menu" => self.lists = self.lists.saturating_sub(1),
            _ => {}
        }
        match name {
            b"ul" | b"ol" | b"menu" if self.lists > 0 => self.end_line(1),
            b"li" | b"tr" | b"dt" | b"dd" | b"tbody" | b"thead" | b"tfoot" => self.end_line(1),
            _ if is_block(name) => self.end_line(2),
            _ => {}
        }
        if name == b"blockquote" {
            self.quotations = self.quotations.saturating_sub(1);
        }
        self.mark.clear();
    }

    /// An element without content.
    pub(super) fn void(&mut self, name: &[u8]) {
        match name {
            b"br" => self.end_line((self.breaks + 1).min(2)),
            b"hr" => {
                self.end_line(2);
                self.raw("---");
                self.end_line(2);
            }
            _ => {}
        }
    }

    /// Words.
    pub(super) fn text(&mut self, text: &str) {
        let (text, unseen) = seen(text);
        self.unseen += unseen;
        if self.preformatted > 0 {
            return self.preformatted(&text);
        }
        for (index, word) in text.split([' ', '\t', '\n', '\r', '\u{c}', '\u{a0}']).enumerate() {
            self.has_blank |= index > 0;
            if !word.is_empty() {
                self.raw(word);
            }
        }
    }

    fn preformatted(&mut self, text: &str) {
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.text.push('\n');
                self.quote();
                self.breaks = 0;
            }
            if !line.is_empty() {
                self.raw(line.trim_end_matches('\r'));
            }
        }
    }

    /// Requests this many line ends before the next words.
    fn end_line(&mut self, breaks: usize) {
        self.has_blank = false;
        self.breaks = self.breaks.max(breaks);
    }

    fn raw(&mut self, words: &str) {
        if self.text.is_empty() {
            self.quoted = self.quotations;
            self.quote();
        } else if self.breaks > 0 {
            for left in (0..self.breaks).rev() {
                self.text.truncate(self.text.trim_end_matches(' ').len());
                self.text.push('\n');
                self.quoted = if left == 0 { self.quotations } else { self.quoted.min(self.quotations) };
                self.quote();
            }
        } else if self.has_blank && self.mark.is_empty() && !self.text.ends_with([' ', '[']) {
            self.text.push(' ');
        }
        (self.breaks, self.has_blank) = (0, false);
        self.text.push_str(&std::mem::take(&mut self.mark));
        self.text.push_str(words);
    }

    fn quote(&mut self) {
        self.text.push_str(&"> ".repeat(self.quoted.min(DEPTH_MAX)));
    }

    /// The text, and the number of omitted characters.
    pub(super) fn finish(self) -> (String, u64) {
        (self.text.trim().to_owned(), self.unseen)
    }
}

/// A text without invisible characters, and their number.
pub(super) fn seen(text: &str) -> (String, u64) {
    let mut unseen = 0;
    let mut keep = |character: char| {
        let is_seen = !matches!(character,
            '\0'..='\x08' | '\x0b' | '\x0e'..='\x1f' | '\x7f'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}'
            | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}');
        unseen += u64::from(!is_seen);
        is_seen
    };
    let kept = text.chars().filter(|character| keep(*character)).collect();
    (kept, unseen)
}
