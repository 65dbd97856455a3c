//! The weights of a network as PyTorch has them: vectors where we have columns, and weights of
//! convolutions as `[out, in, tap]`.

use crate::layers::{Layer, Sequential};
use crate::trainer::MEANS;
use std::collections::HashMap;
use whimbrel_engine::{EngineError, Session};

/// A weight as other programs take it, elements in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Weight {
    /// Its name, such as `0.weight`.
    pub name: String,
    /// Its sizes.
    pub shape: Vec<usize>,
    /// Its elements.
    pub data: Vec<f32>,
}

/// What PyTorch does with the shape of a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The same as we.
    Same,
    /// One axis instead of a column.
    Vector,
    /// `[out, in, tap]` instead of `[tap, out, in]`.
    Convolution,
    /// The same, but the row of an embedding that stands for nothing is zeros: we leave it alone and
    /// take nothing from it.
    Padded(usize),
}

/// The weights of the layers of a network, in the order of their names in the session that holds them.
pub fn state_dict(network: &Sequential, session: &Session) -> Result<Vec<Weight>, EngineError> {
    let mut forms = HashMap::new();
    note_forms(&network.layers, "", &mut forms);
    let weight = |name: &str| {
        let slot = session.state(name)?;
        let (shape, data) = (session.ty(slot).shape.to_vec(), session.read_slot(slot));
        let (name, form) = (name.to_owned(), form_of(name, &forms));
        Ok(match (form, &shape[..]) {
            (Form::Vector, _) => Weight { name, shape: vec![data.len()], data },
            (Form::Padded(none), &[_, width]) => {
                let data = data.into_iter().enumerate();
                let data = data.map(|(at, x)| if at / width == none { 0.0 } else { x }).collect();
                Weight { name, shape, data }
            }
            (Form::Convolution, &[taps, outputs, inputs]) => {
                let from = |at: usize| (at % taps * outputs * inputs) + at / taps;
                let data = (0..data.len()).map(|at| data[from(at)]).collect();
                Weight { name, shape: vec![outputs, inputs, taps], data }
            }
            _ => Weight { name, shape, data },
        })
    };
    session.state_names().filter(|&name| name != MEANS).map(weight).collect()
}

/// The numbers that missing inputs count as, where the network learned with
/// [`fill_missing`](crate::trainer::Trainer::fill_missing).
pub fn input_means(session: &Session) -> Option<Vec<f32>> {
    session.read_state(MEANS).ok()
}

/// What a weight called `weight` is, by the name of its layer, where it differs.
fn note_forms(layers: &[Layer], place: &str, forms: &mut HashMap<String, Form>) {
    for (number, layer) in layers.iter().enumerate() {
        let place = format!("{place}{number}");
        match layer {
            Layer::Conv1d(_) => {
                forms.insert(place, Form::Convolution);
            }
            Layer::Embedding(embedding) => {
                forms.extend(embedding.padding_idx.map(|none| (place, Form::Padded(none))));
            }
            Layer::BatchNorm1d(_) | Layer::LayerNorm(_) | Layer::RmsNorm(_) | Layer::Prelu(_) => {
                forms.insert(place, Form::Vector);
            }
            Layer::Sequential(inner) => note_forms(&inner.layers, &format!("{place}."), forms),
            Layer::Residual(inner) => note_forms(&inner.layers, &format!("{place}."), forms),
            Layer::Parallel(inner) => {
                for (branch, layers) in inner.branches.iter().enumerate() {
                    note_forms(layers, &format!("{place}.{branch}."), forms);
                }
            }
            _ => {}
        }
    }
}

fn form_of(name: &str, forms: &HashMap<String, Form>) -> Form {
    match name.rsplit_once('.') {
        Some((layer, "weight")) => forms.get(layer).copied().unwrap_or(Form::Same),
        Some((_, "in_proj_bias" | "running_mean" | "running_var")) => Form::Vector,
        Some((_, part)) if part.starts_with("bias") => Form::Vector,
        _ => Form::Same,
    }
}
