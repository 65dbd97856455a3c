//! Files of weights: what predictions need of a training, and what its inputs were called.

use super::TrainError;
use super::machine::Machine;
use std::collections::HashMap;
use std::path::Path;
use whimbrel_engine::read_metadata;

/// The metadata entry with the names of the inputs.
const INPUTS: &str = "whimbrel.inputs";

/// Writes the weights that predictions need, as they are.
pub(super) fn save_weights(machine: &Machine, path: &Path) -> Result<(), TrainError> {
    let keep = |name: &str| machine.weights.iter().any(|known| known == name);
    Ok(machine.session.save(path, keep, metadata(&machine.input_names))?)
}

/// What a file says beside the weights.
pub(super) fn metadata(input_names: &[String]) -> HashMap<String, String> {
    match input_names {
        [] => HashMap::new(),
        names => HashMap::from([(INPUTS.into(), serde_json::json!(names).to_string())]),
    }
}

/// What the inputs of a training were called whose weights these are; nothing where it did not say.
pub fn input_names(weights: &Path) -> Result<Option<Vec<String>>, TrainError> {
    let metadata = read_metadata(weights)?;
    Ok(metadata.get(INPUTS).and_then(|names| serde_json::from_str(names).ok()))
}
