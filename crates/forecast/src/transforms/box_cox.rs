//! Box-Cox: a power of the value, by which values far above the others come closer.
//!
//! With `l = log(x / g)` and `g` the geometric mean of the values seen, the map is
//! `(exp(lambda l) - 1) / lambda`, or `l` where lambda is 0. This is the usual `(x^lambda - 1) / lambda`
//! shifted and scaled, so that f32 keeps what it needs to come back, whatever the unit of the values.

/// Where lambda is looked for, as NeuralForecast does: below 0 a forecast a little too high would be
/// infinite.
const LOWEST: f64 = 0.0;
const HIGHEST: f64 = 2.0;

/// A power and the value it leaves as it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxCox {
    /// The power; 0 stands for the logarithm.
    pub lambda: f64,
    /// The logarithm of the geometric mean of the values seen.
    pub log_mean: f64,
}

impl BoxCox {
    /// The power under which `values`, all above 0, are most likely those of a normal distribution.
    ///
    /// The likelihood is that of `scipy.stats.boxcox`: `(lambda - 1) sum(log x) - n/2 log(variance)`.
    /// Of values divided by their geometric mean the first term is 0, which leaves the variance.
    pub(super) fn fit(values: &[f32]) -> BoxCox {
        let mut logs: Vec<f64> = values.iter().map(|&x| f64::from(x).ln()).collect();
        let log_mean = logs.iter().sum::<f64>() / logs.len().max(1) as f64;
        logs.iter_mut().for_each(|l| *l -= log_mean);
        let spread = logs.iter().fold(0.0, |most: f64, l| most.max(l.abs()));
        let lambda = match spread > 1e-7 {
            true => minimise(LOWEST, HIGHEST, |lambda| variance(&logs, lambda)),
            false => 1.0,
        };
        BoxCox { lambda, log_mean }
    }

    pub(super) fn apply(&self, x: f64) -> f64 {
        power(x.ln() - self.log_mean, self.lambda)
    }

    /// The value again; 0 for numbers below all that the map gives.
    pub(super) fn invert(&self, z: f64) -> f64 {
        let log = match self.lambda {
            0.0 => z,
            lambda => (lambda * z).max(-1.0).ln_1p() / lambda,
        };
        (log + self.log_mean).exp()
    }
}

/// `(exp(lambda l) - 1) / lambda`, or its limit.
fn power(l: f64, lambda: f64) -> f64 {
    if lambda == 0.0 { l } else { (lambda * l).exp_m1() / lambda }
}

fn variance(logs: &[f64], lambda: f64) -> f64 {
    let count = logs.len() as f64;
    let mean = logs.iter().map(|&l| power(l, lambda)).sum::<f64>() / count;
    logs.iter().map(|&l| (power(l, lambda) - mean).powi(2)).sum::<f64>() / count
}

/// Where `f` is least between `low` and `high`, by Brent's method: steps of the parabola through the
/// best three points, or of the golden section where that leads astray.
fn minimise(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.381_966_011_250_105_1;
    const TOLERANCE: f64 = 1e-9;
    let ends = [low, high];
    let mut best = low + GOLDEN * (high - low);
    let (mut second, mut third) = (best, best);
    let mut least = f(best);
    let (mut f_second, mut f_third) = (least, least);
    let (mut step, mut step_before) = (0.0_f64, 0.0_f64);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if (best - middle).abs() <= 2.0 * TOLERANCE - 0.5 * (high - low) {
            break;
        }
        let r = (best - second) * (least - f_third);
        let q = (best - third) * (least - f_second);
        let (p, q) = ((best - third) * q - (best - second) * r, 2.0 * (q - r));
        let (p, q) = if q > 0.0 { (-p, q) } else { (p, -q) };
        let inside = p > q * (low - best) && p < q * (high - best);
        let shrinks = p.abs() < (0.5 * q * step_before).abs();
        step_before = step;
        if inside && shrinks {
            step = p / q;
        } else {
            step_before = if best < middle { high - best } else { low - best };
            step = GOLDEN * step_before;
        }
        let tried = best + if step.abs() >= TOLERANCE { step } else { TOLERANCE.copysign(step) };
        let value = f(tried);
        if value <= least {
            if tried < best {
                high = best
            } else {
                low = best
            }
            (third, f_third) = (second, f_second);
            (second, f_second) = (best, least);
            (best, least) = (tried, value);
        } else {
            if tried < best {
                low = tried
            } else {
                high = tried
            }
            if value <= f_second || second == best {
                (third, f_third) = (second, f_second);
                (second, f_second) = (tried, value);
            } else if value <= f_third || third == best || third == second {
                (third, f_third) = (tried, value);
            }
        }
    }
    // The section never tries the ends themselves.
    ends.into_iter().find(|&end| f(end) <= least).unwrap_or(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_of_the_normal_become_normal() {
        let values: Vec<f32> = (1..100)
            .map(|i| super::super::normal::number_above(f64::from(i) / 100.0).exp() as f32)
            .collect();
        let map = BoxCox::fit(&values);
        assert!(map.lambda.abs() < 1e-6, "{map:?}");
    }

    #[test]
    fn the_least_is_found_inside_and_at_the_ends() {
        for (want, f) in [
            (0.3, &(|x: f64| (x - 0.3).powi(2)) as &dyn Fn(f64) -> f64),
            (1.25, &|x| (x - 1.25).abs()),
            (0.0, &|x| x),
            (2.0, &|x| -x),
        ] {
            assert!((minimise(0.0, 2.0, f) - want).abs() < 1e-7, "{want}");
        }
    }
}
