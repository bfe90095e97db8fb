//! A session tool that adds numbers, and requests that open, continue and close it.

use serde_json::json;

use crate::site::Request;

/// Reads a number a line and prints the sum so far.
pub(crate) const CALCULATOR: &str = "total=0; printf \"> \"; while read line; do case $line in die) exit 3;; hang) sleep 100;; esac; \
     total=$((total + line)); echo $total; printf \"> \"; done";

pub(crate) fn manifest(name: &str, session: &str) -> String {
    format!(
        "[tool]\nname = \"{name}\"\nversion = \"1.0.0\"\ndescription = \"A calculator\"\nmode = \"session\"\ntimeout_seconds = 5\n\
         [session]\nstartup_command = '''sh -c '{CALCULATOR}' '''\nready_pattern = '^> $'\n{session}\n[session.commands.add]\n\
         template = \"{{number}}\"\n[session.commands.add.args.number]\ntype = \"integer\"\nrequired = true\n\
         [session.commands.say]\npattern = '^[a-z]+$'\n"
    )
}

pub(crate) fn opener(slug: &str) -> Request {
    Request::call(slug, "sum").line("keep_open: true")
}

pub(crate) fn continuing(slug: &str, session: &Request, numbers: &[i64]) -> Request {
    let interactions: Vec<_> = numbers.iter().map(|number| ("add", json!({ "number": number }))).collect();
    Request::call(slug, "sum").interactions(&interactions).line(&format!("session_id: {}", session.id))
}

pub(crate) fn closing(slug: &str, session: &Request) -> Request {
    Request::call(slug, "sum").line(&format!("session_id: {}\nkeep_open: false", session.id))
}
