//! Times without a zone: microseconds since the first moment of 1970 on the civil calendar.
//!
//! The conversions between dates and days are Howard Hinnant's: years start in March, so that the
//! leap day is the last day of a year, and 400 years are one period of 146,097 days.

const MICROS_PER_SECOND: i64 = 1_000_000;
const MICROS_PER_DAY: i64 = 86_400 * MICROS_PER_SECOND;
const DAYS_PER_PERIOD: i64 = 146_097;
/// Days between 0000-03-01, where periods start, and 1970-01-01.
const DAYS_TO_1970: i64 = 719_468;
/// Days of each month, without the leap day.
const MONTH_LENGTHS: [u32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/// Days from the first of March to the first of each month.
const DAYS_SINCE_MARCH: [u32; 12] = [306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275];

/// Reads `2024-01-31`, `2024-01-31 13:00`, `2024-01-31T13`, `2024-01-31T13:00:00` or
/// `2024-01-31 13:00:00.25`.
///
/// Years have four digits, fractions at most six but for zeros. A zone is refused rather than dropped.
#[inline]
pub fn parse(text: &[u8]) -> Option<i64> {
    let (date, clock) = text.split_first_chunk::<10>()?;
    let day = parse_date(date)?;
    let micros = if clock.is_empty() { 0 } else { self::clock(clock)? };
    Some(day * MICROS_PER_DAY + micros)
}

/// Microseconds since midnight of ` 13:00`, `T13:00:00` and the like, the part of a time that follows its
/// date: hours may have one digit, and stand alone after a T where they have two.
#[inline]
pub fn clock(text: &[u8]) -> Option<i64> {
    match *text {
        [b'T', h0, h1] => {
            two(h0, h1).filter(|&hours| hours < 24).map(|h| h * 3600 * MICROS_PER_SECOND)
        }
        [b' ' | b'T', ref clock @ ..] => parse_clock(clock),
        _ => None,
    }
}

/// Writes what [`parse`] reads; the time of day only where it is not midnight.
pub fn format(time: i64) -> String {
    let (day, micros) = (time.div_euclid(MICROS_PER_DAY), time.rem_euclid(MICROS_PER_DAY));
    let (year, month, date) = civil(day);
    let mut text = format!("{year:04}-{month:02}-{date:02}");
    if micros != 0 {
        let (seconds, fraction) = (micros / MICROS_PER_SECOND, micros % MICROS_PER_SECOND);
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        text += &format!(" {hours:02}:{minutes:02}:{:02}", seconds % 60);
        if fraction != 0 {
            text += format!(".{fraction:06}").trim_end_matches('0');
        }
    }
    text
}

/// The number written by two digits.
fn two(tens: u8, ones: u8) -> Option<i64> {
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    (tens <= 9 && ones <= 9).then(|| i64::from(tens * 10 + ones))
}

/// Days since 1970 of `2024-01-31`.
///
/// The first eight characters are one word, the first of them its lowest byte: digits become numbers
/// and dashes zero in one step, and one test finds everything that is neither.
#[inline]
fn parse_date(text: &[u8; 10]) -> Option<i64> {
    const FORM: u64 = u64::from_le_bytes(*b"0000-00-");
    const DASHES: u64 = u64::from_le_bytes([0, 0, 0, 0, 0xff, 0, 0, 0xff]);
    const TOPS: u64 = u64::from_le_bytes([0x80; 8]);
    let &[y0, y1, y2, y3, dash, m0, m1, second_dash, d0, d1] = text;
    let digits = u64::from_le_bytes([y0, y1, y2, y3, dash, m0, m1, second_dash]) ^ FORM;
    let above_nine = ((digits & !TOPS) + u64::from_le_bytes([0x76; 8])) | digits;
    let (d0, d1) = (d0.wrapping_sub(b'0'), d1.wrapping_sub(b'0'));
    if (above_nine & TOPS) | (digits & DASHES) != 0 || d0 > 9 || d1 > 9 {
        return None;
    }
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff;
    let year = ((pairs * 100 + (pairs >> 16)) & 0xffff) as u32;
    let month = (digits >> 40 & 0xff) as usize * 10 + (digits >> 48 & 0xff) as usize;
    let day = u32::from(d0 * 10 + d1);
    let length = *MONTH_LENGTHS.get(month.wrapping_sub(1))?;
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let exists = day <= length || (month == 2 && day == 29 && leap);
    (exists && day > 0).then(|| days(year, month, day))
}

/// Microseconds since midnight of `13:00`, `1:00`, `13:00:00` or `13:00:00.25`.
fn parse_clock(text: &[u8]) -> Option<i64> {
    let (hours, minutes, rest) = match *text {
        [h0, h1, b':', m0, m1, ref rest @ ..] => (two(h0, h1)?, two(m0, m1)?, rest),
        [h, b':', m0, m1, ref rest @ ..] => (two(b'0', h)?, two(m0, m1)?, rest),
        _ => return None,
    };
    let (seconds, fraction) = match rest {
        [] => (0, 0),
        &[b':', s0, s1] => (two(s0, s1)?, 0),
        &[b':', s0, s1, b'.', ref digits @ ..] => (two(s0, s1)?, parse_fraction(digits)?),
        _ => return None,
    };
    let fits = hours < 24 && minutes < 60 && seconds < 60;
    fits.then(|| ((hours * 60 + minutes) * 60 + seconds) * MICROS_PER_SECOND + fraction)
}

/// Microseconds of the digits after the point, which must be zeros after the sixth.
fn parse_fraction(digits: &[u8]) -> Option<i64> {
    let (exact, rest) = digits.split_at(digits.len().min(6));
    let whole = exact.iter().all(u8::is_ascii_digit) && rest.iter().all(|&digit| digit == b'0');
    if digits.is_empty() || !whole {
        return None;
    }
    let padded = digits.iter().copied().chain(std::iter::repeat(b'0')).take(6);
    Some(padded.fold(0, |micros, digit| micros * 10 + i64::from(digit - b'0')))
}

/// Days since 1970-01-01 of a date that exists, years counted from 0.
#[inline]
fn days(year: u32, month: usize, day: u32) -> i64 {
    // A period is added, so that nothing is negative.
    let year = year + 400 - u32::from(month <= 2);
    let leap_days = year / 4 - year / 100 + year / 400;
    let days = year * 365 + leap_days + DAYS_SINCE_MARCH[month - 1] + day - 1;
    i64::from(days) - DAYS_PER_PERIOD - DAYS_TO_1970
}

/// Year, month and day of a number of days since 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + DAYS_TO_1970;
    let (period, day) = (days.div_euclid(DAYS_PER_PERIOD), days.rem_euclid(DAYS_PER_PERIOD));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = (march_month + 2) % 12 + 1;
    let year = year + period * 400 + i64::from(month <= 2);
    (year, month, day_of_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times_are_read() {
        for (text, micros) in [
            ("1970-01-01", 0),
            ("1969-12-31 23:59:59.999999", -1),
            ("2024-02-29T13:05:07", 1_709_211_907_000_000),
            ("2024-02-29 13:05", 1_709_211_900_000_000),
            ("2024-02-29 13:05:00.000000000", 1_709_211_900_000_000),
            ("2024-02-29 13:05:00.250000000", 1_709_211_900_250_000),
            ("2024-02-29T13", 1_709_211_600_000_000),
            ("2024-02-29 9:00", 1_709_197_200_000_000),
            ("0000-03-01", -DAYS_TO_1970 * MICROS_PER_DAY),
        ] {
            assert_eq!(parse(text.as_bytes()), Some(micros), "{text}");
        }
    }

    #[test]
    fn every_day_of_ten_thousand_years_is_written_and_read_back() {
        let (first, last) = (days(0, 1, 1), days(9999, 12, 31));
        for day in first..=last {
            let text = format(day * MICROS_PER_DAY);
            assert_eq!(parse(text.as_bytes()), Some(day * MICROS_PER_DAY), "{text}");
        }
        assert_eq!(last - first + 1, 25 * DAYS_PER_PERIOD);
    }

    #[test]
    fn a_time_of_day_is_written_and_read_back() {
        for text in ["2024-02-29 13:05:00", "2024-02-29 00:00:00.000001", "1900-03-01 01:02:03.5"] {
            assert_eq!(parse(text.as_bytes()).map(format).as_deref(), Some(text));
        }
    }

    #[test]
    fn what_would_be_misread_is_refused() {
        for text in [
            "",
            "2023-02-29",
            "1900-02-29",
            "2024-13-01",
            "2024-00-01",
            "2024-01-00",
            "2024-1-1",
            "01/02/2024",
            "2024-01-01 25:00",
            "2024-01-01 00:60",
            "2024-01-01 00:00:60",
            "2024-01-01T00:00:00Z",
            "2024-01-01 00:00:00+02:00",
            "2024-01-01 00:00:00.",
            "2024-01-01 00:00:00.1234567",
            "2024-01-01 ",
            "2024-01-01 00:00:00.000000001",
            "2024-01-01 13",
            "2024-01-01T1",
            "2024-01-01T24",
            "2024-01-01 :00",
            "2024-01-01  1:00",
            "20240101",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }
}
