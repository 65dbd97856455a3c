//! What a parameter file says about itself, beside its tensors.

use crate::weights::malformed;
use crate::{EngineError, WeightsProblem};
use safetensors::tensor::SafeTensors;
use std::collections::HashMap;
use std::path::Path;

/// The metadata given to [`Session::save`](crate::Session::save); empty where there are none. The file
/// is checked as a whole, so that one cut short is refused here already.
pub fn read_metadata(path: &Path) -> Result<HashMap<String, String>, EngineError> {
    let failed = |problem| EngineError::Weights { path: path.into(), problem };
    let bytes = std::fs::read(path).map_err(|e| failed(WeightsProblem::File(e)))?;
    SafeTensors::deserialize(&bytes).map_err(|e| failed(malformed(&bytes, e)))?;
    let (_, header) =
        SafeTensors::read_metadata(&bytes).map_err(|e| failed(malformed(&bytes, e)))?;
    Ok(header.metadata().clone().unwrap_or_default())
}
