//! Where the members of a region meet: a counting barrier that knows who has left.
//!
//! Leaving the region is an arrival that is never taken back. A meeting is complete when everyone has arrived or left:
//! all arrived, the meeting ends and its turn passes; all left, the region ends; a mixture means that some member left
//! (returned or panicked) while others still want to meet, and breaks the region for them instead of hanging them.

use crate::patience::Patience;
use crate::pieces::Pieces;
use crate::signal::Signal;
use crate::sync::{AtomicU32, Lonely, Ordering};

/// Arrivals of the current meeting in the low half, departures of the current region in the high half.
const ARRIVED: u32 = 1;
const LEFT: u32 = 1 << 16;

/// A member left the region while others waited for it. Also the payload of the quiet panic by which those others
/// leave in turn.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Broken;

/// The meeting point of one team. A marked turn means that the region is broken.
#[derive(Debug)]
pub(crate) struct Barrier {
    tally: Lonely<AtomicU32>,
    turns: Lonely<Signal>,
    pieces: Pieces,
}

impl Barrier {
    /// For at most so many members.
    pub(crate) fn new(members: usize) -> Barrier {
        let (tally, turns) = (Lonely(AtomicU32::new(0)), Lonely(Signal::new()));
        Barrier { tally, turns, pieces: Pieces::new(members) }
    }

    /// The pieces that members share between two meetings.
    pub(crate) fn pieces(&self) -> &Pieces {
        &self.pieces
    }

    /// Waits until all members are here. Afterwards no piece is taken, and what any member did before the meeting is visible
    /// to all.
    pub(crate) fn meet(&self, members: u32, patience: &Patience) -> Result<(), Broken> {
        let turns = &self.turns.0;
        // Read before arriving: the turn cannot pass without this member.
        let seen = turns.turn();
        if seen.is_marked() {
            return Err(Broken);
        }
        let tally = self.tally.0.fetch_add(ARRIVED, Ordering::AcqRel) + ARRIVED;
        if tally == members * ARRIVED {
            self.prepare();
            turns.advance(false);
            return Ok(());
        }
        if is_complete(tally, members) {
            turns.advance(true);
            return Err(Broken);
        }
        if turns.wait_past(seen, patience).is_marked() { Err(Broken) } else { Ok(()) }
    }

    /// Leaves the region. The member must not touch anything the region's caller lent it afterwards.
    pub(crate) fn leave(&self, members: u32) {
        let tally = self.tally.0.fetch_add(LEFT, Ordering::AcqRel) + LEFT;
        if tally / LEFT == members {
            self.prepare();
            self.turns.0.advance(false);
        } else if is_complete(tally, members) {
            self.turns.0.advance(true);
        }
    }

    /// Leaves the region and waits until everyone has. On return no member is inside, whatever the result; broken only
    /// in a forked child, where the other members are gone and their work may be unfinished.
    pub(crate) fn leave_last(&self, members: u32, patience: &Patience) -> Result<(), Broken> {
        let turns = &self.turns.0;
        let mut seen = turns.turn();
        self.leave(members);
        // This member has left, so from now on turns pass only by breaking the region or by ending it.
        loop {
            let turn = turns.wait_past(seen, patience);
            if !turn.is_marked() {
                return Ok(());
            }
            if turns.is_orphaned() {
                return Err(Broken);
            }
            seen = turn;
        }
    }

    /// Readies tally and pieces. Only by the member that completes a meeting or a region, while all others wait or are
    /// gone.
    fn prepare(&self) {
        self.tally.0.store(0, Ordering::Relaxed);
        self.pieces.reset();
    }
}

fn is_complete(tally: u32, members: u32) -> bool {
    tally / LEFT + tally % LEFT == members
}
