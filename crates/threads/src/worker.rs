//! A member of a team inside a region, and the two things members do together: share pieces and meet.
//!
//! All members make the same calls in the same order. Breaking that rule is safe: a member that leaves while others wait
//! makes the region panic. Inside a piece a worker is on its own, and so counts as a team of one.

use std::cell::Cell;
use std::panic::resume_unwind;

use crate::barrier::{Broken, Seat};
use crate::team::Team;

/// One member of the team that runs a region. It stays on its thread: the type is not `Sync`.
#[derive(Debug)]
pub struct Worker<'t> {
    team: Option<&'t Team>,
    seat: Cell<Seat>,
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
        Worker { team: None, seat: Cell::new(Seat::first(0, 1)), stage: Cell::new(Stage::Together) }
    }

    pub(crate) fn member(team: &'t Team, seat: Seat) -> Worker<'t> {
        Worker { team: Some(team), seat: Cell::new(seat), stage: Cell::new(Stage::Together) }
    }

    pub(crate) fn seat(&self) -> Seat {
        self.seat.get()
    }

    /// This member's number, from 0 (the thread that called the region) to [`count`](Worker::count) - 1.
    pub fn index(&self) -> usize {
        self.seat().index
    }

    /// The number of members of this region's team. It may be smaller than the pool's size.
    pub fn count(&self) -> usize {
        self.seat().members
    }

    /// Runs `piece` for each number below `n`, each on exactly one member, and waits until all are done. Every member
    /// passes the same `n`. Member `i` starts with piece `i` and goes on with every [`count`](Worker::count)th after
    /// it; who is done early takes over from others.
    pub fn pieces(&self, n: usize, piece: impl FnMut(usize)) {
        self.share(n, piece);
        self.barrier();
    }

    /// [`pieces`](Worker::pieces) without the wait; at most one call before the next barrier or the end of the region.
    pub fn share(&self, n: usize, mut piece: impl FnMut(usize)) {
        let Some(team) = self.team_here() else {
            (0..n).for_each(piece);
            return;
        };
        self.stage.set(Stage::Apart);
        let unfinished = FailOnDrop(&self.stage);
        let mut next = Some(self.index()).filter(|first| *first < n);
        while let Some(number) = next {
            piece(number);
            next = team.take_piece(self.seat(), n);
        }
        std::mem::forget(unfinished);
        self.stage.set(Stage::Together);
    }

    /// Waits until every member is here; what each did before is then visible to all.
    #[inline]
    pub fn barrier(&self) {
        self.barrier_while(|| false);
    }

    /// [`barrier`](Worker::barrier), but a member that has to wait calls `idle` meanwhile, again and again until that
    /// has nothing left to do. It should take no longer than a moment each time.
    #[inline]
    pub fn barrier_while(&self, idle: impl FnMut() -> bool) {
        let Some(team) = self.team_here() else { return };
        let seat = self.seat();
        // While it waits a member is on its own, and lost if it panics: it has arrived.
        self.stage.set(Stage::Apart);
        let unfinished = FailOnDrop(&self.stage);
        if team.meet(seat, idle) == Err(Broken) {
            quit();
        }
        std::mem::forget(unfinished);
        self.stage.set(Stage::Together);
        self.seat.set(Seat { meetings: seat.meetings + 1, ..seat });
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
