//! The address space while it fills up: which lines are taken, and when.
//!
//! Finding the lowest free range for a block means climbing over the spans alive with it, in order
//! of address. Three things keep the climb short: time is cut into eras, and spans that live within
//! one are kept apart from those of another; spans sit in small chunks that are passed over whole
//! when nothing in them matters; and each era knows how far up everything is taken anyway.

use super::Block;

/// Time is cut into at most this many eras.
const ERAS: usize = 64;

/// A chunk that grows to this many spans is split in two.
const CHUNK: usize = 64;

/// The spans taken so far.
pub(super) struct Occupied {
    eras: Vec<Era>,
    /// Moments in an era.
    stride: u32,
    /// The spans that live in more than one era.
    lasting: Shelf,
}

struct Era {
    /// At any moment of the era, no line below this one is free.
    solid: u64,
    /// The spans that live in this era only.
    passing: Shelf,
}

impl Occupied {
    pub(super) fn new(moments: usize) -> Self {
        let stride = moments.div_ceil(ERAS).max(1);
        let era = |_| Era { solid: 0, passing: Shelf::new() };
        let eras = (0..moments.div_ceil(stride)).map(era).collect();
        Occupied { eras, stride: stride as u32, lasting: Shelf::new() }
    }

    /// Takes the lowest range that is free throughout the block's life and returns its start.
    /// `work` is lowered by the number of chunks and spans looked at.
    pub(super) fn take(&mut self, block: Block, work: &mut usize) -> u64 {
        let start = self.lowest_fit(block, work);
        let end = start.saturating_add(block.lines);
        self.insert(Span { start, end, from: block.from, to: block.to });
        start
    }

    fn lowest_fit(&self, block: Block, work: &mut usize) -> u64 {
        let eras = &self.eras[self.era(block.from)..=self.era(block.to)];
        let mut free = eras.iter().map(|era| era.solid).max().unwrap_or(0);
        loop {
            let before = free;
            free = self.lasting.climb(block, free, work);
            for era in eras {
                free = era.passing.climb(block, free, work);
            }
            if free == before {
                return free;
            }
        }
    }

    fn insert(&mut self, span: Span) {
        // An era rises only where the span covers all of it.
        let covered = span.from.div_ceil(self.stride)..(span.to + 1) / self.stride;
        for era in covered {
            let solid = &mut self.eras[era as usize].solid;
            if *solid >= span.start {
                *solid = span.end.max(*solid);
            }
        }
        let era = self.era(span.from);
        let passing = era == self.era(span.to);
        let shelf = if passing { &mut self.eras[era].passing } else { &mut self.lasting };
        shelf.insert(span);
    }

    fn era(&self, moment: u32) -> usize {
        (moment / self.stride) as usize
    }
}

/// Spans in order of address.
struct Shelf {
    chunks: Vec<Chunk>,
}

/// Neighbouring spans, in order of `start`.
struct Chunk {
    spans: Vec<Span>,
    /// The highest end of a span.
    top: u64,
    /// The first moment at which a span is alive.
    from: u32,
    /// The last.
    to: u32,
}

/// The lines `start..end`, taken during the moments `from..=to`.
#[derive(Clone, Copy)]
struct Span {
    start: u64,
    end: u64,
    from: u32,
    to: u32,
}

impl Shelf {
    fn new() -> Self {
        Shelf { chunks: Vec::new() }
    }

    /// The lowest line, from `free` up, where the block fits between the spans of this shelf.
    fn climb(&self, block: Block, mut free: u64, work: &mut usize) -> u64 {
        *work = work.saturating_sub(1 + self.chunks.len());
        for chunk in &self.chunks {
            if chunk.top <= free || chunk.from > block.to || chunk.to < block.from {
                continue;
            }
            *work = work.saturating_sub(chunk.spans.len());
            for span in &chunk.spans {
                // Whether lifetimes meet is a coin toss: `&` and a select instead of branches.
                let meets = (span.from <= block.to) & (span.to >= block.from);
                if meets & (span.start >= free.saturating_add(block.lines)) {
                    return free;
                }
                free = free.max(if meets { span.end } else { 0 });
            }
        }
        free
    }

    fn insert(&mut self, span: Span) {
        if self.chunks.is_empty() {
            self.chunks.push(Chunk::new(Vec::with_capacity(CHUNK)));
        }
        let begins_below =
            |chunk: &Chunk| chunk.spans.first().is_some_and(|s| s.start < span.start);
        let at = self.chunks.partition_point(begins_below).saturating_sub(1);
        let chunk = &mut self.chunks[at];
        let place = chunk.spans.partition_point(|s| s.start < span.start);
        chunk.spans.insert(place, span);
        chunk.top = chunk.top.max(span.end);
        chunk.from = chunk.from.min(span.from);
        chunk.to = chunk.to.max(span.to);
        if chunk.spans.len() == CHUNK {
            let upper = chunk.spans.split_off(CHUNK / 2);
            *chunk = Chunk::new(std::mem::take(&mut chunk.spans));
            self.chunks.insert(at + 1, Chunk::new(upper));
        }
    }
}

impl Chunk {
    fn new(spans: Vec<Span>) -> Self {
        let top = spans.iter().map(|s| s.end).max().unwrap_or(0);
        let from = spans.iter().map(|s| s.from).min().unwrap_or(u32::MAX);
        let to = spans.iter().map(|s| s.to).max().unwrap_or(0);
        Chunk { spans, top, from, to }
    }
}
