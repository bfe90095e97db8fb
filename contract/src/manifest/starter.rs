//! The manifest that `gatepost tools init` writes: commented and valid.

/// A first manifest for a tool of that name, which must be a tool name.
pub fn starter(name: &str) -> String {
    format!(
        r#"# What this file allows is all that a request for "{name}" can do. Check it with: gatepost tools check {name}

[tool]
name = "{name}"
version = "0.1.0"
description = "Counts the lines, words and bytes of one input file"
binary = "wc"                # the command must begin with exactly this
timeout_seconds = 30
risk_tier = "low"            # info, low, medium, high, critical; from medium on a person must approve each request
idempotent = true            # may run again when the machine stopped in the middle

# One table for each argument. A request that gives anything else is refused.
[args.file]
type = "path"                # relative to the request's own folder in/
required = true
description = "The file to count"

# Each element becomes one argument, whatever the value holds; no shell ever sees it.
[command]
exec = ["wc", "--", "in/{{file}}"]

# How the output is read, and the shape that it must have.
[output]
format = "text"
parser = "builtin:text"

[output.schema]
type = "object"
required = ["raw_output"]

[output.schema.properties.raw_output]
type = "string"
description = "What the tool printed"
"#
    )
}
