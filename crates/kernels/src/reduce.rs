//! Reductions along the middle axis of `[outer, n, inner]`.
//!
//! The order is the same whatever `inner` is: sixteen interleaved chains, element `j` in chain
//! `j mod 16`, then a balanced tree. A lane's result does not depend on the lanes beside it.

/// How elements are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    /// Sum; 0 of none.
    Sum,
    /// Largest, NaN if one is; -inf of none.
    Max,
    /// Smallest, NaN if one is; inf of none.
    Min,
}

impl Reduce {
    /// What no elements reduce to.
    pub fn start(self) -> f32 {
        match self {
            Reduce::Sum => 0.0,
            Reduce::Max => f32::NEG_INFINITY,
            Reduce::Min => f32::INFINITY,
        }
    }

    /// Two partial results as one.
    pub fn combine(self, a: f32, b: f32) -> f32 {
        match self {
            Reduce::Sum => a + b,
            Reduce::Max if a > b || a.is_nan() => a,
            Reduce::Min if a < b || a.is_nan() => a,
            _ => b,
        }
    }
}

const CHAINS: usize = 16;

/// `dst[o, i] = how over j of src[o, j, i]`.
///
/// # Panics
/// When a length does not fit the sizes.
pub fn reduce(how: Reduce, outer: usize, n: usize, inner: usize, src: &[f32], dst: &mut [f32]) {
    assert_eq!(src.len(), outer * n * inner);
    assert_eq!(dst.len(), outer * inner);
    for o in 0..outer {
        for i in 0..inner {
            let mut chains = [how.start(); CHAINS];
            for j in 0..n {
                let chain = &mut chains[j % CHAINS];
                *chain = how.combine(*chain, src[(o * n + j) * inner + i]);
            }
            let mut width = CHAINS / 2;
            while width > 0 {
                for c in 0..width {
                    chains[c] = how.combine(chains[c], chains[c + width]);
                }
                width /= 2;
            }
            dst[o * inner + i] = chains[0];
        }
    }
}
