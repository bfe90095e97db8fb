//! What a user of this machine is called.
//!
//! *Standards*: passwd(5). Users that only a directory service knows have a number and no name here.

use std::fs;

/// The name that `/etc/passwd` has for a user id.
pub fn name(uid: u32) -> Option<String> {
    find(&fs::read_to_string("/etc/passwd").ok()?, uid)
}

fn find(passwd: &str, uid: u32) -> Option<String> {
    let mut users = passwd.lines().filter_map(|line| {
        let mut fields = line.split(':');
        Some((fields.next()?, fields.nth(1)?.parse::<u32>().ok()?))
    });
    users.find(|(_, id)| *id == uid).map(|(name, _)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_an_id_names_it() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\nbroken\nagent:x:1000:1000::/:\nother:x:1000:1000::/:\n";
        assert_eq!(find(passwd, 1000).as_deref(), Some("agent"));
        assert_eq!(find(passwd, 1), None);
    }
}
