//! Embedding: a learned vector for each of a number of things.

use super::{Forward, channel_axis, expect_positive};
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::{Init, Var};
use whimbrel_tensor::DType;

/// Indices i32 `[.., batch]` to vectors `[.., embedding_dim, batch]`. The indices must be an input of
/// the graph; those outside `0..num_embeddings` are refused when it runs.
///
/// Parameters: `weight` `[num_embeddings, embedding_dim]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Embedding {
    /// Number of things.
    pub num_embeddings: usize,
    /// Length of a vector.
    pub embedding_dim: usize,
    /// The thing that stands for none: its vector is 0 and learns nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub padding_idx: Option<usize>,
}

impl Embedding {
    /// Vectors of `embedding_dim` numbers for `num_embeddings` things.
    pub fn new(num_embeddings: usize, embedding_dim: usize) -> Embedding {
        Embedding { num_embeddings, embedding_dim, padding_idx: None }
    }
}

impl Forward for Embedding {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        expect_positive(scope, "embedding", "num_embeddings", self.num_embeddings)?;
        expect_positive(scope, "embedding", "embedding_dim", self.embedding_dim)?;
        if x.ty().dtype != DType::I32 {
            let remedy = "make it the first layer";
            return Err(scope.refuse("embedding", "needs indices, i32", x, remedy));
        }
        let shape = [self.num_embeddings, self.embedding_dim];
        let weight = scope.parameter("weight", shape, Init::Normal { std: 1.0 })?;
        let vectors = weight.gather(x)?;
        let Some(none) = self.padding_idx else { return Ok(vectors) };
        if none >= self.num_embeddings {
            let reason = format!("must be below num_embeddings, {}", self.num_embeddings);
            return Err(NnError::setting(scope.place("embedding"), "padding_idx", none, reason));
        }
        // Indices below 2^24 are whole numbers of f32.
        let g = x.builder();
        let is_none = x.cast(DType::F32)?.eq(g.scalar(none as f32))?;
        let (shape, axis) = (vectors.shape(), channel_axis(vectors, scope, "embedding")?);
        let of_vectors = shape.with(axis, 1).unwrap_or(shape);
        let of_vectors = g.scalar(1.0).sub(is_none)?.reshape(of_vectors)?;
        Ok(vectors.mul(of_vectors)?)
    }
}
