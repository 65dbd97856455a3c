//! Filling a batch block by block is the same as writing its inputs whole.

use whimbrel_engine::{EngineError, Options, Session};
use whimbrel_graph::{Builder, Graph, Init};

const BATCH: usize = 96;

/// `y = w x + b` of every item, and an input that nothing reads.
fn graph() -> Graph {
    let g = Builder::new();
    let x = g.batch("x", [3, BATCH]).unwrap();
    let b = g.batch("b", [2, BATCH]).unwrap();
    g.batch("unread", [1, BATCH]).unwrap();
    let w = g.parameter("w", [2, 3], Init::Uniform { bound: 1.0 }).unwrap();
    g.output("y", w.dot(x).unwrap().add(b).unwrap());
    g.finish().unwrap()
}

fn value(row: usize, item: usize) -> f32 {
    (row * BATCH + item) as f32 * 0.37 - 20.0
}

#[test]
fn a_batch_filled_by_blocks_is_as_one_that_was_written() {
    let whole = |rows: usize| -> Vec<f32> {
        (0..rows * BATCH).map(|i| value(i / BATCH, i % BATCH)).collect()
    };
    for (threads, lanes) in [(1, None), (3, None), (2, Some(16)), (2, Some(48)), (2, Some(96))] {
        let options = Options { threads, lanes, ..Options::default() };
        let mut session = Session::with_options(&[graph()], &options).unwrap();
        session.write("x", &whole(3)).unwrap();
        session.write("b", &whole(2)).unwrap();
        session.run().unwrap();
        let written = session.read("y").unwrap();
        session.write("x", &[0.0; 3 * BATCH]).unwrap();
        session.write("b", &[0.0; 2 * BATCH]).unwrap();

        let inputs = session.batch_inputs(0, ["b", "unread", "other", "x"]).unwrap();
        assert_eq!(inputs.size(), BATCH);
        lanes.into_iter().for_each(|lanes| assert_eq!(inputs.blocks(), BATCH / lanes));
        session
            .fill(&inputs, |block| {
                let [b, unread, other, x] = block.inputs;
                assert_eq!((unread.len(), other.len()), (block.items.len(), 0));
                for part in [b, x] {
                    for (row, lanes) in part.chunks_exact_mut(block.items.len()).enumerate() {
                        let items = lanes.iter_mut().zip(block.items.clone());
                        items.for_each(|(x, item)| *x = value(row, item));
                    }
                }
            })
            .unwrap();
        session.run().unwrap();
        assert_eq!(session.read("y").unwrap(), written, "{threads} threads, {lanes:?}");
    }
}

#[test]
fn an_input_that_would_not_be_filled_is_named() {
    let session = Session::new(&graph()).unwrap();
    let error = session.batch_inputs(0, ["x", "bias"]).unwrap_err();
    assert!(matches!(&error, EngineError::UnknownName { name, .. } if name == "b"), "{error}");
}

#[test]
fn graphs_without_a_batch_and_batches_of_other_sessions_are_refused() {
    let session = Session::new(&graph()).unwrap();
    let inputs = session.batch_inputs(0, ["x", "b", "unread"]).unwrap();
    let error = session.batch_inputs(1, ["x"]).unwrap_err();
    assert!(matches!(error, EngineError::NoBatch { graph: 1 }), "{error}");
    let g = Builder::new();
    let x = g.input("x", [3]).unwrap();
    g.output("y", x.relu().unwrap());
    let mut other = Session::new(&g.finish().unwrap()).unwrap();
    assert!(matches!(other.batch_inputs(0, ["x"]), Err(EngineError::NoBatch { .. })));
    assert!(matches!(other.fill(&inputs, |_| {}), Err(EngineError::NoBatch { .. })));
    let turned = Builder::new();
    let [b, x, unread] = ["b", "x", "unread"].map(|name| turned.batch(name, [1, BATCH]).unwrap());
    turned.output("y", b.add(x).unwrap().add(unread).unwrap());
    let mut other = Session::new(&turned.finish().unwrap()).unwrap();
    assert!(matches!(other.fill(&inputs, |_| {}), Err(EngineError::NoBatch { .. })));
}
