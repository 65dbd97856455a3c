//! A pool of buffers that come back when their last handle is dropped.
//!
//! Sizes are rounded up to classes, so that requests of odd sizes reuse each other's memory: to
//! whole cache lines of 64 bytes up to 512 bytes, which wastes at most 63 of them, and above in eight
//! classes to a power of two, which wastes less than 1/8. All bytes held, in use or kept for reuse,
//! stay under a limit. Start at [`Pool::take`]; the sizes are in `class_of`.

use crate::buffer::Buffer;
use crate::memory::{Block, OutOfMemory};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// How much a pool may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolConfig {
    /// The most bytes handed out and kept together; requests beyond are refused.
    pub limit_bytes: usize,
    /// The most bytes kept for reuse; those given back first are freed first.
    pub keep_bytes: usize,
}

impl PoolConfig {
    /// For devices with little memory: at most 64 MiB, of which 8 MiB kept for reuse.
    pub const fn small_device() -> Self {
        PoolConfig { limit_bytes: 64 << 20, keep_bytes: 8 << 20 }
    }

    /// For servers: at most 64 GiB, of which 4 GiB kept for reuse.
    pub const fn server() -> Self {
        PoolConfig { limit_bytes: 64 << 30, keep_bytes: 4 << 30 }
    }
}

/// What a pool has done and holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PoolStats {
    /// Requests served from kept memory.
    pub hits: u64,
    /// Requests served by the system.
    pub misses: u64,
    /// Bytes of the buffers handed out and not yet back.
    pub bytes_in_use: usize,
    /// Bytes that were asked for, of those in use.
    pub bytes_requested: usize,
    /// Bytes kept for reuse.
    pub bytes_cached: usize,
}

impl PoolStats {
    /// The share of the bytes in use that nobody asked for: what rounding to classes wastes.
    pub fn fragmentation(&self) -> f64 {
        match self.bytes_in_use {
            0 => 0.0,
            in_use => 1.0 - self.bytes_requested as f64 / in_use as f64,
        }
    }
}

/// Why a pool handed out no buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// The request and the buffers in use exceed the limit.
    #[error("{asked} bytes asked of a pool with {in_use} of {limit} bytes in use")]
    LimitReached {
        /// Bytes asked for, rounded up to their class.
        asked: usize,
        /// Bytes in use.
        in_use: usize,
        /// The most bytes the pool may hold.
        limit: usize,
    },
    /// The system refused memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// A thread-safe pool of aligned buffers. Clones are handles on the same pool.
///
/// ```
/// use whimbrel_tensor::pool::{Pool, PoolConfig};
///
/// let pool = Pool::new(PoolConfig::small_device());
/// drop(pool.take(1000)?);
/// let reused = pool.take(1001)?;
/// assert_eq!((reused.len(), pool.stats().hits), (1001, 1));
/// # Ok::<(), whimbrel_tensor::pool::PoolError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pool {
    shelves: Arc<Shelves>,
}

#[derive(Debug)]
struct Shelves {
    config: PoolConfig,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Blocks kept, by class; within a class the one given back first comes first.
    kept: Vec<VecDeque<Kept>>,
    /// Counts blocks given back, to tell which of two classes holds the older block.
    clock: u64,
    stats: PoolStats,
}

#[derive(Debug)]
struct Kept {
    block: Block,
    since: u64,
}

/// The way back of a buffer that came from a pool. Buffers may outlive their pool.
#[derive(Debug)]
pub(crate) struct Home {
    shelves: Weak<Shelves>,
    requested: usize,
}

impl Pool {
    /// An empty pool.
    pub fn new(config: PoolConfig) -> Self {
        Pool { shelves: Arc::new(Shelves { config, state: Mutex::default() }) }
    }

    /// A buffer of `len` bytes with whatever contents were left in it.
    pub fn take(&self, len: usize) -> Result<Buffer, PoolError> {
        let (block, _) = self.block(len)?;
        Ok(self.lend(block, len))
    }

    /// A buffer of `len` zero bytes.
    pub fn take_zeroed(&self, len: usize) -> Result<Buffer, PoolError> {
        let (block, fresh) = self.block(len)?;
        let mut buffer = self.lend(block, len);
        if let (false, Some(bytes)) = (fresh, buffer.bytes_mut()) {
            bytes.fill(0);
        }
        Ok(buffer)
    }

    /// What the pool has done and holds now.
    pub fn stats(&self) -> PoolStats {
        self.shelves.lock().stats
    }

    /// Frees everything kept for reuse.
    pub fn clear(&self) {
        let mut state = self.shelves.lock();
        state.stats.bytes_cached = 0;
        let kept = std::mem::take(&mut state.kept);
        drop(state);
        drop(kept);
    }

    fn lend(&self, block: Block, len: usize) -> Buffer {
        Buffer::lent(block, len, Home { shelves: Arc::downgrade(&self.shelves), requested: len })
    }

    /// A block of the class of `len`, and whether it is fresh from the system, so zero.
    fn block(&self, len: usize) -> Result<(Block, bool), PoolError> {
        let (class, asked) = class_of(len).ok_or(OutOfMemory { bytes: len })?;
        let limit = self.shelves.config.limit_bytes;
        let mut state = self.shelves.lock();
        if let Some(kept) = state.kept.get_mut(class).and_then(VecDeque::pop_back) {
            state.stats.hits += 1;
            state.stats.bytes_cached -= asked;
            state.stats.bytes_in_use += asked;
            state.stats.bytes_requested += len;
            return Ok((kept.block, false));
        }
        let in_use = state.stats.bytes_in_use;
        let room = limit.checked_sub(in_use).and_then(|left| left.checked_sub(asked));
        let freed = state.shrink(room.ok_or(PoolError::LimitReached { asked, in_use, limit })?);
        state.stats.misses += 1;
        state.stats.bytes_in_use += asked;
        state.stats.bytes_requested += len;
        // The bytes are spoken for; the system is asked without holding up other threads.
        drop(state);
        drop(freed);
        Block::zeroed(asked).map(|block| (block, true)).map_err(|error| {
            let mut state = self.shelves.lock();
            state.stats.misses -= 1;
            state.stats.bytes_in_use -= asked;
            state.stats.bytes_requested -= len;
            error.into()
        })
    }
}

impl Shelves {
    /// Nothing panics while holding the lock, so a poisoned one guards sound state.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes out the blocks kept longest until at most `keep` bytes are kept.
    fn shrink(&mut self, keep: usize) -> Vec<Block> {
        let mut freed = Vec::new();
        while self.stats.bytes_cached > keep {
            let since = |class: &VecDeque<Kept>| class.front().map_or(u64::MAX, |kept| kept.since);
            let oldest = self.kept.iter_mut().min_by_key(|class| since(class));
            let Some(kept) = oldest.and_then(VecDeque::pop_front) else { break };
            self.stats.bytes_cached -= kept.block.len();
            freed.push(kept.block);
        }
        freed
    }
}

impl Home {
    /// Puts a block back on its shelf, or frees it when it is empty, does not fit, or the pool is
    /// gone.
    pub(crate) fn give_back(self, block: Block) {
        let Some(shelves) = self.shelves.upgrade() else { return };
        let mut state = shelves.lock();
        state.stats.bytes_in_use -= block.len();
        state.stats.bytes_requested -= self.requested;
        let keep = shelves.config.keep_bytes.checked_sub(block.len());
        let (Some(keep), Some((class @ 1.., _))) = (keep, class_of(block.len())) else { return };
        let freed = state.shrink(keep);
        state.clock += 1;
        let since = state.clock;
        if state.kept.len() <= class {
            state.kept.resize_with(class + 1, VecDeque::new);
        }
        state.stats.bytes_cached += block.len();
        state.kept[class].push_back(Kept { block, since });
        drop(state);
        drop(freed);
    }
}

/// The smallest class and the distance between classes up to [`FINE`]: a cache line.
const GRAIN: usize = 64;

/// From this size on there are eight classes to a power of two.
const FINE: usize = 8 * GRAIN;

/// The class that serves `len` bytes, and its size.
///
/// Up to 512 bytes classes are the multiples of 64. Above, between `2^e` and `2^(e+1)` they are
/// `2^e + i * 2^(e-3)`: a request is over `2^e`, and rounding up adds less than an eighth of that.
fn class_of(len: usize) -> Option<(usize, usize)> {
    if len <= FINE {
        let lines = len.div_ceil(GRAIN);
        return Some((lines, lines * GRAIN));
    }
    // A size that is a power of two ends the range below it.
    let exponent = (len - 1).ilog2();
    let step = 1usize << (exponent - 3);
    let size = len.checked_next_multiple_of(step)?;
    let octave = (exponent - FINE.ilog2()) as usize;
    Some((8 + 8 * octave + (size / step - 8), size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_waste_less_than_a_line_or_an_eighth() {
        let near_powers = (9..62).flat_map(|e| [(1 << e) - 1, 1 << e, (1 << e) + 1]);
        for len in (1..100_000).chain(near_powers) {
            let (_, size) = class_of(len).unwrap();
            assert!(size >= len && size % GRAIN == 0);
            assert!(size - len < GRAIN || (size - len) * 8 <= len, "{len} in {size}");
        }
        assert_eq!(class_of(usize::MAX), None);
    }

    #[test]
    fn classes_are_numbered_without_gaps_in_order_of_size() {
        let mut last = (0, 0);
        for len in 0..100_000 {
            let (class, size) = class_of(len).unwrap();
            if size > last.1 {
                assert_eq!(class, last.0 + 1, "{len} bytes");
                last = (class, size);
            }
            assert_eq!((class, size), last);
            assert_eq!(class_of(size), Some(last), "a class serves its own size");
        }
    }
}
