/// Which containers are open: one bit for each, so that even 32 MiB of `[` cost little.
#[derive(Default)]
pub(super) struct Nest {
    words: Vec<u64>,
    depth: usize,
    in_object: bool,
}

impl Nest {
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Whether the innermost open container is an object.
    pub(super) fn in_object(&self) -> bool {
        self.in_object
    }

    pub(super) fn push(&mut self, object: bool) {
        let (word, bit) = (self.depth / 64, self.depth % 64);
        if word == self.words.len() {
            self.words.push(0);
        }
        let mask = 1 << bit;
        if object {
            self.words[word] |= mask;
        } else {
            self.words[word] &= !mask;
        }
        self.depth += 1;
        self.in_object = object;
    }

    pub(super) fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.in_object = self.depth.checked_sub(1).is_some_and(|top| self.words[top / 64] >> (top % 64) & 1 == 1);
    }
}
