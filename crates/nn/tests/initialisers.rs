//! Parameters begin as PyTorch's would, and only those that a rule names otherwise than usual.

mod golden;

use golden::every;
use serde::Deserialize;
use whimbrel_engine::{Options, Session};
use whimbrel_graph::Builder;
use whimbrel_nn::Scope;
use whimbrel_nn::init::{InitRule, Initialiser};
use whimbrel_nn::layers::{Forward, Linear, Lstm, Sequential};
use whimbrel_nn::losses::Mse;
use whimbrel_nn::optimisers::{Adam, Optimiser};
use whimbrel_nn::trainer::{Examples, Start, Targets, Trainer};

/// What PyTorch gave for one initialiser and shape.
#[derive(Deserialize)]
struct Golden {
    settings: Initialiser,
    shape: Vec<usize>,
    mean: f64,
    std: f64,
    min: f64,
    max: f64,
}

fn begin(with: Initialiser, shape: &[usize]) -> Vec<f32> {
    let g = Builder::new();
    let shape = whimbrel_tensor::Shape::from_slice(shape).unwrap();
    let w = g.parameter("w", shape, with.of(&shape)).unwrap();
    g.output("y", w.sum().unwrap());
    Session::new(&g.finish().unwrap()).unwrap().read_state("w").unwrap()
}

#[test]
fn every_initialiser_has_pytorchs_mean_deviation_and_range() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/initialisers.json");
    let cases: Vec<Golden> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let (kind_of, kinds) = every! { Initialiser:
        Zeros = "zeros", Ones = "ones", Constant = "constant", Uniform = "uniform", Normal = "normal",
        TruncNormal = "trunc_normal", XavierUniform = "xavier_uniform",
        XavierNormal = "xavier_normal", KaimingUniform = "kaiming_uniform",
        KaimingNormal = "kaiming_normal", Orthogonal = "orthogonal",
    };
    for kind in kinds {
        let has_case = cases.iter().any(|case| kind_of(&case.settings) == kind);
        assert!(has_case, "golden/initialisers.py makes no case {kind}");
    }
    for case in cases {
        let w: Vec<f64> = begin(case.settings, &case.shape).into_iter().map(f64::from).collect();
        let count = w.len() as f64;
        let mean = w.iter().sum::<f64>() / count;
        let std = (w.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count).sqrt();
        let place = format!("{:?} {:?}", case.settings, case.shape);
        // Both are samples: of count numbers each, a mean is off by std / sqrt(count).
        let slack = 6.0 * case.std / count.sqrt() + 1e-6;
        assert!((mean - case.mean).abs() <= slack, "{place}: mean {mean}, not {}", case.mean);
        assert!((std - case.std).abs() <= slack, "{place}: deviation {std}, not {}", case.std);
        let (min, max) = w.iter().fold((f64::MAX, f64::MIN), |(a, b), &x| (a.min(x), b.max(x)));
        // Bounds are reached nearly; what has none reaches a little further or less far by chance.
        let slack = 0.2 * case.std.max(case.max - case.min) + 1e-6;
        assert!((min - case.min).abs() <= slack, "{place}: least {min}, not {}", case.min);
        assert!((max - case.max).abs() <= slack, "{place}: most {max}, not {}", case.max);
    }
}

#[test]
fn the_first_rule_that_names_a_parameter_decides() {
    let rules = [
        InitRule::new("*.bias_hh*", Initialiser::Constant { val: 7.0 }),
        InitRule::new("*bias*", Initialiser::Ones {}),
        InitRule::new("0.weight_hh*", Initialiser::Orthogonal { gain: 1.0 }),
    ];
    let g = Builder::new();
    let x = g.batch("x", [5, 3, 2]).unwrap();
    let network = Sequential::new().then(Lstm::new(4)).then(Linear::new(2));
    let y = network.forward(x, &Scope::training(&g).with_init(&rules)).unwrap();
    g.output("y", y);
    let session = Session::with_options(&[g.finish().unwrap()], &Options::default()).unwrap();
    let state = |name: &str| session.read_state(name).unwrap();
    assert!(state("0.bias_hh_l0").iter().all(|&x| x == 7.0));
    assert!(state("0.bias_ih_l0").iter().chain(&state("1.bias")).all(|&x| x == 1.0));
    assert!(state("1.weight").iter().all(|x| x.abs() <= 0.5));
    let squares: f32 = state("0.weight_hh_l0").iter().map(|x| x * x).sum();
    assert!((squares - 4.0).abs() < 1e-5, "four columns of length 1: {squares}");
}

#[test]
fn a_rule_that_names_nothing_or_cannot_be_is_refused() {
    let network = Sequential::new().then(Linear::new(1));
    let values = Targets::Values { width: 1, values: vec![0.0; 4] };
    let examples = Examples::new(1, vec![0.0; 4], values).unwrap();
    let refused = |rule: InitRule, says: &str| {
        let trainer = Trainer {
            init: vec![rule],
            ..Trainer::new(network.clone(), Mse, Optimiser::new(Adam::default()))
        };
        let message = trainer.start(&examples, Start::Fresh).err().unwrap().to_string();
        assert!(message.contains(says), "{message}");
    };
    refused(InitRule::new("1.weight", Initialiser::Zeros {}), "there are 0.weight, 0.bias");
    refused(InitRule::new("*", Initialiser::Uniform { a: 2.0, b: 1.0 }), "a is 2");
    refused(InitRule::new("*", Initialiser::Normal { mean: 0.0, std: f64::NAN }), "std is NaN");
}
