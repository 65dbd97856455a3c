//! The inputs of a batch on their way into a session.

use whimbrel_engine::{EngineError, Session, Slot};
use whimbrel_tensor::DType;

/// Writes inputs into the slot `x`; of a network that takes indices they are whole numbers, and `indices`
/// holds them for a moment.
pub(super) fn write_inputs(
    session: &mut Session,
    slot: Slot,
    inputs: &[f32],
    indices: &mut Vec<i32>,
) -> Result<(), EngineError> {
    if session.ty(slot).dtype != DType::I32 {
        return session.write_slot(slot, "x", inputs);
    }
    indices.clear();
    indices.extend(inputs.iter().map(|&x| x as i32));
    session.write_slot_i32(slot, "x", indices)
}
