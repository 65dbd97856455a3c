//! Dropout leaves out the asked share, the same on every run, and nothing while predicting.

use whimbrel_engine::{Options, Session};
use whimbrel_graph::{Builder, Type};
use whimbrel_nn::layers::{Dropout, Forward, MultiheadAttention, Relu, Sequential};
use whimbrel_nn::{NnError, Scope};

const BATCH: usize = 64;

/// What `network` makes of ones `[20, BATCH]`.
fn ones_through(network: &Sequential, [seed, step]: [i32; 2], threads: usize) -> Vec<f32> {
    let graph = || -> Result<_, NnError> {
        let g = Builder::new();
        let x = g.batch("x", [20, BATCH])?;
        let scope = Scope::training(&g).with_random(g.input("random", Type::i32([2]))?);
        g.output("y", network.forward(x, &scope)?);
        Ok(g.finish()?)
    };
    let options = Options { threads, ..Options::default() };
    let mut session = Session::with_options(&[graph().unwrap()], &options).unwrap();
    session.write("x", &[1.0; 20 * BATCH]).unwrap();
    session.write_i32("random", &[seed, step]).unwrap();
    session.run().unwrap();
    session.read("y").unwrap()
}

fn drop_a_quarter() -> Sequential {
    Sequential::new().then(Dropout { p: 0.25 })
}

#[test]
fn the_asked_share_is_left_out_and_the_rest_scaled() {
    let y = ones_through(&drop_a_quarter(), [1, 1], 1);
    let kept = y.iter().filter(|&&y| y != 0.0).count() as f32;
    assert!(y.iter().all(|&y| y == 0.0 || (y - 1.0 / 0.75).abs() < 1e-6));
    assert!((kept / y.len() as f32 - 0.75).abs() < 0.05, "{kept}");
}

#[test]
fn seed_step_and_name_decide_alone() {
    let network = drop_a_quarter();
    let y = ones_through(&network, [1, 1], 1);
    assert_eq!(ones_through(&network, [1, 1], 2), y);
    assert_ne!(ones_through(&network, [2, 1], 1), y);
    assert_ne!(ones_through(&network, [1, 2], 1), y);
    // Layers after it do not change what a layer leaves out; a layer of another name is another.
    assert_eq!(ones_through(&drop_a_quarter().then(Relu), [1, 1], 1), y);
    let second = Sequential::new().then(Relu).then(Dropout { p: 0.25 });
    assert_ne!(ones_through(&second, [1, 1], 1), y);
}

#[test]
fn nothing_is_left_out_while_predicting() {
    let g = Builder::new();
    let x = g.batch("x", [20, BATCH]).unwrap();
    let y = drop_a_quarter().forward(x, &Scope::predicting(&g)).unwrap();
    assert_eq!(y.id(), x.id());
}

#[test]
fn attention_leaves_out_weights_of_its_mean() {
    const STEPS: usize = 6;
    let graph = |dropout: f32| -> Result<_, NnError> {
        let g = Builder::new();
        let [q, k] = ["q", "k"].map(|name| g.batch(name, [STEPS, STEPS, BATCH]));
        let v = g.batch("v", [STEPS, STEPS, BATCH])?;
        let scope = Scope::training(&g).with_random(g.input("random", Type::i32([2]))?);
        let attention = MultiheadAttention { dropout, bias: false, ..MultiheadAttention::new(1) };
        g.output("y", attention.attend([q?, k?, v], None, &scope)?);
        Ok(g.finish()?)
    };
    // Projections that change nothing, and values that tell which step they are of.
    let eye: Vec<f32> = (0..STEPS * STEPS).map(|at| f32::from(u8::from(at % 7 == 0))).collect();
    let spread = |f: &dyn Fn(usize) -> f32| -> Vec<f32> {
        (0..STEPS * STEPS * BATCH).map(|at| f(at / BATCH)).collect()
    };
    let weights = |dropout: f32, step: i32| {
        let mut session = Session::new(&graph(dropout).unwrap()).unwrap();
        session.write_state("in_proj_weight", &[&eye[..], &eye, &eye].concat()).unwrap();
        session.write_state("out_proj.weight", &eye).unwrap();
        session.write("q", &spread(&|at| (at as f32).sin())).unwrap();
        session.write("k", &spread(&|at| (at as f32 * 0.7).cos())).unwrap();
        session.write("v", &spread(&|at| eye[at])).unwrap();
        if dropout > 0.0 {
            session.write_i32("random", &[1, step]).unwrap();
        }
        session.run().unwrap();
        session.read("y").unwrap()
    };
    let (whole, dropped) = (weights(0.0, 1), weights(0.4, 1));
    let kept = dropped.iter().filter(|&&w| w > 1e-6).count() as f32 / dropped.len() as f32;
    assert!((kept - 0.6).abs() < 0.05, "{kept}");
    for (w, d) in whole.iter().zip(&dropped) {
        assert!(d.abs() < 1e-6 || (d - w / 0.6).abs() < 1e-5, "{w} became {d}");
    }
    assert_ne!(dropped, weights(0.4, 2));
    assert_eq!(dropped, weights(0.4, 1));
}
