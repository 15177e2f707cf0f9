/// What [`parse`](crate::parse) takes at most of one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Length of the frame in bytes. Default: 32 MiB.
    pub max_bytes: usize,
    /// How many arrays and objects may be open at once, the message itself being the first. Default: 128, which is as
    /// deep as `serde_json` reads a `Value`; a higher limit lets texts pass that can only be kept raw.
    pub max_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_bytes: 32 * 1024 * 1024, max_depth: 128 }
    }
}
