//! The network in words, for whoever builds it again from its weights.

use crate::layers::{Layer, Sequential};
use serde::Serialize;

#[derive(Serialize)]
struct Described<'a> {
    layers: &'a [Layer],
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs: Option<Inputs<'a>>,
}

#[derive(Serialize)]
struct Inputs<'a> {
    mean: &'a [f32],
}

/// The layers as a network file has them, but in JSON; and what missing inputs count as, where they do.
pub fn description(
    network: &Sequential,
    means: Option<&[f32]>,
) -> Result<String, serde_json::Error> {
    let inputs = means.map(|mean| Inputs { mean });
    serde_json::to_string(&Described { layers: &network.layers, inputs })
}
