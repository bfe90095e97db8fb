//! The `when` language: `port != 0 and user != ''`.
//!
//! ```text
//! condition  = conjunction { "or" conjunction }
//! conjunction = comparison { "and" comparison }
//! comparison = operand ( "==" | "!=" ) operand
//! operand    = name | 'text' | "text" | number | true | false
//! ```
//!
//! Nothing else is evaluated. An absent name equals both `''` and `0`, so `port != 0` and `port != ''` both test whether it was given.

use super::argument::is_name;

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Operand {
    Name(String),
    Text(String),
    Number(String),
}

/// `left == right`, or `!=`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Comparison {
    pub(super) left: Operand,
    pub(super) right: Operand,
    equal: bool,
}

/// A condition: the alternatives of conjunctions.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Condition(Vec<Vec<Comparison>>);

/// Why a text is no condition; fits after "the condition".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ConditionError {
    #[error("has an unclosed quotation mark")]
    UnclosedQuote,
    #[error("contains something that is neither a name, a quoted text, a number nor one of == != and or")]
    Unknown,
    #[error("lacks an operand where a name, text or number is expected")]
    OperandExpected,
    #[error("lacks a == or != after a name, text or number")]
    OperatorExpected,
    #[error("continues after a comparison without `and` or `or`")]
    Junction,
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Operand(Operand),
    Equal,
    Different,
    And,
    Or,
}

impl Condition {
    /// Reads a condition.
    pub(super) fn parse(text: &str) -> Result<Self, ConditionError> {
        let mut tokens = tokens(text)?.into_iter();
        let mut alternatives = vec![Vec::new()];
        loop {
            let comparison = comparison(&mut tokens)?;
            if let Some(conjunction) = alternatives.last_mut() {
                conjunction.push(comparison);
            }
            match tokens.next() {
                None => return Ok(Self(alternatives)),
                Some(Token::And) => {}
                Some(Token::Or) => alternatives.push(Vec::new()),
                Some(_) => return Err(ConditionError::Junction),
            }
        }
    }

    /// Every comparison in it.
    pub(super) fn comparisons(&self) -> impl Iterator<Item = &Comparison> {
        self.0.iter().flatten()
    }

    /// Whether it holds; `value` gives the text of a name, or `None` when it is not given.
    pub(super) fn holds(&self, value: &dyn Fn(&str) -> Option<String>) -> bool {
        self.0.iter().any(|conjunction| conjunction.iter().all(|comparison| comparison.holds(value)))
    }
}

impl Comparison {
    /// The names in it.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        [&self.left, &self.right].into_iter().filter_map(|operand| match operand {
            Operand::Name(name) => Some(name.as_str()),
            _ => None,
        })
    }

    fn holds(&self, value: &dyn Fn(&str) -> Option<String>) -> bool {
        let text = |operand: &Operand| match operand {
            Operand::Name(name) => value(name),
            Operand::Text(text) | Operand::Number(text) => Some(text.clone()),
        };
        let is_number = [&self.left, &self.right].iter().any(|operand| matches!(operand, Operand::Number(_)));
        let equal = match (text(&self.left), text(&self.right)) {
            (None, None) => true,
            (None, Some(text)) | (Some(text), None) => text.is_empty() || same_number(&text, "0"),
            (Some(left), Some(right)) => left == right || is_number && same_number(&left, &right),
        };
        equal == self.equal
    }
}

#[allow(clippy::float_cmp, reason = "equality of two literals is what is asked")]
fn same_number(left: &str, right: &str) -> bool {
    matches!((left.parse::<f64>(), right.parse::<f64>()), (Ok(left), Ok(right)) if left == right)
}

fn comparison(tokens: &mut impl Iterator<Item = Token>) -> Result<Comparison, ConditionError> {
    let operand = |token: Option<Token>| match token {
        Some(Token::Operand(operand)) => Ok(operand),
        _ => Err(ConditionError::OperandExpected),
    };
    let left = operand(tokens.next())?;
    let equal = match tokens.next() {
        Some(Token::Equal) => true,
        Some(Token::Different) => false,
        _ => return Err(ConditionError::OperatorExpected),
    };
    Ok(Comparison { left, right: operand(tokens.next())?, equal })
}

fn tokens(text: &str) -> Result<Vec<Token>, ConditionError> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, tail) = match first {
            '\'' | '"' => {
                let (text, tail) = rest[1..].split_once(first).ok_or(ConditionError::UnclosedQuote)?;
                (Token::Operand(Operand::Text(text.to_owned())), tail)
            }
            '=' => (Token::Equal, rest.strip_prefix("==").ok_or(ConditionError::Unknown)?),
            '!' => (Token::Different, rest.strip_prefix("!=").ok_or(ConditionError::Unknown)?),
            _ => word(rest)?,
        };
        tokens.push(token);
        rest = tail.trim_start();
    }
    Ok(tokens)
}

fn word(rest: &str) -> Result<(Token, &str), ConditionError> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || "_.-".contains(character);
    let (word, tail) = rest.split_at(rest.find(|character| !is_part(character)).unwrap_or(rest.len()));
    let token = match word {
        "and" => Token::And,
        "or" => Token::Or,
        "true" | "false" => Token::Operand(Operand::Text(word.to_owned())),
        _ if is_name(word) => Token::Operand(Operand::Name(word.to_owned())),
        _ if word.parse().is_ok_and(f64::is_finite) => Token::Operand(Operand::Number(word.to_owned())),
        _ => return Err(ConditionError::Unknown),
    };
    Ok((token, tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(condition: &str) -> bool {
        Condition::parse(condition).unwrap().holds(&|name| match name {
            "port" => Some("443".into()),
            "user" => Some("admin".into()),
            "flag" => Some("true".into()),
            "zero" => Some("0".into()),
            _ => None,
        })
    }

    #[test]
    fn comparisons_mean_what_they_say() {
        for (condition, expected) in [
            ("port == 443", true),
            ("port == 443.0", true),
            ("port == '443'", true),
            ("port == '443.0'", false),
            ("port != 0", true),
            ("zero != 0", false),
            ("flag == true", true),
            ("flag == 'false'", false),
            ("user==\"admin\"", true),
            ("absent == ''", true),
            ("absent == 0", true),
            ("absent != 0", false),
            ("absent != ''", false),
            ("absent == 'x'", false),
            ("user == user", true),
        ] {
            assert_eq!(holds(condition), expected, "{condition}");
        }
    }

    #[test]
    fn and_binds_tighter_than_or() {
        assert!(holds("user == 'admin' or user == 'x' and port == 1"));
        assert!(holds("port == 1 and user == 'x' or user == 'admin'"));
        assert!(!holds("user == 'x' or user == 'admin' and port == 1"));
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for text in [
            "",
            "port",
            "port =",
            "port = 1",
            "port == ",
            "== 1",
            "port == 1 and",
            "port == 1 or or port == 2",
            "port == 'x",
            "port == 1 port == 2",
            "not port == 1",
            "(port == 1)",
            "port < 3",
            "port == 1 && port == 2",
            "port == 1; x",
            "port == -inf",
            "PORT == 1",
            "__import__('os')",
            "port == -",
            "é == 1",
        ] {
            assert!(Condition::parse(text).is_err(), "{text:?}");
        }
    }
}
