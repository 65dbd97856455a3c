//! `whimbrel fann train`.

use super::training::{Watch, outcome, suit};
use super::{data, network};
use crate::cli::TrainFann;
use crate::failure::Failure;
use std::path::Path;
use whimbrel::fann::{Network, Pool, Random, TrainData};

pub fn run(options: &TrainFann) -> Result<(), Failure> {
    let samples = data(&options.data)?;
    let from = options.from.as_deref().into_iter();
    let inputs: Vec<&Path> = from.chain([options.data.as_path()]).collect();
    options.result.check(&inputs)?;
    let mut network = match &options.from {
        Some(path) => network(path)?,
        None => create(options, &samples)?,
    };
    network
        .check(&samples)
        .map_err(|error| Failure::input(format!("{}: {error}", options.data.display())))?;
    options.settings.apply(&mut network);
    if options.init_weights {
        network.init_weights(&samples);
    }
    network.check_trainable().map_err(Failure::input)?;
    let pool = options.settings.threads.map_or_else(Pool::with_default_size, Pool::new);
    let mut watch = Watch::new(&options.result, "epochs");
    let mut epochs = 0;
    let mut reached = false;
    while epochs < options.max_epochs && !reached {
        epochs += 1;
        network.train_epoch_on(&pool, &samples).map_err(Failure::run)?;
        if !network.mse().is_finite() {
            let problem = format!("the error is no number any more after {epochs} epochs");
            return Err(Failure::run(problem).with_hint("--learning-rate sets how far weights go"));
        }
        reached = network.desired_error_reached(options.settings.desired_error);
        watch.see(&network, epochs, options.max_epochs)?;
    }
    let fields = outcome(&network, ("epochs", epochs), reached);
    options.result.give(&network, watch, fields)
}

/// A new network with functions that suit the data.
fn create(options: &TrainFann, samples: &TrainData<f32>) -> Result<Network<f32>, Failure> {
    let random = Random::seeded(options.settings.seed);
    let layers = &options.layers;
    if layers.len() < 2 {
        return Err(Failure::input(
            "--layers: a network has inputs and outputs; name both, such as 2,3,1",
        ));
    }
    let network = match (options.shortcut, options.connection_rate) {
        (true, _) => Network::shortcut_with(layers, random),
        (false, 1.0) => Network::standard_with(layers, random),
        (false, rate) if rate > 0.0 && rate < 1.0 => Network::sparse_with(rate, layers, random),
        (false, rate) => {
            return Err(Failure::input(format!(
                "--connection-rate {rate}: give a part above 0, up to 1"
            )));
        }
    };
    let mut network = network.map_err(Failure::input)?;
    suit(&mut network, samples);
    Ok(network)
}
