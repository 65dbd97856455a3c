//! How the number types of networks stand in files.

use super::scan::Scanner;

/// A number of a network file: `f32` and `f64` in floating point, `i32` in fixed point.
pub(crate) trait Number: Copy + Default {
    /// How files of such numbers begin, up to the version.
    const KIND: &'static str;
    fn scan(scanner: &mut Scanner<'_>) -> Option<Self>;
    /// As weights and steepnesses are written.
    fn print(self) -> String;
}

impl Number for f32 {
    const KIND: &'static str = "FANN_FLO_";
    fn scan(scanner: &mut Scanner<'_>) -> Option<f32> {
        scanner.float()?.parse().ok()
    }
    fn print(self) -> String {
        scientific(self.into())
    }
}

impl Number for f64 {
    const KIND: &'static str = "FANN_FLO_";
    fn scan(scanner: &mut Scanner<'_>) -> Option<f64> {
        scanner.float()?.parse().ok()
    }
    fn print(self) -> String {
        scientific(self)
    }
}

impl Number for i32 {
    const KIND: &'static str = "FANN_FIX_";
    fn scan(scanner: &mut Scanner<'_>) -> Option<i32> {
        scanner.integer()
    }
    fn print(self) -> String {
        self.to_string()
    }
}

/// C's `%.20e`: more digits than either type has.
fn scientific(x: f64) -> String {
    if !x.is_finite() {
        return format!("{x}").to_lowercase();
    }
    let text = format!("{x:.20e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    match exponent.strip_prefix('-') {
        Some(exponent) => format!("{digits}e-{exponent:0>2}"),
        None => format!("{digits}e+{exponent:0>2}"),
    }
}

/// C's `%f` where that is exact, as for FANN's own settings; else all digits.
pub(crate) fn plain(x: f32) -> String {
    let text = format!("{x:.6}").to_lowercase();
    if text.parse() == Ok(x) || x.is_nan() { text } else { format!("{x:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_look_as_c_prints_them() {
        assert_eq!(0.1f32.print(), "1.00000001490116119385e-01");
        assert_eq!((-1500.0f64).print(), "-1.50000000000000000000e+03");
        assert_eq!(0.0f32.print(), "0.00000000000000000000e+00");
        assert_eq!(plain(0.7), "0.700000");
        assert_eq!(plain(-0.0001), "-0.000100");
        assert_eq!(plain(1e-9), "1e-9");
    }

    #[test]
    fn what_is_printed_is_read_again() {
        for x in [0.1f32, -3.75e-12, 1e30, f32::MIN_POSITIVE, f32::INFINITY] {
            assert_eq!(f32::scan(&mut Scanner::new(x.print().as_bytes())), Some(x));
            assert_eq!(plain(x).parse(), Ok(x));
        }
    }
}
