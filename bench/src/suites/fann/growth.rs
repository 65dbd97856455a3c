//! Cascade training until no output is off, from fifteen seeds: seconds and neurons.

use super::{SUITE, failed};
use crate::context::Context;
use crate::error::Result;
use crate::rounds::Samples;
use crate::row::{Row, Unit, tidy};
use std::f64::consts::PI;
use std::time::Instant;
use whimbrel_fann::{Activation, ErrorFunction, Network, Random, StopFunction, TrainData};

const SEEDS: std::ops::RangeInclusive<u64> = 1..=15;

/// What came of one seed.
#[derive(Clone, Copy)]
struct Grown {
    seconds: f64,
    neurons: f64,
    off: f64,
}

/// Runs the cases `cascade/PROBLEM`: a row for the time, one for the neurons, one for seeds not solved.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (name, data, most) in [("two-spirals", spirals()?, 40), ("parity8", parity()?, 30)] {
        let case = format!("cascade/{name}");
        if !context.wants(&case) {
            continue;
        }
        eprintln!("{SUITE} {case}");
        let (mut ours, mut theirs, mut peer_name) = (Vec::new(), Vec::new(), None);
        for seed in SEEDS {
            ours.push(grow(&data, most, seed)?);
            if let Some((figures, name)) = context.peer_figures(SUITE, &format!("{case}/{seed}"))? {
                if let [seconds, neurons, off] = figures.picks[..] {
                    theirs.push(Grown { seconds, neurons, off });
                }
                peer_name = Some(name);
            }
        }
        let row = |metric: &str, unit: Unit, of: fn(&Grown) -> f64| {
            let all = |grown: &[Grown]| Samples::new(grown.iter().map(of).collect());
            let mut row = Row::new(SUITE, &case, metric, unit);
            (row.ours, row.spread) = (all(&ours).median().map(tidy), all(&ours).spread().map(tidy));
            row.peer = all(&theirs).median().map(tidy);
            row.peer_name.clone_from(&peer_name);
            let ratio = row.peer.zip(row.ours).map(|(peer, ours)| peer / ours);
            row.ratio = ratio.filter(|ratio| ratio.is_finite()).map(tidy);
            row
        };
        rows.push(row("time", Unit::Seconds, |grown| grown.seconds));
        rows.push(row("neurons", Unit::Count, |grown| grown.neurons));
        let unsolved = |grown: &[Grown]| grown.iter().filter(|g| g.off > 0.0).count() as f64;
        let mut row = Row::new(SUITE, &case, "seeds not solved", Unit::Count);
        row.ours = Some(unsolved(&ours));
        row.peer = peer_name.as_ref().map(|_| unsolved(&theirs));
        row.peer_name = peer_name;
        rows.push(row);
    }
    Ok(rows)
}

fn grow(data: &TrainData<f32>, most: u32, seed: u64) -> Result<Grown> {
    let ends = [data.num_input(), data.num_output()];
    let mut network = Network::shortcut_with(&ends, Random::seeded(seed)).map_err(failed)?;
    network.set_activation_function_output(Activation::SigmoidSymmetric);
    network.training.train_error_function = ErrorFunction::Linear;
    network.training.train_stop_function = StopFunction::Bit;
    let before = network.total_neurons();
    let start = Instant::now();
    network.cascade_train_on_data(data, most, 0.0).map_err(failed)?;
    let seconds = start.elapsed().as_secs_f64();
    network.test_data(data).map_err(failed)?;
    let neurons = (network.total_neurons() - before) as f64;
    Ok(Grown { seconds, neurons, off: f64::from(network.bit_fail()) })
}

/// Two spirals around each other, one of 1 and one of -1.
fn spirals() -> Result<TrainData<f32>> {
    let point = |i: u32| {
        let (radius, angle) = (f64::from(104 - i) / 104.0, f64::from(i) * PI / 16.0);
        let [x, y] = [radius * angle.sin(), radius * angle.cos()].map(|x| x as f32);
        [x, y, -x, -y]
    };
    let inputs = (0..97).flat_map(point).collect();
    let outputs = (0..194).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    TrainData::from_parts(194, (2, 1), inputs, outputs).map_err(failed)
}

/// Whether the number of ones among eight bits is odd.
pub(super) fn parity() -> Result<TrainData<f32>> {
    let sign = |one: bool| if one { 1.0 } else { -1.0 };
    let inputs = (0..256u32).flat_map(|k| (0..8).map(move |bit| sign(k >> bit & 1 == 1))).collect();
    let outputs = (0..256u32).map(|k| sign(k.count_ones() % 2 == 1)).collect();
    TrainData::from_parts(256, (8, 1), inputs, outputs).map_err(failed)
}
