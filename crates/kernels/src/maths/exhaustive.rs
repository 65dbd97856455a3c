//! The promised accuracy at every one of the 2^32 f32 values, on every instruction set.

use super::tests::{PROMISES, worst};
use crate::elementwise::reference;
use crate::simd::Isa;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

const CHUNK: u64 = 1 << 20;

/// Holds one function to its promise; threads take chunks of bit patterns.
fn holds_everywhere(name: &str) {
    let &(op, promise) = PROMISES.iter().find(|(op, _)| format!("{op:?}") == name).unwrap();
    let next = AtomicU32::new(0);
    let work = || {
        let mut largest = [(0.0, 0.0f32); 3];
        loop {
            let first = u64::from(next.fetch_add(1, Ordering::Relaxed)) * CHUNK;
            if first > u64::from(u32::MAX) {
                return largest;
            }
            let inputs: Vec<f32> =
                (first..first + CHUNK).map(|bits| f32::from_bits(bits as u32)).collect();
            let exact: Vec<f64> =
                inputs.iter().map(|x| reference::unary(op, f64::from(*x))).collect();
            for (largest, isa) in largest.iter_mut().zip(Isa::ALL) {
                if isa.available() {
                    let found = worst(op, promise, isa, &inputs, &exact);
                    if found.0 > largest.0 {
                        *largest = found;
                    }
                }
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    let found: Vec<_> = thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    for (i, isa) in Isa::ALL.into_iter().enumerate() {
        let (error, at) =
            found.iter().map(|f| f[i]).fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
        println!("{name} {}: {error:.4e} at {at:e}", isa.name());
        assert!(error <= promise.limit(), "{name} {}: {error} at {at:e}", isa.name());
    }
}

macro_rules! everywhere {
    ($($test:ident = $name:literal;)*) => {
        $(
            #[test]
            #[ignore = "exhaustive: minutes"]
            fn $test() {
                holds_everywhere($name);
            }
        )*
    };
}

everywhere! {
    exp_holds_everywhere = "Exp";
    expm1_holds_everywhere = "Expm1";
    log_holds_everywhere = "Log";
    log1p_holds_everywhere = "Log1p";
    tanh_holds_everywhere = "Tanh";
    sigmoid_holds_everywhere = "Sigmoid";
    silu_holds_everywhere = "Silu";
    softplus_holds_everywhere = "Softplus";
    erf_holds_everywhere = "Erf";
    gelu_holds_everywhere = "Gelu";
    gelu_slope_holds_everywhere = "GeluSlope";
    gelu_tanh_holds_everywhere = "GeluTanh";
    gelu_tanh_slope_holds_everywhere = "GeluTanhSlope";
    sin_holds_everywhere = "Sin";
    cos_holds_everywhere = "Cos";
    rsqrt_holds_everywhere = "Rsqrt";
}
