//! Copies between strided layouts.

/// `dst[i . dst_steps] = src[i . src_steps]` for every index `i` below `sizes`.
///
/// # Panics
/// When an index falls outside a slice.
pub fn strided_copy(
    sizes: &[usize],
    src: &[f32],
    src_steps: &[usize],
    dst: &mut [f32],
    dst_steps: &[usize],
) {
    match *sizes {
        [] => dst[0] = src[0],
        [n] if src_steps[0] == 1 && dst_steps[0] == 1 => dst[..n].copy_from_slice(&src[..n]),
        [n] => {
            for i in 0..n {
                dst[i * dst_steps[0]] = src[i * src_steps[0]];
            }
        }
        [n, ref rest @ ..] => {
            for i in 0..n {
                let (src, dst) = (&src[i * src_steps[0]..], &mut dst[i * dst_steps[0]..]);
                strided_copy(rest, src, &src_steps[1..], dst, &dst_steps[1..]);
            }
        }
    }
}
