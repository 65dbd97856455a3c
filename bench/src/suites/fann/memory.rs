//! The bytes of a network: as made, after incremental training, with what RPROP remembers. The limit is what the numbers
//! of its connections take.

use super::{SUITE, Setting, failed};
use crate::context::Context;
use crate::error::Result;
use crate::row::{Row, Unit, tidy};
use whimbrel_fann::{Algorithm, Network};

/// Runs the case `memory/784-512-10`.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let case = "memory/784-512-10";
    if !context.wants(case) {
        return Ok(Vec::new());
    }
    let setting = Setting::mlp([784, 512, 10])?;
    let mut network = Network::<f32>::standard(&setting.sizes).map_err(failed)?;
    let mut ours = vec![network.bytes()];
    for algorithm in [Algorithm::Incremental, Algorithm::Rprop] {
        network.training.training_algorithm = algorithm;
        network.train_epoch(&setting.data).map_err(failed)?;
        ours.push(network.bytes());
    }
    let peer = context.peer_figures(SUITE, case)?;
    // What a connection has to have: its weight, for RPROP also slope, last slope and last step.
    let metrics = [("untrained", 1), ("after incremental", 1), ("after rprop", 4)];
    let connections = network.total_connections();
    let row = |(i, ((metric, numbers), bytes)): (usize, ((&str, usize), usize))| {
        let needed = numbers * connections * size_of::<f32>();
        let mut row = Row::new(SUITE, case, metric, Unit::Bytes);
        row.ours = Some(bytes as f64);
        row.peer = peer.as_ref().and_then(|(figures, _)| figures.picks.get(i).copied());
        row.peer_name = peer.as_ref().map(|(_, name)| name.clone());
        row.ratio = row.peer.map(|peer| tidy(peer / bytes as f64));
        row.of_limit = Some(tidy(100.0 * needed as f64 / bytes as f64));
        row
    };
    Ok(metrics.into_iter().zip(ours).enumerate().map(row).collect())
}
