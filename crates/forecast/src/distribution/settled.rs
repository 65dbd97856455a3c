//! A distribution whose parameters are known: its mean and its quantiles.

use super::special::{beta_share, gamma_share, normal_quantile, student_quantile};

/// Above this, a count's quantile is that of a normal number: no f32 tells them apart.
const LARGE: f64 = 1e9;

/// A distribution with its parameters, in the unit of the series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Settled {
    Normal { mean: f64, deviation: f64 },
    StudentT { mean: f64, scale: f64, freedom: f64 },
    Poisson { rate: f64 },
    NegativeBinomial { mean: f64, dispersion: f64 },
}

impl Settled {
    /// Its mean.
    pub(crate) fn mean(self) -> f64 {
        match self {
            Settled::Normal { mean, .. }
            | Settled::StudentT { mean, .. }
            | Settled::NegativeBinomial { mean, .. } => mean,
            Settled::Poisson { rate } => rate,
        }
    }

    /// The number that a share `q` of values does not exceed; of counts, the smallest such count. NaN
    /// where a parameter is none.
    pub(crate) fn quantile(self, q: f64) -> f64 {
        match self {
            Settled::Normal { mean, deviation } => mean + deviation * normal_quantile(q),
            Settled::StudentT { mean, scale, freedom } => {
                mean + scale * student_quantile(q, freedom)
            }
            Settled::Poisson { rate } => {
                count_quantile(q, rate, rate, |k| 1.0 - gamma_share(k + 1.0, rate))
            }
            Settled::NegativeBinomial { mean, dispersion } => {
                let failures = 1.0 / dispersion;
                let failure = failures / (failures + mean);
                let variance = mean + mean * mean * dispersion;
                count_quantile(q, mean, variance, |k| beta_share(failures, k + 1.0, failure))
            }
        }
    }
}

/// The smallest count whose share of smaller or equal ones, `share`, reaches `q`.
fn count_quantile(q: f64, mean: f64, variance: f64, share: impl Fn(f64) -> f64) -> f64 {
    if !(mean.is_finite() && variance.is_finite()) {
        return f64::NAN;
    }
    if mean > LARGE {
        return mean + variance.sqrt() * normal_quantile(q);
    }
    // Both ends are whole numbers: the quantile is above the first and at most the second.
    let (mut below, mut enough) = (-1.0, mean.ceil().max(1.0));
    while share(enough) < q && enough < 1e15 {
        (below, enough) = (enough, 2.0 * enough);
    }
    while enough - below > 1.0 {
        let middle = ((below + enough) / 2.0).floor();
        if share(middle) < q { below = middle } else { enough = middle }
    }
    enough
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of `scipy.stats`: norm, t, poisson, nbinom.
    #[test]
    fn quantiles_are_those_of_scipy() {
        let normal = Settled::Normal { mean: 3.0, deviation: 2.0 };
        let student = |freedom| Settled::StudentT { mean: 0.0, scale: 1.0, freedom };
        let poisson = |rate| Settled::Poisson { rate };
        let binomial = |mean, dispersion| Settled::NegativeBinomial { mean, dispersion };
        for (settled, q, expected) in [
            (normal, 0.5, 3.0),
            (normal, 0.95, 6.289_707_253_902_945),
            (normal, 1e-4, -4.438_032_970_911_361),
            (student(2.0), 0.95, 2.919_985_580_353_725),
            (student(2.0), 0.001, -22.327_124_770_119_86),
            (student(3.5), 0.5, 0.0),
            (student(30.0), 0.995, 2.749_995_653_567_23),
            (student(2.5), 0.25, -0.785_013_682_992_299_2),
            (poisson(0.1), 0.9, 0.0),
            (poisson(0.1), 0.95, 1.0),
            (poisson(4.0), 0.5, 4.0),
            (poisson(4.0), 0.95, 8.0),
            (poisson(1000.0), 0.05, 948.0),
            (poisson(250_000.0), 0.975, 250_980.0),
            (binomial(4.0, 0.5), 0.5, 3.0),
            (binomial(4.0, 0.5), 0.9, 9.0),
            (binomial(1000.0, 0.2), 0.05, 393.0),
        ] {
            let made = settled.quantile(q);
            assert!(
                (made - expected).abs() < 1e-6 * expected.abs().max(1.0),
                "{settled:?} {q} {made}"
            );
        }
    }

    #[test]
    fn quantiles_ascend_whatever_the_parameters_are() {
        let numbers = [1e-8, 0.03, 1.0, 47.0, 1e6, 1e12];
        for (mean, other) in numbers.iter().flat_map(|&a| numbers.map(|b| (a, b))) {
            for settled in [
                Settled::Normal { mean, deviation: other },
                Settled::StudentT { mean, scale: other, freedom: 2.0 + other },
                Settled::Poisson { rate: mean },
                Settled::NegativeBinomial { mean, dispersion: other },
            ] {
                let made = [0.01, 0.1, 0.5, 0.9, 0.99].map(|q| settled.quantile(q));
                let ascending = made.windows(2).all(|pair| pair[0] <= pair[1]);
                assert!(ascending && made[0].is_finite(), "{settled:?} {made:?}");
            }
        }
        assert!(Settled::Poisson { rate: f64::NAN }.quantile(0.5).is_nan());
    }
}
