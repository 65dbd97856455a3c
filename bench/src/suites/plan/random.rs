//! Training steps of random networks: layers, activations, sums of values that skip layers, parts
//! put side by side; gradients of everything, half of the time with an optimiser.

use whimbrel_graph::ops::Adam;
use whimbrel_graph::{Builder, Graph, GraphError, Init, Var};

use super::training_graphs::Random;

const BATCHES: [usize; 5] = [1, 16, 32, 100, 256];

/// A network of 2 to 60 operations and its training step.
pub fn graph(random: &mut Random) -> Result<Graph, GraphError> {
    let g = Builder::new();
    let batch = BATCHES[random.between(0, BATCHES.len() - 1)];
    let mut values = vec![g.batch("x", [random.between(1, 128), batch])?];
    for op in 0..random.between(2, 60) {
        let last = values[values.len() - 1];
        let reach = values.len().min(8);
        let other = values[values.len() - random.between(1, reach)];
        let same = last.shape() == other.shape();
        let next = match random.between(0, 9) {
            0..=3 => layer(&g, op, other, random.between(1, 256))?,
            4 => last.relu()?,
            5 => last.tanh()?,
            6 => last.sigmoid()?,
            7 if same => last.mul(other)?,
            8 if last.shape()[0] + other.shape()[0] <= 512 => Var::concat(&[last, other], 0)?,
            _ if same => last.add(other)?,
            _ => layer(&g, op, last, other.shape()[0])?.add(other)?,
        };
        values.push(next);
    }
    let last = layer(&g, values.len(), values[values.len() - 1], 12)?;
    let loss = last.sub(g.batch("y", [12, batch])?)?.abs()?.mean()?;
    let parameters = g.parameters();
    let gradients = g.gradients(loss, &parameters)?;
    g.output("loss", loss);
    if random.percent(50) {
        let (rate, count) = (g.input("lr", [])?, g.input("step", [])?);
        g.adam(Adam::default(), &parameters, &gradients, rate, count)?;
    } else {
        for (i, gradient) in gradients.into_iter().enumerate() {
            g.output(&format!("gradient {i}"), gradient);
        }
    }
    g.finish()
}

fn layer<'g>(
    g: &'g Builder,
    number: usize,
    x: Var<'g>,
    outputs: usize,
) -> Result<Var<'g>, GraphError> {
    let shape = [outputs, x.shape()[0]];
    let weight = g.parameter(&format!("{number}.weight"), shape, Init::Zeros)?;
    let bias = g.parameter(&format!("{number}.bias"), [outputs, 1], Init::Zeros)?;
    weight.dot(x)?.add(bias)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_random_graph_can_be_planned() {
        let mut random = Random(7);
        for _ in 0..10 {
            let graph = graph(&mut random).unwrap();
            let usage = super::super::session(&graph).unwrap().report(0).usage;
            assert!(usage.working >= usage.lower_bound && usage.lower_bound > 0);
        }
    }
}
