//! The logarithm of the gamma function, of which the likelihoods of counts and of heavy tails are
//! made. It is written in primitives, so that differentiation gives its derivative.

use std::f32::consts::TAU;
use whimbrel_graph::{GraphError, Var};

/// `log gamma(x)` for x above 0.
///
/// Stirling's series is good from 4 on: `log gamma(z) = (z - 1/2) log z - z + log(2 pi) / 2 +
/// 1/(12 z) - 1/(360 z³) + 1/(1260 z⁵) - ...`, the next term being below 1e-7. Smaller numbers come
/// there by `gamma(x) = gamma(x + 4) / (x (x + 1) (x + 2) (x + 3))`.
pub(crate) fn log_gamma<'g>(x: Var<'g>) -> Result<Var<'g>, GraphError> {
    let g = x.builder();
    let plus = |x: Var<'g>, number: f32| x.add(g.scalar(number));
    let z = plus(x, 4.0)?;
    let inverse = z.recip()?;
    let square = inverse.square()?;
    // Horner's scheme over 1 / z².
    let series = plus(square.mul(g.scalar(1.0 / 1260.0))?, -1.0 / 360.0)?;
    let series = plus(series.mul(square)?, 1.0 / 12.0)?.mul(inverse)?;
    let stirling = plus(z, -0.5)?.mul(z.log()?)?.sub(z)?.add(series)?;
    let climb = x.mul(plus(x, 1.0)?)?.mul(plus(x, 2.0)?)?.mul(plus(x, 3.0)?)?;
    plus(stirling, 0.5 * TAU.ln())?.sub(climb.log()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use whimbrel_graph::{Array, Builder};

    #[test]
    fn it_is_the_logarithm_of_factorials_and_grows_as_it_should() {
        let x = [0.5, 1.0, 2.0, 5.0, 11.0, 101.0];
        let expected = [
            0.572_364_942_924_700_1,
            0.0,
            0.0,
            24f64.ln(),
            3_628_800f64.ln(),
            (1..=100).map(|n| f64::from(n).ln()).sum::<f64>(),
        ];
        let g = Builder::new();
        let y = log_gamma(g.input("x", [6]).unwrap()).unwrap();
        g.output("y", y);
        let graph = g.finish().unwrap();
        let made = graph.evaluate(|_| Some(Array::new([6], x.to_vec()))).unwrap();
        let made = made[graph.output("y").unwrap().index()].as_ref().unwrap();
        for (got, want) in made.data.iter().zip(expected) {
            assert!((got - want).abs() < 1e-6 * (1.0 + want.abs()), "{got} instead of {want}");
        }
    }
}
