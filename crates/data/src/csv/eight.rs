//! Decimal numbers of at most eight characters, all characters at once.
//!
//! The characters are one word, the first of them its lowest byte. There is no loop and no branch
//! that depends on where the point is: lengths that change from row to row cost nothing.

const TOPS: u64 = u64::from_le_bytes([0x80; 8]);
const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);

/// All digits of the decimal number in the first `length` characters as one integer, and how many of
/// them stand behind the point. None for anything else, and for a point at either end.
#[inline]
pub(crate) fn decimal(text: [u8; 8], length: usize) -> Option<(u64, usize)> {
    let inner_point = length > 0 && length <= 8 && text[0] != b'.' && text[length - 1] != b'.';
    if !inner_point {
        return None;
    }
    // The characters move up, zeros come in front of them.
    let free = 8 * (8 - length) as u32;
    let aligned = (u64::from_le_bytes(text) << free) | (ZEROS & !(u64::MAX << free));
    let (digits, decimals) = without_point(aligned);
    number(digits).map(|number| (number, decimals))
}

/// Takes the last point out, and says how many characters stood behind it; zero where there is none.
#[inline]
fn without_point(text: u64) -> (u64, usize) {
    let other = text ^ u64::from_le_bytes([b'.'; 8]);
    // The top bit of each byte that is a point; no carry leaves its byte.
    let points = !(((other & !TOPS) + !TOPS) | other) & TOPS;
    // Without a point the bits above it are all there are, and nothing moves.
    let above = if points == 0 { 64 } else { points.leading_zeros() };
    let behind = !u64::MAX.checked_shr(above).unwrap_or(0);
    let before = u64::MAX.checked_shr(above + 8).unwrap_or(0);
    let moved = ((text & before) << 8) | u64::from(b'0');
    if points == 0 { (text, 0) } else { ((text & behind) | moved, above as usize / 8) }
}

/// The number that eight digits write; none if one is no digit.
///
/// Neighbours are joined three times: digits to pairs, pairs to fours, fours to the number.
#[inline]
fn number(text: u64) -> Option<u64> {
    let digits = text ^ ZEROS;
    let above_nine = ((digits & !TOPS) + u64::from_le_bytes([0x76; 8])) | digits;
    if above_nine & TOPS != 0 {
        return None;
    }
    let pairs = (digits.wrapping_mul(10) + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    Some((fours.wrapping_mul(10_000) + (fours >> 32)) & 0xffff_ffff)
}
