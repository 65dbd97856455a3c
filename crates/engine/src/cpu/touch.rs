//! Which chain of a stage a piece depends on: the one it shares a word with that either of them writes.

use whimbrel_tensor::arena::{Access, Span};

/// Words that a chain, or a piece yet without one, reads or writes.
#[derive(Clone, Copy)]
struct Touch {
    start: usize,
    end: usize,
    owner: usize,
    writes: bool,
}

/// All words that the chains of a stage touch, in the order they lie in.
#[derive(Default)]
pub struct Touches(Vec<Touch>);

impl Touches {
    /// Adds pieces to what their chains touch.
    pub fn add(&mut self, pieces: &[Access], chains: &[usize]) {
        self.0.extend(touches(pieces).map(|t| Touch { owner: chains[t.owner], ..t }));
        self.0.sort_by_key(|touch| touch.start);
    }

    /// For each piece the chain it depends on, if any; nothing if a piece depends on several.
    pub fn owners(&self, pieces: &[Access]) -> Option<Vec<Option<usize>>> {
        let mut new: Vec<Touch> = touches(pieces).collect();
        new.sort_by_key(|touch| touch.start);
        let mut owners: Vec<Option<usize>> = vec![None; pieces.len()];
        let (mut old, mut new) = (self.0.iter().peekable(), new.iter().peekable());
        let (mut open_old, mut open_new): (Vec<&Touch>, Vec<&Touch>) = (Vec::new(), Vec::new());
        loop {
            let old_first = match (old.peek(), new.peek()) {
                (Some(old), Some(new)) => old.start <= new.start,
                // What lies behind the last new words meets only those that are open.
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => return Some(owners),
            };
            let (from, own, other) = match old_first {
                true => (&mut old, &mut open_old, &mut open_new),
                false => (&mut new, &mut open_new, &mut open_old),
            };
            let Some(touch) = from.next() else { return Some(owners) };
            other.retain(|open| open.end > touch.start);
            for open in other.iter().filter(|open| open.writes || touch.writes) {
                let (chain, piece) = match old_first {
                    true => (touch.owner, open.owner),
                    false => (open.owner, touch.owner),
                };
                if *owners[piece].get_or_insert(chain) != chain {
                    return None;
                }
            }
            own.push(touch);
        }
    }
}

/// What pieces touch, each its own owner.
fn touches(pieces: &[Access]) -> impl Iterator<Item = Touch> {
    let touch = |owner: usize, writes: bool| {
        move |span: &Span| Touch { start: span.offset, end: span.offset + span.len, owner, writes }
    };
    let all = pieces.iter().enumerate().flat_map(move |(piece, access)| {
        let reads = access.reads.iter().map(touch(piece, false));
        reads.chain(access.writes.iter().map(touch(piece, true)))
    });
    all.filter(|touch| touch.end > touch.start)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// What reads and writes such offsets and lengths.
    pub fn access(reads: &[(usize, usize)], writes: &[(usize, usize)]) -> Access {
        let spans = |all: &[(usize, usize)]| -> Vec<Span> {
            all.iter().map(|&(offset, len)| Span::new(offset, len)).collect()
        };
        Access::new(spans(reads), spans(writes))
    }

    fn stage() -> Touches {
        let mut touches = Touches::default();
        let pieces = [access(&[(0, 50)], &[(100, 10)]), access(&[(0, 50)], &[(110, 10)])];
        touches.add(&pieces, &[0, 1]);
        touches
    }

    #[test]
    fn a_piece_depends_on_the_chain_that_wrote_what_it_reads() {
        let pieces = [access(&[(105, 5)], &[(200, 1)]), access(&[(119, 1)], &[(201, 1)])];
        assert_eq!(stage().owners(&pieces), Some(vec![Some(0), Some(1)]));
    }

    #[test]
    fn reading_what_others_read_is_no_dependence_and_writing_it_is_one_on_all() {
        assert_eq!(stage().owners(&[access(&[(0, 50)], &[(50, 50)])]), Some(vec![None]));
        assert_eq!(stage().owners(&[access(&[], &[(49, 1)])]), None);
    }

    #[test]
    fn words_that_end_where_others_begin_do_not_meet() {
        assert_eq!(stage().owners(&[access(&[(120, 5)], &[(90, 10)])]), Some(vec![None]));
        assert_eq!(stage().owners(&[access(&[(109, 2)], &[(90, 10)])]), None);
    }
}
