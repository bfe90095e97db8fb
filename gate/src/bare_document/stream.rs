//! The content of a section: prose, and the text in its fences. The structure stage showed that every fence is closed.

use crate::structure::Section;
use gatepost_documents::digest::Digest;

/// A section taken apart.
pub(super) struct Parts<'a> {
    /// The nonempty lines outside of fences, with their numbers in the document.
    pub(super) prose: Vec<(u32, &'a str)>,
    /// The lines within each fence.
    pub(super) fences: Vec<&'a [&'a str]>,
}

impl<'a> Parts<'a> {
    pub(super) fn split(section: &'a Section<'_>) -> Self {
        let mut parts = Self { prose: Vec::new(), fences: Vec::new() };
        let mut open: Option<(usize, &str)> = None;
        for (index, line) in section.lines.iter().enumerate() {
            let ticks = line.get(..line.len() - line.trim_start_matches('`').len()).unwrap_or_default();
            match open {
                Some((first, fence)) if *line == fence => {
                    parts.fences.push(section.lines.get(first..index).unwrap_or_default());
                    open = None;
                }
                Some(_) => {}
                None if ticks.len() >= 3 => open = Some((index + 1, ticks)),
                None if line.trim().is_empty() => {}
                None => {
                    let number = section.line.saturating_add(u32::try_from(index).unwrap_or(u32::MAX));
                    parts.prose.push((number, line));
                }
            }
        }
        parts
    }

    /// Whether a digest matches the stream that the section shows; `None` if the section does not show a whole stream:
    /// it has other text, or no fence.
    pub(super) fn shows(&self, stated: Digest) -> Option<bool> {
        let lines = match (self.prose.as_slice(), self.fences.as_slice()) {
            ([], []) => &[],
            ([], [lines]) => *lines,
            _ => return None,
        };
        // A fence cannot show whether its last line ends with a newline.
        let mut text = lines.join("\n");
        if Digest::of(text.as_bytes()) == stated {
            return Some(true);
        }
        text.push('\n');
        Some(!lines.is_empty() && Digest::of(text.as_bytes()) == stated)
    }
}
