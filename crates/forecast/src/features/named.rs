//! Features by the names of their columns.

use super::{Calendar, Feature, Features, Wave, Window};
use crate::ForecastError;
use std::str::FromStr;

/// Waves of a season in each of sine and cosine.
const MOST_ORDERS: usize = 100;

impl FromStr for Features {
    type Err = ForecastError;

    /// The features whose [names](Features::names) a list has, with commas between them. `fourier_12_2` stands for the
    /// sines and cosines of the first two orders of a season of 12 steps.
    ///
    /// ```
    /// use whimbrel_forecast::features::Features;
    /// # fn main() -> Result<(), whimbrel_forecast::ForecastError> {
    /// let features: Features = "lag12,rolling_mean_6,fourier_12_1".parse()?;
    /// assert_eq!(features.names(), ["lag12", "rolling_mean_6", "sin1_12", "cos1_12"]);
    /// # Ok(())
    /// # }
    /// ```
    fn from_str(list: &str) -> Result<Features, ForecastError> {
        list.split(',').map(str::trim).try_fold(Features::new(), |all, name| {
            if let Some(feature) = single(name) {
                return Ok(all.with(feature));
            }
            match waves(name) {
                Some((period, orders)) => Ok(all.fourier(period, orders)),
                None => Err(ForecastError::NoFeature { name: name.to_owned() }),
            }
        })
    }
}

/// The names there are, for people.
pub(crate) fn known() -> String {
    let calendar = Calendar::ALL.map(Calendar::name).join(", ");
    format!(
        "lagN, differenceN, rolling_mean_N, rolling_std_N, rolling_min_N, rolling_max_N, rolling_quantile_N_SHARE, \
         exponential_mean_ALPHA, fourier_PERIOD_ORDERS, trend, {calendar}"
    )
}

/// The feature whose column has this name.
fn single(name: &str) -> Option<Feature> {
    if name == "trend" {
        return Some(Feature::Trend);
    }
    if let Some(field) = Calendar::ALL.into_iter().find(|field| field.name() == name) {
        return Some(Feature::Calendar(field));
    }
    let end = name.find(|c: char| c.is_ascii_digit())?;
    let (kind, numbers) = name.split_at(end);
    let mut numbers = numbers.split('_');
    let (first, second) = (numbers.next()?, numbers.next());
    let steps = || first.parse().ok().filter(|steps| *steps > 0);
    let window = || steps().map(Window::of);
    let feature = match (kind, second) {
        ("lag", None) => Feature::Lag(steps()?),
        ("difference", None) => Feature::Difference(steps()?),
        ("rolling_mean_", None) => Feature::RollingMean(window()?),
        ("rolling_std_", None) => Feature::RollingStd(window()?),
        ("rolling_min_", None) => Feature::RollingMin(window()?),
        ("rolling_max_", None) => Feature::RollingMax(window()?),
        ("rolling_quantile_", Some(share)) => {
            let share = share.parse().ok().filter(|share| (0.0..=1.0).contains(share));
            Feature::RollingQuantile(window()?, share?)
        }
        ("exponential_mean_", None) => {
            let alpha = first.parse().ok().filter(|alpha| *alpha > 0.0 && *alpha <= 1.0);
            Feature::ExponentialMean { alpha: alpha?, adjust: true }
        }
        ("sin", Some(period)) => wave(Wave::Sin, steps()?, period)?,
        ("cos", Some(period)) => wave(Wave::Cos, steps()?, period)?,
        _ => return None,
    };
    numbers.next().is_none().then_some(feature)
}

fn wave(wave: Wave, order: usize, period: &str) -> Option<Feature> {
    Some(Feature::Fourier { wave, period: season(period)?, order })
}

/// The season and the orders of `fourier_PERIOD_ORDERS`. Beyond half the steps of a season waves repeat.
fn waves(name: &str) -> Option<(f64, usize)> {
    let (period, orders) = name.strip_prefix("fourier_")?.split_once('_')?;
    let (period, orders) = (season(period)?, orders.parse().ok()?);
    let some = 1..=MOST_ORDERS.min((period / 2.0) as usize);
    some.contains(&orders).then_some((period, orders))
}

/// Steps of a season.
fn season(text: &str) -> Option<f64> {
    text.parse().ok().filter(|period: &f64| period.is_finite() && *period >= 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn feature() -> impl Strategy<Value = Feature> {
        let window = || (1usize..500).prop_map(Window::of);
        prop_oneof![
            (1usize..500).prop_map(Feature::Lag),
            (1usize..500).prop_map(Feature::Difference),
            window().prop_map(Feature::RollingMean),
            window().prop_map(Feature::RollingStd),
            window().prop_map(Feature::RollingMin),
            window().prop_map(Feature::RollingMax),
            (window(), 0f64..=1.0).prop_map(|(window, q)| Feature::RollingQuantile(window, q)),
            (0.001f64..=1.0).prop_map(|alpha| Feature::ExponentialMean { alpha, adjust: true }),
            prop::sample::select(Calendar::ALL.to_vec()).prop_map(Feature::Calendar),
            (prop::sample::select(vec![Wave::Sin, Wave::Cos]), 1f64..1e4, 1usize..9)
                .prop_map(|(wave, period, order)| Feature::Fourier { wave, period, order }),
            Just(Feature::Trend),
        ]
    }

    proptest! {
        #[test]
        fn names_give_back_their_features(list in prop::collection::vec(feature(), 1..5)) {
            let features = list.into_iter().fold(Features::new(), Features::with);
            prop_assert_eq!(features.names().join(",").parse::<Features>().unwrap(), features);
        }

        #[test]
        fn no_text_is_too_odd(text in "[a-z_0-9.,]{0,40}") {
            let _ = text.parse::<Features>();
        }
    }

    #[test]
    fn what_is_no_feature_is_refused_with_those_there_are() {
        for name in [
            "",
            "lag",
            "lag0",
            "lag1_2",
            "lag-1",
            "lags",
            "rolling_mean_0",
            "rolling_quantile_3",
            "rolling_quantile_3_1.5",
            "exponential_mean_0",
            "fourier_12",
            "fourier_12_7",
            "fourier_1e9_101",
            "sin0_12",
            "cos1_nan",
            "months",
        ] {
            let error = name.parse::<Features>().unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("there is no feature \"{name}\"; there are lagN")),
                "{error}"
            );
        }
    }
}
