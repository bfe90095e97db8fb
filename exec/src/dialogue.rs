//! The dialogue of a session, line by line: the console of an interactive program.
//!
//! ```text
//! starting ──prompt──▶ line 1 ──prompt──▶ line 2 ──prompt──▶ … ──▶ closed
//!     └─too late, too much─┴──────────▶ failed, stopped       └▶ idle, while it is kept open ──▶ line n, or closed
//! ```
//!
//! The prompt is the end of the output: the last line, without an end of line and terminal sequences. It counts once nothing has
//! followed it for a moment, so a prompt in the middle of output is output. Without a pattern of a prompt, silence is one. Output after
//! a complete answer and before the next line belongs to neither.
//!
//! Pure: the time is passed in. *Security*: the program is hostile; its output is bounded, and patterns run in linear time. Its output
//! can end an answer early, but cannot add input of its own. *Standards*: ToolClad, "Session Mode".

mod shared;

use std::ops::Range;
use std::time::{Duration, Instant};

use anstream::adapter::strip_str;
use gatepost_sandbox::process::Turn;
use regex::Regex;

pub use shared::SharedDialogue;

/// How long the output must be silent after a prompt.
const SETTLE: Duration = Duration::from_millis(30);

/// A longer line is no prompt. This bounds the bytes that are matched after each read.
const PROMPT_BYTES_MAX: usize = 4096;

/// The prompt that separates answers, and the limits of answers.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The pattern of the prompt; searched.
    pub ready: Option<Regex>,
    /// The pattern of a failure; searched in the whole answer, including the prompt.
    pub error: Option<Regex>,
    /// The silence that ends an answer if there is no pattern of a prompt.
    pub silence: Duration,
    /// The time limit to become ready.
    pub startup: Duration,
    /// The time limit of one answer.
    pub answer: Duration,
    /// The most bytes of one answer, and of the output before the first line is sent.
    pub answer_bytes_max: usize,
    /// The most bytes of the texts of the answers to lines sent together; longer texts are cut.
    pub text_bytes_max: usize,
    /// How long an idle session stays open. `None` closes it once all lines are answered.
    pub idle: Option<Duration>,
}

/// Why no further line was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// It did not become ready.
    #[error("did not become ready for input within its startup time")]
    NotReady,
    /// It gave no complete answer.
    #[error("did not come back to its prompt within the time of an interaction")]
    NoAnswer,
    /// Its answer exceeded the limit.
    #[error("printed more than an interaction may")]
    TooMuch,
}

/// One sent line and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// When it was sent, from the start of the program.
    pub at: Duration,
    /// The time until the complete answer, or until the last output.
    pub took: Duration,
    /// The range of the answer in the program's output, bytes.
    pub raw: Range<u64>,
    /// The answer; none if it is incomplete.
    pub answer: Option<Answer>,
}

/// A complete answer, without terminal sequences. An echo of the line is part of it, because it cannot be distinguished.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The text before the prompt.
    pub output: String,
    /// The prompt.
    pub prompt: String,
    /// Whether the output was cut.
    pub is_cut: bool,
    /// Whether the whole answer matches the pattern of a failure.
    pub is_error: bool,
}

/// The state of a dialogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The program is not ready yet.
    Starting,
    /// A line was sent at this time.
    Asked(Instant),
    /// No line to send since this time.
    Idle(Instant),
    /// No further line is sent.
    Closed,
}

/// A dialogue: the lines to send, and the answers.
#[derive(Debug)]
pub struct Dialogue {
    settings: Settings,
    lines: Vec<String>,
    started: Option<Instant>,
    phase: Phase,
    last_output: Option<Instant>,
    /// The output since the current line was sent.
    pending: Vec<u8>,
    /// The offset of that output.
    offset: u64,
    exchanges: Vec<Exchange>,
    /// The remaining bytes for texts of answers.
    text_bytes_left: usize,
    trouble: Option<Trouble>,
    was_closed: bool,
}

impl Dialogue {
    /// A dialogue that sends these lines.
    pub fn new(settings: Settings, lines: Vec<String>) -> Self {
        Self {
            text_bytes_left: settings.text_bytes_max,
            settings,
            lines,
            started: None,
            phase: Phase::Starting,
            last_output: None,
            pending: Vec::new(),
            offset: 0,
            exchanges: Vec::new(),
            trouble: None,
            was_closed: false,
        }
    }

    /// Queues these lines after all earlier ones; returns the number of exchanges after them. The limit of the texts
    /// counts from here.
    pub fn send(&mut self, lines: Vec<String>) -> usize {
        self.text_bytes_left = self.settings.text_bytes_max;
        self.lines.extend(lines);
        self.lines.len()
    }

    /// Closes it once all lines are answered.
    pub fn close(&mut self) {
        self.settings.idle = None;
    }

    /// Whether no further line is sent.
    pub fn is_closed(&self) -> bool {
        self.phase == Phase::Closed
    }

    /// The answered exchanges so far, and the last one without an answer if it will get none.
    pub fn exchanges(&self) -> &[Exchange] {
        &self.exchanges
    }

    /// A range of the exchanges; moves their texts out.
    pub fn take(&mut self, range: Range<usize>) -> Vec<Exchange> {
        let end = range.end.min(self.exchanges.len());
        let taken = |exchange: &mut Exchange| {
            let rest = exchange.answer.as_ref().map(|answer| Answer { is_error: answer.is_error, ..Answer::default() });
            Exchange { answer: std::mem::replace(&mut exchange.answer, rest), ..exchange.clone() }
        };
        self.exchanges.get_mut(range.start.min(end)..end).into_iter().flatten().map(taken).collect()
    }

    /// Whether its program has started.
    pub fn has_begun(&self) -> bool {
        self.started.is_some()
    }

    /// Whether the program was asked to end.
    pub fn was_closed(&self) -> bool {
        self.was_closed
    }

    /// Why the remaining lines were not sent.
    pub fn trouble(&self) -> Option<Trouble> {
        self.trouble
    }

    /// The program has ended.
    pub fn finish(&mut self) {
        if let (Some(started), Phase::Asked(sent)) = (self.started, self.phase) {
            self.keep(started, sent, self.last_output.unwrap_or(sent).max(sent), None);
        }
        self.phase = Phase::Closed;
    }

    /// Receives output of the program.
    pub fn receive(&mut self, bytes: &[u8], now: Instant) {
        self.last_output = Some(now);
        match self.phase {
            Phase::Starting | Phase::Asked(_) => self.pending.extend_from_slice(bytes),
            Phase::Idle(_) => self.offset += bytes.len() as u64,
            Phase::Closed => {}
        }
    }

    /// The next action.
    pub fn turn(&mut self, now: Instant) -> Turn {
        let started = *self.started.get_or_insert(now);
        let (since, timeout, trouble) = match self.phase {
            Phase::Starting => (started, self.settings.startup, Trouble::NotReady),
            Phase::Asked(sent) => (sent, self.settings.answer, Trouble::NoAnswer),
            Phase::Idle(since) => return self.go_on(since, now),
            Phase::Closed => return Turn::Wait(None),
        };
        if self.pending.len() > self.settings.answer_bytes_max {
            return self.fail(started, now, Trouble::TooMuch);
        }
        let quiet_since = self.last_output.unwrap_or(since).max(since);
        let quiet = if self.is_at_prompt() { SETTLE } else { self.silence() };
        if now >= quiet_since + quiet {
            return self.next(started, now);
        }
        if now >= since + timeout {
            return self.fail(started, now, trouble);
        }
        Turn::Wait(Some((quiet_since + quiet).min(since + timeout)))
    }

    /// How long a silence must be to count as a prompt.
    fn silence(&self) -> Duration {
        if self.settings.ready.is_some() { Duration::from_secs(u64::from(u32::MAX)) } else { self.settings.silence }
    }

    fn is_at_prompt(&self) -> bool {
        let Some(ready) = &self.settings.ready else { return false };
        ready.is_match(&strip_str(&last_line(&self.pending)).to_string())
    }

    /// Keeps the complete answer, and sends the next line.
    fn next(&mut self, started: Instant, now: Instant) -> Turn {
        if let Phase::Asked(sent) = self.phase {
            let answer = answer(&self.pending, &self.settings, self.text_bytes_left);
            self.text_bytes_left -= answer.output.len();
            self.keep(started, sent, now, Some(answer));
        }
        self.offset += self.pending.len() as u64;
        self.pending.clear();
        self.go_on(now, now)
    }

    /// Sends the next line, or stays idle since this time.
    fn go_on(&mut self, since: Instant, now: Instant) -> Turn {
        if let Some(line) = self.lines.get(self.exchanges.len()) {
            self.phase = Phase::Asked(now);
            return Turn::Send(format!("{line}\n").into_bytes());
        }
        match self.settings.idle.map(|idle| since + idle) {
            Some(until) if now < until => {
                self.phase = Phase::Idle(since);
                Turn::Wait(Some(until))
            }
            _ => {
                (self.phase, self.was_closed) = (Phase::Closed, true);
                Turn::Close
            }
        }
    }

    fn keep(&mut self, started: Instant, sent: Instant, until: Instant, answer: Option<Answer>) {
        let raw = self.offset..self.offset + self.pending.len() as u64;
        self.exchanges.push(Exchange { at: sent - started, took: until - sent, raw, answer });
    }

    fn fail(&mut self, started: Instant, now: Instant, trouble: Trouble) -> Turn {
        if let Phase::Asked(sent) = self.phase {
            self.keep(started, sent, now, None);
        }
        (self.trouble, self.phase) = (Some(trouble), Phase::Closed);
        Turn::Stop
    }
}

/// The text after the last line break; empty if it is too long for a prompt.
fn last_line(bytes: &[u8]) -> String {
    let end = &bytes[bytes.len().saturating_sub(PROMPT_BYTES_MAX + 1)..];
    let line = end.rsplit(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    if line.len() > PROMPT_BYTES_MAX { String::new() } else { String::from_utf8_lossy(line).into_owned() }
}

/// The answer in the raw output; its text has at most `bytes_max` bytes.
fn answer(raw: &[u8], config: &Settings, bytes_max: usize) -> Answer {
    let text = strip_str(&String::from_utf8_lossy(raw)).to_string().replace("\r\n", "\n");
    let prompt_at = if config.ready.is_some() { text.rfind(['\n', '\r']).map_or(0, |end| end + 1) } else { text.len() };
    let (output, prompt) = text.split_at(prompt_at);
    let kept = &output[..output.floor_char_boundary(bytes_max)];
    Answer {
        output: kept.to_owned(),
        prompt: prompt.to_owned(),
        is_cut: kept.len() < output.len(),
        is_error: config.error.as_ref().is_some_and(|error| error.is_match(&text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn dialogue(ready: Option<&str>, lines: &[&str]) -> Dialogue {
        let settings = Settings {
            ready: ready.map(|pattern| Regex::new(pattern).unwrap()),
            error: Some(Regex::new("(?m)^E:").unwrap()),
            silence: 200 * MS,
            startup: 1000 * MS,
            answer: 2000 * MS,
            answer_bytes_max: 100,
            text_bytes_max: 40,
            idle: None,
        };
        Dialogue::new(settings, lines.iter().map(|line| (*line).to_owned()).collect())
    }

    fn answers(exchanges: &[Exchange]) -> Vec<Option<(&str, &str)>> {
        exchanges.iter().map(|one| one.answer.as_ref().map(|one| (one.output.as_str(), one.prompt.as_str()))).collect()
    }

    fn ended(mut dialogue: Dialogue) -> (Vec<Exchange>, Option<Trouble>) {
        dialogue.finish();
        (dialogue.exchanges().to_vec(), dialogue.trouble())
    }

    fn sent(line: &str) -> Turn {
        Turn::Send(format!("{line}\n").into_bytes())
    }

    #[test]
    fn each_line_is_said_at_the_prompt_and_answered_up_to_the_next() {
        let (mut dialogue, start) = (dialogue(Some("^> $"), &["one", "two"]), Instant::now());
        assert_eq!(dialogue.turn(start), Turn::Wait(Some(start + 1000 * MS)));
        dialogue.receive(b"Welcome\n> ", start + MS);
        assert_eq!(dialogue.turn(start + MS), Turn::Wait(Some(start + 31 * MS)));
        assert_eq!(dialogue.turn(start + 31 * MS), sent("one"));
        dialogue.receive(b"one\r\n\x1b[31mred\x1b[0m\r\n> ", start + 40 * MS);
        assert_eq!(dialogue.turn(start + 70 * MS), sent("two"));
        dialogue.receive(b"\xff\n> ", start + 80 * MS);
        assert_eq!(dialogue.turn(start + 110 * MS), Turn::Close);
        assert_eq!(dialogue.turn(start + 120 * MS), Turn::Wait(None));
        let (exchanges, trouble) = ended(dialogue);
        assert_eq!(
            (answers(&exchanges), trouble),
            (vec![Some(("one\nred\n", "> ")), Some(("\u{fffd}\n", "> "))], None)
        );
        assert_eq!(exchanges[0].raw, 10..31);
        assert_eq!(exchanges[1].raw, 31..35);
        assert_eq!((exchanges[1].at, exchanges[1].took), (70 * MS, 40 * MS));
    }

    #[test]
    fn a_prompt_within_output_is_output() {
        let (mut dialogue, start) = (dialogue(Some("> $"), &["one"]), Instant::now());
        dialogue.receive(b"> ", start);
        assert_eq!(dialogue.turn(start), Turn::Wait(Some(start + 30 * MS)));
        assert_eq!(dialogue.turn(start + 30 * MS), sent("one"));
        dialogue.receive(b"> ", start + 40 * MS);
        assert_eq!(dialogue.turn(start + 50 * MS), Turn::Wait(Some(start + 70 * MS)));
        dialogue.receive(b"not yet\n> not yet", start + 60 * MS);
        assert_eq!(dialogue.turn(start + 200 * MS), Turn::Wait(Some(start + 2030 * MS)));
        dialogue.receive(b"\n> ", start + 210 * MS);
        assert_eq!(dialogue.turn(start + 240 * MS), Turn::Close);
        assert_eq!(answers(&ended(dialogue).0), [Some(("> not yet\n> not yet\n", "> "))]);
    }

    #[test]
    fn silence_is_a_prompt_where_there_is_no_pattern() {
        let (mut dialogue, start) = (dialogue(None, &["one"]), Instant::now());
        assert_eq!(dialogue.turn(start), Turn::Wait(Some(start + 200 * MS)));
        assert_eq!(dialogue.turn(start + 200 * MS), sent("one"));
        dialogue.receive(b"1\n", start + 300 * MS);
        assert_eq!(dialogue.turn(start + 499 * MS), Turn::Wait(Some(start + 500 * MS)));
        assert_eq!(dialogue.turn(start + 500 * MS), Turn::Close);
        assert_eq!(answers(&ended(dialogue).0), [Some(("1\n", ""))]);
    }

    #[test]
    fn who_is_late_or_floods_is_told_nothing_more() {
        let start = Instant::now();
        let mut late = dialogue(Some("> $"), &["one"]);
        assert_eq!(late.turn(start), Turn::Wait(Some(start + 1000 * MS)));
        assert_eq!(late.turn(start + 1000 * MS), Turn::Stop);
        assert_eq!(ended(late), (Vec::new(), Some(Trouble::NotReady)));
        for (printed, at, expected) in
            [(vec![b'x'; 100], 2030 * MS, Some(Trouble::NoAnswer)), (vec![b'x'; 101], 40 * MS, Some(Trouble::TooMuch))]
        {
            let mut dialogue = dialogue(Some("> $"), &["one", "two"]);
            dialogue.turn(start);
            dialogue.receive(b"> ", start);
            assert_eq!(dialogue.turn(start + 30 * MS), sent("one"));
            dialogue.receive(&printed, start + 35 * MS);
            assert_eq!(dialogue.turn(start + at), Turn::Stop);
            let (exchanges, trouble) = ended(dialogue);
            assert_eq!((answers(&exchanges), trouble), (vec![None], expected));
            assert_eq!((exchanges[0].raw.clone(), exchanges[0].took + 30 * MS), (2..2 + printed.len() as u64, at));
        }
    }

    #[test]
    fn one_that_is_kept_open_waits_for_lines_until_it_is_closed_or_was_idle_too_long() {
        let start = Instant::now();
        let at_prompt = |lines: &[&str]| {
            let mut dialogue = dialogue(Some("> $"), lines);
            dialogue.settings.idle = Some(500 * MS);
            dialogue.receive(b"> ", start);
            dialogue.turn(start);
            dialogue
        };
        let mut idle = at_prompt(&[]);
        assert_eq!(idle.turn(start + 30 * MS), Turn::Wait(Some(start + 530 * MS)));
        idle.receive(b"by the way", start + 40 * MS);
        assert_eq!(idle.send(vec!["one".to_owned()]), 1);
        assert_eq!(idle.turn(start + 50 * MS), sent("one"));
        idle.receive(b"1\n> ", start + 60 * MS);
        assert_eq!(idle.turn(start + 90 * MS), Turn::Wait(Some(start + 590 * MS)));
        assert_eq!(answers(idle.exchanges()), [Some(("1\n", "> "))]);
        assert_eq!(idle.exchanges()[0].raw, 12..16);
        assert_eq!(idle.turn(start + 589 * MS), Turn::Wait(Some(start + 590 * MS)));
        assert_eq!(idle.turn(start + 590 * MS), Turn::Close);
        assert_eq!(idle.turn(start + 600 * MS), Turn::Wait(None));
        let mut closed = at_prompt(&["one"]);
        assert_eq!(closed.turn(start + 30 * MS), sent("one"));
        closed.close();
        closed.receive(b"> ", start + 40 * MS);
        assert_eq!(closed.turn(start + 70 * MS), Turn::Close);
    }

    #[test]
    fn what_a_program_printed_before_it_died_is_no_answer() {
        let (mut dialogue, start) = (dialogue(Some("> $"), &["one", "two"]), Instant::now());
        dialogue.receive(b"> ", start);
        dialogue.turn(start);
        assert_eq!(dialogue.turn(start + 30 * MS), sent("one"));
        dialogue.receive(b"half", start + 45 * MS);
        let (exchanges, trouble) = ended(dialogue);
        assert_eq!((answers(&exchanges), trouble), (vec![None], None));
        assert_eq!((exchanges[0].raw.clone(), exchanges[0].took), (2..6, 15 * MS));
    }

    #[test]
    fn a_line_that_is_too_long_is_no_prompt_and_texts_have_a_bound() {
        let mut long = vec![b'x'; PROMPT_BYTES_MAX - 2];
        long.extend(b"> ");
        assert_eq!(last_line(&long).len(), PROMPT_BYTES_MAX);
        long.insert(0, b'x');
        assert_eq!(last_line(&long), "");
        let settings = dialogue(Some("> $"), &[]).settings;
        let answer = |raw: &[u8], bytes_max| answer(raw, &settings, bytes_max);
        let cut = answer("ééé\n> ".as_bytes(), 5);
        assert_eq!((cut.output.as_str(), cut.prompt.as_str(), cut.is_cut), ("éé", "> ", true));
        assert!(!answer(b"1\n> ", 2).is_cut);
        let redrawn = answer(b"1\n\r\x1b[K> ", 5);
        assert_eq!((redrawn.output.as_str(), redrawn.prompt.as_str()), ("1\n\r", "> "));
        assert_eq!(last_line(b"1\n\r> "), "> ");
        // A failure in the cut part or in the prompt counts too.
        for (raw, expected) in [(&b"1\nE: no\n> "[..], true), (b"1\nE: no> ", true), (b"1 E:\n> ", false)] {
            assert_eq!(answer(raw, 1).is_error, expected, "{raw:?}");
        }
    }
}
