//! `[approval] notify`: the operator's program that is called about requests that wait for people.
//!
//! ```toml
//! notify = ["/usr/local/bin/tell-approvers", "--to", "ops@example.org"]
//! ```

use std::path::Path;

use serde::{Deserialize, Serialize};

/// The argument vector of a program, an absolute path first; empty where there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "Vec<String>")]
pub struct Notify(Vec<String>);

impl Notify {
    /// The program, if there is one.
    pub fn program(&self) -> Option<&Path> {
        self.0.first().map(Path::new)
    }

    /// What follows the program.
    pub fn arguments(&self) -> &[String] {
        self.0.get(1..).unwrap_or_default()
    }
}

impl TryFrom<Vec<String>> for Notify {
    type Error = String;

    fn try_from(words: Vec<String>) -> Result<Self, String> {
        if let Some(program) = words.first().filter(|program| !program.starts_with('/')) {
            return Err(format!(
                "the program {program:?} is not an absolute path; expected, for example, /usr/local/bin/tell-approvers"
            ));
        }
        if words.iter().any(|word| word.contains('\0')) {
            return Err("a word holds a NUL character, which no program can be given".to_owned());
        }
        Ok(Self(words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_an_absolute_path() {
        let notify = |words: &[&str]| Notify::try_from(words.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(notify(&[]).unwrap().program(), None);
        let both = notify(&["/usr/bin/tell", "--to"]).unwrap();
        assert_eq!((both.program(), both.arguments()), (Some(Path::new("/usr/bin/tell")), &["--to".to_owned()][..]));
        assert!(notify(&["tell"]).unwrap_err().contains("absolute"));
        assert!(notify(&["/a", "b\0"]).unwrap_err().contains("NUL"));
    }
}
