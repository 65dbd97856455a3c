//! Kernels of training steps at the sizes those have, one thread, beside the peer.

use std::hint::black_box;

use whimbrel_kernels::gather::gather_rows;
use whimbrel_kernels::norm::{Affine, layer_norm};
use whimbrel_kernels::optim::{Adam, AdamStep};
use whimbrel_kernels::softmax::softmax;

use super::SUITE;
use crate::arrays::Array;
use crate::context::{Case, Context, Report, Rival};
use crate::error::{Error, Result};
use crate::fill::{self, Digest};
use crate::machine::Work;
use crate::row::{Row, Unit};

/// Parameters of an update: a dense layer of 1024 by 1024.
const PARAMETERS: usize = 1 << 20;

/// A batch gathered from a table of windows: windows in the table, values in each, batch.
const GATHER: [usize; 3] = [10_000, 24, 1024];

/// Along what softmax and layer norm run, and how often: channels, items.
const CHANNELS: [usize; 2] = [128, 1024];

/// How a kernel is measured, by the name of its case.
type Measured = (&'static str, fn(&mut Context) -> Result<Row>);

/// Every kernel.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let kernels: [Measured; 4] = [
        ("t1/adam", adam),
        ("t1/gather", gather),
        ("t1/softmax", |context| {
            channels(context, "softmax", |sizes, x, y, _| softmax(sizes, x, y))
        }),
        ("t1/layer-norm", |context| {
            channels(context, "layer-norm", |sizes, x, y, [mean, rstd]| {
                layer_norm(sizes, 1e-5, x, Affine::default(), y, mean, rstd);
            })
        }),
    ];
    let mut rows = Vec::new();
    for (name, measure) in kernels {
        if context.wants(name) {
            rows.push(measure(context)?);
        }
    }
    Ok(rows)
}

/// A kernel `(sizes, x, y, two statistics an item)` along the channels of a batch in lanes, beside
/// the peer's along its rows.
fn channels(
    context: &mut Context,
    kernel: &str,
    run: impl Fn([usize; 3], &[f32], &mut [f32], [&mut [f32]; 2]),
) -> Result<Row> {
    let [channels, items] = CHANNELS;
    let x = Array::transposed(&fill::values(1, items * channels), items, channels)?;
    let mut y = Array::zeros(channels * items)?;
    let (mut mean, mut rstd) = (Array::zeros(items)?, Array::zeros(items)?);
    run([1, channels, items], &x, &mut y, [&mut mean, &mut rstd]);
    let answer = Digest::of(&Array::transposed(&y, channels, items)?);
    let (name, rival) = (format!("t1/{kernel}"), format!("{kernel}/{items}x{channels}"));
    let case = Case {
        suite: SUITE,
        name: &name,
        report: Report::rate(Unit::GigabytesPerSecond, (8 * channels * items) as f64),
        work: None,
        threads: 1,
        peer: Some(Rival { case: &rival, threads: &[1], answer: Some((answer, 1e-5)) }),
    };
    context
        .measure(&case, || run([1, channels, items], black_box(&x), &mut y, [&mut mean, &mut rstd]))
}

fn adam(context: &mut Context) -> Result<Row> {
    let mut parameter = Array::of(&fill::values(1, PARAMETERS))?;
    let gradient = Array::of(&fill::values(2, PARAMETERS))?;
    let (mut mean, mut square) = (Array::zeros(PARAMETERS)?, Array::zeros(PARAMETERS)?);
    let adam = Adam { beta1: 0.9, beta2: 0.999, eps: 1e-8, weight_decay: 0.0, decoupled: false };
    let step = AdamStep { step_size: 1e-3, sqrt_bias2: 1.0, lr: 1e-3 };
    // Parameter and both averages are read and written, the gradient read.
    let bytes = (7 * 4 * PARAMETERS) as f64;
    let rival = format!("adam/{PARAMETERS}");
    let case = Case {
        suite: SUITE,
        name: "t1/adam",
        report: Report::rate(Unit::GigabytesPerSecond, bytes),
        work: Some(Work { bytes, footprint: (4 * 4 * PARAMETERS) as f64, ..Work::default() }),
        threads: 1,
        peer: Some(Rival { case: &rival, threads: &[1], answer: None }),
    };
    context.measure(&case, || {
        let states = [&mut parameter[..], &mut mean[..], &mut square[..]];
        adam.states(step, states).update(black_box(&gradient));
    })
}

fn gather(context: &mut Context) -> Result<Row> {
    let [rows, features, items] = GATHER;
    let table = Array::of(&fill::values(1, rows * features))?;
    let index: Vec<i32> = (0..items).map(|i| (i * 7919 % rows) as i32).collect();
    let mut dst = Array::zeros(features * items)?;
    gather_rows(&table, features, &index, &mut dst)
        .map_err(|e| Error::Suite { suite: SUITE, what: format!("gather: {e:?}") })?;
    let gathered = Array::transposed(&dst, features, items)?;
    let rival = format!("gather/{rows}x{features}x{items}");
    let case = Case {
        suite: SUITE,
        name: "t1/gather",
        report: Report::rate(Unit::GigabytesPerSecond, (8 * features * items) as f64),
        work: None,
        threads: 1,
        peer: Some(Rival {
            case: &rival,
            threads: &[1],
            answer: Some((Digest::of(&gathered), 1e-12)),
        }),
    };
    context.measure(&case, || {
        let _ = black_box(gather_rows(&table, features, black_box(&index), &mut dst));
    })
}
