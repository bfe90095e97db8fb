//! Detects a word of a command that names a path of the host: an absolute one outside the open folders, or one with `..`.

const OPEN_FOLDERS: &[&str] = &["/in", "/out"];

/// Checks the whole word, the text after each separator in it, and the value attached to a short option. The text after
/// the scheme of a URL is no path, except for `file:`.
pub(super) fn reaches_host(word: &str) -> bool {
    let attached = word.strip_prefix('-').and_then(|option| option.get(1..)).unwrap_or_default();
    climbs(word) || is_host_path(first_piece(attached)) || pieces(word).any(is_host_path)
}

fn climbs(word: &str) -> bool {
    word.split(['/', '=', ':', ',', '@']).any(|component| bare(component) == "..")
}

/// Without the spaces, quotes and brackets around it, which a program may take off again.
fn bare(piece: &str) -> &str {
    piece.trim_matches(|character: char| character.is_whitespace() || "\"'`{}[]()<>".contains(character))
}

fn is_separator(character: char) -> bool {
    matches!(character, '=' | ':' | ',' | '@')
}

fn first_piece(text: &str) -> &str {
    text.split(is_separator).next().unwrap_or_default()
}

/// The pieces between separators; that which begins the rest of a URL is left out.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let mut before = "";
    word.split(is_separator).filter(move |piece| {
        let scheme = bare(std::mem::replace(&mut before, piece));
        let is_url = piece.starts_with("//")
            && !scheme.eq_ignore_ascii_case("file")
            && !scheme.is_empty()
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
        !is_url
    })
}

fn is_host_path(piece: &str) -> bool {
    let piece = bare(piece);
    let is_open = OPEN_FOLDERS.iter().any(|folder| match piece.strip_prefix(folder) {
        Some(rest) => rest.is_empty() || rest.starts_with('/'),
        None => false,
    });
    piece.starts_with('/') && !is_open
}
