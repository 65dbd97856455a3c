//! Numbers as text.
//!
//! Short decimal numbers, nearly all there are, take a short way: their digits become an integer m
//! that is exact in double precision, k digits after the point make it m / 10^k, and a single
//! division of two exact numbers rounds correctly. All others go through the standard library, which
//! rounds correctly too; so the way taken cannot be seen in the result.

use super::cursor::Field;
use super::eight;

/// Integers up to this one are exact in double precision.
const EXACT: u64 = 1 << 53;

/// Powers of ten that a short number can need; all are exact in double precision.
const POWERS: [f64; 20] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19,
];

/// More digits might not fit 64 bits.
const MOST_DIGITS: usize = 19;

/// A finite number; blanks around it are allowed.
#[inline]
pub(crate) fn float(field: Field) -> Option<f64> {
    short_float(field).or_else(|| any_float(field).filter(|number| number.is_finite()))
}

/// A whole number of 64 bits; blanks around it are allowed.
#[inline]
pub(crate) fn integer(field: Field) -> Option<i64> {
    short_integer(field).or_else(|| any_integer(field))
}

#[inline]
fn short_float(field: Field) -> Option<f64> {
    let (negative, text) = field.strip(b'-');
    let (mantissa, decimals) = match text.chunk::<8>() {
        Some((length, chunk)) => eight::decimal(*chunk, length)?,
        None => decimal(text.bytes())?,
    };
    if mantissa > EXACT {
        return None;
    }
    let number = mantissa as f64 / POWERS[decimals];
    Some(if negative { -number } else { number })
}

#[inline]
fn short_integer(field: Field) -> Option<i64> {
    let (negative, text) = field.strip(b'-');
    let (number, decimals) = match text.chunk::<8>() {
        Some((length, chunk)) => eight::decimal(*chunk, length)?,
        None => decimal(text.bytes())?,
    };
    let whole = decimals == 0 && text.bytes().len() < MOST_DIGITS;
    let number = whole.then_some(number as i64)?;
    Some(if negative { -number } else { number })
}

#[cold]
fn any_float(field: Field) -> Option<f64> {
    std::str::from_utf8(field.bytes()).ok()?.trim().parse().ok()
}

#[cold]
fn any_integer(field: Field) -> Option<i64> {
    std::str::from_utf8(field.bytes()).ok()?.trim().parse().ok()
}

/// All digits of a decimal number as one integer, and how many of them stand behind the point; none
/// for anything else, for a point at either end, and for more than [`MOST_DIGITS`].
fn decimal(text: &[u8]) -> Option<(u64, usize)> {
    let (mut number, mut point) = (0_u64, None);
    for (i, &byte) in text.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        } else if byte == b'.' && point.is_none() && i > 0 {
            point = Some(i);
        } else {
            return None;
        }
    }
    let decimals = point.map_or(0, |point| text.len() - point - 1);
    let digits = text.len() - usize::from(point.is_some());
    let ends_in_point = point.is_some() && decimals == 0;
    (1..=MOST_DIGITS).contains(&digits).then_some((number, decimals)).filter(|_| !ends_in_point)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn eight_characters_at_once_are_read_like_one_after_another(
            text in "[0-9.]{0,8}|.{0,8}", behind in "[0-9.]{8}"
        ) {
            let text = &text.as_bytes()[..text.len().min(8)];
            let chunk = *[text, behind.as_bytes()].concat().first_chunk().unwrap();
            prop_assert_eq!(eight::decimal(chunk, text.len()), decimal(text));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn numbers_have_the_bits_the_standard_library_gives(
            text in "[-+]?[0-9]{0,12}(\\.[0-9]{0,12})?(e[-+]?[0-9]{1,3})?"
        ) {
            let expected = text.parse::<f64>().ok().filter(|n| n.is_finite()).map(f64::to_bits);
            prop_assert_eq!(float(Field::new(text.as_bytes())).map(f64::to_bits), expected);
            prop_assert_eq!(integer(Field::new(text.as_bytes())), text.parse().ok());
        }
    }

    #[test]
    fn the_ends_of_the_ranges_are_read() {
        for number in
            [i64::MIN, i64::MAX, 0, -1, 999_999_999_999_999_999, 1_000_000_000_000_000_000]
        {
            assert_eq!(integer(Field::new(number.to_string().as_bytes())), Some(number));
        }
        assert_eq!(integer(Field::new(b"9223372036854775808")), None);
        for text in
            ["9007199254740993", "0.30000000000000004", "-0", "1e308", "123456789.123456789"]
        {
            let expected: f64 = text.parse().unwrap();
            assert_eq!(
                float(Field::new(text.as_bytes())).map(f64::to_bits),
                Some(expected.to_bits()),
                "{text}"
            );
        }
        assert_eq!(float(Field::new(b" 1.5\t")), Some(1.5));
        assert_eq!(integer(Field::new(b" 15 ")), Some(15));
        for text in ["", "-", ".", "1.5x", "1,5", "--1", "0x10", "1_000"] {
            assert_eq!(float(Field::new(text.as_bytes())), None, "{text}");
        }
    }
}
