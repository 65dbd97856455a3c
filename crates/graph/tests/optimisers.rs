//! Optimisers do what PyTorch's do, written here as scalar formulas, and leave the rest alone.

use whimbrel_graph::ops::{Adam, Sgd};
use whimbrel_graph::{Array, Builder, Graph, GraphError, Init, passes};

/// Runs a graph for several steps with gradients `w = step - 1.5`, learning rate 0.1; returns the
/// parameter after each.
fn train(graph: &Graph, steps: usize) -> Result<Vec<f64>, GraphError> {
    let mut state: Vec<(String, Array)> =
        graph.state().map(|id| (graph.label(id), Array::full(graph.ty(id).shape, 0.0))).collect();
    state[0].1.data.fill(1.0);
    let mut seen = Vec::new();
    for step in 1..=steps {
        let arrays = graph.evaluate(|id| match graph.label(id).as_str() {
            "lr" => Some(Array::scalar(0.1)),
            "step" => Some(Array::scalar(step as f64)),
            "x" => Some(Array::full(graph.ty(id).shape, step as f64 - 1.5)),
            name => state.iter().find(|s| s.0 == name).map(|s| s.1.clone()),
        })?;
        for update in graph.updates() {
            let name = graph.label(update.state);
            let new = arrays[update.value.index()].clone();
            for slot in state.iter_mut().filter(|s| s.0 == name) {
                slot.1 = new.clone().unwrap_or_else(|| slot.1.clone());
            }
        }
        seen.push(state[0].1.data[0]);
    }
    Ok(seen)
}

/// A graph whose loss is `w . x`, so that the gradient of w is x, trained by `add`.
fn linear(
    add: impl for<'g> Fn(
        &'g Builder,
        whimbrel_graph::Var<'g>,
        whimbrel_graph::Var<'g>,
    ) -> Result<(), GraphError>,
) -> Result<Graph, GraphError> {
    let g = Builder::new();
    let w = g.parameter("w", [2, 3], Init::Zeros)?;
    let x = g.batch("x", [3, 1])?;
    let loss = w.dot(x)?.sum()?;
    let grads = g.gradients(loss, &[w])?;
    add(&g, w, grads[0])?;
    g.finish()
}

#[track_caller]
fn follows(graph: &Graph, mut next: impl FnMut(f64, f64, i32) -> f64) -> Result<(), GraphError> {
    let mut p = 1.0;
    let fused = passes::run(graph, None)?;
    let (plain, fused) = (train(graph, 4)?, train(&fused, 4)?);
    for (i, (a, b)) in plain.into_iter().zip(fused).enumerate() {
        let step = i as i32 + 1;
        p = next(p, f64::from(step) - 1.5, step);
        assert!((a - p).abs() < 1e-6, "step {step}: {a}, formula {p}");
        assert!((a - b).abs() < 1e-9, "step {step}: {a}, after passes {b}");
    }
    Ok(())
}

#[test]
fn gradient_descent_of_every_kind() -> Result<(), GraphError> {
    let kinds = [(0.0, false, 0.0), (0.9, false, 0.0), (0.9, true, 0.0), (0.5, true, 0.1)];
    for (momentum, nesterov, weight_decay) in kinds {
        let sgd = Sgd { momentum, nesterov, weight_decay, grad: None };
        let graph = linear(|g, w, grad| {
            let lr = g.input("lr", whimbrel_tensor::Shape::SCALAR)?;
            g.sgd(sgd, &[w], &[grad], lr)
        })?;
        let mut velocity = None;
        follows(&graph, |p, grad, _| {
            let grad = grad + weight_decay * p;
            let v = velocity.map_or(grad, |v: f64| momentum * v + grad);
            velocity = Some(v);
            p - 0.1 * if nesterov { grad + momentum * v } else { v }
        })?;
    }
    Ok(())
}

#[test]
fn adam_and_adamw() -> Result<(), GraphError> {
    for (weight_decay, decoupled) in [(0.0, false), (0.1, false), (0.1, true)] {
        let adam = Adam { weight_decay, decoupled, ..Adam::default() };
        let graph = linear(|g, w, grad| {
            let lr = g.input("lr", whimbrel_tensor::Shape::SCALAR)?;
            let step = g.input("step", whimbrel_tensor::Shape::SCALAR)?;
            g.adam(adam, &[w], &[grad], lr, step)
        })?;
        let (mut m, mut v) = (0.0, 0.0);
        follows(&graph, |p, grad, step| {
            let p_decayed = if decoupled { p - 0.1 * weight_decay * p } else { p };
            let grad = if decoupled { grad } else { grad + weight_decay * p };
            m = 0.9 * m + 0.1 * grad;
            v = 0.999 * v + 0.001 * grad * grad;
            let (m, v) = (m / (1.0 - 0.9f64.powi(step)), v / (1.0 - 0.999f64.powi(step)));
            p_decayed - 0.1 * m / (v.sqrt() + 1e-8)
        })?;
    }
    Ok(())
}
