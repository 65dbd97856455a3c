//! Walking a plan: all threads go through the stages together and share their pieces.

use super::stages::{Compiled, Part};
use crate::{EngineError, Event, Profile};
use std::sync::Mutex;
use whimbrel_kernels::simd::prefetch_far;
use whimbrel_tensor::arena::{Arena, Guard, Open};
use whimbrel_threads::Pool;

/// Runs every stage once.
pub fn run(compiled: &Compiled, arena: &mut Arena, pool: &Pool) -> Result<(), EngineError> {
    walk(compiled, arena, pool, &|guard, parts, _| {
        for (step, part) in parts.iter().enumerate() {
            (compiled.instructions[part.instruction].kernel)(part.piece, guard.step(step));
        }
    })
}

/// Runs every stage once, all pieces on the caller.
pub fn run_alone(compiled: &Compiled, arena: &mut Arena) -> Result<(), EngineError> {
    run(compiled, arena, &Pool::new(1))
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
    walk(compiled, arena, pool, &|guard, parts, worker| {
        for (step, &Part { instruction, piece }) in parts.iter().enumerate() {
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

/// Goes through the stages, calling `run(guard, parts, worker)` for every piece once.
fn walk(
    compiled: &Compiled,
    arena: &mut Arena,
    pool: &Pool,
    run: &(dyn Fn(&mut Guard<'_>, &[Part], usize) + Sync),
) -> Result<(), EngineError> {
    let open = arena.open(&compiled.stages).map_err(|e| EngineError::Arena(e.to_string()))?;
    let alone = Pool::new(1);
    let pool = if compiled.parallel { pool } else { &alone };
    pool.region(|worker| {
        let mut over = open.tally();
        for (stage, pieces) in compiled.work.iter().enumerate() {
            if stage > 0 {
                over.count();
                let mut ahead = compiled.ahead.lines(stage, worker.index());
                worker.barrier_while(|| ask(&open, &mut ahead));
            }
            worker.share(pieces.len(), |piece| {
                let Some(mut guard) = open.enter(stage, piece) else { return };
                run(&mut guard, &pieces[piece], worker.index());
                over.add(guard);
            });
        }
    });
    Ok(())
}

/// Asks for some more lines, unless there are none left.
fn ask(open: &Open, lines: &mut impl Iterator<Item = usize>) -> bool {
    const SOME: usize = 8;
    let mut asked = 0;
    for word in lines.take(SOME) {
        prefetch_far(open.address(word));
        asked += 1;
    }
    asked == SOME
}
