//! Matrix products in f32, C `[m, n]` = A `[m, k]` B `[k, n]`, on one and two threads.
//!
//! `f32-packed/tT/MxKxN`: B was packed once as the weight of a dense layer, A and C have the batch
//! contiguous. `f32/tT/MxKxN`: all three row-major, packing included. One row is a matrix times a
//! vector; its limit is reading the matrix, all others' is arithmetic.

mod packed;
mod plain;
mod share;

use whimbrel_threads::Pool;

use crate::context::{Case, Context, Report, Rival};
use crate::error::Result;
use crate::fill::{self, Digest};
use crate::machine::Work;
use crate::row::{Row, Unit};
use packed::Packed;
use plain::Plain;

const SUITE: &str = "gemm";

/// Rounding of sums of at most 8192 terms, relative to the mean size of a result.
const ALLOWED: f64 = 1e-4;

const THREADS: [usize; 2] = [1, 2];

/// m, k, n: squares, layers at small batches, matrix times vector in and beyond the second-level
/// cache.
const SHAPES: [Shape; 23] = [
    shape(64, 64, 64),
    shape(128, 128, 128),
    shape(256, 256, 256),
    shape(512, 512, 512),
    shape(1024, 1024, 1024),
    shape(2048, 2048, 2048),
    shape(8, 24, 512),
    shape(8, 512, 512),
    shape(16, 512, 512),
    shape(32, 24, 512),
    shape(32, 512, 512),
    shape(32, 512, 12),
    shape(32, 1024, 1024),
    shape(64, 512, 512),
    shape(64, 1024, 1024),
    shape(256, 512, 512),
    shape(1024, 512, 512),
    shape(512, 32, 512),
    shape(16, 64, 64),
    shape(1, 512, 512),
    shape(1, 1024, 1024),
    shape(1, 4096, 4096),
    shape(1, 8192, 4096),
];

/// Sizes of a product.
#[derive(Clone, Copy, Debug)]
struct Shape {
    m: usize,
    k: usize,
    n: usize,
}

const fn shape(m: usize, k: usize, n: usize) -> Shape {
    Shape { m, k, n }
}

impl Shape {
    fn flops(&self) -> f64 {
        2.0 * (self.m * self.k * self.n) as f64
    }

    /// Bytes of all three matrices.
    fn bytes(&self) -> f64 {
        4.0 * (self.m * self.k + self.k * self.n + self.m * self.n) as f64
    }

    /// What limits it: arithmetic, or reading B where nothing of it is used twice.
    fn work(&self) -> Work {
        match self.m {
            1 => Work { bytes: self.bytes(), reads: true, ..Work::default() },
            _ => Work { flops: self.flops(), ..Work::default() },
        }
    }
}

/// A product ready to run.
trait Product {
    /// Computes C.
    fn run(&mut self);
    /// C, row-major.
    fn answer(&self) -> Vec<f32>;
}

/// A product over the operands A and B with a team of threads; a team of one runs it whole.
type Prepare = fn(Shape, &[f32], &[f32], std::rc::Rc<Pool>) -> Result<Box<dyn Product>>;

/// The forms of a product by their names in cases.
const FORMS: [(&str, Prepare); 2] = [("f32", Plain::prepare), ("f32-packed", Packed::prepare)];

/// Every form of every shape on one and two threads.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let pools = THREADS.map(|threads| std::rc::Rc::new(Pool::new(threads)));
    let mut rows = Vec::new();
    for (form, prepare) in FORMS {
        for (threads, pool) in THREADS.into_iter().zip(&pools) {
            for shape in SHAPES {
                let Shape { m, k, n } = shape;
                let name = format!("{form}/t{threads}/{m}x{k}x{n}");
                if context.wants(&name) {
                    let (a, b) = (fill::values(1, m * k), fill::values(2, k * n));
                    let product = prepare(shape, &a, &b, pool.clone())?;
                    rows.push(measure(context, &name, shape, threads, product)?);
                }
            }
        }
    }
    Ok(rows)
}

fn measure(
    context: &mut Context,
    name: &str,
    shape: Shape,
    threads: usize,
    mut product: Box<dyn Product>,
) -> Result<Row> {
    product.run();
    let answer = Some((Digest::of(&product.answer()), ALLOWED));
    let case = Case {
        suite: SUITE,
        name,
        report: Report::rate(Unit::Gflops, shape.flops()),
        work: Some(shape.work()),
        threads,
        // With two threads allowed, one may still be the faster.
        peer: Some(Rival { case: name, threads: &THREADS[..threads], answer }),
    };
    context.measure(&case, || product.run())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C by the definition, in f64.
    fn plain(shape: Shape, a: &[f32], b: &[f32]) -> Vec<f32> {
        let Shape { m, k, n } = shape;
        let term = |i: usize, p: usize| f64::from(a[i / n * k + p]) * f64::from(b[p * n + i % n]);
        (0..m * n).map(|i| (0..k).map(|p| term(i, p)).sum::<f64>() as f32).collect()
    }

    #[test]
    fn every_form_computes_the_product_on_one_and_on_two_threads() {
        for sizes in [shape(1, 700, 90), shape(9, 24, 513), shape(40, 33, 130), shape(150, 128, 80)]
        {
            let Shape { m, k, n } = sizes;
            let (a, b) = (fill::values(1, m * k), fill::values(2, k * n));
            let expected = Digest::of(&plain(sizes, &a, &b));
            for (form, prepare) in FORMS {
                for threads in THREADS {
                    let pool = std::rc::Rc::new(Pool::new(threads));
                    let mut product = prepare(sizes, &a, &b, pool).unwrap();
                    product.run();
                    let distance = expected.distance(&Digest::of(&product.answer()));
                    assert!(distance < 1e-5, "{form} t{threads} {sizes:?}: {distance}");
                }
            }
        }
    }

    #[test]
    fn a_vector_is_limited_by_bytes_and_everything_else_by_arithmetic() {
        assert_eq!(shape(1, 4, 4).work().flops, 0.0);
        assert_eq!(shape(2, 3, 4).work(), Work { flops: 48.0, ..Work::default() });
    }
}
