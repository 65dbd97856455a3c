//! Packed weights: `[out, in]` as panels of sixteen outputs, `[ceil(out / 16)][in][16]`, outputs
//! past the last one zero. Any number of leading panels is itself a packed weight.

/// Outputs of one panel, on every instruction set.
pub const PANEL: usize = 16;

/// Elements of the packed form of a weight `[outputs, inputs]`.
pub fn packed_len(outputs: usize, inputs: usize) -> usize {
    outputs.div_ceil(PANEL) * inputs * PANEL
}

/// Packs a row-major weight `[outputs, inputs]`.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn pack(outputs: usize, inputs: usize, w: &[f32], packed: &mut [f32]) {
    assert_eq!(w.len(), outputs * inputs);
    assert_eq!(packed.len(), packed_len(outputs, inputs));
    if inputs == 0 {
        return;
    }
    for (p, panel) in packed.chunks_exact_mut(inputs * PANEL).enumerate() {
        for (k, outs) in panel.chunks_exact_mut(PANEL).enumerate() {
            for (j, out) in outs.iter_mut().enumerate() {
                let row = p * PANEL + j;
                *out = if row < outputs { w[row * inputs + k] } else { 0.0 };
            }
        }
    }
}

/// The row-major weight `[outputs, inputs]` of a packed one.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn unpack(outputs: usize, inputs: usize, packed: &[f32], w: &mut [f32]) {
    assert_eq!(w.len(), outputs * inputs);
    assert_eq!(packed.len(), packed_len(outputs, inputs));
    if inputs == 0 {
        return;
    }
    for (row, values) in w.chunks_exact_mut(inputs).enumerate() {
        let panel = &packed[row / PANEL * inputs * PANEL..];
        for (value, outs) in values.iter_mut().zip(panel.chunks_exact(PANEL)) {
            *value = outs[row % PANEL];
        }
    }
}
