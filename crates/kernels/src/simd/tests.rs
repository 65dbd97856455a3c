//! Every instruction set of the machine against scalar arithmetic, lane by lane.

use super::*;
use crate::check::isas;

/// Applies one vector operation to every lane-sized group of two inputs, or to groups of four.
struct Apply<'a, F> {
    op: F,
    by_four: bool,
    a: &'a [f32],
    b: &'a [f32],
    out: &'a mut [f32],
}

trait Op2 {
    fn apply<S: Simd>(&self, s: S, a: S::F, b: S::F) -> S::F;
}

impl<F: Op2> Kernel for Apply<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        if self.by_four { self.apply(s.four()) } else { self.apply(s) }
    }
}

impl<F: Op2> Apply<'_, F> {
    #[inline(always)]
    fn apply<S: Simd>(self, s: S) {
        for at in (0..self.a.len()).step_by(S::LANES) {
            let n = S::LANES.min(self.a.len() - at);
            // SAFETY: n elements remain in each slice of equal length.
            unsafe {
                let a = s.load_first(self.a.as_ptr().add(at), n);
                let b = s.load_first(self.b.as_ptr().add(at), n);
                s.store_first(self.out.as_mut_ptr().add(at), n, self.op.apply(s, a, b));
            }
        }
    }
}

macro_rules! op2 {
    ($name:ident, |$s:ident, $a:ident, $b:ident| $body:expr) => {
        #[derive(Clone, Copy)]
        struct $name;
        impl Op2 for $name {
            #[inline(always)]
            fn apply<S: Simd>(&self, $s: S, $a: S::F, $b: S::F) -> S::F {
                $body
            }
        }
    };
}

op2!(Add, |s, a, b| s.add(a, b));
op2!(Div, |s, a, b| s.div(a, b));
op2!(Fnma, |s, a, b| s.fnma(a, b, s.splat(1.0)));
op2!(Max, |s, a, b| s.max(a, b));
op2!(Round, |s, a, _b| s.round(a));
op2!(Floor, |s, a, _b| s.floor(a));
op2!(Less, |s, a, b| s.select(s.lt(a, b), a, s.neg(s.abs(b))));
op2!(NanToOne, |s, a, _b| s.select(s.is_nan(a), s.splat(1.0), a));
op2!(Exponent, |s, a, _b| s.to_float(s.sub_i(s.shr::<23>(s.bits(s.abs(a))), s.splat_i(127))));
op2!(Scale, |s, a, b| s.scale(a, b));
op2!(Flush, |s, a, _b| s.flush(a));
op2!(Sum, |s, a, b| s.splat(s.sum(s.add(a, b))));

fn inputs() -> (Vec<f32>, Vec<f32>) {
    let a: Vec<f32> = (0..37).map(|i| (i as f32 - 18.0) * 0.75).collect();
    let b: Vec<f32> = (0..37).map(|i| ((i * 7 % 11) as f32 - 4.0) * 1.25 + 0.125).collect();
    (a, b)
}

/// Every instruction set, with vectors of its width and of four lanes.
fn every_set() -> impl Iterator<Item = (Isa, bool)> {
    isas().flat_map(|isa| [(isa, false), (isa, true)])
}

fn holds_on_every_isa(op: impl Op2 + Copy, scalar: impl Fn(f32, f32) -> f32) {
    let (a, b) = inputs();
    for (isa, by_four) in every_set() {
        let mut out = vec![f32::NAN; a.len()];
        run_on(isa, Apply { op, by_four, a: &a, b: &b, out: &mut out });
        for i in 0..a.len() {
            assert_eq!(out[i], scalar(a[i], b[i]), "{} lane {i}: {} {}", isa.name(), a[i], b[i]);
        }
    }
}

#[test]
fn lanes_compute_what_scalars_compute() {
    holds_on_every_isa(Add, |a, b| a + b);
    holds_on_every_isa(Div, |a, b| a / b);
    holds_on_every_isa(Fnma, |a, b| 1.0 - a * b);
    holds_on_every_isa(Max, f32::max);
    holds_on_every_isa(Round, |a, _| a.round_ties_even());
    holds_on_every_isa(Floor, |a, _| a.floor());
    holds_on_every_isa(Less, |a, b| if a < b { a } else { -b.abs() });
    holds_on_every_isa(NanToOne, |a, _| a);
    holds_on_every_isa(Exponent, |a, _| if a == 0.0 { -127.0 } else { a.abs().log2().floor() });
}

#[test]
fn numbers_below_the_normal_range_are_flushed() {
    let values = [1e-39, -1e-39, -0.0, 0.0, f32::MIN_POSITIVE, -f32::MIN_POSITIVE, 1.0];
    let flushed = [0.0, 0.0, 0.0, 0.0, f32::MIN_POSITIVE, -f32::MIN_POSITIVE, 1.0];
    for (isa, by_four) in every_set() {
        let mut out = [f32::NAN; 7];
        run_on(isa, Apply { op: Flush, by_four, a: &values, b: &values, out: &mut out });
        assert_eq!(out.map(f32::to_bits), flushed.map(f32::to_bits), "{}", isa.name());
        run_on(isa, Apply { op: Flush, by_four, a: &[f32::NAN], b: &[0.0], out: &mut out[..1] });
        assert!(out[0].is_nan(), "{}", isa.name());
    }
}

#[test]
fn sums_of_whole_numbers_are_exact() {
    let ones = vec![1.0; 16];
    for (isa, by_four) in every_set() {
        let mut out = vec![0.0; 16];
        run_on(isa, Apply { op: Sum, by_four, a: &ones, b: &ones, out: &mut out });
        let lanes = if by_four {
            4.0
        } else if isa == Isa::Avx512 {
            16.0
        } else {
            8.0
        };
        assert_eq!(out[0], 2.0 * lanes, "{}", isa.name());
    }
}

#[test]
fn unknown_isa_is_named_in_the_error() {
    let message = IsaError { value: "mmx".into() }.to_string();
    assert!(message.contains("mmx") && message.contains("portable"), "{message}");
}

#[test]
fn scaling_reaches_from_the_denormals_to_infinity_and_rounds_once() {
    let values: Vec<f32> = (-252..=254).flat_map(|_| [0.75, 1.0, 1.3, 1.999_999_9]).collect();
    let powers: Vec<f32> = (-252..=254).flat_map(|n| [n as f32; 4]).collect();
    for (isa, by_four) in every_set() {
        let mut out = vec![f32::NAN; values.len()];
        run_on(isa, Apply { op: Scale, by_four, a: &values, b: &powers, out: &mut out });
        for ((a, n), scaled) in values.iter().zip(&powers).zip(out) {
            let exact = f64::from(*a) * 2.0f64.powi(*n as i32);
            assert_eq!(scaled, exact as f32, "{} {a} {n}", isa.name());
        }
    }
}

/// The sums of four rows, and whether all of a row are below 3.
struct Sums([[f32; 4]; 4]);

impl Kernel for Sums {
    type Output = ([f32; 4], bool);

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Self::Output {
        let q = s.four();
        let mut rows = [q.splat(0.0); 4];
        for (row, numbers) in rows.iter_mut().zip(&self.0) {
            *row = from_slice(q, numbers);
        }
        let mut sums = [0.0; 4];
        to_slice(q, q.sums(rows), &mut sums);
        (sums, q.all(q.lt(rows[0], q.splat(3.0))))
    }
}

#[test]
fn four_rows_are_summed_each_into_its_lane() {
    for isa in isas() {
        let rows = std::array::from_fn(|j| std::array::from_fn(|i| (10 * j + i) as f32));
        let (sums, below) = run_on(isa, Sums(rows));
        assert_eq!(sums, [6.0, 46.0, 86.0, 126.0], "{}", isa.name());
        assert!(!below && run_on(isa, Sums([[2.0; 4]; 4])).1, "{}", isa.name());
    }
}

#[test]
fn slices_shorter_than_a_vector_are_read_and_written_as_far_as_they_go() {
    struct Double<'a>(&'a [f32], &'a mut [f32]);
    impl Kernel for Double<'_> {
        type Output = ();
        #[inline(always)]
        fn run<S: Simd>(self, s: S) {
            let v = first_of_slice(s, self.0);
            first_to_slice(s, s.add(v, v), self.1);
        }
    }
    for isa in isas() {
        let (numbers, mut out) = ([1.0, 2.0, 3.0], [9.0; 5]);
        run_on(isa, Double(&numbers, &mut out));
        assert_eq!(out, [2.0, 4.0, 6.0, 0.0, 0.0], "{}", isa.name());
        run_on(isa, Double(&numbers, &mut out[..0]));
    }
}
