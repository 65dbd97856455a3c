//! `whimbrel fann cascade`.

use super::training::{Watch, outcome, suit};
use super::{data, network};
use crate::cli::CascadeFann;
use crate::failure::Failure;
use std::ops::ControlFlow;
use std::path::Path;
use whimbrel::fann::{Network, Random};

pub fn run(options: &CascadeFann) -> Result<(), Failure> {
    let samples = data(&options.data)?;
    let from = options.from.as_deref().into_iter();
    let inputs: Vec<&Path> = from.chain([options.data.as_path()]).collect();
    options.result.check(&inputs)?;
    let mut network = match &options.from {
        Some(path) => network(path)?,
        None => {
            let ends = [samples.num_input(), samples.num_output()];
            let random = Random::seeded(options.settings.seed);
            let mut network = Network::shortcut_with(&ends, random).map_err(Failure::input)?;
            suit(&mut network, &samples);
            network
        }
    };
    options.settings.apply(&mut network);
    if let Some(groups) = options.num_candidate_groups {
        network.cascade.num_candidate_groups = groups;
    }
    let mut watch = Watch::new(&options.result, "neurons");
    let (most, desired) = (options.max_neurons, options.settings.desired_error);
    let mut failed = Ok(());
    let before = network.total_neurons();
    network
        .cascade_train_on_data_with(&samples, most, 1, desired, |network, _| {
            let added = (network.total_neurons() - before) as u32;
            failed = watch.see(network, added, most);
            if failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
        .map_err(|error| Failure::input(format!("{}: {error}", options.data.display())))?;
    failed?;
    network.test_data(&samples).map_err(Failure::run)?;
    let added = (network.total_neurons() - before) as u32;
    watch.see(&network, added, most)?;
    let reached = network.desired_error_reached(desired);
    let fields = outcome(&network, ("neurons", added), reached);
    options.result.give(&network, watch, fields)
}
