//! Walking a plan: all threads go through the stages together and share their pieces.

use super::stages::{Compiled, Part};
use crate::{EngineError, Event, Profile};
use std::sync::Mutex;
use whimbrel_kernels::simd::prefetch_far;
use whimbrel_tensor::arena::{Arena, Open};
use whimbrel_threads::Pool;

/// Runs every stage once.
pub fn run(compiled: &Compiled, arena: &mut Arena, pool: &Pool) -> Result<(), EngineError> {
    walk(compiled, arena, pool, &|open, _, stage, piece| run_piece(compiled, open, stage, piece))
}

/// Runs every stage once, all pieces on the caller.
pub fn run_alone(compiled: &Compiled, arena: &mut Arena) -> Result<(), EngineError> {
    let open = arena.open(&compiled.stages).map_err(|e| EngineError::Arena(e.to_string()))?;
    walk_alone(compiled, &|stage, piece| run_piece(compiled, &open, stage, piece));
    Ok(())
}

/// Runs every stage once and records when each piece of each instruction ran.
pub fn profile(
    compiled: &Compiled,
    arena: &mut Arena,
    pool: &Pool,
    profile: &mut Profile,
) -> Result<(), EngineError> {
    let origin = profile.origin;
    let events = Mutex::new(&mut profile.events);
    walk(compiled, arena, pool, &|open, worker, stage, piece| {
        let Some(mut guard) = open.enter(stage, piece) else { return };
        for (step, &part) in compiled.work[stage][piece].iter().enumerate() {
            let Part { instruction, piece } = part;
            let start = origin.elapsed().as_secs_f64();
            (compiled.instructions[instruction].kernel)(piece, guard.step(step));
            let seconds = origin.elapsed().as_secs_f64() - start;
            if let Ok(mut events) = events.lock() {
                events.push(Event { instruction, piece, worker, start, seconds });
            }
        }
    })?;
    profile.runs += 1;
    Ok(())
}

/// Goes through the stages, calling `run(open, worker, stage, piece)` for every piece once.
fn walk(
    compiled: &Compiled,
    arena: &mut Arena,
    pool: &Pool,
    run: &(dyn Fn(&Open, usize, usize, usize) + Sync),
) -> Result<(), EngineError> {
    let open = arena.open(&compiled.stages).map_err(|e| EngineError::Arena(e.to_string()))?;
    if compiled.parallel && pool.size() > 1 {
        pool.region(|worker| {
            for stage in 0..compiled.work.len() {
                if stage > 0 {
                    let mut ahead = compiled.ahead.lines(stage, worker.index());
                    worker.barrier_while(|| ask(&open, &mut ahead));
                }
                let pieces = compiled.stages.pieces(stage);
                worker.share(pieces, |piece| run(&open, worker.index(), stage, piece));
            }
        });
    } else {
        walk_alone(compiled, &|stage, piece| run(&open, 0, stage, piece));
    }
    Ok(())
}

/// Asks for some more lines, unless there are none left.
fn ask(open: &Open, lines: &mut impl Iterator<Item = usize>) -> bool {
    const SOME: usize = 8;
    let some = lines.take(SOME).map(|word| prefetch_far(open.address(word)));
    some.count() == SOME
}

fn walk_alone(compiled: &Compiled, run: &dyn Fn(usize, usize)) {
    for stage in 0..compiled.work.len() {
        for piece in 0..compiled.stages.pieces(stage) {
            run(stage, piece);
        }
    }
}

fn run_piece(compiled: &Compiled, open: &Open, stage: usize, piece: usize) {
    let Some(mut guard) = open.enter(stage, piece) else { return };
    for (step, part) in compiled.work[stage][piece].iter().enumerate() {
        (compiled.instructions[part.instruction].kernel)(part.piece, guard.step(step));
    }
}
