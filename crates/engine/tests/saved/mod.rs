//! A small model with state of every kind, and folders for its files.

#![allow(dead_code, reason = "every test file uses its part")]

use std::path::{Path, PathBuf};
use whimbrel_engine::Session;
use whimbrel_graph::ops::{Adam, Role};
use whimbrel_graph::{Builder, Graph, GraphError, Init, Type};
use whimbrel_tensor::DType;

/// A layer in training: `w [20, 3]` is kept in panels, the last one not full, `b [20, 1]` in rows,
/// both with Adam's state; `counts` are integers.
pub fn model() -> Graph {
    build().unwrap()
}

fn build() -> Result<Graph, GraphError> {
    let g = Builder::new();
    let x = g.batch("x", [3, 4])?;
    let w = g.parameter("w", [20, 3], Init::Constant(1.0))?;
    let b = g.parameter("b", [20, 1], Init::Constant(2.0))?;
    let counts = g.state("counts", Type::i32([5]), Init::Zeros, Role::Table)?;
    let loss = w.dot(x)?.add(b)?.square()?.mean()?;
    let gradients = g.gradients(loss, &[w, b])?;
    let (lr, step) = (g.input("lr", [])?, g.input("step", [])?);
    g.adam(Adam::default(), &[w, b], &gradients, lr, step)?;
    g.output("loss", loss);
    g.output("total", counts.cast(DType::F32)?.sum()?);
    g.finish()
}

/// Every state value, as bits.
pub fn bits(session: &Session) -> Vec<(String, Vec<u32>)> {
    let bits = |name: &str| session.read_state(name).unwrap().iter().map(|x| x.to_bits()).collect();
    session.state_names().map(|name| (name.to_owned(), bits(name))).collect()
}

/// An empty folder for one test's files.
pub fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    // It is not there when the test runs for the first time.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Names of the files in a folder, sorted.
pub fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
