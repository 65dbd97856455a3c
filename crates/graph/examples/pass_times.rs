//! Prints how long the passes take on training graphs of growing size and on a long chain.
//!
//! `cargo run --release -p whimbrel-graph --example pass_times`

use std::time::Instant;
use whimbrel_graph::ops::Adam;
use whimbrel_graph::{Builder, Graph, GraphError, Init, passes};
use whimbrel_tensor::Shape;

/// A deep residual network with everything a training step needs.
fn training(layers: usize) -> Result<Graph, GraphError> {
    let g = Builder::new();
    let (x, y) = (g.batch("x", [64, 32])?, g.batch("y", [64, 32])?);
    let mut h = x;
    for layer in 0..layers {
        let init = Init::Uniform { bound: 0.1 };
        let w = g.parameter(&format!("{layer}.w"), [64, 64], init)?;
        let b = g.parameter(&format!("{layer}.b"), [64, 1], Init::Zeros)?;
        h = w.dot(h)?.add(b)?.gelu()?.add(h)?;
    }
    let loss = h.sub(y)?.abs()?.mean()?;
    let parameters = g.parameters();
    let gradients = g.gradients(loss, &parameters)?;
    let (lr, step) = (g.input("lr", Shape::SCALAR)?, g.input("step", Shape::SCALAR)?);
    g.adam(Adam::default(), &parameters, &gradients, lr, step)?;
    g.output("loss", loss);
    g.finish()
}

fn chain(nodes: usize) -> Result<Graph, GraphError> {
    let g = Builder::new();
    let w = g.parameter("w", [8, 8], Init::Zeros)?;
    let mut x = g.batch("x", [8, 32])?;
    for i in 0..nodes {
        x = if i % 5 == 0 { w.dot(x)? } else { x.tanh()? };
    }
    g.output("y", x);
    g.finish()
}

fn report(name: &str, graph: &Graph) -> Result<(), GraphError> {
    let best = |f: &dyn Fn() -> Result<(), GraphError>| -> Result<f64, GraphError> {
        let mut best = f64::INFINITY;
        for _ in 0..10 {
            let start = Instant::now();
            f()?;
            best = best.min(start.elapsed().as_secs_f64() * 1e3);
        }
        Ok(best)
    };
    let all = best(&|| passes::run(graph, None).map(drop))?;
    let after = passes::run(graph, None)?.nodes().len();
    print!("{name:<12} {:>6} nodes -> {after:>5}   all {all:>7.3} ms  ", graph.nodes().len());
    let mut before = graph.clone();
    for pass in passes::PIPELINE {
        let ms = best(&|| {
            std::hint::black_box((pass.apply)(&before));
            Ok(())
        })?;
        print!("  {} {ms:.3}", pass.name);
        before = (pass.apply)(&before);
    }
    println!("  verify {:.3}", best(&|| graph.verify())?);
    Ok(())
}

fn main() -> Result<(), GraphError> {
    for layers in [4, 16, 37, 370] {
        report(&format!("{layers} layers"), &training(layers)?)?;
    }
    report("chain", &chain(10_000)?)
}
