//! Reverse-mode differentiation, graph to graph.
//!
//! Nodes are visited from last to first; each operation turns the gradients of its outputs into
//! gradients of its inputs by building more graph. A value used twice receives the sum. Only
//! nodes that lead from a wanted value to the loss are visited.

use crate::ops::Backward;
use crate::{Builder, GraphError, Operation, Var};
use std::panic::Location;

impl Builder {
    /// The gradients of a scalar `loss` with respect to each of `wanted`, as values of this graph.
    /// A wanted value the loss does not depend on has a gradient of zeros.
    #[track_caller]
    pub fn gradients<'g>(
        &'g self,
        loss: Var<'g>,
        wanted: &[Var<'g>],
    ) -> Result<Vec<Var<'g>>, GraphError> {
        self.own("gradients", &[&[loss], wanted].concat(), Location::caller())?;
        if loss.ty().numel() != 1 {
            let reason = "the loss must have one element; take its mean or sum";
            return Err(loss.mismatch("gradients", reason.into()));
        }
        let (nodes, reached) = self.with(|graph| {
            let mut reached = vec![false; graph.values().len()];
            for var in wanted {
                reached[var.id().index()] = true;
            }
            for node in graph.nodes() {
                let differentiable = !node.op.stops_gradient();
                if differentiable && node.inputs.iter().any(|i| reached[i.index()]) {
                    for output in &node.outputs {
                        reached[output.index()] = true;
                    }
                }
            }
            (graph.nodes().to_vec(), reached)
        });
        let mut grads: Vec<Option<Var<'g>>> = vec![None; reached.len()];
        let one = self.scalar(1.0);
        grads[loss.id().index()] = Some(one.reshape(loss.shape())?);
        for node in nodes.iter().rev() {
            let of_outputs: Vec<_> = node.outputs.iter().map(|o| grads[o.index()]).collect();
            let on_path = node.inputs.iter().any(|i| reached[i.index()]);
            if !on_path || of_outputs.iter().all(Option::is_none) || node.op.stops_gradient() {
                continue;
            }
            let backward = Backward {
                inputs: node.inputs.iter().map(|&id| self.var(id)).collect(),
                outputs: node.outputs.iter().map(|&id| self.var(id)).collect(),
                grads: of_outputs,
                needed: node.inputs.iter().map(|i| reached[i.index()]).collect(),
            };
            let of_inputs = node.op.grad(&backward)?;
            for (&input, grad) in node.inputs.iter().zip(of_inputs) {
                let Some(grad) = grad.filter(|_| reached[input.index()]) else { continue };
                let sum = &mut grads[input.index()];
                *sum = Some(match *sum {
                    None => grad,
                    Some(before) => before.add(grad)?,
                });
            }
        }
        let gradient = |var: &Var<'g>| match grads[var.id().index()] {
            Some(grad) => Ok(grad),
            None => self.scalar(0.0).broadcast(var.shape()),
        };
        wanted.iter().map(gradient).collect()
    }
}
