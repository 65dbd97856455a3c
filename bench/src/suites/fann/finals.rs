//! Where trainings end: the error after [`EPOCHS`] epochs of 8-bit parity, from the same fifteen sets of weights on
//! both sides.

use super::{ALGORITHMS, SUITE, failed, growth};
use crate::context::Context;
use crate::error::Result;
use crate::fill;
use crate::rounds::Samples;
use crate::row::{Row, Unit, tidy};
use whimbrel_fann::{Activation, Algorithm, Network, Random};

/// The peer has the same sizes, epochs and seeds; weights are the streams 300 and on of `fill`.
const SIZES: [usize; 3] = [8, 12, 1];
const EPOCHS: usize = 300;
const SEEDS: std::ops::RangeInclusive<u32> = 1..=15;

/// Runs the cases `final/ALGORITHM`: the median error over the seeds.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (name, algorithm) in &ALGORITHMS[2..] {
        let case = format!("final/{name}");
        if !context.wants(&case) {
            continue;
        }
        eprintln!("{SUITE} {case}");
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let mut row = Row::new(SUITE, &case, "error", Unit::Error);
        for seed in SEEDS {
            ours.push(end(*algorithm, seed)?);
            if let Some((figures, name)) = context.peer_figures(SUITE, &format!("{case}/{seed}"))? {
                theirs.push(figures.sum);
                row.peer_name = Some(name);
            }
        }
        let (ours, theirs) = (Samples::new(ours), Samples::new(theirs));
        (row.ours, row.spread) = (ours.median().map(tidy), ours.spread().map(tidy));
        row.peer = theirs.median().map(tidy);
        row.ratio = row.peer.zip(row.ours).map(|(peer, ours)| tidy(peer / ours));
        rows.push(row);
    }
    Ok(rows)
}

fn end(algorithm: Algorithm, seed: u32) -> Result<f64> {
    let mut network = Network::standard_with(&SIZES, Random::seeded(1)).map_err(failed)?;
    network.set_activation_function_hidden(Activation::SigmoidSymmetric);
    network.set_activation_function_output(Activation::SigmoidSymmetric);
    network.training.training_algorithm = algorithm;
    let weights = fill::values(300 + seed, network.total_connections());
    network.weights_mut().copy_from_slice(&weights);
    let data = growth::parity()?;
    let mut error = 0.0;
    for _ in 0..EPOCHS {
        error = network.train_epoch(&data).map_err(failed)?;
    }
    Ok(f64::from(error))
}
