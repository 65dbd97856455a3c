//! Where the members of a region meet: one word counts who arrived and who left.
//!
//! Arrivals are counted through all meetings of a region, so a member knows how many there are when its next one is
//! complete, and the last to arrive ends it by being counted. Leaving the region is an arrival at every meeting to come.
//! One that all have arrived at or left is complete if nobody left; else it breaks the region for those who wait, instead
//! of hanging them.

use crate::patience::Patience;
use crate::pieces::Pieces;
use crate::signal::{Signal, UNIT};
use crate::size::MAX_SIZE;
use crate::sync::Lonely;

/// Departures in the low bits, arrivals above them.
const LEFT: u64 = UNIT;
const ARRIVED: u64 = LEFT << 16;
const _: () = assert!((MAX_SIZE as u64) < ARRIVED / LEFT);

/// A member left the region while others waited for it. Also the payload of the quiet panic by which those others
/// leave in turn.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Broken;

/// Who a member is, of how many, and how many meetings it has been at in this region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seat {
    pub index: usize,
    pub members: usize,
    pub meetings: u64,
}

/// The meeting point of one team.
#[derive(Debug)]
pub(crate) struct Barrier {
    tally: Lonely<Signal>,
    /// Of the stages that end with an odd meeting, and with an even one: while one is in use, the other is given back.
    pieces: [Pieces; 2],
}

impl Seat {
    pub(crate) fn first(index: usize, members: usize) -> Seat {
        Seat { index, members, meetings: 0 }
    }

    /// Arrivals once the next meeting is complete.
    fn complete(self) -> u64 {
        (self.meetings + 1) * self.members as u64
    }

    /// How the next meeting ended, if it did.
    fn outcome(self, tally: u64) -> Option<Result<(), Broken>> {
        let (arrived, left) = counts(tally);
        match arrived >= self.complete() {
            true => Some(Ok(())),
            false => (arrived + left >= self.complete()).then_some(Err(Broken)),
        }
    }
}

impl Barrier {
    /// For at most so many members.
    pub(crate) fn new(members: usize) -> Barrier {
        let pieces = [(); 2].map(|()| Pieces::new(members));
        Barrier { tally: Lonely(Signal::new()), pieces }
    }

    /// A piece below `n` that nobody has yet; see [`Pieces::take`].
    pub(crate) fn take_piece(&self, seat: Seat, n: usize) -> Option<usize> {
        self.pieces_after(seat.meetings).take(seat.index, seat.members, n)
    }

    /// Waits until all members are here. What any member did before the meeting is then visible to all, and no piece is
    /// taken. While it waits the member calls `idle`, until that has nothing left to do.
    pub(crate) fn meet(
        &self,
        seat: Seat,
        patience: &Patience,
        mut idle: impl FnMut() -> bool,
    ) -> Result<(), Broken> {
        // Nobody takes these any more: all have been at the meeting that ended their stage.
        self.pieces_after(seat.meetings + 1).give_back(seat.index);
        let tally = &self.tally.0;
        let sum = tally.add(ARRIVED);
        if let Some(outcome) = seat.outcome(sum.value()) {
            tally.wake(sum);
            return outcome;
        }
        while seat.outcome(tally.value()).is_none() && idle() {}
        let end = tally.wait(patience, |value| seat.outcome(value).is_some());
        end.and_then(|value| seat.outcome(value)).unwrap_or(Err(Broken))
    }

    /// Leaves the region. The member must not touch anything the region's caller lent it afterwards.
    pub(crate) fn leave(&self, seat: Seat) {
        let sum = self.tally.0.add(LEFT);
        if seat.outcome(sum.value()).is_some() {
            self.tally.0.wake(sum);
        }
    }

    /// Leaves the region and waits until everyone has. On return no member is inside, and all is ready for the next
    /// region; broken only in a forked child, where the other members are gone and their work may be unfinished.
    pub(crate) fn leave_last(&self, seat: Seat, patience: &Patience) -> Result<(), Broken> {
        self.leave(seat);
        let have_all_left = |value| counts(value).1 == seat.members as u64;
        self.tally.0.wait(patience, have_all_left).ok_or(Broken)?;
        self.tally.0.clear();
        for pieces in &self.pieces {
            (0..seat.members).for_each(|member| pieces.give_back(member));
        }
        Ok(())
    }

    /// The pieces of the stage that follows so many meetings.
    fn pieces_after(&self, meetings: u64) -> &Pieces {
        &self.pieces[(meetings % 2) as usize]
    }
}

/// Arrivals and departures.
fn counts(tally: u64) -> (u64, u64) {
    (tally / ARRIVED, tally % ARRIVED / LEFT)
}
