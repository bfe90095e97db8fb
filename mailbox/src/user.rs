//! The names of users and groups of this machine.
//!
//! *Standards*: passwd(5), group(5). Those that only a directory service knows have a number and no name here.

use std::fs;

/// A file of lines whose first field is a name and whose third is its number.
type Database = &'static str;

const USERS: Database = "/etc/passwd";
const GROUPS: Database = "/etc/group";

/// The name that `/etc/passwd` has for a user id.
pub fn name(uid: u32) -> Option<String> {
    find(&read(USERS), |_, id| id == uid).map(|(name, _)| name)
}

/// The name that `/etc/group` has for a group id.
pub fn group_name(gid: u32) -> Option<String> {
    find(&read(GROUPS), |_, id| id == gid).map(|(name, _)| name)
}

/// The number of a user, by its name or itself.
pub fn id(word: &str) -> Option<u32> {
    number(USERS, word)
}

/// The number of a group, by its name or itself.
pub fn group_id(word: &str) -> Option<u32> {
    number(GROUPS, word)
}

/// The groups of a user in `/etc/group`, besides its own.
pub fn groups(uid: u32) -> Vec<u32> {
    name(uid).map(|name| memberships(&read(GROUPS), &name)).unwrap_or_default()
}

/// An unreadable file names nobody.
fn read(database: Database) -> String {
    fs::read_to_string(database).unwrap_or_default()
}

fn number(database: Database, word: &str) -> Option<u32> {
    word.parse().ok().or_else(|| find(&read(database), |name, _| name == word).map(|(_, id)| id))
}

fn find(lines: &str, is_it: impl Fn(&str, u32) -> bool) -> Option<(String, u32)> {
    let mut entries = lines.lines().filter_map(|line| {
        let mut fields = line.split(':');
        Some((fields.next()?, fields.nth(1)?.parse::<u32>().ok()?))
    });
    entries.find(|(name, id)| is_it(name, *id)).map(|(name, id)| (name.to_owned(), id))
}

fn memberships(groups: &str, user: &str) -> Vec<u32> {
    let of_line = |line: &str| {
        let mut fields = line.split(':').skip(2);
        let (id, members) = (fields.next()?.parse().ok()?, fields.next()?);
        members.split(',').any(|member| member == user).then_some(id)
    };
    groups.lines().filter_map(of_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_an_id_names_it() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\nbroken\nagent:x:1000:1000::/:\nother:x:1000:1000::/:\n";
        let found = |uid| find(passwd, |_, id| id == uid).map(|(name, _)| name);
        assert_eq!((found(1000).as_deref(), found(1)), (Some("agent"), None));
        assert_eq!(find(passwd, |name, _| name == "other"), Some(("other".to_owned(), 1000)));
        assert_eq!((id("0"), id("root"), group_id("no such group")), (Some(0), Some(0), None));
    }

    #[test]
    fn a_user_belongs_to_the_groups_that_list_it_whole() {
        let groups = "root:x:0:\nadm:x:4:syslog,agent\nother:x:5:agents\nbroken:x\nmail:x:8:agent\n";
        assert_eq!(memberships(groups, "agent"), [4, 8]);
    }
}
