//! Cascade training installs neurons and solves what is not linear.

use whimbrel_fann::{
    Activation, Algorithm, Error, Network, NetworkType, Random, Real, StopFunction, TrainData,
};

/// The two intertwined spirals, 97 points each.
fn two_spirals<T: Real>() -> TrainData<T> {
    TrainData::from_function(194, 2, 1, |row, input, output| {
        let (point, sign) = ((row / 2) as f64, if row % 2 == 0 { 1.0 } else { -1.0 });
        let (angle, radius) = (point * std::f64::consts::PI / 16.0, 6.5 * (104.0 - point) / 104.0);
        let scale = sign * radius / 6.5;
        input.copy_from_slice(&[angle.sin() * scale, angle.cos() * scale].map(T::of));
        output[0] = T::of(sign);
    })
    .unwrap()
}

fn parity<T: Real>(bits: usize) -> TrainData<T> {
    TrainData::from_function(1 << bits, bits, 1, |row, input, output| {
        for (i, x) in input.iter_mut().enumerate() {
            *x = T::of(if row >> i & 1 == 1 { 1.0 } else { -1.0 });
        }
        output[0] = T::of(if row.count_ones() % 2 == 1 { 1.0 } else { -1.0 });
    })
    .unwrap()
}

fn grow<T: Real>(data: &TrainData<T>, algorithm: Algorithm, seed: u64, most: u32) -> Network<T> {
    let sizes = [data.num_input(), 1];
    let mut network = Network::<T>::shortcut_with(&sizes, Random::seeded(seed)).unwrap();
    network.set_activation_function_output(Activation::SigmoidSymmetric);
    network.training.training_algorithm = algorithm;
    network.training.train_stop_function = StopFunction::Bit;
    network.cascade_train_on_data(data, most, 0.0).unwrap();
    network.test_data(data).unwrap();
    network
}

#[test]
fn parity_is_solved_with_neurons_that_are_there() {
    for algorithm in [Algorithm::Rprop, Algorithm::Quickprop] {
        let network = grow(&parity::<f32>(8), algorithm, 1, 30);
        assert_eq!(network.bit_fail(), 0, "{algorithm:?}");
        let hidden = network.num_layers() - 2;
        assert!((1..30).contains(&hidden), "{hidden}");
        assert_eq!(network.network_type(), NetworkType::Shortcut);
        // Each neuron takes all before it: inputs, bias and earlier neurons.
        let connections: usize = (0..=hidden).map(|before| 9 + before).sum();
        assert_eq!(network.total_connections(), connections);
        assert_eq!(network.total_neurons(), 9 + hidden + 1);
    }
}

#[test]
fn wide_numbers_grow_too() {
    let network = grow(&parity::<f64>(5), Algorithm::Rprop, 3, 30);
    assert_eq!(network.bit_fail(), 0);
    assert!(network.num_layers() > 2);
}

#[test]
fn a_grown_network_survives_its_file() {
    let data = parity::<f32>(4);
    let network = grow(&data, Algorithm::Rprop, 5, 20);
    let mut read = Network::<f32>::from_bytes("x.net", network.to_text().as_bytes()).unwrap();
    assert_eq!(read.num_layers(), network.num_layers());
    read.test_data(&data).unwrap();
    assert_eq!(read.mse(), network.mse());
}

#[test]
#[ignore = "seconds without optimisation"]
fn two_spirals_are_solved() {
    for seed in 0..15 {
        let network = grow(&two_spirals::<f32>(), Algorithm::Rprop, seed, 60);
        assert_eq!(network.bit_fail(), 0, "seed {seed}");
    }
}

#[test]
fn what_cannot_grow_is_refused() {
    let data = parity::<f32>(2);
    let mut standard = Network::<f32>::standard(&[2, 1]).unwrap();
    assert_eq!(standard.cascade_train_on_data(&data, 5, 0.0), Err(Error::CantUseTrainAlg));
    let mut network = Network::<f32>::shortcut(&[2, 1]).unwrap();
    network.training.training_algorithm = Algorithm::Batch;
    assert_eq!(network.cascade_train_on_data(&data, 5, 0.0), Err(Error::CantUseTrainAlg));
    network.training.training_algorithm = Algorithm::Rprop;
    network.cascade.activation_functions.clear();
    assert!(network.cascade_train_on_data(&data, 5, 0.0).is_ok());
    assert_eq!(network.num_layers(), 2);
}
