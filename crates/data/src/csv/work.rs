//! Threads parse blocks side by side.
//!
//! Every thread of the pool takes the next block under a lock and parses it without one. Results are
//! put back into the order of the blocks. When a block fails no more are taken; all blocks before it
//! have been, so the error reported is the first of the file.

use super::blocks::{Block, Blocks};
use super::infer::infer;
use super::layout::Layout;
use super::parse::{Fault, Memory, Parsed, parse};
use crate::error::{DataError, Problem};
use crate::kind::Kind;
use crate::table::{Column, Table};
use std::sync::{Mutex, MutexGuard, PoisonError};
use whimbrel_threads::Pool;

/// A file from its first row on.
pub(crate) struct Work {
    pub(crate) layout: Layout,
    blocks: Blocks,
    /// Lines before the next block.
    lines: u64,
    /// An error has been reported.
    failed: bool,
    /// Columns of tables that are no longer needed.
    old: Vec<Vec<Column>>,
}

/// Why the work stopped.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: DataError,
    pub(crate) narrow: Option<Box<Narrow>>,
}

/// A guess that a later field does not fit.
#[derive(Debug)]
pub(crate) struct Narrow {
    /// What was guessed.
    pub(crate) kind: Kind,
    /// The layout with the guess that fits that field too.
    pub(crate) wider: Layout,
}

/// What the threads share while they take blocks.
struct Queue<'a> {
    blocks: &'a mut Blocks,
    taken: usize,
    open: bool,
    old: &'a mut Vec<Vec<Column>>,
    /// The number of each block and what became of it.
    results: Vec<(usize, Outcome)>,
}

type Outcome = Result<Parsed, (Fault, Option<Box<Narrow>>)>;

impl Work {
    /// `lines` lines come before the blocks.
    pub(crate) fn new(layout: Layout, blocks: Blocks, lines: u64) -> Work {
        Work { layout, blocks, lines, failed: false, old: Vec::new() }
    }

    /// Bytes of all records parsed so far.
    pub(crate) fn passed(&self) -> u64 {
        self.blocks.passed()
    }

    /// Takes tables that are no longer needed, to make others in their memory.
    pub(crate) fn take_back(&mut self, tables: Vec<Table>) {
        self.old.extend(tables.into_iter().map(Table::into_columns));
    }

    /// Parses at most `most` blocks. No tables after the last, or after an error.
    pub(crate) fn next_tables(&mut self, pool: &Pool, most: usize) -> Result<Vec<Table>, Failure> {
        if self.failed {
            return Ok(Vec::new());
        }
        let layout = &self.layout;
        let queue = Queue {
            blocks: &mut self.blocks,
            taken: 0,
            open: true,
            old: &mut self.old,
            results: Vec::new(),
        };
        let queue = Mutex::new(queue);
        pool.region(|_| take_blocks(&queue, layout, most));
        let queue = queue.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut results = queue.results;
        results.sort_unstable_by_key(|&(block, _)| block);
        let mut tables = Vec::with_capacity(results.len());
        for (_, result) in results {
            match result {
                Ok(parsed) => {
                    let (table, lines) = parsed.into_table(layout, self.lines);
                    self.lines = lines;
                    tables.push(table);
                }
                Err((fault, narrow)) => {
                    self.failed = true;
                    let line = self.lines + fault.line + 1;
                    let error = layout.error(line, fault.field, fault.problem);
                    return Err(Failure { error, narrow });
                }
            }
        }
        Ok(tables)
    }
}

/// What each thread does until the blocks are used up.
fn take_blocks(queue: &Mutex<Queue>, layout: &Layout, most: usize) {
    let mut block = Block::default();
    let mut memory = Memory::default();
    loop {
        let mut locked = lock(queue);
        if !locked.open || locked.taken == most {
            return;
        }
        let number = locked.taken;
        locked.taken += 1;
        match locked.blocks.next(&mut block) {
            Ok(true) => {}
            Ok(false) => {
                locked.open = false;
                return;
            }
            Err(problem) => {
                locked.open = false;
                let fault = Fault { line: 0, field: None, problem };
                locked.results.push((number, Err((fault, None))));
                return;
            }
        }
        memory.columns = locked.old.pop().unwrap_or_default();
        drop(locked);
        let result = parse(layout, block.bytes(), &mut memory).map_err(|fault| {
            let narrow = too_narrow(layout, &fault, block.bytes());
            (fault, narrow)
        });
        let mut locked = lock(queue);
        locked.open &= result.is_ok();
        locked.results.push((number, result));
    }
}

/// The guess to blame for a fault in a block, if one is.
fn too_narrow(layout: &Layout, fault: &Fault, block: &[u8]) -> Option<Box<Narrow>> {
    let other_kind = matches!(
        fault.problem,
        Problem::NotAnInteger { .. }
            | Problem::NotANumber { .. }
            | Problem::NotFinite { .. }
            | Problem::NotATime { .. }
    );
    let slot = layout.slot_of_field[fault.field?]?;
    let kind = layout.slots[slot].kind();
    let mut wider = layout.clone();
    infer(&mut wider, block);
    (other_kind && wider.slots[slot].kind() != kind).then(|| Box::new(Narrow { kind, wider }))
}

fn lock<'a, 'b>(queue: &'a Mutex<Queue<'b>>) -> MutexGuard<'a, Queue<'b>> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}
