//! Scale: the numbers of an axis, where they lie on it, and which of them are written beside it.

/// How many times the smallest value the largest must be for a logarithmic axis.
const WIDE: f64 = 30.0;

/// The largest number that is drawn: differences of such numbers are finite.
const LARGEST: f64 = 1e300;

/// Digits after the first of a number whose neighbours are far away.
const FEW: usize = 6;

/// The range of an axis; of a logarithmic one, of the decimal logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    log: bool,
    /// Whether only whole numbers are written beside it.
    whole: bool,
}

/// A number written beside an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    pub value: f64,
    pub label: String,
}

impl Scale {
    /// An axis from the first to the last value; of whole numbers if all of them are.
    pub fn tight(values: impl Iterator<Item = f64> + Clone) -> Scale {
        let whole = values.clone().all(|value| value.fract() == 0.0);
        let (low, high) = range(values);
        let room = if differ(low, high) { 0.0 } else { (1e-6 * high.abs()).max(0.5) };
        Scale { low: low - room, high: high + room, log: false, whole }
    }

    /// An axis with room around the values: from 0 where they are not far from it, logarithmic where they
    /// are positive and of very different size.
    pub fn roomy(values: impl Iterator<Item = f64>) -> Scale {
        let (low, high) = range(values);
        if low > 0.0 && high / low >= WIDE {
            let (low, high) = (low.log10(), high.log10());
            let room = 0.04 * (high - low);
            return Scale { low: low - room, high: high + room, log: true, whole: false };
        }
        Scale::linear([low, high].into_iter())
    }

    /// An axis with room around the values: from 0 where they are not far from it, never logarithmic.
    pub fn linear(values: impl Iterator<Item = f64>) -> Scale {
        let (low, high) = range(values);
        let spread = if differ(low, high) { high - low } else { high.abs() };
        if spread < 1e-290 {
            return Scale { low: -1.0, high: 1.0, log: false, whole: false };
        }
        let near_zero = low >= 0.0 && low < 0.4 * high;
        let low = if near_zero { 0.0 } else { low - 0.05 * spread };
        Scale { low, high: high + 0.05 * spread, log: false, whole: false }
    }

    /// Where a value lies: 0 at the low end, 1 at the high end.
    pub fn place(&self, value: f64) -> f64 {
        let value = if self.log { value.log10() } else { value };
        (value - self.low) / (self.high - self.low)
    }

    /// The numbers at its ends.
    pub fn ends(&self) -> (f64, f64) {
        match self.log {
            true => (10f64.powf(self.low), 10f64.powf(self.high)),
            false => (self.low, self.high),
        }
    }

    /// Whether equal steps along the axis are equal factors.
    pub fn is_log(&self) -> bool {
        self.log
    }

    /// The numbers to write beside the axis, about `count` of them.
    pub fn ticks(&self, count: usize) -> Vec<Tick> {
        let values = if self.log { self.powers(count) } else { self.multiples(count) };
        let step = values.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        let label = |&value: &f64| match self.log {
            true => short(value, FEW),
            false => rounded(value, step),
        };
        values.iter().map(|value| Tick { value: *value, label: label(value) }).collect()
    }

    /// Multiples of 1, 2 or 5 times a power of ten.
    fn multiples(&self, count: usize) -> Vec<f64> {
        let rough = (self.high - self.low) / count.max(1) as f64;
        let rough = if self.whole { rough.max(1.0) } else { rough };
        let power = 10f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
        let step = steps.into_iter().find(|&step| step >= rough * 0.999).unwrap_or(steps[3]);
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        // The division keeps numbers such as 0.3 as near to what is written as can be.
        let at =
            |i: i64| if step < 1.0 { i as f64 / (1.0 / step).round() } else { i as f64 * step };
        (first..=last.min(first.saturating_add(100))).map(at).collect()
    }

    /// Powers of ten; with few of them also 2 and 5 times, with many only each second, third and so on.
    fn powers(&self, count: usize) -> Vec<f64> {
        let (first, last) = (self.low.floor() as i32, self.high.ceil() as i32);
        let decades = (last - first).max(1) as usize;
        let factors: &[f64] = if decades * 2 <= count { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let step = decades.div_ceil(count.max(1)) as i32;
        let powers = (first..=last).filter(|power| power.rem_euclid(step) == 0);
        let all = powers.flat_map(|power| factors.iter().map(move |&f| decimal(f, power)));
        all.filter(|value| (self.low..=self.high).contains(&value.log10())).collect()
    }
}

/// Whether a point can be drawn.
pub fn is_drawn(&(x, y): &(f64, f64)) -> bool {
    x.abs() <= LARGEST && y.abs() <= LARGEST
}

/// Whether there is room for numbers between two values.
fn differ(low: f64, high: f64) -> bool {
    high - low > 1e-9 * high.abs() && high - low > 1e-290
}

/// `factor` times a power of ten, as near as its decimal form.
fn decimal(factor: f64, power: i32) -> f64 {
    let power_of_ten = 10f64.powi(power.abs());
    if power < 0 { factor / power_of_ten } else { factor * power_of_ten }
}

/// The smallest and the largest of some values; 0 and 1 without any.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let widen = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), widen);
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

/// A number with the decimals that multiples of `step` need.
fn rounded(value: f64, step: f64) -> String {
    let size = value.abs().max(step);
    match step {
        _ if value == 0.0 && step >= 1.0 => "0".into(),
        _ if !(1e-4..1e9).contains(&size) => short(value, digits(size, step)),
        step if step >= 1e6 => format!("{}M", value / 1e6),
        step if step >= 1e4 => format!("{}k", value / 1e3),
        step => format!("{value:.*}", decimals(step)),
    }
}

/// Decimals of the multiples of a step.
fn decimals(step: f64) -> usize {
    let enough = |&n: &usize| {
        let scaled = step * 10f64.powi(n as i32);
        (scaled - scaled.round()).abs() < 1e-6 * scaled
    };
    (0..6).find(enough).unwrap_or(6)
}

/// Digits after the first that multiples of a step need, of numbers up to a size.
fn digits(size: f64, step: f64) -> usize {
    let digits = (size / step).log10().ceil();
    if digits.is_finite() { digits.clamp(0.0, 15.0) as usize } else { FEW }
}

/// A number as short as it can be written, with at most so many digits after the first.
fn short(value: f64, digits: usize) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if (1e-4..1e6).contains(&size) => format!("{value}"),
        _ => {
            let text = format!("{value:.digits$e}");
            let (number, power) = text.split_once('e').unwrap_or((&text, "0"));
            let number = match number.contains('.') {
                true => number.trim_end_matches('0').trim_end_matches('.'),
                false => number,
            };
            format!("{number}e{power}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, count: usize) -> Vec<String> {
        scale.ticks(count).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_numbers_within_the_axis() {
        let of = |values: [f64; 2]| Scale::roomy(values.into_iter());
        assert_eq!(labels(of([0.1, 0.93]), 5), ["0.0", "0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(labels(of([-1.0, 1.0]), 5), ["-1.0", "-0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(
            labels(Scale::tight([1.0, 40.0].into_iter()), 8),
            ["5", "10", "15", "20", "25", "30", "35", "40"]
        );
        assert_eq!(
            labels(Scale::tight([0.0, 5e4].into_iter()), 5),
            ["0", "10k", "20k", "30k", "40k", "50k"]
        );
        assert_eq!(labels(Scale::tight([3.0, 3.0].into_iter()), 1), ["3"]);
        assert_eq!(labels(Scale::tight([3.0].into_iter()), 9), ["3"]);
        assert_eq!(labels(Scale::tight([1.0, 2.0].into_iter()), 9), ["1", "2"]);
    }

    #[test]
    fn an_axis_of_one_value_has_room_around_it() {
        let of = |value: f64| Scale::linear([value, value].into_iter());
        assert_eq!(of(0.0).ends(), (-1.0, 1.0));
        assert_eq!(labels(of(0.0), 4), ["-1.0", "-0.5", "0.0", "0.5", "1.0"]);
        for value in [1e-9, -3.0, 4e5] {
            let (low, high) = of(value).ends();
            assert!(low < value && value < high && high - low < 0.2 * value.abs(), "{low} {high}");
        }
    }

    #[test]
    fn huge_and_tiny_numbers_are_short() {
        let of = |values: [f64; 2]| labels(Scale::linear(values.into_iter()), 5);
        assert_eq!(of([1e38, 3e38]), ["0", "1e38", "2e38", "3e38"]);
        assert_eq!(of([1e10, 1e10 + 40.0])[..2], ["1e10", "1.000000001e10"]);
        assert_eq!(of([0.0, 3e-7]), ["0", "1e-7", "2e-7", "3e-7"]);
    }

    #[test]
    fn values_of_very_different_size_get_a_logarithmic_axis() {
        let scale = Scale::roomy([1e-4, 0.3].into_iter());
        assert_eq!(labels(scale, 6), ["0.0001", "0.001", "0.01", "0.1"]);
        let middle = (scale.place(1e-4) + scale.place(0.1)) / 2.0;
        assert!((scale.place(10f64.powf(-2.5)) - middle).abs() < 1e-9);
        assert_eq!(
            labels(Scale::roomy([1e-9, 1.0].into_iter()), 4),
            ["1e-9", "1e-6", "0.001", "1"]
        );
        assert!(!Scale::roomy([0.0, 1000.0].into_iter()).log);
    }

    #[test]
    fn every_range_has_finite_places_and_few_ticks() {
        let extremes = [0.0, 1e-300, -1e300, 1e300, 5.0, -0.0, 1e15, 4.9e-324];
        for a in extremes {
            for b in extremes {
                for scale in [Scale::tight([a, b].into_iter()), Scale::roomy([a, b].into_iter())] {
                    let places = [a, b].map(|value| scale.place(value));
                    assert!(
                        places.iter().all(|place| (-0.001..=1.001).contains(place)),
                        "{scale:?}"
                    );
                    assert!(scale.ticks(6).len() <= 12, "{scale:?}: {:?}", scale.ticks(6));
                }
            }
        }
    }
}
