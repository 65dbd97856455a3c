//! Every algorithm learns, whatever the layout, and threads change no bit.

use whimbrel_fann::{
    Activation, Algorithm, ErrorFunction, Network, Random, Real, StopFunction, TrainData,
};
use whimbrel_threads::Pool;

fn xor<T: Real>() -> TrainData<T> {
    TrainData::from_function(4, 2, 1, |row, input, output| {
        let bit = |set: bool| T::of(if set { 1.0 } else { -1.0 });
        input.copy_from_slice(&[bit(row & 1 == 1), bit(row & 2 == 2)]);
        output[0] = bit(row == 1 || row == 2);
    })
    .unwrap()
}

/// A function of a few inputs, with as many rows as asked for.
fn waves<T: Real>(rows: usize, inputs: usize, outputs: usize) -> TrainData<T> {
    let mut random = Random::seeded(5);
    TrainData::from_function(rows, inputs, outputs, |_, input, output| {
        input.iter_mut().for_each(|x| *x = T::of_f32(random.between(-1.0, 1.0)));
        let sum: f64 = input.iter().map(|x| x.f64()).sum();
        for (i, y) in output.iter_mut().enumerate() {
            *y = T::of((sum + i as f64).sin() * 0.5);
        }
    })
    .unwrap()
}

fn symmetric<T: Real>(mut network: Network<T>) -> Network<T> {
    network.set_activation_function_hidden(Activation::SigmoidSymmetric);
    network.set_activation_function_output(Activation::SigmoidSymmetric);
    network
}

#[test]
fn no_samples_make_no_weight_something_else_than_a_number() {
    let none = TrainData::<f32>::from_parts(0, (2, 1), Vec::new(), Vec::new()).unwrap();
    for &algorithm in Algorithm::ALL {
        let mut network = symmetric(Network::<f32>::standard(&[2, 4, 1]).unwrap());
        network.training.training_algorithm = algorithm;
        let mut crowd = vec![network.clone(); 3];
        assert_eq!(network.train_epoch(&none).unwrap(), 0.0);
        Network::train_many(&mut crowd, &none, 2, -1.0, &Pool::new(1)).unwrap();
        for network in crowd.iter().chain([&network]) {
            assert!(network.weights().iter().all(|weight| weight.is_finite()), "{algorithm:?}");
        }
    }
}

fn learns_xor<T: Real>() {
    for &algorithm in Algorithm::ALL {
        let solved = (0..10).filter(|seed| {
            let random = Random::seeded(*seed);
            let mut network = symmetric(Network::<T>::standard_with(&[2, 4, 1], random).unwrap());
            network.randomize_weights(T::of(-1.0), T::of(1.0));
            network.training.training_algorithm = algorithm;
            network.training.learning_rate = 0.3;
            network.training.train_stop_function = StopFunction::Bit;
            network.train_on_data(&xor(), 2000, 0.0).unwrap();
            network.bit_fail() == 0
        });
        let solved = solved.count();
        assert!(solved >= 7, "{algorithm:?}: {solved} of 10");
    }
}

#[test]
fn every_algorithm_learns_xor() {
    learns_xor::<f32>();
    learns_xor::<f64>();
}

#[test]
fn every_layout_learns() {
    let data = waves::<f32>(64, 3, 2);
    let random = Random::seeded(3);
    let networks = [
        Network::standard_with(&[3, 9, 7, 2], random).unwrap(),
        Network::shortcut_with(&[3, 9, 7, 2], random).unwrap(),
        Network::sparse_with(0.6, &[3, 9, 7, 2], random).unwrap(),
    ];
    for network in networks {
        // SARPROP anneals for longer than a test may take.
        for &algorithm in Algorithm::ALL.iter().filter(|a| **a != Algorithm::Sarprop) {
            let mut network = symmetric(network.clone());
            network.training.training_algorithm = algorithm;
            network.training.learning_rate = 0.1;
            let first = network.train_epoch(&data).unwrap();
            network.train_on_data(&data, 300, 0.0).unwrap();
            let last = network.test_data(&data).unwrap();
            let kind = (network.network_type(), network.connection_rate());
            assert!(last < first * 0.7, "{algorithm:?} {kind:?}: {first} to {last}");
        }
    }
}

#[test]
fn threads_change_no_bit() {
    for (sizes, rows) in [(vec![5, 7, 3], 3000), (vec![40, 50, 3], 700)] {
        let data = waves::<f32>(rows, sizes[0], 3);
        for shortcut in [false, true] {
            let random = Random::seeded(11);
            let network = match shortcut {
                false => Network::standard_with(&sizes, random).unwrap(),
                true => Network::shortcut_with(&sizes, random).unwrap(),
            };
            let train = |threads: Option<usize>| {
                let mut network = symmetric(network.clone());
                let pool = threads.map(Pool::new);
                let errors: Vec<f32> = (0..5)
                    .map(|_| match &pool {
                        Some(pool) => network.train_epoch_on(pool, &data).unwrap(),
                        None => network.train_epoch(&data).unwrap(),
                    })
                    .collect();
                (errors, network.weights().to_vec())
            };
            let alone = train(None);
            for threads in [1, 2, 3, 8] {
                assert!(train(Some(threads)) == alone, "{sizes:?} {shortcut} {threads}");
            }
        }
    }
}

#[test]
fn large_networks_learn_as_their_samples_one_by_one() {
    // Batch training of one sample is incremental training of it.
    let sizes = [30, 40, 4];
    let data = waves::<f64>(1, 30, 4);
    let copies = TrainData::from_function(32, 30, 4, |_, input, output| {
        input.copy_from_slice(data.inputs());
        output.copy_from_slice(data.outputs());
    })
    .unwrap();
    for shortcut in [false, true] {
        let random = Random::seeded(2);
        let made = if shortcut { Network::shortcut_with } else { Network::standard_with };
        let mut single = symmetric(made(&sizes, random).unwrap());
        single.training.training_algorithm = Algorithm::Incremental;
        let mut many = single.clone();
        many.training.training_algorithm = Algorithm::Batch;
        single.train(data.inputs(), data.outputs()).unwrap();
        many.train_epoch(&copies).unwrap();
        let off = single.weights().iter().zip(many.weights()).map(|(a, b)| (a - b).abs());
        let most = off.fold(0.0, f64::max);
        assert!(most < 1e-12, "{most}");
        assert!((single.mse() - many.mse()).abs() < 1e-6);
    }
}

#[test]
fn a_crowd_learns_as_its_networks_alone() {
    // Blocks of samples are not all full.
    let data = waves::<f32>(21, 3, 2);
    for &algorithm in Algorithm::ALL.iter().filter(|a| **a != Algorithm::Sarprop) {
        for shortcut in [false, true] {
            let make = |seed: u64| {
                let made = if shortcut { Network::shortcut_with } else { Network::standard_with };
                let mut network = symmetric(made(&[3, 5, 2], Random::seeded(seed)).unwrap());
                network.training.training_algorithm = algorithm;
                // Two kinds of settings make two kinds of groups.
                network.training.learning_rate = if seed.is_multiple_of(2) { 0.1 } else { 0.2 };
                network
            };
            let mut alone: Vec<_> = (0..40).map(make).collect();
            let mut crowd = alone.clone();
            for network in &mut alone {
                network.train_on_data(&data, 10, 0.0).unwrap();
            }
            let pool = Pool::new(2);
            let epochs = Network::train_many(&mut crowd, &data, 10, 0.0, &pool).unwrap();
            assert_eq!(epochs, [10; 40]);
            for (alone, crowd) in alone.iter().zip(&crowd) {
                let off = alone.weights().iter().zip(crowd.weights());
                let off = off.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(off < 1e-3, "{algorithm:?} {off}");
                assert!((alone.mse() - crowd.mse()).abs() < 1e-4 * alone.mse(), "{algorithm:?}");
                assert_eq!(alone.bit_fail(), crowd.bit_fail());
            }
        }
    }
}

/// A crowd of networks with neurons of several kinds beside the same networks alone.
fn crowd_of_many_kinds<T: Real>(most: f64) {
    let data = waves::<T>(7, 3, 2);
    let functions = Activation::ALL.into_iter().enumerate();
    for ((i, function), shortcut) in functions.flat_map(|f| [(f, false), (f, true)]) {
        let make = |seed: u64| {
            let made = if shortcut { Network::shortcut_with } else { Network::standard_with };
            let mut network = made(&[3, 5, 4, 2], Random::seeded(seed)).unwrap();
            network.set_activation_function_hidden(function);
            network
                .set_activation_function_output(Activation::ALL[(i + 5) % Activation::ALL.len()]);
            // The layer has two kinds of neurons then.
            network.set_activation_function(Activation::SigmoidSymmetric, 1, 2).unwrap();
            network.set_activation_steepness(T::of(0.3), 2, 1).unwrap();
            network.training.training_algorithm = Algorithm::Batch;
            network.training.learning_rate = 0.05;
            if i % 2 == 1 {
                network.training.train_error_function = ErrorFunction::Linear;
            }
            network
        };
        let mut alone: Vec<Network<T>> = (0..40).map(make).collect();
        let mut crowd = alone.clone();
        for network in &mut alone {
            network.train_on_data(&data, 3, 0.0).unwrap();
        }
        Network::train_many(&mut crowd, &data, 3, 0.0, &Pool::new(1)).unwrap();
        for (alone, crowd) in alone.iter().zip(&crowd) {
            for (a, b) in alone.weights().iter().zip(crowd.weights()) {
                let off = (a.f64() - b.f64()).abs();
                assert!(off <= most * a.f64().abs().max(1.0), "{function:?} {shortcut}: {a} {b}");
            }
            assert!((alone.mse() - crowd.mse()).abs() <= 1e-5 * alone.mse(), "{function:?}");
            assert_eq!(alone.bit_fail(), crowd.bit_fail(), "{function:?}");
        }
    }
}

#[test]
fn neurons_of_every_kind_learn_in_a_crowd_as_alone() {
    crowd_of_many_kinds::<f32>(1e-5);
    crowd_of_many_kinds::<f64>(1e-12);
}

#[test]
fn networks_of_a_crowd_stop_one_by_one_and_ignore_their_neighbours() {
    let make = |seed: u64| {
        let mut network =
            symmetric(Network::<f32>::standard_with(&[2, 4, 1], Random::seeded(seed)).unwrap());
        network.randomize_weights(-1.0, 1.0);
        network.training.train_stop_function = StopFunction::Bit;
        network
    };
    let train = |seeds: std::ops::Range<u64>, threads: usize| {
        let mut networks: Vec<_> = seeds.map(make).collect();
        let epochs = Network::train_many(&mut networks, &xor(), 500, 0.0, &Pool::new(threads));
        let weights: Vec<Vec<f32>> = networks.iter().map(|n| n.weights().to_vec()).collect();
        (epochs.unwrap(), weights)
    };
    let (epochs, weights) = train(0..37, 3);
    assert!(epochs.iter().min() < epochs.iter().max(), "{epochs:?}");
    assert_eq!(train(0..37, 1), (epochs.clone(), weights.clone()));
    let few = train(20..25, 2);
    assert_eq!(few, (epochs[20..25].to_vec(), weights[20..25].to_vec()));
}
