//! Mean and standard deviation of many values.
//!
//! Values are taken in chunks of a fixed length, each by its distances from its first value, and the
//! chunks are joined in their order: the result is the same wherever the chunks were computed.

use std::sync::{Mutex, PoisonError};
use whimbrel_threads::Pool;

const CHUNK: usize = 1 << 14;

/// The mean of some values, and the sum of the squares of their distances from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Moments {
    count: f64,
    pub mean: f64,
    squares: f64,
}

impl Moments {
    /// Those of finite values; zeros of none.
    pub(crate) fn of(values: &[f32]) -> Moments {
        values.chunks(CHUNK).map(Moments::of_chunk).fold(Moments::default(), Moments::join)
    }

    /// The same with the help of a team.
    pub(crate) fn shared(values: &[f32], pool: &Pool) -> Moments {
        let chunks: Vec<_> = values.chunks(CHUNK).map(|chunk| Mutex::new((chunk, None))).collect();
        pool.pieces(chunks.len(), |number| {
            let mut chunk = chunks[number].lock().unwrap_or_else(PoisonError::into_inner);
            chunk.1 = Some(Moments::of_chunk(chunk.0));
        });
        let parts = chunks.into_iter().map(|chunk| chunk.into_inner());
        let parts = parts.filter_map(|chunk| chunk.unwrap_or_else(PoisonError::into_inner).1);
        parts.fold(Moments::default(), Moments::join)
    }

    fn of_chunk(values: &[f32]) -> Moments {
        const LANES: usize = 8;
        let pivot = values.first().map_or(0.0, |&x| f64::from(x));
        let (mut distances, mut squares) = ([0.0; LANES], [0.0; LANES]);
        let (blocks, rest) = values.as_chunks::<LANES>();
        for block in blocks {
            for lane in 0..LANES {
                let distance = f64::from(block[lane]) - pivot;
                distances[lane] += distance;
                squares[lane] += distance * distance;
            }
        }
        for (lane, &x) in rest.iter().enumerate() {
            let distance = f64::from(x) - pivot;
            distances[lane] += distance;
            squares[lane] += distance * distance;
        }
        let (distance, square) = (distances.iter().sum::<f64>(), squares.iter().sum::<f64>());
        let count = values.len() as f64;
        let mean = distance / count.max(1.0);
        let squares = (square - distance * mean).max(0.0);
        Moments { count, mean: pivot + mean, squares }
    }

    /// Those of both values together.
    fn join(self, other: Moments) -> Moments {
        if self.count == 0.0 {
            return other;
        }
        let count = self.count + other.count;
        let apart = other.mean - self.mean;
        let squares =
            self.squares + other.squares + apart * apart * self.count * other.count / count;
        Moments { count, mean: self.mean + apart * other.count / count, squares }
    }

    /// The standard deviation of the values, not of what they are a sample of.
    pub(crate) fn deviation(self) -> f64 {
        (self.squares / self.count.max(1.0)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_values_far_from_zero_keep_their_deviation() {
        let values: Vec<f32> =
            (0..100_001).map(|t| 1e6 + (t * 7919 % 1009) as f32 / 16.0).collect();
        let mean = values.iter().map(|&x| f64::from(x)).sum::<f64>() / values.len() as f64;
        let squares = values.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>();
        let deviation = (squares / values.len() as f64).sqrt();
        let moments = Moments::of(&values);
        assert!((moments.mean - mean).abs() < 1e-6, "{moments:?} {mean}");
        assert!((moments.deviation() - deviation).abs() < 1e-9 * deviation, "{moments:?}");
        for threads in [1, 2, 5] {
            assert_eq!(Moments::shared(&values, &Pool::new(threads)), moments);
        }
    }

    #[test]
    fn no_values_and_equal_ones_do_not_deviate() {
        assert_eq!(Moments::of(&[]).deviation(), 0.0);
        assert_eq!(Moments::of(&[0.1; 20_000]).deviation(), 0.0);
    }
}
