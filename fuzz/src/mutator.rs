//! Mutator: damages bytes in the ways files are damaged, and in the ways an attacker would.

/// A source of damage; the same seed gives the same.
#[derive(Clone, Debug)]
pub struct Mutator {
    state: u64,
}

/// Numbers at the edges of what counters and sizes can hold.
const NUMBERS: [&[u8]; 8] = [
    b"0",
    b"-1",
    b"1e999",
    b"65536",
    b"2147483648",
    b"4294967296",
    b"9223372036854775808",
    b"18446744073709551616",
];

impl Mutator {
    /// The damage of a seed.
    pub fn new(seed: u64) -> Mutator {
        Mutator { state: seed }
    }

    /// The next number (SplitMix64).
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.state;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `end`; 0 if there is none.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// A few kinds of damage one after another. `others` give pieces to put in, `words` mean something
    /// to the reader.
    pub fn damage(&mut self, bytes: &mut Vec<u8>, others: &[Vec<u8>], words: &[&[u8]]) {
        for _ in 0..=self.below(4) {
            self.damage_once(bytes, others, words);
        }
    }

    fn damage_once(&mut self, bytes: &mut Vec<u8>, others: &[Vec<u8>], words: &[&[u8]]) {
        let (from, to) = self.range(bytes.len());
        let at = self.below(bytes.len());
        match self.below(9) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
            1 if !bytes.is_empty() => bytes[at] = [0, 0xff, 0x7f, 0x80, b'"', b'\n'][self.below(6)],
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(from..to)),
            4 => {
                let piece = bytes[from..to].to_vec();
                bytes.splice(at..at, piece);
            }
            5 if !words.is_empty() => {
                let word = words[self.below(words.len())];
                bytes.splice(at..at, word.iter().copied());
            }
            6 => {
                let number = NUMBERS[self.below(NUMBERS.len())];
                let (from, to) = digits(bytes, at);
                bytes.splice(from..to, number.iter().copied());
            }
            7 if !others.is_empty() => {
                let other = &others[self.below(others.len())];
                let (start, end) = self.range(other.len());
                bytes.splice(from..to, other[start..end].iter().copied());
            }
            _ if bytes.len() >= 4 => {
                // A size in four bytes, at any place.
                let at = self.below(bytes.len() - 3);
                let size = [0u32, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX][self.below(5)];
                bytes[at..at + 4].copy_from_slice(&size.to_le_bytes());
            }
            _ => bytes.push(self.next() as u8),
        }
    }

    /// A part of something so long, mostly a short one.
    fn range(&mut self, len: usize) -> (usize, usize) {
        let from = self.below(len);
        let longest = if self.below(4) == 0 { len } else { 32 };
        (from, (from + self.below(longest + 1)).min(len))
    }
}

/// The digits around a place; nothing at it where there are none.
fn digits(bytes: &[u8], at: usize) -> (usize, usize) {
    let after = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let before = bytes[..at].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    (at - before, at + after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_decides_the_damage() {
        let damaged = |seed| {
            let mut bytes = b"a,b\n1,2\n".to_vec();
            Mutator::new(seed).damage(&mut bytes, &[b"x".to_vec()], &[b"word"]);
            bytes
        };
        assert_eq!(damaged(3), damaged(3));
        assert!((0..20).any(|seed| damaged(seed) != damaged(3)));
    }

    #[test]
    fn nothing_can_be_damaged_too() {
        let mut mutator = Mutator::new(1);
        for _ in 0..1000 {
            mutator.damage(&mut Vec::new(), &[], &[]);
        }
    }
}
