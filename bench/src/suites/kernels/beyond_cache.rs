//! Element-wise kernels over arrays far larger than the caches, two threads.

use whimbrel_kernels::elementwise::{
    Binary, Input, Output, Program, Source, Step, Target, Unary, binary, unary,
};
use whimbrel_threads::Pool;

use super::SUITE;
use crate::arrays::{Array, Cut, parts};
use crate::context::{Case, Context, Report, Rival};
use crate::error::{Error, Result};
use crate::fill::{self, Digest};
use crate::machine::bandwidth::Pattern;
use crate::row::{Row, Unit};

const THREADS: usize = 2;

/// Values of an array: two of them are 256 MiB.
const LEN: usize = 1 << 25;

/// Pieces a kernel is cut into: enough that a thread held up does not hold up the other.
const PIECES: usize = 16;

/// Largest relative distance to the peer's values: both round vector mathematics their own way.
const ALLOWED: f64 = 1e-5;

/// The factor of `scale`; `peers/kernels.py` has the same.
const FACTOR: f32 = 1.5;

#[derive(Clone, Copy, Debug)]
enum Kernel {
    Add,
    Scale,
    Unary(&'static str, Unary),
}

const KERNELS: [Kernel; 6] = [
    Kernel::Add,
    Kernel::Unary("relu", Unary::Relu),
    Kernel::Scale,
    Kernel::Unary("exp", Unary::Exp),
    Kernel::Unary("tanh", Unary::Tanh),
    Kernel::Unary("gelu", Unary::Gelu),
];

impl Kernel {
    fn name(self) -> &'static str {
        match self {
            Kernel::Add => "add",
            Kernel::Scale => "scale",
            Kernel::Unary(name, _) => name,
        }
    }

    /// Arrays read and written.
    fn arrays(self) -> usize {
        if matches!(self, Kernel::Add) { 3 } else { 2 }
    }
}

/// Every kernel.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let wanted: Vec<(String, Kernel)> = KERNELS
        .into_iter()
        .map(|kernel| (format!("memory/t{THREADS}/{}", kernel.name()), kernel))
        .filter(|(name, _)| context.wants(name))
        .collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let mut stream = Stream::new()?;
    wanted.into_iter().map(|(name, kernel)| stream.measure(context, &name, kernel)).collect()
}

/// The arrays, and how threads share them.
struct Stream {
    x: Array,
    y: Array,
    dst: Array,
    copied: Array,
    ranges: Vec<std::ops::Range<usize>>,
    cut: Cut<1>,
    pool: Pool,
    scale: Program,
}

impl Stream {
    fn new() -> Result<Stream> {
        let ranges = parts(LEN, LEN / PIECES, PIECES);
        let product = Step::binary(
            Binary::Mul,
            Source::Input(0),
            Source::Constant(FACTOR),
            Target::Output(0),
        );
        let refused = |e| Error::Suite { suite: SUITE, what: format!("scale: {e}") };
        Ok(Stream {
            x: Array::of(&fill::values(1, LEN))?,
            y: Array::of(&fill::values(2, LEN))?,
            dst: Array::zeros(LEN)?,
            copied: Array::zeros(LEN)?,
            cut: Cut::along(LEN, &ranges)?,
            ranges,
            pool: Pool::new(THREADS),
            scale: Program::new(1, &[Output::Fresh], vec![product]).map_err(refused)?,
        })
    }

    fn measure(&mut self, context: &mut Context, name: &str, kernel: Kernel) -> Result<Row> {
        let Stream { x, y, dst, copied, ranges, cut, pool, scale } = self;
        let (x, y, ranges, scale) = (&*x, &*y, &*ranges, &*scale);
        let call = |dst: &mut Array| {
            cut.fill(pool, dst, |piece, [dst]| {
                let (x, y) = (&x[ranges[piece].clone()], &y[ranges[piece].clone()]);
                match kernel {
                    Kernel::Add => binary(Binary::Add, x, y, dst),
                    Kernel::Scale => scale.run(0, &[Input::Dense(x)], &mut [dst]),
                    Kernel::Unary(_, op) => unary(op, x, dst),
                }
            });
        };
        call(dst);
        let answer = Digest::of(dst);
        let bytes = (4 * LEN * kernel.arrays()) as f64;
        // The least seconds of a call: as many bytes at the rate of a plain copy.
        let mut least = || {
            let start = std::time::Instant::now();
            cut.fill(pool, copied, |piece, [dst]| {
                Pattern::Copy.run(1, dst, &x[ranges[piece].clone()], &[]);
            });
            bytes * start.elapsed().as_secs_f64() / (4 * LEN * Pattern::Copy.arrays()) as f64
        };
        let rival = format!("{}/{LEN}", kernel.name());
        let case = Case {
            suite: SUITE,
            name,
            report: Report::rate(Unit::GigabytesPerSecond, bytes),
            work: None,
            threads: THREADS,
            peer: Some(Rival {
                case: &rival,
                threads: &[1, THREADS],
                answer: Some((answer, ALLOWED)),
            }),
        };
        context.measure_within(&case, || call(dst), &mut least)
    }
}
