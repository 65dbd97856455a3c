//! Dropout leaves out the asked share, the same on every run, and nothing while predicting.

use whimbrel_engine::{Options, Session};
use whimbrel_graph::{Builder, Type};
use whimbrel_nn::layers::{Dropout, Forward, Relu, Sequential};
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
