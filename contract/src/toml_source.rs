//! Reads TOML with places: every fault and warning has its line and column, every unknown key its did-you-mean, and no
//! fault hides another.
//!
//! Knows no key: the sections of a manifest request theirs, and a key that none requested is a fault.
//!
//! Security: the text may be a stranger's; its size, its depth (by the `toml` crate) and the number of faults are bounded.
//! Standards: TOML 1.0.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use gatepost_documents::reason::{Code, Reason, Severity};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::nearest::nearest;
use gatepost_documents::text::quoted;

/// Bytes of a file, at most.
pub(crate) const BYTES_MAX: usize = 256 * 1024;
/// Faults reported of one file, and warnings, at most.
const FAULTS_MAX: usize = 100;

/// A value and where it begins.
pub(crate) type Node<'s> = Spanned<DeValue<'s>>;

/// A value and its byte offset.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Located<T> {
    pub(crate) value: T,
    pub(crate) at: usize,
}

/// The text, and the faults found in it so far.
pub(crate) struct Source<'s> {
    text: &'s str,
    file: &'s str,
    code: Code,
    line_starts: Vec<usize>,
    faults: RefCell<Vec<Reason>>,
    warnings: RefCell<Vec<Reason>>,
}

impl<'s> Source<'s> {
    /// `file` is the name in messages, `code` the reason code of every fault.
    pub(crate) fn new(text: &'s str, file: &'s str, code: Code) -> Self {
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, file, code, line_starts, faults: RefCell::default(), warnings: RefCell::default() }
    }

    /// The whole document as a table.
    pub(crate) fn table(&self) -> Option<DeTable<'s>> {
        if self.text.len() > BYTES_MAX {
            self.fault(0, "The file is larger than 256 KiB.".into(), "Make it smaller.");
            return None;
        }
        match DeTable::parse(self.text) {
            Ok(table) => Some(table.into_inner()),
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                let message = format!("The file is not TOML: {}.", quoted(error.message()));
                self.fault(at, message, "Correct the syntax at this place.");
                None
            }
        }
    }

    /// Notes a fault at a byte offset.
    pub(crate) fn fault(&self, at: usize, message: String, hint: impl Into<String>) {
        self.note(&self.faults, at, Reason::new(self.code, message, hint));
    }

    fn note(&self, list: &RefCell<Vec<Reason>>, at: usize, reason: Reason) {
        let mut list = list.borrow_mut();
        if list.len() < FAULTS_MAX {
            let (line, column) = self.place(at);
            list.push(reason.in_file(self.file).at(line, column));
        }
    }

    /// The warnings so far, in the order of the file.
    pub(crate) fn warnings(&self) -> Vec<Reason> {
        let mut warnings = self.warnings.borrow().clone();
        warnings.sort_by_key(|warning| (warning.line, warning.column));
        warnings
    }

    /// The value if there are no faults, else every fault in the order of the file.
    pub(crate) fn finish<T>(self, value: Option<T>) -> Result<T, Vec<Reason>> {
        let mut faults = self.faults.into_inner();
        match value {
            Some(value) if faults.is_empty() => Ok(value),
            _ => {
                faults.sort_by_key(|fault| (fault.line, fault.column));
                Err(faults)
            }
        }
    }

    fn place(&self, at: usize) -> (u32, u32) {
        let line = self.line_starts.partition_point(|start| *start <= at).max(1);
        let start = self.line_starts.get(line - 1).copied().unwrap_or_default();
        let column = self.text.get(start..at).map_or(0, |before| before.chars().count()) + 1;
        (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
    }
}

/// One table of the file, which remembers the requested keys.
pub(crate) struct Section<'s> {
    pub(crate) source: &'s Source<'s>,
    /// `tool.cedar`; empty for the document itself.
    pub(crate) name: String,
    pub(crate) at: usize,
    table: &'s DeTable<'s>,
    asked: RefCell<BTreeSet<&'static str>>,
}

impl<'s> Section<'s> {
    /// The document itself.
    pub(crate) fn document(source: &'s Source<'s>, table: &'s DeTable<'s>) -> Self {
        Self::new(source, String::new(), 0, table)
    }

    fn new(source: &'s Source<'s>, name: String, at: usize, table: &'s DeTable<'s>) -> Self {
        Self { source, name, at, table, asked: RefCell::default() }
    }

    /// `[tool] name`, or `[tool]` for the key of a section, as messages call it.
    pub(crate) fn path(&self, key: &str) -> String {
        if self.name.is_empty() { format!("[{key}]") } else { format!("[{}] {key}", self.name) }
    }

    /// Notes a fault of this section.
    pub(crate) fn fault(&self, at: usize, message: String, hint: impl Into<String>) {
        self.source.fault(at, message, hint);
    }

    /// Records a warning: the entry is accepted, but probably unintended.
    pub(crate) fn warn(&self, at: usize, message: String, hint: impl Into<String>) {
        let mut reason = Reason::new(Code::ManifestWarning, message, hint);
        reason.severity = Severity::Flag;
        self.source.note(&self.source.warnings, at, reason);
    }

    /// The raw value of a key.
    pub(crate) fn node(&self, key: &'static str) -> Option<&'s Node<'s>> {
        self.asked.borrow_mut().insert(key);
        self.table.get(key)
    }

    /// Whether the key is there.
    pub(crate) fn has(&self, key: &'static str) -> bool {
        self.node(key).is_some()
    }

    /// The place of the key's value, else of the section.
    pub(crate) fn place(&self, key: &str) -> usize {
        self.table.get(key).map_or(self.at, |node| node.span().start)
    }

    /// A table below this one.
    pub(crate) fn section(&self, key: &'static str) -> Option<Section<'s>> {
        self.node(key).and_then(|node| self.subsection(key, node))
    }

    /// A value of this table as a table.
    pub(crate) fn subsection(&self, key: &str, node: &'s Node<'s>) -> Option<Section<'s>> {
        let name = if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) };
        match node.get_ref() {
            DeValue::Table(table) => Some(Section::new(self.source, name, node.span().start, table)),
            other => self.mistyped(key, node, "a table", other),
        }
    }

    /// Every key and value, in the order of the file; counts as requested.
    pub(crate) fn entries(&self) -> Vec<(Located<&'s str>, &'s Node<'s>)> {
        let mut entries: Vec<_> = self
            .table
            .iter()
            .map(|(key, node)| (Located { value: key.get_ref().as_ref(), at: key.span().start }, node))
            .collect();
        entries.sort_by_key(|(key, _)| key.at);
        entries
    }

    /// A text.
    pub(crate) fn text(&self, key: &'static str) -> Option<Located<&'s str>> {
        let node = self.node(key)?;
        match node.get_ref() {
            DeValue::String(text) => Some(Located { value: text.as_ref(), at: node.span().start }),
            other => self.mistyped(key, node, "a text", other),
        }
    }

    /// A text that must be there and not be empty.
    pub(crate) fn required_text(&self, key: &'static str) -> Option<Located<&'s str>> {
        if !self.has(key) {
            self.missing(key);
            return None;
        }
        let text = self.text(key)?;
        if text.value.trim().is_empty() {
            self.fault(text.at, format!("{} is empty.", self.path(key)), "Give it a value.");
            return None;
        }
        Some(text)
    }

    /// Notes that a required key is not there.
    pub(crate) fn missing(&self, key: &str) {
        self.fault(self.at, format!("{} is missing.", self.path(key)), format!("Add the required key `{key}`."));
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&self, key: &'static str) -> Option<bool> {
        let node = self.node(key)?;
        match node.get_ref() {
            DeValue::Boolean(value) => Some(*value),
            other => self.mistyped(key, node, "true or false", other),
        }
    }

    /// An integer within a range.
    pub(crate) fn integer(&self, key: &'static str, range: &RangeInclusive<i64>) -> Option<i64> {
        let node = self.node(key)?;
        match integer(node.get_ref()) {
            Some(value) if range.contains(&value) => Some(value),
            Some(_) => {
                let message = format!("{} is not within {} to {}.", self.path(key), range.start(), range.end());
                self.fault(node.span().start, message, "Use a number within this range.");
                None
            }
            None => self.mistyped(key, node, "an integer", node.get_ref()),
        }
    }

    /// An unsigned number within 1 to `max`.
    pub(crate) fn count(&self, key: &'static str, max: u32) -> Option<u32> {
        self.integer(key, &(1..=i64::from(max))).and_then(|value| u32::try_from(value).ok())
    }

    /// A number, whole or not.
    pub(crate) fn number(&self, key: &'static str) -> Option<f64> {
        let node = self.node(key)?;
        match number(node.get_ref()) {
            Some(value) => Some(value),
            None => self.mistyped(key, node, "a finite number", node.get_ref()),
        }
    }

    /// An array of texts.
    pub(crate) fn texts(&self, key: &'static str) -> Option<Vec<Located<&'s str>>> {
        let node = self.node(key)?;
        let DeValue::Array(items) = node.get_ref() else {
            return self.mistyped(key, node, "an array of texts", node.get_ref());
        };
        let item = |item: &'s Node<'s>| match item.get_ref() {
            DeValue::String(text) => Some(Located { value: text.as_ref(), at: item.span().start }),
            other => self.mistyped(key, item, "an array of texts", other),
        };
        items.iter().map(item).collect()
    }

    /// One of a fixed set of words.
    pub(crate) fn one_of<T: Copy>(&self, key: &'static str, choices: &[(&'static str, T)]) -> Option<T> {
        let text = self.text(key)?;
        if let Some((_, value)) = choices.iter().find(|(name, _)| *name == text.value) {
            return Some(*value);
        }
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let message =
            format!("{} is {}, but must be one of: {}.", self.path(key), quoted(text.value), names.join(", "));
        self.fault(text.at, message, suggestion(text.value, &names, "Use one of these words."));
        None
    }

    /// Ends the section: every key that nobody requested is a fault.
    pub(crate) fn close(self) {
        let asked = self.asked.borrow();
        for (key, _) in self.entries().iter().filter(|(key, _)| !asked.contains(key.value)) {
            let message = format!("{} is not a known key.", self.path(&quoted(key.value)));
            let known: Vec<&str> = asked.iter().copied().collect();
            let fallback = format!("Remove it, or use one of: {}.", known.join(", "));
            self.fault(key.at, message, suggestion(key.value, &known, &fallback));
        }
    }

    /// Notes that a value has the wrong type.
    pub(crate) fn mistyped<T>(&self, key: &str, node: &Node<'_>, expected: &str, found: &DeValue<'_>) -> Option<T> {
        let message = format!("{} is of type {}, expected {expected}.", self.path(&plain(key)), found.type_str());
        self.fault(node.span().start, message, format!("Write {expected}."));
        None
    }
}

/// A key in a message: as it is when it is a plain word, else quoted.
fn plain(key: &str) -> String {
    let is_plain = key.len() <= 64 && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_plain { key.to_owned() } else { quoted(key) }
}

fn suggestion(word: &str, known: &[&str], fallback: &str) -> String {
    nearest(word, known.iter().copied()).map_or_else(|| fallback.to_owned(), |name| format!("Did you mean `{name}`?"))
}

/// A TOML integer, if it is one and fits.
pub(crate) fn integer(value: &DeValue<'_>) -> Option<i64> {
    let integer = value.as_integer()?;
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// A TOML integer or float, if it is one and finite.
pub(crate) fn number(value: &DeValue<'_>) -> Option<f64> {
    let text = match value {
        DeValue::Integer(_) => integer(value)?.to_string(),
        DeValue::Float(float) => float.as_str().to_owned(),
        _ => return None,
    };
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        let source = Source::new(text, "x.toml", Code::ManifestInvalid);
        if let Some(table) = source.table() {
            let document = Section::document(&source, &table);
            if let Some(tool) = document.section("tool") {
                tool.required_text("name");
                tool.integer("count", &(1..=5));
                tool.boolean("flag");
                tool.close();
            }
            document.close();
        }
        source.finish(None::<()>).unwrap_err().iter().map(|fault| format!("{fault} {}", fault.hint)).collect()
    }

    #[test]
    fn every_fault_has_its_place_and_none_hides_another() {
        let found = faults("[tool]\nnaem = \"x\"\ncount = 9\nflag = \"yes\"\n\n[tol]\n");
        assert_eq!(found.len(), 5, "{found:#?}");
        assert!(found[0].starts_with("x.toml:1:1: manifest_invalid: [tool] name is missing."), "{}", found[0]);
        assert!(found[1].starts_with("x.toml:2:1: ") && found[1].contains("\"naem\""), "{}", found[1]);
        assert!(found[2].starts_with("x.toml:3:9: ") && found[2].contains("1 to 5"), "{}", found[2]);
        assert!(found[3].starts_with("x.toml:4:8: ") && found[3].contains("true or false"), "{}", found[3]);
        assert!(found[4].ends_with("Did you mean `tool`?"), "{}", found[4]);
    }

    #[test]
    fn a_column_counts_characters() {
        assert!(faults("[tool]\nname = \"é\"\n\"ä\" = {é = 1}\n")[0].starts_with("x.toml:3:"));
        assert!(faults("x = [\"é\", @]")[0].starts_with("x.toml:1:11: "), "{:?}", faults("x = [\"é\", @]"));
    }

    #[test]
    fn deep_nesting_is_a_fault_and_no_crash() {
        let deep = format!("x = {}", "[".repeat(100_000));
        assert_eq!(faults(&deep).len(), 1);
    }

    #[test]
    fn integers_of_every_radix_are_read() {
        let text = "a = 0x1F\nb = 1_000\nc = -7\nd = +3\ne = 99999999999999999999";
        let table = DeTable::parse(text).unwrap().into_inner();
        let values: Vec<_> = ["a", "b", "c", "d", "e"].map(|key| integer(table[key].get_ref())).to_vec();
        assert_eq!(values, [Some(31), Some(1000), Some(-7), Some(3), None]);
    }
}
