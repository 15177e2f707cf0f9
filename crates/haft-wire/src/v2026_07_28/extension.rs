//! Names of extensions, as capabilities have them.

/// Calls that go on after their answer, and are asked for their result later.
pub const TASKS: &str = "io.modelcontextprotocol/tasks";
