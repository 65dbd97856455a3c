//! Preprocessing of a million values: one long series, and a panel of many.
//!
//! Columns are filled into given outputs by two threads, in huge pages, as numpy asks for them too. Each
//! case names the bytes it cannot but move: the values read once, each column written once.

use std::hint::black_box;

use whimbrel_forecast::features::{Feature, Features, Window};
use whimbrel_forecast::{Panel, Transform};
use whimbrel_threads::Pool;

use crate::context::{Case, Context, Report, Rival};
use crate::error::{Error, Result};
use crate::fill::Digest;
use crate::forecasters::{failed, panel};
use crate::machine::Work;
use crate::machine::pages::{Mapping, Pages};
use crate::row::{Row, Unit};

const SUITE: &str = "forecast-data";

/// Series, and the values of each.
const SHAPES: [(usize, usize); 2] = [(1, 1_000_000), (1000, 1000)];

const THREADS: usize = 2;

/// What is computed.
enum Operation {
    Transform(Transform),
    Features(Features),
}

/// Every operation over every shape.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let windows = [7, 24, 168].map(Window::of);
    let rolling = windows
        .into_iter()
        .fold(Features::new(), |all, window| all.rolling_mean(window).rolling_std(window));
    let operations = [
        ("scale", 1e-5, Operation::Transform(Transform::Standard)),
        ("difference", 1e-6, Operation::Features(Features::new().with(Feature::Difference(1)))),
        ("lags", 0.0, Operation::Features(Features::new().lags([1, 2, 3, 6, 12, 24]))),
        // The fastest peer keeps its sums in f32.
        ("rolling", 1e-3, Operation::Features(rolling)),
        ("fourier-24", 1e-5, Operation::Features(Features::new().fourier(24.0, 2))),
        ("fourier-365.25", 1e-5, Operation::Features(Features::new().fourier(365.25, 2))),
    ];
    let mut rows = Vec::new();
    for (series, length) in SHAPES {
        let names = operations.iter().map(|(name, ..)| format!("{name}/{series}x{length}"));
        let names: Vec<String> = names.collect();
        if !names.iter().any(|name| context.wants(name)) {
            continue;
        }
        let panel = panel(series, length).map_err(failed(SUITE))?;
        for ((_, allowed, operation), name) in operations.iter().zip(&names) {
            if context.wants(name) {
                rows.push(measure(context, name, *allowed, operation, &panel)?);
            }
        }
    }
    Ok(rows)
}

fn measure(
    context: &mut Context,
    name: &str,
    allowed: f64,
    operation: &Operation,
    panel: &Panel,
) -> Result<Row> {
    let pool = Pool::new(THREADS);
    let columns = match operation {
        Operation::Transform(_) => 1,
        Operation::Features(features) => features.list().len(),
    };
    let mut results = Mapping::new(columns * panel.rows(), Pages::Huge)
        .ok_or_else(|| Error::Suite { suite: SUITE, what: "no memory for the columns".into() })?;
    let results = results.as_mut_slice();
    operation.run(panel, &pool, results)?;
    let known = |x: &f32| if x.is_nan() { 0.0 } else { *x };
    let answer = Digest::of(&results.iter().map(known).collect::<Vec<f32>>());
    let bytes = (4 * (columns + 1) * panel.rows()) as f64;
    let case = Case {
        suite: SUITE,
        name,
        report: Report::time(Unit::Milliseconds),
        work: Some(Work { bytes, ..Work::default() }),
        threads: THREADS,
        peer: Some(Rival { case: name, threads: &[THREADS], answer: Some((answer, allowed)) }),
    };
    let mut failure = None;
    let row = context.measure(&case, || {
        failure = operation.run(black_box(panel), &pool, results).err().or(failure.take());
    })?;
    failure.map_or(Ok(row), Err)
}

impl Operation {
    fn run(&self, panel: &Panel, pool: &Pool, results: &mut [f32]) -> Result<()> {
        let mut columns: Vec<&mut [f32]> = results.chunks_mut(panel.rows()).collect();
        let done = match (self, &mut columns[..]) {
            (Operation::Transform(transform), [column]) => {
                transform.apply_into(panel, 0, pool, column).map(|_| ())
            }
            (Operation::Transform(_), _) => Ok(()),
            (Operation::Features(features), columns) => features.compute_into(panel, pool, columns),
        };
        done.map_err(failed(SUITE))
    }
}
