//! Rates of the matrix products on one thread, beside the FMA peak measured between them:
//! `cargo run --release -p whimbrel-kernels --example gemm [filter]`.

use std::hint::black_box;
use std::time::Instant;
use whimbrel_kernels::gemm::*;
use whimbrel_kernels::optim::{Adam, AdamStep};
use whimbrel_kernels::simd::{Kernel, Simd, run};

/// Independent chains, enough to keep every FMA unit busy.
struct Peak(usize);

impl Kernel for Peak {
    type Output = (f32, f64);
    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> (f32, f64) {
        let (a, b) = (s.splat(black_box(0.999)), s.splat(black_box(1e-3)));
        let mut acc = [s.splat(1.0); 12];
        for _ in 0..self.0 {
            for chain in &mut acc {
                *chain = s.fma(*chain, a, b);
            }
        }
        let total = acc.into_iter().fold(s.splat(0.0), |t, c| s.add(t, c));
        (s.sum(total), (self.0 * 12 * 2 * S::LANES) as f64)
    }
}

/// GFLOP/s of one short run of independent FMAs.
fn peak() -> f64 {
    let from = Instant::now();
    let (value, flops) = run(Peak(20_000));
    black_box(value);
    flops / from.elapsed().as_secs_f64() / 1e9
}

const ROUNDS: usize = 101;

const ADAM: Adam =
    Adam { beta1: 0.9, beta2: 0.999, eps: 1e-8, weight_decay: 0.0, decoupled: false };
const STEP: AdamStep = AdamStep { step_size: 1e-3, sqrt_bias2: 1.0, lr: 1e-3 };

/// Prints the median and best rate of `work`, and their shares of the peak of the same rounds.
fn report(filter: &str, name: &str, flops: f64, bytes: f64, mut work: impl FnMut()) {
    if !name.contains(filter) {
        return;
    }
    work();
    let from = Instant::now();
    work();
    let repeat = (2e-4 / from.elapsed().as_secs_f64()).ceil().clamp(1.0, 1e5) as usize;
    let (mut rates, mut peaks) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        peaks.push(peak());
        let from = Instant::now();
        for _ in 0..repeat {
            work();
        }
        rates.push(flops * repeat as f64 / from.elapsed().as_secs_f64() / 1e9);
    }
    rates.sort_by(f64::total_cmp);
    peaks.sort_by(f64::total_cmp);
    let (median, best) = (rates[ROUNDS / 2], rates[ROUNDS - 1]);
    let (peak, top) = (peaks[ROUNDS / 2], peaks[ROUNDS - 1]);
    println!(
        "{name:32} {median:7.1} GFLOP/s {:5.1} % of {peak:5.1}; best {best:7.1} {:5.1} % of {top:5.1}; {:6.1} GB/s",
        100.0 * median / peak,
        100.0 * best / top,
        bytes * best / flops,
    );
}

/// Zeros on a cache line's boundary, where arenas put their values.
struct Aligned {
    memory: Vec<f32>,
    first: usize,
    len: usize,
}

impl Aligned {
    fn zeros(len: usize) -> Self {
        let memory = vec![0.0; len + 16];
        let first = memory.as_ptr().align_offset(64);
        Aligned { memory, first, len }
    }

    fn values(len: usize) -> Self {
        let mut aligned = Aligned::zeros(len);
        for (i, value) in aligned.iter_mut().enumerate() {
            *value = ((i * 7919 + 13) % 1009) as f32 / 1009.0 - 0.5;
        }
        aligned
    }
}

impl std::ops::Deref for Aligned {
    type Target = [f32];
    fn deref(&self) -> &[f32] {
        &self.memory[self.first..][..self.len]
    }
}

impl std::ops::DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.memory[self.first..][..self.len]
    }
}

fn packed(outputs: usize, inputs: usize) -> Aligned {
    let mut packed = Aligned::zeros(packed_len(outputs, inputs));
    pack(outputs, inputs, &Aligned::values(outputs * inputs), &mut packed);
    packed
}

/// Lanes, inputs, outputs.
const LAYERS: [(usize, usize, usize); 25] = [
    (64, 64, 64),
    (128, 128, 128),
    (256, 256, 256),
    (8, 24, 512),
    (8, 512, 512),
    (16, 512, 512),
    (16, 64, 64),
    (16, 128, 512),
    (32, 128, 512),
    (32, 24, 512),
    (32, 64, 64),
    (32, 54, 54),
    (32, 512, 512),
    (32, 512, 12),
    (32, 1024, 1024),
    (48, 512, 512),
    (64, 512, 512),
    (64, 1024, 1024),
    (256, 512, 512),
    (1024, 512, 512),
    (512, 32, 512),
    (5, 512, 512),
    (1, 512, 512),
    (1, 1024, 1024),
    (1, 4096, 4096),
];

/// Rows, steps, columns of plain products.
const PLAIN: [(usize, usize, usize); 16] = [
    (64, 64, 64),
    (128, 128, 128),
    (256, 256, 256),
    (512, 512, 512),
    (1024, 1024, 1024),
    (2048, 2048, 2048),
    (16, 512, 512),
    (32, 512, 512),
    (64, 512, 512),
    (32, 1024, 1024),
    (64, 1024, 1024),
    (512, 32, 512),
    (32, 512, 12),
    (1, 512, 512),
    (1, 1024, 1024),
    (1, 4096, 4096),
];

fn plain(filter: &str) {
    for (m, k, n) in PLAIN {
        let dims = GemmDims::contiguous(m, k, n);
        let (a, b) = (Aligned::values(m * k), Aligned::values(k * n));
        let (mut c, mut scratch) = (Aligned::zeros(m * n), Aligned::zeros(dims.scratch_len()));
        let (flops, bytes) = (2.0 * (m * k * n) as f64, 4.0 * (m * k + k * n + m * n) as f64);
        report(filter, &format!("plain {m}x{k}x{n}"), flops, bytes, || {
            gemm(dims, &a, &b, &mut c, Start::Zero, &mut scratch);
        });
    }
}

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    plain(&filter);
    for (lanes, inputs, outputs) in LAYERS {
        let w = packed(outputs, inputs);
        let x = Aligned::values(inputs * lanes);
        let mut y = Aligned::zeros(outputs * lanes);
        let flops = 2.0 * (lanes * inputs * outputs) as f64;
        let bytes = 4.0 * w.len() as f64;
        let shape = format!("{lanes}x{inputs}x{outputs}");
        report(&filter, &format!("forward {shape}"), flops, bytes, || {
            let dims = DenseDims { rows: outputs, inputs, lanes };
            dense_forward(dims, &w, &x, &mut y, Start::Zero);
        });
        report(&filter, &format!("onto {shape}"), flops, bytes, || {
            let dims = DenseDims { rows: outputs, inputs, lanes };
            dense_forward(dims, &w, &x, &mut y, Start::Dst);
        });
        let dy = Aligned::values(outputs * lanes);
        let mut dx = Aligned::zeros(inputs * lanes);
        report(&filter, &format!("input grad {shape}"), flops, bytes, || {
            let dims = InputGradDims { outputs, inputs, first: 0, rows: inputs, lanes };
            input_grad(dims, &w, &dy, &mut dx, Start::Zero);
        });
        // The batch as blocks of at most 64 lanes, as plans cut it.
        let (lanes, blocks) = if lanes > 64 { (64, lanes / 64) } else { (lanes, 1) };
        let dims = WeightGradDims {
            rows: outputs,
            inputs,
            lanes,
            blocks,
            dy_block: outputs * lanes,
            x_block: inputs * lanes,
        };
        let mut dw = Aligned::zeros(w.len());
        report(&filter, &format!("weight grad {shape}"), flops, bytes, || {
            weight_grad(dims, &dy, &x, &mut dw, Start::Zero);
        });
        let mut states = [(); 3].map(|()| Aligned::zeros(w.len()));
        report(&filter, &format!("weight grad and Adam {shape}"), flops, bytes, || {
            let states = states.each_mut().map(|state| &mut state[..]);
            weight_grad_update(dims, &dy, &x, &mut ADAM.states(STEP, states));
        });
    }
}
