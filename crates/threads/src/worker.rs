//! A member of a team inside a region, and the two things members do together: share pieces and meet.
//!
//! All members make the same calls in the same order. Breaking that rule is safe: a member that leaves while others wait
//! makes the region panic. Inside a piece a worker is on its own, and so counts as a team of one.

use std::cell::Cell;
use std::panic::resume_unwind;

use crate::barrier::Broken;
use crate::team::Team;

/// One member of the team that runs a region. It stays on its thread: the type is not `Sync`.
#[derive(Debug)]
pub struct Worker<'t> {
    team: Option<&'t Team>,
    index: usize,
    count: usize,
    stage: Cell<Stage>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Walking with the others.
    Together,
    /// Inside a piece.
    Apart,
    /// A piece panicked or the region broke. Even if the body catches that, this member is out of step with the others.
    Failed,
}

impl<'t> Worker<'t> {
    /// A team of one, for which everything is a plain call.
    pub(crate) fn alone() -> Worker<'t> {
        Worker { team: None, index: 0, count: 1, stage: Cell::new(Stage::Together) }
    }

    pub(crate) fn member(team: &'t Team, index: usize, count: usize) -> Worker<'t> {
        Worker { team: Some(team), index, count, stage: Cell::new(Stage::Together) }
    }

    /// This member's number, from 0 (the thread that called the region) to [`count`](Worker::count) - 1.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The number of members of this region's team. It may be smaller than the pool's size.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Runs `piece` for each number below `n`, each on exactly one member, and waits until all are done. Every member
    /// passes the same `n`. Member `i` starts with piece `i` and goes on with every [`count`](Worker::count)th after
    /// it; who is done early takes over from others.
    pub fn pieces(&self, n: usize, piece: impl FnMut(usize)) {
        self.share(n, piece);
        self.barrier();
    }

    /// [`pieces`](Worker::pieces) without the wait; at most one call before the next barrier or the end of the region.
    pub(crate) fn share(&self, n: usize, mut piece: impl FnMut(usize)) {
        let Some(team) = self.team_here() else {
            (0..n).for_each(piece);
            return;
        };
        self.stage.set(Stage::Apart);
        let unfinished = FailOnDrop(&self.stage);
        let mut next = Some(self.index).filter(|first| *first < n);
        while let Some(number) = next {
            piece(number);
            next = team.pieces().take(self.index, self.count, n);
        }
        std::mem::forget(unfinished);
        self.stage.set(Stage::Together);
    }

    /// Waits until every member is here; what each did before is then visible to all.
    #[inline]
    pub fn barrier(&self) {
        if let Some(team) = self.team_here()
            && team.meet(self.count) == Err(Broken)
        {
            self.stage.set(Stage::Failed);
            quit();
        }
    }

    /// The team to act with now, if this member is not a team of one.
    #[inline]
    fn team_here(&self) -> Option<&'t Team> {
        match self.stage.get() {
            Stage::Together => self.team,
            Stage::Apart => None,
            Stage::Failed => quit(),
        }
    }
}

struct FailOnDrop<'a>(&'a Cell<Stage>);

impl Drop for FailOnDrop<'_> {
    fn drop(&mut self) {
        self.0.set(Stage::Failed);
    }
}

/// Leaves a broken region by a panic that prints nothing: the member that broke it has printed its own.
#[cold]
fn quit() -> ! {
    resume_unwind(Box::new(Broken))
}
