//! Convolutions in the engine equal their reference, whole or cut, with weights packed or not.

mod agreement;

use agreement::agrees;
use whimbrel_engine::Options;
use whimbrel_graph::ops::{Adam, Conv1d};
use whimbrel_graph::{Builder, Graph, GraphError, Init};

/// Two convolutions and an Adam step; with `weight_out` the weight is also a result, which keeps it
/// in rows.
fn step(conv: Conv1d, batch: usize, weight_out: bool) -> Result<Graph, GraphError> {
    let g = Builder::new();
    let x = g.batch("x", [9, 4, batch])?;
    let w1 = g.parameter("w1", [3, 6, 4 / conv.groups], Init::Zeros)?;
    let w2 = g.parameter("w2", [1, 17, 6], Init::Zeros)?;
    let h = x.conv1d(w1, conv)?.relu()?;
    let y = h.conv1d(w2, Conv1d::default())?;
    let loss = y.square()?.mean()?;
    let parameters = g.parameters();
    let gradients = g.gradients(loss, &parameters)?;
    let (lr, count) = (g.input("lr", [])?, g.input("step", [])?);
    g.adam(Adam::default(), &parameters, &gradients, lr, count)?;
    g.output("loss", loss);
    g.output("y", y);
    if weight_out {
        g.output("w1 itself", w1.add(g.scalar(0.0))?);
    }
    g.finish()
}

#[test]
fn agree_with_the_reference() {
    let causal = Conv1d::causal(3, 2);
    let strided = Conv1d { stride: 2, groups: 2, pad_right: 1, ..Conv1d::default() };
    for conv in [causal, strided] {
        for batch in [1, 7, 32] {
            for weight_out in [false, true] {
                let graph = step(conv, batch, weight_out).unwrap();
                agrees(&graph, &Options::default(), 1e-4);
            }
        }
    }
}

#[test]
fn agree_when_the_batch_is_cut_into_blocks() {
    for weight_out in [false, true] {
        let graph = step(Conv1d::causal(3, 2), 64, weight_out).unwrap();
        agrees(&graph, &Options { lanes: Some(16), ..Options::default() }, 1e-4);
    }
}

#[test]
fn agree_where_threads_are_more_than_blocks() {
    let wide = || -> Result<Graph, GraphError> {
        let g = Builder::new();
        let x = g.batch("x", [9, 32, 64])?;
        let w = g.parameter("w", [3, 40, 32], Init::Zeros)?;
        let loss = x.conv1d(w, Conv1d::causal(3, 2))?.square()?.mean()?;
        g.output("gradient", g.gradients(loss, &[w])?[0]);
        g.finish()
    };
    let graph = wide().unwrap();
    for threads in [1, 2, 16] {
        agrees(&graph, &Options { threads, lanes: Some(16), ..Options::default() }, 1e-4);
    }
}
