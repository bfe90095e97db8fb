//! The arguments of `gatepost-gate`, parsed without a library: there are few, and an auditor reads all of this code.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use gatepost_documents::text::quoted_name;
use gatepost_mailbox::log::Log;

use crate::watch::Options;

/// One invocation.
#[derive(Debug)]
pub(super) struct Arguments {
    pub(super) command: Command,
    pub(super) site: Option<PathBuf>,
    pub(super) files: Vec<PathBuf>,
}

#[derive(Debug)]
pub(super) enum Command {
    Watch(Options),
    Judge,
    Check,
    Help,
    Version,
}

impl Arguments {
    /// Parses the arguments after the program's name, or returns the error. Without `--site` the environment may name one.
    pub(super) fn read(words: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let mut words = words.peekable();
        let first = words.next().ok_or("no command is given")?;
        let command = match first.to_str() {
            Some("watch") => Command::Watch(Options::default()),
            Some("judge") => Command::Judge,
            Some("check") => Command::Check,
            Some("--help" | "-h" | "help") => Command::Help,
            Some("--version" | "-V" | "version") => Command::Version,
            _ => return Err(format!("there is no command {}", quoted_name(&first))),
        };
        let site = std::env::var_os("GATEPOST_SITE").filter(|site| !site.is_empty()).map(PathBuf::from);
        let mut read = Self { command, site, files: Vec::new() };
        let mut are_all_files = false;
        while let Some(word) = words.next() {
            let is_option = !are_all_files && word.as_encoded_bytes().starts_with(b"-");
            if !is_option {
                read.files.push(word.into());
            } else if word == "--" {
                are_all_files = true;
            } else {
                read.option(&word, &mut words)?;
            }
        }
        read.whole()
    }

    fn option(&mut self, word: &OsString, rest: &mut impl Iterator<Item = OsString>) -> Result<(), String> {
        let text = word.to_str().unwrap_or_default();
        let (name, inline) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value.into())));
        let mut value = || inline.clone().or_else(|| rest.next()).ok_or_else(|| format!("{name} needs a value"));
        match (&mut self.command, name) {
            (_, "--help" | "-h") => self.command = Command::Help,
            (Command::Watch(_) | Command::Check, "--site") => self.site = Some(value()?.into()),
            (Command::Watch(options), "--once") => options.once = true,
            (Command::Watch(options), "--quiet") => options.log = Log::SILENT,
            (Command::Watch(options), "--log-level") => {
                options.log = options.log.down_to(value()?.to_str().unwrap_or_default().parse()?);
            }
            (Command::Watch(options), "--orders-only") => options.orders_only = true,
            (Command::Watch(options), "--with-parent") => options.with_parent = true,
            (Command::Watch(options), "--scan-interval-ms") => {
                let number = value()?.to_str().and_then(|text| text.parse().ok()).filter(|number| *number >= 10);
                let number = number.ok_or("--scan-interval-ms needs a number of at least 10")?;
                options.scan_interval = Duration::from_millis(number);
            }
            _ => return Err(format!("this command has no option {}", quoted_name(word))),
        }
        Ok(())
    }

    fn whole(self) -> Result<Self, String> {
        match (&self.command, self.files.first()) {
            (Command::Judge, None) => Err("judge needs at least one bundle".to_owned()),
            (Command::Check, None) => Err("check needs at least one file".to_owned()),
            (Command::Watch(_), Some(file)) => {
                Err(format!("watch takes no file, found {}", quoted_name(file.as_os_str())))
            }
            _ => Ok(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Arguments, String> {
        Arguments::read(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn options_may_follow_the_command_anywhere_and_values_in_either_way() {
        for line in ["watch --once --site a --scan-interval-ms 50", "watch --scan-interval-ms=50 --site=a --once"] {
            let Arguments { command: Command::Watch(options), site, .. } = read(line).unwrap() else {
                panic!("{line}")
            };
            assert!(options.once && !options.orders_only);
            assert_eq!((site, options.scan_interval), (Some("a".into()), Duration::from_millis(50)));
        }
        assert_eq!(read("check -- --site x").unwrap().files, [PathBuf::from("--site"), PathBuf::from("x")]);
        assert!(matches!(read("judge --help").unwrap().command, Command::Help));
    }

    #[test]
    fn what_cannot_be_understood_is_refused_with_the_word_that_is_meant() {
        for (line, part) in [
            ("", "no command"),
            ("jugde x", "jugde"),
            ("judge", "bundle"),
            ("check", "file"),
            ("watch x", "\"x\""),
            ("watch --onec", "--onec"),
            ("judge --site a b", "--site"),
            ("watch --site", "needs a value"),
            ("watch --scan-interval-ms 9", "at least 10"),
            ("watch --log-level=loud", "error, warn, info or debug"),
        ] {
            let fault = read(line).unwrap_err();
            assert!(fault.contains(part), "{line}: {fault}");
        }
    }
}
