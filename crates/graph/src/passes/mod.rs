//! Passes: graph to graph, each verified, in an order that can be stopped after any of them.
//!
//! [`PIPELINE`] is the order; [`run`] applies it. Every pass keeps what the graph computes.

mod cse;
mod dead_code;
mod fold;
mod fuse;
mod fuse_epilogues;
mod fuse_updates;
mod keep_outputs;
mod rebuild;
mod simplify;

use crate::{Graph, GraphError};

/// A pass by name.
pub struct Pass {
    /// The name `run` stops after.
    pub name: &'static str,
    /// The rewriting.
    pub apply: fn(&Graph) -> Graph,
}

/// The passes in the order they run.
pub const PIPELINE: &[Pass] = &[
    Pass { name: "simplify", apply: simplify::simplify },
    Pass { name: "fold", apply: fold::fold_constants },
    Pass { name: "cse", apply: cse::merge_common_subexpressions },
    Pass { name: "dead_code", apply: dead_code::remove_dead_code },
    Pass { name: "keep_outputs", apply: keep_outputs::keep_outputs },
    Pass { name: "fuse_updates", apply: fuse_updates::fuse_updates },
    Pass { name: "fuse", apply: fuse::fuse_elementwise },
    Pass { name: "fuse_epilogues", apply: fuse_epilogues::fuse_epilogues },
];

/// Applies the pipeline, verifying between passes; with `until`, stops after the pass of that name.
pub fn run(graph: &Graph, until: Option<&str>) -> Result<Graph, GraphError> {
    let mut made: Option<Graph> = None;
    for pass in PIPELINE {
        let next = (pass.apply)(made.as_ref().unwrap_or(graph));
        next.verify()?;
        made = Some(next);
        if until == Some(pass.name) {
            break;
        }
    }
    Ok(made.unwrap_or_else(|| graph.clone()))
}
