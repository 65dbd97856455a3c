//! Disjoint sets: values that hang together must be treated alike.

/// The numbers from 0 to a length, in sets that can be joined.
pub struct Sets {
    /// Another member of the same set, or the number itself, which then stands for the set.
    parent: Vec<usize>,
}

impl Sets {
    /// Each of `0..len` in a set of its own.
    pub fn new(len: usize) -> Sets {
        Sets { parent: (0..len).collect() }
    }

    /// The member that stands for the set of `at`.
    pub fn root(&mut self, mut at: usize) -> usize {
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    /// Makes one set of those of `a` and `b`.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a] = b;
    }
}
