//! A web address, weighed by several faint signs: how it is met, what it carries, which gaps it has, and where it leads.
//!
//! No sign refuses by itself; together they tell an address that takes something along from one that names a page.
//! *Security*: hostile bytes; every part is looked at a fixed number of times.

use super::carried::{Carried, carried, percent_decoded};
use super::host::{is_known, takes};
use super::placeholder::{gaps, in_host};
use super::rule;
use super::setting::Setting;
use super::url::Url;
use super::web::{ORDINARY, TAKING, TELLING, UNREADABLE, has_ending, is_interface};
use crate::rule::Rule;
use crate::rule::Strength::{self, Addressed, Mentioned};

/// From which weight on an address is refused, and from which on it is flagged.
const REFUSED: i32 = 5;
const FLAGGED: i32 = 4;

/// What is wrong with an address, all signs taken together; `is_commanded` says that a command beside it fetches it.
pub(super) fn weighed(url: &Url, setting: Setting, is_commanded: bool) -> Option<(&'static Rule, Strength)> {
    let carried = pieces(url);
    let name = url.host_name();
    let gap = in_gaps(url, setting, takes(&name));
    if carried + gap == 0 {
        return None;
    }
    let met = match setting {
        Setting::Loaded => 3,
        Setting::Offered => 1,
        Setting::Bare => i32::from(is_commanded),
    };
    let path = url.path.to_ascii_lowercase();
    let telling = url.parameters().any(|(key, value)| !value.is_empty() && is(&TELLING, key));
    let taking = TAKING.iter().any(|start| path.starts_with(start.as_bytes()));
    let weight =
        met + carried + gap + if telling { 2 } else { 0 } + i32::from(taking) + if takes(&name) { 2 } else { 0 }
            - if is_known(&name) { 4 } else { 0 }
            - if setting == Setting::Bare && gap > carried && is_interface(url) { 2 } else { 0 };
    let rule = if gap > carried { rule::PLACEHOLDER } else { rule::WORDS };
    match weight {
        REFUSED.. => Some((rule, Addressed)),
        FLAGGED => Some((rule, Mentioned)),
        _ => None,
    }
}

fn is(list: &[&str], key: &[u8]) -> bool {
    list.iter().any(|word| key.eq_ignore_ascii_case(word.as_bytes()))
}

/// The weight of what the values of parameters, or the path, carry: that of the heaviest.
fn pieces(url: &Url) -> i32 {
    let values = url.parameters().map(|(key, value)| weight(key, value));
    let segments = url.path.split(|byte| *byte == b'/').filter(|segment| segment.len() > 8 && !has_ending(segment));
    let in_path = segments.map(|segment| weight(b"", segment) - 1);
    values.chain(in_path).max().unwrap_or_default().max(0)
}

fn weight(key: &[u8], value: &[u8]) -> i32 {
    let ordinary = if is(&ORDINARY, key) { 2 } else { 0 };
    match carried(value) {
        Carried::Encoded => 4,
        Carried::Words { count, fields } => {
            let plain = percent_decoded(value);
            let listed = fields || plain.iter().any(|byte| matches!(byte, b':' | b',' | b';'));
            let words = match count {
                0..=1 => 1,
                2 => 2,
                3..=4 => 3,
                _ => 4,
            };
            words + i32::from(listed) - ordinary
        }
        Carried::Opaque(24..) if !is(&UNREADABLE, key) => 1,
        _ => 0,
    }
}

/// The weight of the gaps that are to be filled in.
fn in_gaps(url: &Url, setting: Setting, takes: bool) -> i32 {
    let query = url.query.as_deref().unwrap_or_default();
    let fragment = url.fragment.as_deref().unwrap_or_default();
    let behind = [url.path.as_slice(), b"?", query, b"#", fragment].concat();
    let (mut found, host) = (gaps(&behind), in_host(&url.host));
    found.all += host.all;
    found.confidential += host.confidential;
    found.longest_words = found.longest_words.max(host.longest_words);
    // A name and password of one's own stand before the host of everything that one logs in to.
    let user = url.user.as_deref().filter(|_| takes).map(gaps).unwrap_or_default();
    found.all += user.all;
    found.confidential += user.confidential;
    let in_value =
        url.parameters().any(|(key, value)| !is(&UNREADABLE, key) && !is(&ORDINARY, key) && gaps(value).all > 0);
    match () {
        () if found.confidential > 1 || found.longest_words >= 3 => 5,
        () if found.confidential == 1 => 4,
        () if in_value && setting == Setting::Loaded => 3,
        () if found.all > 0 => 1,
        () => 0,
    }
}
