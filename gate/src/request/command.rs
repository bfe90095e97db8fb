//! The one line of a request's section `Command`.
//!
//! Does not judge the rest of the body. Security: hostile text; linear. Text in a fence is no heading, so a line that
//! only looks like the command is not taken for it. Standards: CommonMark 0.31, sections 4.2 and 4.5.

/// The line, if the first section of that name has exactly one.
pub(super) fn line(body: &str) -> Option<&str> {
    let mut fence: Option<&str> = None;
    let mut found = None;
    let mut is_inside = false;
    for line in body.split('\n') {
        match (fence, mark(line)) {
            (Some(opening), Some(run)) if run.starts_with(opening) && is_closing(line) => fence = None,
            (Some(_), _) => {}
            (None, Some(_)) if is_inside => return None,
            (None, Some(run)) if !line.starts_with(' ') => fence = Some(run),
            _ if line.starts_with("## ") && is_inside => break,
            _ if line.starts_with("## ") => is_inside = line == "## Command",
            _ if is_inside && !line.trim().is_empty() && found.replace(line).is_some() => return None,
            _ => {}
        }
    }
    found
}

fn is_closing(line: &str) -> bool {
    line.trim_matches(' ').chars().all(|character| matches!(character, '`' | '~'))
}

/// The run of backticks or tildes that makes a line a fence.
fn mark(line: &str) -> Option<&str> {
    let inner = line.trim_start_matches(' ');
    let mark = inner.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let (run, info) = inner.split_at(inner.len() - inner.trim_start_matches(mark).len());
    (run.len() >= 3 && line.len() - inner.len() <= 3 && !(mark == '`' && info.contains('`'))).then_some(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_the_one_line_of_its_own_section() {
        for (body, expected) in [
            ("\n## Command\n\npython3 x.py\n\n## Input Files\n\nnone\n", Some("python3 x.py")),
            ("\n```\n## Command\n\nfalse\n```\n\n## Command\n\ntrue\n", Some("true")),
            ("~~~~\n```\n~~~\n## Command\nfalse\n~~~~\n## Command\ntrue", Some("true")),
            ("## Command\n\n\n## Other\n\nfalse\n", None),
            ("## Command\n\ntrue\nfalse\n", None),
            ("## Command\n```\ntrue\n```\n", None),
            ("## Commands\n\ntrue\n", None),
            ("", None),
        ] {
            assert_eq!(line(body), expected, "{body:?}");
        }
    }
}
