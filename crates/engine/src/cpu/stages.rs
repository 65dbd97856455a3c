//! Groups instructions into stages: what runs between two meetings of the threads.
//!
//! A stage has chains: pieces of instructions that one thread runs in order. A piece goes on with the
//! chain whose words it needs, or begins one beside the others if it needs none of theirs; where it
//! needs those of several, a new stage begins. The arena's proof decides in the end, so the grouping
//! cannot be wrong, only too cautious.

use super::ahead::Ahead;
use super::instruction::Instruction;
use super::lowering::{LEAST_PIECE, WORTH_SHARING, seconds};
use super::touch::Touches;
use crate::EngineError;
use crate::backend::{Line, Report};
use std::collections::VecDeque;
use whimbrel_tensor::arena::{Access, Stages};

/// Instructions grouped and proved, ready to run.
pub struct Compiled {
    /// The proof, which is what the arena is opened with.
    pub stages: Stages,
    /// For each stage and each piece of it, what the piece runs, in order.
    pub work: Vec<Vec<Vec<Part>>>,
    /// What members ask for while they wait.
    pub ahead: Ahead,
    /// All instructions in order; their accesses have moved into the proof.
    pub instructions: Vec<Instruction>,
    /// What the plan occupies and does.
    pub report: Report,
    /// Whether any stage has work for more than one thread.
    pub parallel: bool,
}

/// A piece of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The instruction.
    pub instruction: usize,
    /// The piece of it.
    pub piece: usize,
}

/// Groups `instructions`, each of at least one piece, for so many threads and proves the result.
pub fn group(
    mut instructions: Vec<Instruction>,
    threads: usize,
    arena_words: usize,
    mut report: Report,
) -> Result<Compiled, EngineError> {
    let mut stages: Vec<Stage> = Vec::new();
    for (i, instruction) in instructions.iter_mut().enumerate() {
        let (name, cost) = (instruction.name.clone(), instruction.cost);
        report.lines.push(Line { name, pieces: instruction.pieces.len(), cost });
        report.cost.flops += cost.flops;
        report.cost.bytes += cost.bytes;
        let pieces = std::mem::take(&mut instruction.pieces);
        let each = seconds(cost) / pieces.len().max(1) as f64;
        let places = stages.last().and_then(|stage| stage.places(&pieces, each, threads));
        if places.is_none() {
            stages.push(Stage::default());
        }
        let places = places.unwrap_or_else(|| vec![None; pieces.len()]);
        if let Some(stage) = stages.last_mut() {
            stage.take(i, pieces, &places, each);
        }
    }
    report.instructions = instructions.len();
    report.stages = stages.len();
    let finish = |stage: Stage| stage.finish(threads);
    let (accesses, work) = stages.into_iter().map(finish).unzip::<_, _, Vec<_>, _>();
    let parallel = accesses.iter().any(|stage| stage.len() > 1);
    let ahead = Ahead::of(&accesses, if parallel && threads > 1 { threads } else { 0 });
    let stages = Stages::prove(arena_words, accesses)
        .map_err(|conflict| EngineError::Conflict(conflict.to_string()))?;
    Ok(Compiled { stages, work, ahead, instructions, report, parallel })
}

/// A stage that grows.
#[derive(Default)]
struct Stage {
    chains: Vec<Chain>,
    touches: Touches,
}

/// What one thread will run in order, and how long that takes it, roughly.
#[derive(Default)]
struct Chain {
    parts: Vec<Part>,
    accesses: Vec<Access>,
    seconds: f64,
    /// Where it belongs, if it has a piece of several.
    home: Option<Home>,
}

/// A piece's number, and how many there are of its instruction. In all stages what has the same home is on
/// the same thread, as long as all have work: it so finds in its own cache what it made.
#[derive(Clone, Copy, PartialEq)]
struct Home {
    piece: usize,
    of: usize,
}

impl Stage {
    /// For each piece of an instruction the chain it goes on with, or none to begin one; nothing if
    /// the instruction has to wait until the stage is over. A piece takes `each` seconds.
    fn places(&self, pieces: &[Access], each: f64, threads: usize) -> Option<Vec<Option<usize>>> {
        let (chains, count) = (self.chains.len(), pieces.len());
        let alone = chains == 1 && count == 1;
        let longest = self.chains.iter().map(|chain| chain.seconds).fold(0.0, f64::max);
        if alone && (threads == 1 || longest.min(each) < WORTH_SHARING) {
            return Some(vec![Some(0)]);
        }
        let mut places = match self.touches.owners(pieces) {
            Some(places) => places,
            None if alone => return Some(vec![Some(0)]),
            None => return None,
        };
        // Two pieces on one chain could have run side by side.
        let mut taken = vec![false; chains];
        for &chain in places.iter().flatten() {
            if std::mem::replace(&mut taken[chain], true) {
                return None;
            }
        }
        // Blocks of the batch stay on their chain: what comes next may need all that was made there.
        let few = chains <= threads && each >= LEAST_PIECE;
        for (piece, place) in places.iter_mut().enumerate().filter(|_| count > 1 && !few) {
            let home = Some(Home { piece, of: count });
            if place.is_none() {
                let at_home = self.chains.iter().position(|chain| chain.home == home);
                *place = at_home.filter(|chain| !std::mem::replace(&mut taken[*chain], true));
            }
        }
        Some(places)
    }

    /// Takes an instruction in, its pieces at the places found for them.
    fn take(&mut self, instruction: usize, pieces: Vec<Access>, to: &[Option<usize>], each: f64) {
        let mut chains = Vec::with_capacity(pieces.len());
        for place in to {
            chains.push(place.unwrap_or(self.chains.len()));
            if place.is_none() {
                self.chains.push(Chain::default());
            }
        }
        self.touches.add(&pieces, &chains);
        let of = pieces.len();
        for (piece, (access, chain)) in pieces.into_iter().zip(chains).enumerate() {
            let chain = &mut self.chains[chain];
            chain.home = chain.home.or((of > 1).then_some(Home { piece, of }));
            chain.parts.push(Part { instruction, piece });
            chain.accesses.push(access);
            chain.seconds += each;
        }
    }

    /// What each piece of the stage touches and runs, in an order in which every thread has what is at home
    /// with it, the longest first: who is done early then finds something short.
    fn finish(mut self, threads: usize) -> (Vec<Vec<Access>>, Vec<Vec<Part>>) {
        let count = self.chains.len();
        self.chains.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        let (settled, homeless): (Vec<_>, Vec<_>) =
            self.chains.into_iter().partition(|chain| chain.home.is_some());
        let mut queues: Vec<Queue> = (0..threads.max(1)).map(|_| Queue::default()).collect();
        for chain in settled.into_iter().chain(homeless) {
            let at = match chain.home {
                Some(home) => home.piece % queues.len(),
                None => idlest(&queues),
            };
            queues[at].add(chain);
        }
        // Thread `i` of `n` has the places `i`, `i + n` and so on. Who has nothing left takes from the longest.
        let mut order = Vec::with_capacity(count);
        for place in 0..count {
            let own = place % queues.len();
            let longest = (0..queues.len()).max_by_key(|queue| queues[*queue].chains.len());
            let chain = queues[own].chains.pop_front();
            order.extend(chain.or_else(|| queues[longest.unwrap_or(own)].chains.pop_back()));
        }
        order.into_iter().map(|chain| (chain.accesses, chain.parts)).unzip()
    }
}

/// What one thread has to do in a stage, the longest first.
#[derive(Default)]
struct Queue {
    chains: VecDeque<Chain>,
    seconds: f64,
}

impl Queue {
    fn add(&mut self, chain: Chain) {
        self.seconds += chain.seconds;
        let at = self.chains.partition_point(|other| other.seconds >= chain.seconds);
        self.chains.insert(at, chain);
    }
}

/// The queue that takes the least time.
fn idlest(queues: &[Queue]) -> usize {
    let by_seconds = |a: &usize, b: &usize| queues[*a].seconds.total_cmp(&queues[*b].seconds);
    (0..queues.len()).min_by(by_seconds).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use whimbrel_tensor::arena::Span;

    /// An instruction of as many pieces as words, each reading and writing one.
    fn pieces(reads: usize, writes: usize, count: usize) -> Vec<Access> {
        let word = |offset| [Span::new(offset, 1)];
        (0..count).map(|i| Access::new(word(reads + i), word(writes + i))).collect()
    }

    fn stage(instructions: Vec<(Vec<Access>, f64)>, threads: usize) -> Vec<Vec<Part>> {
        let mut stage = Stage::default();
        for (i, (pieces, each)) in instructions.into_iter().enumerate() {
            let places = stage.places(&pieces, each, threads).expect("room in the stage");
            stage.take(i, pieces, &places, each);
        }
        stage.finish(threads).1
    }

    #[test]
    fn blocks_stay_on_their_chain_whatever_was_before_them() {
        let one = (pieces(0, 100, 1), 1e-6);
        let work = stage(vec![one, (pieces(1, 200, 4), 1e-6), (pieces(10, 300, 4), 1e-6)], 2);
        let chain = |piece| [1, 2].map(|instruction| Part { instruction, piece }).to_vec();
        assert!((0..4).all(|piece| work.contains(&chain(piece))), "{work:?}");
    }

    #[test]
    fn pieces_are_at_places_of_the_thread_they_are_at_home_with() {
        // Long work that is nobody's comes first, and the blocks do not change sides for it.
        let work = stage(vec![(pieces(0, 100, 1), 9e-6), (pieces(1, 200, 8), 1e-6)], 2);
        for (place, parts) in work.iter().enumerate().take(8) {
            let Part { instruction, piece } = parts[0];
            assert!(instruction == 0 || piece % 2 == place % 2, "{work:?}");
        }
        assert_eq!(work[0][0].instruction, 0);
        assert_eq!(work.len(), 9);
    }
}
