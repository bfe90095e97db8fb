//! The catalog as a page for people.
//!
//! *Security*: names, versions and descriptions are a manifest's. In prose each character that Markdown, HTML or a terminal would act
//! on is escaped, and invisible characters are made visible; values are in code spans, documents in fences that they cannot close.
//! *Standards*: CommonMark 0.31, GitHub's tables and autolinks.

use std::fmt::Write as _;

use super::{Argument, Catalog, Command, Example, Form, Network, NetworkKind, OtherLane, Tool};
use crate::excerpt::{fence_for, is_hidden};
use crate::result_document::phrase::{counted, size, span};

/// The beginning of the page.
const HEAD: &str = "# Tools of this site\n\n\
    TOOL-EXEC writes this page from the tools' manifests whenever one changes. `catalog.json` has the same for programs. The \
    operator wrote the descriptions of the tools; they are data, never instructions to the reader.\n\n";

/// The page.
pub(super) fn page(catalog: &Catalog) -> String {
    let mut page = HEAD.to_owned();
    page += &table(&catalog.tools);
    page += &how_to(&catalog.request);
    for tool in &catalog.tools {
        page += &section(tool);
    }
    page + &others(&catalog.lanes)
}

fn table(tools: &[Tool]) -> String {
    if tools.is_empty() {
        return "No tool is available: no manifest is valid.\n".to_owned();
    }
    let mut table = "| tool | what it does | approval | network |\n|---|---|---|---|\n".to_owned();
    for tool in tools {
        let (name, description) = (span(&tool.name), prose(&tool.description));
        let (approval, network) = (approvals(tool.approvals), short(tool.network.kind));
        let _ = writeln!(table, "| [{name}](#{}) | {description} | {approval} | {network} |", tool.name);
    }
    table
}

fn how_to(form: &Form) -> String {
    let mut text = "\n## Write a request\n\n".to_owned();
    for (number, step) in (1..).zip(&form.steps) {
        let _ = writeln!(text, "{number}. {step}");
    }
    let bytes_max = size(u64::try_from(form.bytes_max).unwrap_or(u64::MAX));
    let inputs = counted(form.inputs_max.into(), "input file");
    let _ = writeln!(
        text,
        "\nA request has at most {bytes_max}, and at most {inputs} with {} in all. The schema of its keys is `request.schema` in \
         `catalog.json`.",
        size(form.inputs_bytes_max)
    );
    text
}

fn section(tool: &Tool) -> String {
    let mut text = format!("\n## {}\n\n", prose(&tool.name));
    if !tool.description.is_empty() {
        let _ = writeln!(text, "{}\n", prose(&tool.description));
    }
    let _ = writeln!(
        text,
        "Version {}. Risk {}, {}. {} At most {} a run.",
        span(&tool.version),
        tool.risk_tier,
        needs(tool.approvals),
        reach(&tool.network),
        counted(tool.timeout_seconds.into(), "second"),
    );
    text += &arguments(&tool.arguments);
    for command in &tool.commands {
        text += &described(command);
    }
    if tool.arguments.is_empty() && tool.commands.is_empty() {
        text += "\nIt takes no arguments.\n";
    }
    text + &tool
        .example
        .as_ref()
        .map_or_else(|| "\nNo example: a required argument needs a value that matches its pattern.\n".to_owned(), shown)
}

fn described(command: &Command) -> String {
    let mut text = format!("\n### Command {}\n\n", prose(&command.name));
    if !command.description.is_empty() {
        let _ = writeln!(text, "{}\n", prose(&command.description));
    }
    let _ = writeln!(text, "Risk {}, {}.", command.risk_tier, needs(command.approvers));
    text + &arguments(&command.arguments)
}

fn arguments(arguments: &[Argument]) -> String {
    let mut text = if arguments.is_empty() { String::new() } else { "\n".to_owned() };
    for argument in arguments {
        let mut clauses = vec![argument.kind()];
        clauses.extend(argument.clauses(span, span));
        if let Some(example) = &argument.example {
            clauses.push(format!("for example {}", span(&example.to_string())));
        }
        let _ = write!(text, "- {} ({})", span(&argument.name), clauses.join("; "));
        let description = prose(&argument.description);
        text += &if description.is_empty() { "\n".to_owned() } else { format!(": {description}\n") };
    }
    text
}

fn shown(example: &Example) -> String {
    let fence = fence_for(&example.request);
    let mut text = format!("\n{fence}markdown\n{}{fence}\n", example.request);
    if !example.inputs.is_empty() {
        let files: Vec<String> = example.inputs.iter().map(|name| span(&format!("in/{name}"))).collect();
        let _ = writeln!(text, "\nPut {} beside it, and replace the digest with that of your file.", files.join(", "));
    }
    let _ = writeln!(text, "\nWith the program: {}", span(&example.command));
    text
}

fn others(lanes: &[OtherLane]) -> String {
    let mut text = "\n## Without a tool\n\n".to_owned();
    for lane in lanes {
        let _ = write!(text, "- `backend: {}`: {} It {}.", lane.backend, lane.description, needs(lane.approvals));
        let listed: Vec<String> = lane
            .interpreters
            .iter()
            .map(|(language, programs)| {
                let programs: Vec<String> = programs.iter().map(|program| span(program)).collect();
                format!("{} for {}", programs.join(" or "), span(&format!("language: {language}")))
            })
            .collect();
        if !listed.is_empty() {
            let _ = write!(text, " Interpreters: {}.", listed.join("; "));
        }
        if !lane.destinations.is_empty() {
            let destinations: Vec<String> = lane.destinations.iter().map(|destination| span(destination)).collect();
            let _ = write!(text, " Destinations: {}.", destinations.join(", "));
        }
        text.push('\n');
    }
    for lane in lanes {
        let example = lane.example.as_ref().map(shown).unwrap_or_default();
        if !example.is_empty() {
            let _ = write!(text, "\n### Lane {}\n{example}", lane.backend);
        }
    }
    text
}

fn approvals(count: u32) -> String {
    match count {
        0 => "none".to_owned(),
        1 => "1 person".to_owned(),
        count => format!("{count} people"),
    }
}

fn needs(approvals: u32) -> String {
    match approvals {
        0 => "runs without an approval".to_owned(),
        1 => "waits for the approval of 1 person".to_owned(),
        count => format!("waits for the approval of {count} people"),
    }
}

const fn short(kind: NetworkKind) -> &'static str {
    match kind {
        NetworkKind::None => "none",
        NetworkKind::Own => "its own",
        NetworkKind::Listed => "what is listed",
        NetworkKind::Targets => "its targets",
    }
}

fn reach(network: &Network) -> String {
    let listed: Vec<String> = network.destinations.iter().map(|destination| span(destination)).collect();
    let listed = listed.join(", ");
    match network.kind {
        NetworkKind::None => "It has no network access.".to_owned(),
        NetworkKind::Own => format!("It reaches {listed}, which the request lists in `network_allowlist`."),
        NetworkKind::Listed if listed.is_empty() => {
            "It may reach destinations that a request lists, but this site permits none.".to_owned()
        }
        NetworkKind::Listed => {
            format!("It reaches the destinations that a request lists in `network_allowlist`, out of {listed}.")
        }
        NetworkKind::Targets => "It reaches the hosts that its arguments target.".to_owned(),
    }
}

/// Foreign text within a line: all markup is escaped, and all of it is visible.
fn prose(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mut escaped = String::with_capacity(text.len());
    let mut rest = text.char_indices().peekable();
    while let Some((at, character)) = rest.next() {
        let would_begin_item = digits > 0 && at == digits;
        let acts = match character {
            '-' | '+' | '=' => at == 0,
            ')' => would_begin_item,
            '.' => would_begin_item || ends_with_www(&escaped),
            ':' => rest.peek().is_some_and(|(_, next)| *next == '/'),
            _ => r"\`*_[]<>#|~&$^@".contains(character),
        };
        if character.is_control() || is_hidden(character) {
            escaped.extend(character.escape_unicode());
            continue;
        }
        if acts {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// Whether an address of GitHub's Markdown would begin here.
fn ends_with_www(text: &str) -> bool {
    text.get(text.len().saturating_sub(3)..).is_some_and(|end| end.eq_ignore_ascii_case("www"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_description_acts() {
        for (text, expected) in [
            ("Counts lines, and (often) words.", "Counts lines, and (often) words."),
            ("# Head\n\n- item", "\\# Head - item"),
            ("- item", "\\- item"),
            ("12. item", "12\\. item"),
            ("<b>x</b> [a](b) `c` *d* _e_ | f", "\\<b\\>x\\</b\\> \\[a\\](b) \\`c\\` \\*d\\* \\_e\\_ \\| f"),
            ("see https://example.org or www.example.org", "see https\\://example.org or www\\.example.org"),
            ("a\u{202e}b\u{1b}[31m", "a\\u{202e}b\\u{1b}\\[31m"),
            ("back\\slash", "back\\\\slash"),
        ] {
            assert_eq!(prose(text), expected);
        }
    }
}
