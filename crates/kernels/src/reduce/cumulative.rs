//! Running sums along the middle axis of `[outer, n, inner]`, in ascending order.

use crate::simd::{Isa, Kernel, Simd, run_on};
use crate::sizes::elements;

/// `dst[o, j, i] = sum over k <= j of src[o, k, i]`; from the end when `reverse`.
///
/// # Panics
/// When a length does not fit the sizes.
pub fn cumulative_sum(sizes: [usize; 3], reverse: bool, src: &[f32], dst: &mut [f32]) {
    cumulative_sum_on(Isa::current(), sizes, reverse, src, dst);
}

/// [`cumulative_sum`] on a given instruction set.
///
/// # Panics
/// As [`cumulative_sum`].
pub fn cumulative_sum_on(isa: Isa, sizes: [usize; 3], reverse: bool, src: &[f32], dst: &mut [f32]) {
    let len = elements(sizes);
    assert!(src.len() == len && dst.len() == len, "cumulative sum: a slice is not {sizes:?}");
    run_on(isa, Run { sizes, reverse, src, dst });
}

struct Run<'a> {
    sizes: [usize; 3],
    reverse: bool,
    src: &'a [f32],
    dst: &'a mut [f32],
}

impl Kernel for Run<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let [outer, n, inner] = self.sizes;
        let (src, dst) = (self.src.as_ptr(), self.dst.as_mut_ptr());
        for o in 0..outer {
            for i in (0..inner).step_by(S::LANES) {
                let lanes = S::LANES.min(inner - i);
                let mut sum = s.splat(0.0);
                for j in 0..n {
                    let j = if self.reverse { n - 1 - j } else { j };
                    let at = (o * n + j) * inner + i;
                    // SAFETY: `lanes` elements remain in row (o, j) of both arrays.
                    unsafe {
                        sum = s.add(sum, s.load_first(src.add(at), lanes));
                        s.store_first(dst.add(at), lanes, sum);
                    }
                }
            }
        }
    }
}
