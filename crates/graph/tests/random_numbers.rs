//! Random values depend on seed, step, key and position alone, and are distributed as they say.

mod harness;

use harness::outputs;
use whimbrel_graph::ops::{Distribution, Random, philox};
use whimbrel_graph::{Array, Builder, Graph, GraphError, Type};

#[test]
fn philox_agrees_with_its_published_answers() {
    assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
    let ones = u32::MAX;
    let answer = [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd];
    assert_eq!(philox([ones; 4], [ones; 2]), answer);
    let digits_of_pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
    let answer = [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1];
    assert_eq!(philox(digits_of_pi, [0xa409_3822, 0x299f_31d0]), answer);
}

fn graph(distribution: Distribution, shape: [usize; 2]) -> Result<Graph, GraphError> {
    let g = Builder::new();
    let rng = g.input("rng", Type::i32([2]))?;
    g.output("a", g.random(distribution, shape, rng)?);
    g.output("b", g.random(distribution, shape, rng)?);
    g.finish()
}

fn rng(seed: f64, step: f64) -> [Array; 1] {
    [Array::new([2], vec![seed, step])]
}

#[test]
fn moments_are_right() -> Result<(), GraphError> {
    let kinds = [
        (Distribution::Uniform, 0.5, 1.0 / 12.0),
        (Distribution::Normal, 0.0, 1.0),
        (Distribution::Bernoulli { p: 0.25 }, 0.25, 0.1875),
    ];
    for (distribution, mean, variance) in kinds {
        let made = outputs(&graph(distribution, [64, 257])?, &rng(1.0, 2.0)).remove(0);
        let n = made.data.len() as f64;
        let found = made.data.iter().sum::<f64>() / n;
        assert!((found - mean).abs() < 0.03, "{distribution:?}: mean {found}");
        let found = made.data.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        assert!((found - variance).abs() < 0.03, "{distribution:?}: variance {found}");
    }
    Ok(())
}

#[test]
fn each_draw_step_and_seed_has_its_own_numbers() -> Result<(), GraphError> {
    let graph = graph(Distribution::Uniform, [3, 5])?;
    let made = outputs(&graph, &rng(1.0, 2.0));
    assert_ne!(made[0], made[1]);
    assert_ne!(made[0], outputs(&graph, &rng(1.0, 3.0))[0]);
    assert_ne!(made[0], outputs(&graph, &rng(-1.0, 2.0))[0]);
    assert_eq!(made[0], outputs(&graph, &rng(1.0, 2.0))[0]);
    Ok(())
}

#[test]
fn an_item_gets_the_same_numbers_in_any_batch() {
    for distribution in [Distribution::Uniform, Distribution::Normal] {
        let random = |items: usize| Random { distribution, shape: [6, items].into(), key: 9 };
        let small: Vec<f64> = (0..6).map(|row| random(1).element(4, 5, row, 0)).collect();
        let large: Vec<f64> = (0..6).map(|row| random(33).element(4, 5, row, 0)).collect();
        assert_eq!(small, large);
    }
}

#[test]
fn passes_keep_draws_apart() -> Result<(), GraphError> {
    let graph = graph(Distribution::Normal, [4, 4])?;
    let after = whimbrel_graph::passes::run(&graph, None)?;
    assert_eq!(outputs(&graph, &rng(7.0, 8.0)), outputs(&after, &rng(7.0, 8.0)));
    Ok(())
}

#[test]
fn dropout_keeps_the_expected_value() -> Result<(), GraphError> {
    let g = Builder::new();
    let rng_input = g.input("rng", Type::i32([2]))?;
    let ones = g.scalar(1.0).broadcast([50, 100])?;
    g.output("y", ones.dropout(0.2, rng_input)?);
    g.output("all", ones.dropout(1.0, rng_input)?);
    g.output("none", ones.dropout(0.0, rng_input)?);
    let made = outputs(&g.finish()?, &rng(1.0, 1.0));
    assert!(made[0].data.iter().all(|&x| x == 0.0 || (x - 1.25).abs() < 1e-6));
    let mean = made[0].data.iter().sum::<f64>() / 5000.0;
    assert!((mean - 1.0).abs() < 0.03, "{mean}");
    assert!(made[1].data.iter().all(|&x| x == 0.0));
    assert!(made[2].data.iter().all(|&x| x == 1.0));
    Ok(())
}
