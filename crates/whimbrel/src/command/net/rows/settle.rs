//! What becomes of rows in which a number is missing, or is none that the network takes.

use super::Refusal;
use super::numbers::Chunk;
use whimbrel::nn::file::{Missing, NetworkFile};
use whimbrel::nn::losses::{Domain, Loss};

/// Classes have numbers below this one, which single precision holds exactly.
const LARGEST_CLASS: f32 = 1e6;

/// What a network takes of the rows of a file.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    pub missing: Missing,
    /// Indices its inputs may be, where they are such.
    pub indices: Option<usize>,
    /// Whether its targets are classes, counted from 0.
    pub classes: bool,
    /// Classes the network can tell apart, where that is known.
    outputs: Option<usize>,
    /// The kind of the loss, and the targets it makes sense of.
    loss: (&'static str, Domain),
}

impl Rules {
    /// Those of a network file.
    pub fn of(file: &NetworkFile) -> Rules {
        let (missing, indices, loss) =
            (file.data().missing, file.network().indices(), file.trainer().loss);
        let classes = matches!(loss, Loss::CrossEntropy(_));
        Rules { missing, indices, classes, outputs: None, loss: (loss.kind(), loss.domain()) }
    }

    /// The same for rows of `features` inputs with their targets. What is wrong with the network itself is
    /// told when it is trained.
    pub fn learning(file: &NetworkFile, features: usize) -> Rules {
        let rules = Rules::of(file);
        let outputs = rules.classes.then(|| file.trainer().outputs(features).ok()).flatten();
        Rules { outputs, ..rules }
    }

    /// The same, but no row is dropped: every one is predicted for.
    pub fn without_dropping(self) -> Rules {
        let missing = if self.missing == Missing::Drop { Missing::Error } else { self.missing };
        Rules { missing, ..self }
    }

    /// Whether a number can be an input.
    fn takes(self, x: f32) -> bool {
        match self.indices {
            Some(count) => x.fract() == 0.0 && (0.0..count as f32).contains(&x),
            None => x.is_finite(),
        }
    }

    /// Whether a number can be a target.
    fn aims_at(self, x: f32) -> bool {
        match self.classes {
            true => is_class(x) && self.outputs.is_none_or(|outputs| x < outputs as f32),
            false => x.is_finite() && self.loss.1.has(x),
        }
    }

    /// Why a finite number is no target.
    fn no_target(self, x: f32) -> String {
        let (loss, domain) = self.loss;
        match self.classes {
            true if is_class(x) => {
                let outputs = self.outputs.unwrap_or(0);
                let plural = if outputs == 1 { "" } else { "s" };
                format!(
                    "is class {x}, but the network has {outputs} output{plural}; give the last layer one output for each class, counted from 0"
                )
            }
            true => format!("is {x}, which is no class; number the classes from 0"),
            false => {
                let words = domain.words();
                format!(
                    "is {x}, but targets of the loss {loss} are {words}; change it, or choose another loss"
                )
            }
        }
    }
}

/// Whether a number can be that of a class.
fn is_class(x: f32) -> bool {
    x.fract() == 0.0 && (0.0..LARGEST_CLASS).contains(&x)
}

/// A number of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// An input, counted from 0.
    Input(usize),
    /// The target.
    Target,
    /// The weight.
    Weight,
}

/// Settles what is missing in rows, which stands there as NaN. A number that is infinite, or no index,
/// class or target of the loss where one is needed, a missing target or weight unless its row is
/// dropped, a negative weight, and, unless told otherwise, a missing input are refused with the name
/// that `place` has for them.
pub fn settle(
    chunk: &mut Chunk,
    rules: Rules,
    place: impl Fn(usize, Field) -> String,
) -> Result<(), Refusal> {
    let weighs = |x: &f32| x.is_finite() && *x >= 0.0;
    let aimed = chunk.targets.iter().all(|&x| rules.aims_at(x));
    let known = aimed && chunk.weights.iter().all(weighs);
    if known && chunk.inputs.iter().all(|&x| rules.takes(x)) {
        return Ok(());
    }
    let rows = chunk.rows();
    let mut kept = Vec::with_capacity(rows);
    for row in 0..rows {
        let mut keep = true;
        for column in 0..chunk.features {
            let x = &mut chunk.inputs[row * chunk.features + column];
            match rules.missing {
                _ if rules.takes(*x) => {}
                Missing::Zero if x.is_nan() => *x = 0.0,
                Missing::Drop if x.is_nan() => keep = false,
                // The training knows the mean.
                Missing::Mean if x.is_nan() => {}
                _ => {
                    return Err(refusal(*x, rules.indices, &place(row, Field::Input(column))));
                }
            }
        }
        let targets = &chunk.targets[row * chunk.width..(row + 1) * chunk.width];
        match targets.iter().find(|&&x| !rules.aims_at(x)) {
            None => {}
            Some(x) if x.is_nan() && rules.missing == Missing::Drop => keep = false,
            Some(x) if x.is_finite() && !keep => {}
            // What does not count may be anything.
            Some(x) if x.is_finite() && !rules.classes && chunk.weights.get(row) == Some(&0.0) => {}
            Some(x) if x.is_finite() => {
                let place = place(row, Field::Target);
                return Err(format!("{place}: {}", rules.no_target(*x)).into());
            }
            Some(x) => return Err(refusal(*x, None, &place(row, Field::Target))),
        }
        match chunk.weights.get(row).filter(|x| !weighs(x)) {
            None => {}
            Some(x) if x.is_nan() && rules.missing == Missing::Drop => keep = false,
            Some(x) if *x < 0.0 => {
                let place = place(row, Field::Weight);
                return Err(format!("{place}: is {x}; give weights that are not negative").into());
            }
            Some(x) => return Err(refusal(*x, None, &place(row, Field::Weight))),
        }
        kept.extend(keep.then_some(row));
    }
    if kept.len() < rows {
        chunk.inputs = take(&chunk.inputs, chunk.features, &kept);
        chunk.targets = take(&chunk.targets, chunk.width, &kept);
        if !chunk.weights.is_empty() {
            chunk.weights = take(&chunk.weights, 1, &kept);
        }
    }
    Ok(())
}

fn take(numbers: &[f32], width: usize, rows: &[usize]) -> Vec<f32> {
    rows.iter().flat_map(|row| &numbers[row * width..(row + 1) * width]).copied().collect()
}

/// Rows of which none is left.
pub fn all_dropped(file: &str) -> Refusal {
    let remedy =
        "fill some in, or set missing under [data] of the network file to \"zero\" or \"mean\"";
    format!("{file}: a number is missing in every row, so that all are dropped; {remedy}").into()
}

fn refusal(number: f32, indices: Option<usize>, place: &str) -> Refusal {
    let problem = match indices {
        _ if number.is_nan() => {
            "has no value; fill it in, remove the row, or set missing under [data] of the network file"
                .into()
        }
        Some(count) => format!(
            "is {number}, which is no index of an embedding of {count}; number what is embedded from 0, or raise num_embeddings"
        ),
        None => "is beyond the range of single precision; scale it, or remove the row".into(),
    };
    format!("{place}: {problem}").into()
}
