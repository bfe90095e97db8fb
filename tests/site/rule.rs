//! A content rule of the operator's own, and a tool that prints a line which it may find.

use super::{Request, Site};

pub(crate) const RULE: &str = "[[rule]]\nid = \"site/project-name\"\nclass = \"secret\"\nseverity = \"refuse\"\nkeywords = [\"bluebird\"]\n\
                    pattern = 'bluebird-\\d{4}'\nmessage = \"It names a project.\"\nhint = \"Leave the name out.\"\n\
                    falsepositives = \"Press releases.\"\npositive = [[\"blue\", \"bird-2026\"]]\nnegative = [[\"a bluebird sang\"]]\n";

/// What becomes of a tool that prints a line.
pub(crate) fn printed(site: &Site, slug: &str, line: &str) -> String {
    site.tool(slug, "", &format!("#!/bin/sh\ncat <<'END'\n{line}\nEND\n"));
    let request = Request::call(slug, slug);
    site.copy_in(&request);
    site.up();
    request.id
}
