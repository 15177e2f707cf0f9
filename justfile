# The recipes are the steps of .ci/run; `just ci` runs them all.

# List the recipes.
default:
    @just --list

# Everything that must hold before a change lands. Needs the specification's schemas at ../shared/reference/spec.
ci:
    bash .ci/run

# All tests.
test:
    cargo test --workspace

# All tests, with the serde_json features that a user may have turned on.
test-odd-json:
    cargo test --workspace --features conformance/odd-json -- --skip mistakes_are_explained --skip every_shape_compiles

# The cases from public bug reports: all, or those whose ids begin like the ones given.
cases *ids:
    cargo test --workspace --test cases -- {{ids}}

# The cases against a release build.
cases-release:
    cargo test --workspace --release --test cases

# Format everything.
fmt:
    cargo fmt --all

# What CI refuses: formatting, lints, the workspace's own rules.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --all-features -- -D warnings
    just tidy

# The workspace's own rules.
tidy:
    cargo xtask tidy

# The documentation, as strict as CI.
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --lib --all-features --no-deps

# The demonstration.
demo:
    cargo run -q -p haft-cli -- demo

# The official Python client against the examples; makes a virtual environment below target/.
python:
    python3 -m venv target/ci-python
    target/ci-python/bin/pip install -q mcp==2.3.0
    cargo build --example weather --example orders
    target/ci-python/bin/python conformance/python/official_client.py 'cargo run -q --example weather' 'cargo run -q --example orders'

# Fuzzes `http` or `stdio_lines` until something is found (cargo install --locked cargo-fuzz). Needs the specification's
# examples at ../shared/reference/spec; what it learns stays in fuzz/corpus.
fuzz target:
    python3 fuzz/seeds.py ../shared/reference/spec fuzz/corpus
    RUSTC_WRAPPER="$PWD/fuzz/rustc-instrument-haft" cargo fuzz run -s none --dev {{target}} -- \
        -dict=fuzz/haft.dict -max_len=8192 -timeout=10

# Licences, advisories and sources of all dependencies (cargo install --locked cargo-deny).
deny:
    cargo deny check
    cargo deny --manifest-path fuzz/Cargo.toml check --config deny.toml

# Whether a release breaks the public API of the one before (cargo install --locked cargo-semver-checks).
semver:
    cargo semver-checks --workspace --exclude conformance --exclude xtask

# Whether the declared minimum version of Rust still builds the crates (rustup toolchain install).
msrv:
    cargo +$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml) check --workspace --exclude conformance --exclude xtask --all-features
