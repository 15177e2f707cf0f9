use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// The name under which one internal failure stands in the operator's log and in what the model reads.
///
/// Sixteen hexadecimal digits: unguessable enough not to collide, short enough to be read out by a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Incident(u64);

impl Incident {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        // `RandomState` is seeded by the operating system: that is all the randomness a log id needs.
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u64(COUNT.fetch_add(1, Ordering::Relaxed));
        Self(hasher.finish())
    }
}

impl fmt::Display for Incident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Incident;

    #[test]
    fn ids_differ_and_have_sixteen_digits() {
        let (a, b) = (Incident::new(), Incident::new());
        assert_ne!(a, b);
        assert_eq!(a.to_string().len(), 16);
    }
}
