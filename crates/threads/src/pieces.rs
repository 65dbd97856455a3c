//! Who runs which piece of a stage: each member has pieces of its own, and when they are done, those of others.
//!
//! Of `n` pieces member `i` of `m` has `i`, `i + m`, `i + 2m` and so on. Stage after stage a member so finds in its own
//! cache what it wrote; who is done early takes what others have not come to.

use crate::sync::{AtomicUsize, Lonely, Ordering};

/// For each member, how many of its pieces are taken. The first of each is the member's own in any case.
#[derive(Debug)]
pub(crate) struct Pieces(Box<[Lonely<AtomicUsize>]>);

impl Pieces {
    /// For so many members.
    pub(crate) fn new(members: usize) -> Pieces {
        Pieces((0..members).map(|_| Lonely(AtomicUsize::new(1))).collect())
    }

    /// A piece below `n` that nobody has yet, for a member that has done its first one: its own, then those of others.
    pub(crate) fn take(&self, member: usize, members: usize, n: usize) -> Option<usize> {
        if n <= members {
            return None;
        }
        let piece = |owner: usize| {
            let taken = &self.0[owner].0;
            let next = |taken: usize| Some(owner + taken * members).filter(|piece| *piece < n);
            // Looked at first: who has none left need not give up its line for that.
            next(taken.load(Ordering::Relaxed))?;
            next(taken.fetch_add(1, Ordering::Relaxed))
        };
        (member..members).chain(0..member).find_map(piece)
    }

    /// Gives back what was taken of a member's pieces. Only while no member takes any.
    pub(crate) fn give_back(&self, member: usize) {
        let taken = &self.0[member].0;
        // Where nothing was taken, all members keep the line.
        if taken.load(Ordering::Relaxed) != 1 {
            taken.store(1, Ordering::Relaxed);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// What a member takes until there is nothing left, its first piece included.
    fn all(pieces: &Pieces, member: usize, members: usize, n: usize) -> Vec<usize> {
        let first = Some(member).filter(|piece| *piece < n);
        std::iter::successors(first, |_| pieces.take(member, members, n)).collect()
    }

    #[test]
    fn own_pieces_come_first_and_then_those_of_others() {
        let pieces = Pieces::new(3);
        assert_eq!(all(&pieces, 1, 3, 8), [1, 4, 7, 5, 3, 6]);
        assert_eq!(all(&pieces, 0, 3, 8), [0]);
        assert_eq!(all(&pieces, 2, 3, 8), [2]);
        (0..3).for_each(|member| pieces.give_back(member));
        assert_eq!(all(&pieces, 2, 3, 8), [2, 5, 3, 6, 4, 7]);
    }

    #[test]
    fn each_piece_is_taken_once() {
        for n in 0..20 {
            let pieces = Pieces::new(4);
            let mut taken: Vec<usize> = Vec::new();
            for round in 0..n {
                let member = round % 4;
                let first = (round < 4).then_some(member).filter(|piece| *piece < n);
                taken.extend(first.or_else(|| pieces.take(member, 4, n)));
            }
            taken.sort_unstable();
            assert_eq!(taken, (0..n).collect::<Vec<_>>());
        }
    }
}
