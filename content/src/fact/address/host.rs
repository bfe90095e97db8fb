//! Properties of an address's host: well known, or a receiver of data.
//!
//! The hosts are data (`words/address-hosts.txt`). *Standards*: RFC 3986, section 3.2.2.

use std::sync::LazyLock;

use super::url::Url;
use crate::fact::word_list::of_kind;

/// The kind of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Known,
    /// It draws the content of its address.
    Draws,
    /// It receives the data that is sent to it.
    Takes,
    Other,
}

static LISTS: LazyLock<[Vec<&str>; 4]> = LazyLock::new(|| {
    ["known", "draws", "takes", "path"].map(|kind| of_kind(include_str!("../../../words/address-hosts.txt"), kind))
});

/// The kind of the host of an address.
pub(super) fn kind(url: &Url) -> Kind {
    let name = url.host_name();
    let [known, draws, takes, _] = &*LISTS;
    let is_of = |list: &[&str]| {
        list.iter().any(|service| name.strip_suffix(service).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
    };
    match () {
        () if is_of(draws) => Kind::Draws,
        () if is_of(known) => Kind::Known,
        () if name.split(['.', '-', '_']).any(|word| takes.contains(&word)) => Kind::Takes,
        () => Kind::Other,
    }
}

/// Whether a path begins like those that receive data.
pub(super) fn takes_path(path: &[u8]) -> bool {
    let begins = |start: &&str| path.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()));
    LISTS[3].iter().any(begins)
}
