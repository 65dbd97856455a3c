//! Walking a plan: all threads go through the stages together and share their pieces.

use super::stages::Compiled;
use crate::EngineError;
use std::sync::Mutex;
use std::time::Instant;
use whimbrel_tensor::arena::{Arena, Open};
use whimbrel_threads::Pool;

/// Runs every stage once.
pub fn run(compiled: &Compiled, arena: &mut Arena, pool: &Pool) -> Result<(), EngineError> {
    walk(compiled, arena, pool, &|open, stage, piece| run_piece(compiled, open, stage, piece))
}

/// Runs every stage once and adds the seconds each instruction took, over all threads, to `seconds`.
pub fn profile(
    compiled: &Compiled,
    arena: &mut Arena,
    pool: &Pool,
    seconds: &mut [f64],
) -> Result<(), EngineError> {
    let total = Mutex::new(seconds);
    walk(compiled, arena, pool, &|open, stage, piece| {
        let Some(mut guard) = open.enter(stage, piece) else { return };
        let steps = compiled.steps[stage].clone();
        for (step, i) in steps.enumerate() {
            let start = Instant::now();
            (compiled.instructions[i].kernel)(piece, guard.step(step));
            let took = start.elapsed().as_secs_f64();
            if let Ok(mut total) = total.lock() {
                total[i] += took;
            }
        }
    })
}

fn walk(
    compiled: &Compiled,
    arena: &mut Arena,
    pool: &Pool,
    piece: &(dyn Fn(&Open, usize, usize) + Sync),
) -> Result<(), EngineError> {
    let open = arena.open(&compiled.stages).map_err(|e| EngineError::Memory(e.to_string()))?;
    if compiled.parallel && pool.size() > 1 {
        pool.region(|worker| {
            for stage in 0..compiled.steps.len() {
                worker.pieces(compiled.stages.pieces(stage), |p| piece(&open, stage, p));
            }
        });
    } else {
        for stage in 0..compiled.steps.len() {
            for p in 0..compiled.stages.pieces(stage) {
                piece(&open, stage, p);
            }
        }
    }
    Ok(())
}

fn run_piece(compiled: &Compiled, open: &Open, stage: usize, piece: usize) {
    let Some(mut guard) = open.enter(stage, piece) else { return };
    for (step, i) in compiled.steps[stage].clone().enumerate() {
        (compiled.instructions[i].kernel)(piece, guard.step(step));
    }
}
