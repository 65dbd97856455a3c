//! `whimbrel fann cascade`.

use super::training::{Watch, outcome, suit};
use super::{data, network, short};
use crate::cli::CascadeFann;
use crate::failure::Failure;
use std::ops::ControlFlow;
use std::path::Path;
use whimbrel::fann::{Algorithm, Error, Network, Random};

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
    let algorithm = network.training.training_algorithm;
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
        .map_err(|error| refused(options, algorithm, &error))?;
    failed?;
    network.test_data(&samples).map_err(Failure::run)?;
    let added = (network.total_neurons() - before) as u32;
    watch.see(&network, added, most)?;
    let reached = network.desired_error_reached(desired);
    let fields = outcome(&network, ("neurons", added), reached);
    options.result.give(&network, watch, fields)
}

/// Why a network cannot grow on these data, with the file or the option that is to blame.
fn refused(options: &CascadeFann, algorithm: Algorithm, error: &Error) -> Failure {
    let growing = matches!(algorithm, Algorithm::Rprop | Algorithm::Quickprop | Algorithm::Sarprop);
    match (error, &options.from) {
        (Error::CantUseTrainAlg, _) if !growing => {
            let name = short(algorithm.name(), "FANN_TRAIN_");
            Failure::input(format!("--algorithm: networks do not grow with {name}"))
                .with_hint("use rprop, quickprop or sarprop")
        }
        (Error::CantUseTrainAlg, Some(from)) => Failure::input(format!(
            "{}: cascade training needs a fully connected network with shortcuts",
            from.display()
        ))
        .with_hint(
            "whimbrel fann train --shortcut makes one; without --from cascade starts a new one",
        ),
        _ => Failure::input(format!("{}: {error}", options.data.display())),
    }
}
