//! Offsets in one arena for buffers that live at different times.
//!
//! [`place`] turns bytes and steps into blocks (cache lines and moments), packs them in a few
//! promising orders and keeps the best: `order` holds the orders and the search over them, `sweep`
//! packs by first use, `occupied` finds the lowest free range. The result depends on the input
//! alone: work is bounded by counting it, never by time.

mod occupied;
mod order;
mod sweep;

/// Every offset is a multiple of this many bytes: one cache line, one AVX-512 register.
pub const ALIGN: usize = 64;

/// A buffer's size, and the steps during which its contents matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lifetime {
    /// Size in bytes; a buffer of zero bytes conflicts with nothing.
    pub bytes: usize,
    /// The step that writes it.
    pub first: u32,
    /// The last step that reads it, inclusive. Below `first` it is taken to be `first`: a value
    /// nobody reads still needs room while it is written.
    pub last: u32,
}

impl Lifetime {
    /// The last step at which the buffer is alive.
    pub(crate) fn end(&self) -> u32 {
        self.last.max(self.first)
    }
}

/// Where each buffer lies in the arena.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The offset of each buffer in bytes, a multiple of [`ALIGN`]; zero for empty buffers.
    pub offsets: Vec<usize>,
    /// The arena's size in bytes.
    pub total: usize,
    /// The largest sum of bytes alive at once, each buffer rounded up to [`ALIGN`]: no placement
    /// needs less.
    pub lower_bound: usize,
}

/// Gives every buffer an offset so that no two alive at the same step share a byte.
///
/// The arena is seldom more than a few percent above [`Placement::lower_bound`]. Equal inputs give
/// equal placements. Sizes that add up to more than `usize::MAX` give a `total` that saturates
/// there, which no allocation can satisfy.
///
/// ```
/// use whimbrel_plan::{Lifetime, place};
///
/// let early = Lifetime { bytes: 1000, first: 0, last: 1 };
/// let late = Lifetime { bytes: 600, first: 2, last: 3 };
/// let throughout = Lifetime { bytes: 64, first: 0, last: 3 };
/// let placement = place(&[early, late, throughout]);
/// assert_eq!(placement.total, 1024 + 64);
/// ```
pub fn place(buffers: &[Lifetime]) -> Placement {
    let occupying: Vec<usize> = (0..buffers.len()).filter(|&b| buffers[b].bytes > 0).collect();
    let blocks = blocks(occupying.iter().map(|&b| buffers[b]));
    let lower_bound = most_alive_at_once(&blocks);
    let packing = order::pack_best(&blocks, lower_bound);

    let bytes = |lines: u64| usize::try_from(lines).unwrap_or(usize::MAX).saturating_mul(ALIGN);
    let mut offsets = vec![0; buffers.len()];
    for (&buffer, &start) in occupying.iter().zip(&packing.starts) {
        offsets[buffer] = bytes(start);
    }
    Placement { offsets, total: bytes(packing.total), lower_bound: bytes(lower_bound) }
}

/// A buffer in the units the packing works in: lines of [`ALIGN`] bytes, and moments.
#[derive(Debug, Clone, Copy)]
struct Block {
    lines: u64,
    from: u32,
    to: u32,
}

impl Block {
    /// How many moments it is alive.
    fn life(&self) -> u64 {
        u64::from(self.to - self.from) + 1
    }

    /// Whether there is a moment at which both are alive.
    fn meets(&self, other: &Block) -> bool {
        self.from <= other.to && other.from <= self.to
    }
}

/// Moments number only the steps at which some buffer begins. Two lifetimes that meet do so when
/// the later one begins, so no conflict is lost, and there are never more moments than blocks.
fn blocks(lifetimes: impl Iterator<Item = Lifetime> + Clone) -> Vec<Block> {
    let mut births: Vec<u32> = lifetimes.clone().map(|l| l.first).collect();
    births.sort_unstable();
    births.dedup();
    let block = |l: Lifetime| Block {
        lines: l.bytes.div_ceil(ALIGN) as u64,
        from: births.partition_point(|&step| step < l.first) as u32,
        to: births.partition_point(|&step| step <= l.end()) as u32 - 1,
    };
    lifetimes.map(block).collect()
}

fn moments(blocks: &[Block]) -> usize {
    blocks.iter().map(|b| b.to as usize + 1).max().unwrap_or(0)
}

fn most_alive_at_once(blocks: &[Block]) -> u64 {
    // Wide enough for any sum of u64 sizes.
    let mut change = vec![0i128; moments(blocks) + 1];
    for block in blocks {
        change[block.from as usize] += i128::from(block.lines);
        change[block.to as usize + 1] -= i128::from(block.lines);
    }
    let alive = change.into_iter().scan(0, |alive, change| {
        *alive += change;
        Some(*alive)
    });
    u64::try_from(alive.max().unwrap_or(0)).unwrap_or(u64::MAX)
}
