//! Learns exclusive or: describes a network, looks at it, trains it, asks it for its answers, and keeps it.
//!
//!     cargo run -p whimbrel-nn --example xor

use whimbrel_nn::layers::{Linear, Sequential, Sigmoid, Tanh};
use whimbrel_nn::losses::Mse;
use whimbrel_nn::optimisers::Adam;
use whimbrel_nn::summarise;
use whimbrel_nn::trainer::{Examples, Length, Model, Targets, Trainer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let inputs = vec![0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]; // rows of two
    let targets = Targets::Values { width: 1, values: vec![0.0, 1.0, 1.0, 0.0] };
    let examples = Examples::new(2, inputs.clone(), targets)?;

    let network =
        Sequential::new().then(Linear::new(8)).then(Tanh).then(Linear::new(1)).then(Sigmoid);
    for layer in summarise(&network, 2)? {
        println!("{:<8} {:?}, {} parameters", layer.kind, layer.shape, layer.parameters);
    }

    let trainer = Trainer {
        length: Length::Epochs(500),
        seed: 1,
        ..Trainer::new(network, Mse, Adam { lr: 0.05, ..Adam::default() })
    };
    let mut model = trainer.train(&examples)?;
    for (row, answer) in inputs.chunks(2).zip(model.predict(&inputs)?) {
        println!("{} xor {} = {answer:.3}", row[0], row[1]);
    }

    let weights = std::env::temp_dir().join("xor.safetensors");
    model.save(&weights)?;
    let mut again = Model::load(&trainer, 2, &weights)?;
    assert_eq!(again.predict(&inputs)?, model.predict(&inputs)?);
    Ok(())
}
