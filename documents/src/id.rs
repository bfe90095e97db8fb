//! The names of requests and results, as values that cannot be malformed.
//!
//! ```text
//! TR-20260209-160501Z-python-stats                                  a request
//! TS-20260209-161030Z-TR-20260209-160501Z-python-stats              its result
//! RP-20260209-161030Z-TR-20260209-160501Z-python-stats              its result, if that is a research packet
//! TR-20260209T160501Z-…  TR-20260209-…  TS-20260209T161030Z-…       the same, as ThreeGate's own runners and examples write them
//! ```
//!
//! Only a request of version 1 and a bare document have the other two forms; all other readers check
//! [`RequestId::has_own_form`] or [`ResultId::has_own_form`]. An id is its text: two forms of one time are two ids.
//!
//! An id is also a file name: its alphabet holds no separator, no space and no control character, and it never begins
//! with a dot. Standards: ThreeGate tool-request and tool-result schemas, "File Naming".

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Timelike as _, Utc};

/// The longest slug of a request id, in bytes.
pub const SLUG_BYTES_MAX: usize = 64;

const TIMESTAMP_FORMAT: &str = "%Y%m%d-%H%M%SZ";
const DAY_BYTES: usize = "20260209".len();

/// The fault of an id, as the end of a sentence that begins with the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// The prefix is missing.
    #[error("does not begin with {0}")]
    Prefix(&'static str),
    /// The timestamp has another form, or names no instant.
    #[error("has no valid time stamp of the form YYYYMMDD-HHMMSSZ after its prefix")]
    Timestamp,
    /// The slug is absent, too long, or has a character outside its alphabet.
    #[error("must end in a slug of 1 to 64 characters [a-z0-9._-] that begins with a letter or digit")]
    Slug,
}

/// `TR-YYYYMMDD-HHMMSSZ-<slug>`: the name of a request, and the stem of its file. Of a map by ids, its text finds it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RequestId {
    text: String,
    created: DateTime<Utc>,
}

impl RequestId {
    /// Reads an id.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        in_any_form(|read_time| Self::parse_form(text, read_time))
    }

    fn parse_form(text: &str, read_time: ReadTime) -> Result<Self, IdError> {
        let rest = text.strip_prefix("TR-").ok_or(IdError::Prefix("TR-"))?;
        let (created, slug) = read_time(rest)?;
        let slug = slug.strip_prefix('-').ok_or(IdError::Slug)?.as_bytes();
        let first = slug.first().ok_or(IdError::Slug)?;
        let alphabet = |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-');
        let valid = first.is_ascii_alphanumeric() && slug.iter().all(alphabet) && slug.len() <= SLUG_BYTES_MAX;
        valid.then(|| Self { text: text.to_owned(), created }).ok_or(IdError::Slug)
    }

    /// The id of a request written at `time` about `slug`; the slug must be valid.
    pub fn new(time: DateTime<Utc>, slug: &str) -> Result<Self, IdError> {
        Self::parse(&format!("TR-{}-{slug}", time.format(TIMESTAMP_FORMAT)))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The time in its name, to the second; the beginning of the day, where it names a day alone.
    pub fn created(&self) -> DateTime<Utc> {
        self.created
    }

    /// Whether it has gatepost's own form, and not one of ThreeGate's others.
    pub fn has_own_form(&self) -> bool {
        has_own_form(&self.text, self.created)
    }
}

impl Hash for RequestId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The time follows from the text.
        self.text.hash(state);
    }
}

impl Borrow<str> for RequestId {
    fn borrow(&self) -> &str {
        &self.text
    }
}

/// What a result is, told by the beginning of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResultKind {
    /// `TS-`: what a tool did, or why nothing ran.
    Result,
    /// `RP-`: a research packet.
    Packet,
}

impl ResultKind {
    /// The beginning of its names.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Result => "TS-",
            Self::Packet => "RP-",
        }
    }

    /// The kind of a result, if the name begins like one of a result.
    pub fn of_name(name: &[u8]) -> Option<Self> {
        [Self::Result, Self::Packet].into_iter().find(|kind| name.starts_with(kind.prefix().as_bytes()))
    }
}

/// `TS-YYYYMMDD-HHMMSSZ-<request id>`, of a research packet `RP-…`: the name of a result, its folder and the stem of its document.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResultId {
    text: String,
    request: RequestId,
    created: DateTime<Utc>,
}

impl ResultId {
    /// Reads an id.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        in_any_form(|read_time| Self::parse_form(text, read_time))
    }

    fn parse_form(text: &str, read_time: ReadTime) -> Result<Self, IdError> {
        let kind = ResultKind::of_name(text.as_bytes()).ok_or(IdError::Prefix("TS-"))?;
        let rest = text.strip_prefix(kind.prefix()).unwrap_or_default();
        let (created, rest) = read_time(rest)?;
        let request = RequestId::parse(rest.strip_prefix('-').ok_or(IdError::Prefix("TR-"))?)?;
        Ok(Self { text: text.to_owned(), request, created })
    }

    /// The id of the result of this kind that answers `request` and was created at `time`.
    pub fn new(kind: ResultKind, time: DateTime<Utc>, request: &RequestId) -> Self {
        let created = time.with_nanosecond(0).unwrap_or(time);
        let text = format!("{}{}-{}", kind.prefix(), created.format(TIMESTAMP_FORMAT), request.as_str());
        Self { text, request: request.clone(), created }
    }

    /// The kind of the result, by its prefix.
    pub fn kind(&self) -> ResultKind {
        ResultKind::of_name(self.text.as_bytes()).unwrap_or(ResultKind::Result)
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The request that it answers.
    pub fn request(&self) -> &RequestId {
        &self.request
    }

    /// The same, when no other part of the result's name is needed.
    pub fn into_request(self) -> RequestId {
        self.request
    }

    /// The time in its name, to the second; the beginning of the day, where it names a day alone.
    pub fn created(&self) -> DateTime<Utc> {
        self.created
    }

    /// The last moment that the time in its name may mean: the end of the day, where it names a day alone.
    pub fn created_latest(&self) -> DateTime<Utc> {
        let names_day = self.text.get("TS-".len() + DAY_BYTES..).is_some_and(|rest| rest.starts_with("-TR-"));
        let end = self.created.checked_add_days(Days::new(1)).map(|end| end - TimeDelta::seconds(1));
        end.filter(|_| names_day).unwrap_or(self.created)
    }

    /// Whether its own time has gatepost's form, and not one of ThreeGate's others.
    pub fn has_own_form(&self) -> bool {
        has_own_form(&self.text, self.created)
    }
}

/// Parses the timestamp at the beginning of a text, and returns the rest.
type ReadTime = fn(&str) -> Result<(DateTime<Utc>, &str), IdError>;

/// The result of `read` with the first timestamp format that it accepts; else the error for our own format.
fn in_any_form<T>(read: impl Fn(ReadTime) -> Result<T, IdError>) -> Result<T, IdError> {
    let foreign = || [foreign_time as ReadTime, start_of_day].into_iter().find_map(|read_time| read(read_time).ok());
    read(own_time).or_else(|error| foreign().ok_or(error))
}

fn has_own_form(text: &str, created: DateTime<Utc>) -> bool {
    text.get("TR-".len()..).is_some_and(|rest| rest.starts_with(&created.format(TIMESTAMP_FORMAT).to_string()))
}

fn own_time(text: &str) -> Result<(DateTime<Utc>, &str), IdError> {
    time_of_second(text, '-')
}

fn foreign_time(text: &str) -> Result<(DateTime<Utc>, &str), IdError> {
    time_of_second(text, 'T')
}

/// A day, `separator`, a time of day, and `Z`.
fn time_of_second(text: &str, separator: char) -> Result<(DateTime<Utc>, &str), IdError> {
    let read = || {
        let (day, rest) = day(text)?;
        let (hour, rest) = number(rest.strip_prefix(separator)?, 2)?;
        let (minute, rest) = number(rest, 2)?;
        let (second, rest) = number(rest, 2)?;
        Some((day.and_hms_opt(hour, minute, second)?.and_utc(), rest.strip_prefix('Z')?))
    };
    read().ok_or(IdError::Timestamp)
}

fn start_of_day(text: &str) -> Result<(DateTime<Utc>, &str), IdError> {
    let (day, rest) = day(text).ok_or(IdError::Timestamp)?;
    Ok((day.and_time(NaiveTime::MIN).and_utc(), rest))
}

fn day(text: &str) -> Option<(NaiveDate, &str)> {
    let (year, rest) = number(text, 4)?;
    let (month, rest) = number(rest, 2)?;
    let (day, rest) = number(rest, 2)?;
    Some((NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?, rest))
}

/// The number that a text begins with, of exactly so many digits. Not chrono's parser, which takes signs and spaces and would be most
/// of the time that it takes to read a folder of a hundred thousand ids.
fn number(text: &str, digits: usize) -> Option<(u32, &str)> {
    let (head, rest) = text.split_at_checked(digits)?;
    let is_number = head.bytes().all(|byte| byte.is_ascii_digit());
    Some((head.parse().ok().filter(|_| is_number)?, rest))
}

macro_rules! text_form {
    ($type:ty, $name:literal, $pattern:literal) => {
        impl $type {
            /// The form of one as a regular expression, which knows no calendar.
            pub const PATTERN: &'static str = $pattern;
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                Self::parse(&text).map_err(serde::de::Error::custom)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "pattern": Self::PATTERN })
            }
        }
    };
}

text_form!(RequestId, "RequestId", "^TR-[0-9]{8}([-T][0-9]{6}Z)?-[a-z0-9][a-z0-9._-]{0,63}$");
text_form!(
    ResultId,
    "ResultId",
    "^(TS|RP)-[0-9]{8}([-T][0-9]{6}Z)?-TR-[0-9]{8}([-T][0-9]{6}Z)?-[a-z0-9][a-z0-9._-]{0,63}$"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_names_its_request_and_its_time() {
        let id = ResultId::parse("TS-20260209-161030Z-TR-20260209-160501Z-python-stats").unwrap();
        assert_eq!(id.request().as_str(), "TR-20260209-160501Z-python-stats");
        assert_eq!(id.created().to_rfc3339(), "2026-02-09T16:10:30+00:00");
        assert_eq!(ResultId::new(id.kind(), id.created(), id.request()), id);
        assert_eq!(id.kind(), ResultKind::Result);
    }

    #[test]
    fn a_packet_is_a_result_of_another_kind() {
        let text = "RP-20260209-161030Z-TR-20260209-160501Z-a";
        let id = ResultId::parse(text).unwrap();
        assert_eq!((id.kind(), id.request().as_str()), (ResultKind::Packet, "TR-20260209-160501Z-a"));
        assert_eq!(ResultId::new(ResultKind::Packet, id.created(), id.request()).as_str(), text);
        assert_eq!(ResultId::parse(&text.replace("RP-", "RQ-")), Err(IdError::Prefix("TS-")));
    }

    #[test]
    fn ids_of_threegates_own_runners_are_read_and_distinguished_from_ours() {
        for (text, created, latest, is_own) in [
            ("TS-20260209-161030Z-TR-20260209-160501Z-a", "2026-02-09T16:10:30Z", "2026-02-09T16:10:30Z", true),
            ("TS-20260209T161031Z-TR-20260209-160501Z-a", "2026-02-09T16:10:31Z", "2026-02-09T16:10:31Z", false),
            ("TS-20260209-TR-20260209-a", "2026-02-09T00:00:00Z", "2026-02-09T23:59:59Z", false),
        ] {
            let id = ResultId::parse(text).unwrap();
            let times = [id.created(), id.created_latest()].map(|time| time.format("%FT%TZ").to_string());
            assert_eq!((times, id.has_own_form()), ([created.to_owned(), latest.to_owned()], is_own), "{text}");
        }
        for (text, is_own) in [
            ("TR-20260209-160501Z-a", true),
            ("TR-20260209T160501Z-a", false),
            ("TR-20260209-160501", false),
            ("TR-20260209-3d-plot", false),
        ] {
            assert_eq!(RequestId::parse(text).map(|id| id.has_own_form()), Ok(is_own), "{text}");
        }
        for text in ["TR-20260209T160501-a", "TR-20260209t160501z-a", "TR-20260230-a", "TR-2026029-a", "TR-20260209T-a"]
        {
            assert_eq!(RequestId::parse(text), Err(IdError::Timestamp), "{text}");
        }
    }

    #[test]
    fn a_malformed_id_is_refused_with_its_reason() {
        for (text, error) in [
            ("", IdError::Prefix("TR-")),
            ("TR-20260230-160501Z-a", IdError::Timestamp),
            ("TR-20260209-1605 1Z-a", IdError::Timestamp),
            ("TR-20260209-160560Z-a", IdError::Timestamp),
            ("TR-+2026209-160501Z-a", IdError::Timestamp),
            ("TR-20260209-160501Z", IdError::Slug),
            ("TR-20260209T160501Z-", IdError::Timestamp),
            ("TR-20260209-160501Z-", IdError::Slug),
            ("TR-20260209-160501Z-.hidden", IdError::Slug),
            ("TR-20260209-160501Z-../up", IdError::Slug),
            ("TR-20260209-160501Z-Upper", IdError::Slug),
            ("TR-20260209-160501Z-a\n", IdError::Slug),
            ("TR-20260209-16050\u{e9}-a", IdError::Timestamp),
        ] {
            assert_eq!(RequestId::parse(text), Err(error), "{text:?}");
        }
        let longest = format!("TR-20260209-160501Z-{}", "a".repeat(SLUG_BYTES_MAX));
        assert!(RequestId::parse(&longest).is_ok());
        assert_eq!(RequestId::parse(&format!("{longest}a")), Err(IdError::Slug));
    }
}
