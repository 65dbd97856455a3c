//! The threads behind a pool, and how a region reaches them.
//!
//! A region's body is borrowed from its caller, and workers outlive it. What makes that sound: a worker touches the body
//! only between the gate's turn that published it and its own departure, and the caller neither returns nor
//! publishes another before all have departed.

use std::cell::{Cell, UnsafeCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

use crate::aside::{self, Aside, Core};
use crate::barrier::{Barrier, Broken, Seat};
use crate::fault::Fault;
use crate::patience::Patience;
use crate::signal::{Signal, UNIT};
use crate::sync::Lonely;
use crate::worker::Worker;
use crate::{available_cores, fork};

type Body<'a> = dyn Fn(&Worker<'_>) + Sync + 'a;

thread_local! {
    /// Whether this thread is a member of a running region, or a worker of some pool.
    static IS_MEMBER: Cell<bool> = const { Cell::new(false) };
}

/// Whether the calling thread already works for a team, so that a region it calls has to run inline.
pub(crate) fn is_member() -> bool {
    IS_MEMBER.get()
}

/// What a region asks of the workers.
#[derive(Clone, Copy)]
struct Job {
    body: *const Body<'static>,
    members: usize,
    caller: Core,
}

/// Added to the gate's turns, this ends the workers.
const END: u64 = 1 << 63;

/// The job lies beside the word that announces it, so that one cache line carries both.
struct Gate {
    turns: Signal,
    job: UnsafeCell<Option<Job>>,
}

impl Gate {
    /// Lets the workers pass; what was written before is visible to them.
    fn pass(&self, turn: u64) {
        self.turns.wake(self.turns.add(turn));
    }
}

/// What caller and workers share.
pub(crate) struct Team {
    gate: Lonely<Gate>,
    barrier: Barrier,
    fault: Fault,
    at_gate: Patience,
    at_barrier: Patience,
}

// SAFETY: everything but `gate.job` is `Send` and `Sync` by itself. The job is written by the caller of a region while
// no worker is between the gate and its departure, and read by workers after the gate's turn that published it; its
// body is `Sync` and outlives the region.
unsafe impl Send for Team {}
// SAFETY: as above.
unsafe impl Sync for Team {}

impl std::fmt::Debug for Team {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Team").field("barrier", &self.barrier).finish_non_exhaustive()
    }
}

impl Team {
    pub(crate) fn take_piece(&self, seat: Seat, n: usize) -> Option<usize> {
        self.barrier.take_piece(seat, n)
    }

    pub(crate) fn meet(&self, seat: Seat, idle: impl FnMut() -> bool) -> Result<(), Broken> {
        self.barrier.meet(seat, &self.at_barrier, idle)
    }

    /// Runs `body` as one member, up to but without leaving. Returns the seat to leave.
    fn take_part(&self, body: &Body<'_>, seat: Seat) -> Seat {
        let worker = Worker::member(self, seat);
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| body(&worker))) {
            self.fault.put(payload);
        }
        worker.seat()
    }

    /// A worker's life. `seen` is the gate's turn when the team was made.
    fn serve(&self, index: usize, mut seen: u64) {
        IS_MEMBER.set(true);
        let gate = &self.gate.0;
        let mut aside = Aside::default();
        loop {
            match gate.turns.wait(&self.at_gate, |turn| turn != seen) {
                Some(turn) if turn & END == 0 => seen = turn,
                _ => return,
            }
            // SAFETY: the turn that just passed published the job, and the next is not written before this member
            // has left.
            let Some(job) = (unsafe { *gate.job.get() }) else { return };
            aside.step(job.caller);
            // SAFETY: the region's caller keeps the body alive until every member has left, this one below.
            let seat = self.take_part(unsafe { &*job.body }, Seat::first(index, job.members));
            self.barrier.leave(seat);
        }
    }
}

/// The running workers of a pool. Dropping it ends and joins them.
#[derive(Debug)]
pub(crate) struct Crew {
    team: Arc<Team>,
    workers: Vec<JoinHandle<()>>,
    cores: usize,
}

impl Crew {
    /// Starts up to `size - 1` workers, fewer if the system refuses; `None` if there would be none.
    pub(crate) fn spawn(size: usize) -> Option<Crew> {
        if !fork::watch() {
            return None;
        }
        let cores = available_cores();
        let team = Arc::new(Team {
            gate: Lonely(Gate { turns: Signal::new(), job: UnsafeCell::new(None) }),
            barrier: Barrier::new(size),
            fault: Fault::default(),
            at_gate: Patience::new(size, cores),
            at_barrier: Patience::new(size, cores),
        });
        let seen = team.gate.0.turns.value();
        let start = |index: usize| {
            let team = Arc::clone(&team);
            let thread = std::thread::Builder::new().name(format!("whimbrel-{index}"));
            thread.spawn(move || team.serve(index, seen)).ok()
        };
        let workers: Vec<_> = (1..size).map_while(start).collect();
        if workers.is_empty() {
            return None;
        }
        Some(Crew { team, workers, cores })
    }

    /// Runs `body` on the caller and every worker, and returns when all are done. A panic of any of them is carried on.
    /// The pool sees to it that only one thread is in here at a time, and that it is not a member of any team.
    ///
    /// # Safety
    /// No other call may be running on this crew.
    pub(crate) unsafe fn run(&self, body: &Body<'_>) {
        let team = &*self.team;
        let members = self.workers.len() + 1;
        // SAFETY: only the lifetime changes. Workers use the body before they leave, and `leave_last` below returns,
        // which it does on every path since `take_part` catches panics, only when none is left.
        let erased = unsafe { std::mem::transmute::<&Body<'_>, &Body<'static>>(body) };
        // A crowd has no core to step aside to.
        let caller = if members <= self.cores { aside::current() } else { None };
        // SAFETY: no call runs beside this one, and the one before returned when all members had left: no worker reads
        // the job until the gate's next turn.
        unsafe { *team.gate.0.job.get() = Some(Job { body: erased, members, caller }) };
        IS_MEMBER.set(true);
        team.gate.0.pass(UNIT);
        let seat = team.take_part(body, Seat::first(0, members));
        if team.barrier.leave_last(seat, &team.at_barrier).is_err() {
            team.fault.put(Box::new(Broken));
        }
        IS_MEMBER.set(false);
    }

    /// Carries on the panic of the region that [`run`](Crew::run) finished, if there was one.
    pub(crate) fn raise_fault(&self) {
        self.team.fault.raise();
    }

    /// Whether the workers live in the process this one was forked from.
    pub(crate) fn is_orphaned(&self) -> bool {
        self.team.gate.0.turns.is_orphaned()
    }

    pub(crate) fn parked(&self) -> usize {
        self.team.gate.0.turns.sleepers()
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        let workers = std::mem::take(&mut self.workers);
        if self.is_orphaned() {
            // There is nothing to join, and detaching a thread of another process is undefined.
            std::mem::forget(workers);
            return;
        }
        self.team.gate.0.pass(END);
        for worker in workers {
            // A worker catches every panic of its regions, so there is nothing to carry on.
            let _ = worker.join();
        }
    }
}
