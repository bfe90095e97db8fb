# Recipes for `just`; each is one command that also works by itself.

# List the recipes.
default:
    @just --list

# Every test that needs no further software; `equipped` has the others.
test:
    cargo test --workspace

# What a change must pass before it is committed; `ci` runs it all.
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings
    cargo test --workspace

# Good, bad, hostile and tampered items on their whole way through this checkout.
demo:
    ./demo

# Measure.
bench:
    cargo bench --workspace

# The tests that need strace, Node.js, nmap, Chromium and others.
equipped:
    cargo test --workspace --no-run
    cargo test --workspace --test equipped

# Give a target of gate/fuzz hostile input for some seconds.
fuzz TARGET SECONDS:
    gate/fuzz/run {{TARGET}} {{SECONDS}}

# Write schemas/*.schema.json from the types.
schemas:
    cargo run --example schemas

# What every change must pass, from a machine with nothing but Rust on.
ci:
    .ci/run

# What a release must pass beside it: the long sweeps, the package, foreign programs.
proof:
    .ci/proof
