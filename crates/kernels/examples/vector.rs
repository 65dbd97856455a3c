//! Rough rates of the element-wise kernels: in the first-level cache against scalar code, and
//! beyond every cache against a plain copy of the same pages.
//!
//! `cargo run --release -p whimbrel-kernels --example vector [cache] [programs] [memory]`

use std::hint::black_box;
use std::time::{Duration, Instant};
use whimbrel_kernels::copy::transpose;
use whimbrel_kernels::elementwise::{
    Binary, Broadcast, Input, Output, Program, Source, Step, Target, Unary, binary, unary,
};
use whimbrel_kernels::gather::gather_rows;
use whimbrel_kernels::optim::{Adam, AdamStep};
use whimbrel_kernels::reduce::{Reduce, dot, reduce, sum};
use whimbrel_kernels::simd::Isa;

/// Seconds of one call: the best of several short runs, for other programs may be running.
fn seconds(mut call: impl FnMut()) -> f64 {
    let once = Instant::now();
    call();
    let calls = (2e-3 / once.elapsed().as_secs_f64().max(1e-9)).clamp(1.0, 1e6) as u32;
    let runs = (0..15).map(|_| {
        let start = Instant::now();
        (0..calls).for_each(|_| call());
        start.elapsed()
    });
    runs.min().unwrap_or(Duration::ZERO).as_secs_f64() / f64::from(calls)
}

fn ramp(len: usize) -> Vec<f32> {
    (0..len).map(|i| (i as f32 * 0.618).fract() * 8.0 - 4.0).collect()
}

/// A function and what it would be as scalar code.
type Function = (Unary, Option<fn(f32) -> f32>);

fn scalar_gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + (0.797_884_6 * (x + 0.044_715 * x * x * x)).tanh())
}

fn in_cache() {
    let n = 4096;
    let (x, w) = (ramp(n), ramp(n));
    let mut y = vec![0.0f32; n];
    println!("\nin the first-level cache, {n} elements        ns/element   scalar    faster");
    let row = |name: &str, ours: f64, scalar: Option<f64>| {
        let per = |t: f64| t / n as f64 * 1e9;
        let scalar = scalar.map(|t| format!("{:9.3} {:8.1}x", per(t), t / ours));
        println!("  {name:<40} {:9.3} {}", per(ours), scalar.unwrap_or_default());
    };
    let functions: [Function; 16] = [
        (Unary::Exp, Some(f32::exp)),
        (Unary::Tanh, Some(f32::tanh)),
        (Unary::Sigmoid, Some(|x| 1.0 / (1.0 + (-x).exp()))),
        (Unary::Gelu, Some(scalar_gelu)),
        (Unary::GeluTanh, Some(scalar_gelu)),
        (Unary::GeluSlope, None),
        (Unary::Silu, Some(|x| x / (1.0 + (-x).exp()))),
        (Unary::Softplus, Some(|x| x.max(0.0) + (-x.abs()).exp().ln_1p())),
        (Unary::Erf, None),
        (Unary::Log, Some(f32::ln)),
        (Unary::Log1p, Some(f32::ln_1p)),
        (Unary::Sin, Some(f32::sin)),
        (Unary::Cos, Some(f32::cos)),
        (Unary::Sqrt, None),
        (Unary::Recip, None),
        (Unary::Relu, None),
    ];
    for (op, scalar) in functions {
        let ours = seconds(|| unary(op, black_box(&x), black_box(&mut y)));
        let scalar = scalar.map(|f| {
            seconds(|| {
                for (y, x) in black_box(&mut y[..]).iter_mut().zip(black_box(&x)) {
                    *y = f(*x);
                }
            })
        });
        row(&format!("{op:?}").to_lowercase(), ours, scalar);
    }
    for op in [Binary::Add, Binary::Mul, Binary::Div, Binary::Max, Binary::Pow] {
        let ours = seconds(|| binary(op, black_box(&x), black_box(&w), black_box(&mut y)));
        row(&format!("{op:?}").to_lowercase(), ours, None);
    }
    let plain_sum = seconds(|| {
        black_box(black_box(&x).iter().sum::<f32>());
    });
    let plain_dot = seconds(|| {
        let terms = black_box(&x).iter().zip(black_box(&w));
        black_box(terms.fold(0.0, |sum, (x, w)| sum + x * w));
    });
    let ours = seconds(|| {
        black_box(sum(black_box(&x)));
    });
    row("sum", ours, Some(plain_sum));
    let ours = seconds(|| {
        black_box(dot(black_box(&x), black_box(&w)));
    });
    row("dot", ours, Some(plain_dot));
    for (outer, inner) in [(128, 1), (1, 32), (4, 32), (1, 1024)] {
        let sizes = (outer, n / outer / inner, inner);
        let dst = &mut y[..outer * inner];
        let ours = seconds(|| reduce(Reduce::Sum, sizes.0, sizes.1, sizes.2, black_box(&x), dst));
        row(&format!("sum of {sizes:?} along the middle"), ours, Some(plain_sum));
    }
    let ours = seconds(|| transpose(64, 64, black_box(&x), black_box(&mut y)));
    row("transpose 64 x 64", ours, None);
    let index: Vec<i32> = (0..128).map(|i| i * 37 % 113).collect();
    let table = ramp(113 * 32);
    let ours = seconds(|| gather_rows(black_box(&table), 32, &index, &mut y).unwrap());
    row("gather 128 rows of 32", ours, None);
    let adam = Adam { beta1: 0.9, beta2: 0.999, eps: 1e-8, weight_decay: 0.0, decoupled: false };
    let step = AdamStep { step_size: 1e-3, sqrt_bias2: 1.0, lr: 1e-3 };
    let (mut p, mut m, mut v) = (ramp(n), vec![0.0; n], vec![0.0; n]);
    let ours = seconds(|| adam.states(step, [&mut p, &mut m, &mut v]).update(black_box(&x)));
    row("adam", ours, None);
}

fn programs() {
    use Source::{Constant, Input as In, Register};
    let out = Target::Output(0);
    let one = vec![Step::binary(Binary::Add, In(0), In(1), out)];
    let three = vec![
        Step::binary(Binary::Add, In(0), In(1), Target::Register(0)),
        Step::binary(Binary::Mul, Register(0), Constant(0.5), Target::Register(0)),
        Step::unary(Unary::Relu, Register(0), out),
    ];
    println!("\nprograms                                      elements   ns a run   ns/element");
    for (name, steps) in [("add", one), ("add, scale, relu", three)] {
        let program = Program::new(2, &[Output::Fresh], steps).unwrap();
        for (lanes, rows) in [(30, 10), (32, 32), (32, 512)] {
            let n = lanes * rows;
            let (x, w) = (ramp(n), ramp(n));
            let mut y = vec![0.0f32; n];
            let layouts = [
                ("dense", None),
                ("bias per row", Some(Broadcast::row(rows, lanes))),
                ("bias per lane", Some(Broadcast::lane(rows, lanes))),
            ];
            for (kind, layout) in &layouts {
                let second = match layout {
                    None => Input::Dense(&w),
                    Some(layout) => Input::Broadcast(&w, layout),
                };
                let t = seconds(|| {
                    program.run(0, black_box(&[Input::Dense(&x), second]), &mut [&mut y]);
                });
                let label = format!("{name} ({kind})");
                println!("  {label:<42} {n:8} {:10.1} {:10.3}", t * 1e9, t / n as f64 * 1e9);
            }
        }
    }
}

/// Runs `work` on equal parts of the index range, one thread each.
fn on_threads(threads: usize, len: usize, work: impl Fn(usize, usize) + Sync) {
    if threads == 1 {
        return work(0, len);
    }
    std::thread::scope(|scope| {
        for t in 0..threads {
            let work = &work;
            scope.spawn(move || work(len * t / threads, len * (t + 1) / threads));
        }
    });
}

fn beyond_cache() {
    let n = 32 << 20;
    let (x, w) = (ramp(n), ramp(n));
    let mut y = vec![1.0f32; n];
    println!("\nbeyond every cache, {} MiB an array: GB/s (share of the copy)", n >> 18);
    for threads in [1, 2] {
        let base = y.as_mut_ptr() as usize;
        let part = |from: usize, to: usize| {
            // SAFETY: threads take disjoint ranges of y, which outlives them.
            unsafe { std::slice::from_raw_parts_mut((base as *mut f32).add(from), to - from) }
        };
        let copy = seconds(|| {
            on_threads(threads, n, |from, to| part(from, to).copy_from_slice(&x[from..to]));
        });
        let gigabytes = |t: f64, arrays: usize| (arrays * 4 * n) as f64 / t / 1e9;
        println!("  {threads} threads: copy {:.1}", gigabytes(copy, 2));
        let run = |name: &str, inputs: &[&[f32]], step: Step| {
            let program = Program::new(inputs.len(), &[Output::Fresh], vec![step]).unwrap();
            let t = seconds(|| {
                on_threads(threads, n, |from, to| {
                    let mut slices = [Input::Scalar(0.0); 2];
                    for (slice, input) in slices.iter_mut().zip(inputs) {
                        *slice = Input::Dense(&input[from..to]);
                    }
                    program.run(0, &slices[..inputs.len()], &mut [part(from, to)]);
                });
            });
            let rate = gigabytes(t, inputs.len() + 1);
            println!("    {name:<10} {rate:6.1} ({:3.0} %)", 100.0 * rate / gigabytes(copy, 2));
        };
        let (a, b, out) = (Source::Input(0), Source::Input(1), Target::Output(0));
        run("add", &[&x, &w], Step::binary(Binary::Add, a, b, out));
        run("scale", &[&x], Step::binary(Binary::Mul, a, Source::Constant(0.5), out));
        for op in [Unary::Relu, Unary::Exp, Unary::Tanh, Unary::Sigmoid, Unary::Gelu] {
            run(&format!("{op:?}").to_lowercase(), &[&x], Step::unary(op, a, out));
        }
    }
}

fn main() {
    println!("instruction set: {}", Isa::current().name());
    let parts: [(&str, fn()); 3] =
        [("cache", in_cache), ("programs", programs), ("memory", beyond_cache)];
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    for (name, part) in parts {
        if wanted.is_empty() || wanted.iter().any(|w| w == name) {
            part();
        }
    }
}
