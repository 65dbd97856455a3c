//! The pool: who gets the team, and what happens when it is not to be had.
//!
//! A region runs on the whole team or, where that is impossible or would block (the team is busy, the caller is itself a
//! member of a team, the process is a forked child), inline on the caller as a team of one. It never waits for a turn.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::size::{MAX_SIZE, default_size};
use crate::team::{Crew, is_member};
use crate::worker::Worker;

static GLOBAL: OnceLock<Pool> = OnceLock::new();

/// A team of threads: the caller of a region and `size - 1` workers, which are started by the first region that needs
/// them and joined when the pool is dropped. Idle workers sleep.
#[derive(Debug)]
pub struct Pool {
    size: usize,
    busy: AtomicBool,
    crew: OnceLock<Option<Crew>>,
}

/// The global pool was in use before its size was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the global thread pool already exists with {size} threads")]
pub struct GlobalPoolExists {
    /// The size it has.
    pub size: usize,
}

impl Pool {
    /// A pool of `size` threads counting the caller, between 1 and [`MAX_SIZE`]. Starts none yet.
    pub fn new(size: usize) -> Pool {
        Pool { size: size.clamp(1, MAX_SIZE), busy: AtomicBool::new(false), crew: OnceLock::new() }
    }

    /// A pool of [`default_size`] threads.
    pub fn with_default_size() -> Pool {
        Pool::new(default_size())
    }

    /// The pool everything shares that is not given one. Its workers are never joined.
    pub fn global() -> &'static Pool {
        GLOBAL.get_or_init(Pool::with_default_size)
    }

    /// Makes the global pool with `size` threads, clamped as by [`new`](Pool::new). An error once the pool exists.
    pub fn init_global(size: usize) -> Result<&'static Pool, GlobalPoolExists> {
        let mut made = false;
        let pool = GLOBAL.get_or_init(|| {
            made = true;
            Pool::new(size)
        });
        if made { Ok(pool) } else { Err(GlobalPoolExists { size: pool.size }) }
    }

    /// The number of threads, counting the caller of a region.
    pub fn size(&self) -> usize {
        self.size
    }

    /// How many workers sleep at this moment because there is nothing to do. Workers not yet started do not count.
    pub fn parked(&self) -> usize {
        self.crew.get().and_then(Option::as_ref).map_or(0, Crew::parked)
    }

    /// Runs `body` once on every member of the team, at the same time, and returns when all are done.
    ///
    /// A panic of any member is carried to the caller once all have left the region. Members waiting at a barrier for
    /// one that left, by a panic or just early, leave too; the region then panics even where nobody panicked first.
    pub fn region(&self, body: impl Fn(&Worker<'_>) + Sync) {
        let Some(claim) = self.claim() else {
            return body(&Worker::alone());
        };
        // SAFETY: the claim is exclusive and held until after the call.
        unsafe { claim.crew.run(&body) };
        claim.crew.raise_fault();
    }

    /// Runs `piece` for each number below `n`, each exactly once, on whichever members are free.
    pub fn pieces(&self, n: usize, piece: impl Fn(usize) + Sync) {
        if n <= 1 {
            return (0..n).for_each(piece);
        }
        self.region(|worker| worker.share(n, &piece));
    }

    /// Takes the team for one region, unless the region has to run inline.
    fn claim(&self) -> Option<Claim<'_>> {
        if self.size == 1 || is_member() {
            return None;
        }
        let free = self.busy.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed);
        free.ok()?;
        let busy = Busy(&self.busy);
        let crew = self.crew.get_or_init(|| Crew::spawn(self.size)).as_ref()?;
        (!crew.is_orphaned()).then_some(Claim { crew, _busy: busy })
    }
}

/// Exclusive use of the team.
struct Claim<'p> {
    crew: &'p Crew,
    _busy: Busy<'p>,
}

struct Busy<'p>(&'p AtomicBool);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}
