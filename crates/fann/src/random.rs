//! Random numbers, drawn the way FANN draws them from the C library's `rand`.

/// Where random numbers come from.
///
/// Two networks with the same seed draw the same numbers. The C library draws from `rand`, so that
/// programs that call `srand` see what libfann shows them.
#[derive(Clone, Copy, Debug)]
pub enum Random {
    /// A generator of its own, with its state.
    Seeded(u64),
    /// A function that returns 31 random bits, as `rand` does.
    Function(fn() -> u32),
}

/// The largest number drawn, `RAND_MAX` of the GNU C library.
const MAX: u32 = 0x7fff_ffff;

impl Random {
    /// A generator that starts at `seed`.
    pub fn seeded(seed: u64) -> Random {
        Random::Seeded(seed)
    }

    /// A generator that starts anywhere.
    pub fn arbitrary() -> Random {
        use std::hash::{BuildHasher, RandomState};
        Random::Seeded(RandomState::new().hash_one(0))
    }

    /// 31 random bits.
    pub fn draw(&mut self) -> u32 {
        match self {
            Random::Function(function) => function() & MAX,
            // SplitMix64: a counter and a mixing of its bits.
            Random::Seeded(state) => {
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                (z ^ (z >> 31)) as u32 >> 1
            }
        }
    }

    /// A number from `min` to below `max`, in the arithmetic of FANN's macro.
    pub fn between(&mut self, min: f32, max: f32) -> f32 {
        min + (max - min) * self.draw() as f32 / (MAX as f32)
    }

    /// A number below `n`, which is not 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.draw() as usize % n
    }

    /// A number from 0 to 1.
    pub(crate) fn fraction(&mut self) -> f32 {
        self.draw() as f32 / MAX as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_draws_the_same_numbers() {
        let (mut a, mut b, mut c) = (Random::seeded(7), Random::seeded(7), Random::seeded(8));
        let draw = |r: &mut Random| (0..8).map(|_| r.draw()).collect::<Vec<_>>();
        let first = draw(&mut a);
        assert_eq!(first, draw(&mut b));
        assert_ne!(first, draw(&mut c));
    }

    #[test]
    fn numbers_fill_their_range() {
        let mut random = Random::seeded(1);
        let numbers: Vec<f32> = (0..1000).map(|_| random.between(-0.1, 0.1)).collect();
        assert!(numbers.iter().all(|x| (-0.1..=0.1).contains(x)));
        assert!(numbers.iter().any(|x| *x < -0.09) && numbers.iter().any(|x| *x > 0.09));
    }
}
