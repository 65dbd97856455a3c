//! Counts heap allocations of this program, so that "none in a steady state" is a measured figure.

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Allocations of all threads while `work` runs; a reallocation counts as one.
pub fn during(work: impl FnOnce()) -> usize {
    let region = Region::new(ALLOCATOR);
    work();
    let change = region.change();
    change.allocations + change.reallocations
}

#[cfg(test)]
mod tests {
    use super::during;

    #[test]
    fn allocations_are_counted() {
        assert!(during(|| drop(std::hint::black_box(vec![1_u8; 100]))) >= 1);
    }
}
