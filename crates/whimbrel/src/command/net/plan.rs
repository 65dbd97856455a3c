//! `whimbrel net plan`: the memory of a training, before it runs.
//!
//! A batch size to be measured is measured here too, or taken from the run that would be resumed.
//!
//! The resident memory is predicted from this process: it reads the data and plans the training as
//! `net train` does, only without its arena, which may be more than there is. A training also runs code
//! that a plan does not; a rehearsal with a network of one weight brings it into memory. What reads a
//! source ahead is open meanwhile, as it is in every epoch.

use super::batch::{self, Origin};
use super::picture::arena_over_time;
use super::rows::Data;
use super::{check_output, failure, read, write};
use crate::cli::Plan;
use crate::command::terminal::print;
use crate::failure::Failure;
use serde_json::{Value, json};
use std::panic::resume_unwind;
use std::thread::{Builder, JoinHandle};
use whimbrel::nn::layers::{Linear, Sequential};
use whimbrel::nn::losses::Mse;
use whimbrel::nn::optimisers::{Adam, Optimiser};
use whimbrel::nn::trainer::{
    Chunks, Examples, Length, Needs, Resident, Rows, Start, Targets, TrainError, Trainer,
};
use whimbrel::{Class, Report};

pub fn run(options: &Plan) -> Result<(), Failure> {
    let file = read(&options.file)?;
    if let Some(out) = &options.out {
        check_output("--out", out, &options.file, &file)?;
        if out.extension().is_none_or(|ending| ending != "svg") {
            let problem = format!("--out {}: the picture is SVG", out.display());
            return Err(Failure::input(format!("{problem}; let the name end in .svg")));
        }
    }
    let mut trainer = file.trainer();
    trainer.threads = options.threads.unwrap_or(0);
    let data = Data::open(&file, &file.data_file(), file.target_file().as_deref())?;
    let wanted = options.batch.unwrap_or(file.batch_size());
    let origin = batch::foresee(&mut trainer, wanted, &file, &data)?;
    let needs = trainer.needs(data.rows()).map_err(|error| failure(&file, &error))?;
    let open = begin_reading(data.rows(), trainer.validation);
    let open = open.map_err(|error| failure(&file, &error))?;
    rehearse(trainer.threads).map_err(|error| failure(&file, &error))?;
    let resident = Prediction::of(&needs, Resident::now());
    drop(open);
    if let Some(path) = &options.out {
        write(path, arena_over_time(&needs.step, needs.arena).as_bytes())?;
    }
    match options.json {
        true => {
            print(format_args!("{}\n", as_json(&needs, (trainer.batch_size, origin), &resident)))
        }
        false => print(table(&needs, &reason(trainer.batch_size, origin), &resident)),
    }
}

/// A source that is being read, with the chunk in use and the one after it, which is made ready meanwhile.
type Reading = (Chunks, Vec<Examples>);

/// Begins to read a source as a training does, which may validate in the middle of an epoch; gives what is
/// open then. Chunks are made on threads of their own there, and so they are here: the allocator gives each
/// thread its own memory.
fn begin_reading(rows: Rows, validation: f64) -> Result<Vec<Reading>, TrainError> {
    let Rows::Streamed(source) = rows else { return Ok(Vec::new()) };
    let passes = 1 + usize::from(validation > 0.0);
    let begin = |_| {
        let mut chunks = source.open()?;
        let read = move || {
            let held = chunks.by_ref().take(2).collect::<Result<_, TrainError>>()?;
            Ok((chunks, held))
        };
        Builder::new().spawn(read).map_err(|error| TrainError::Source(error.into()))
    };
    let threads: Vec<_> = (0..passes).map(begin).collect::<Result<_, TrainError>>()?;
    let joined = threads.into_iter().map(JoinHandle::join);
    joined.map(|read| read.unwrap_or_else(|panic| resume_unwind(panic))).collect()
}

/// Trains one weight, of one row and for a validation of another; writes nothing.
fn rehearse(threads: usize) -> Result<(), TrainError> {
    let network = Sequential::new().then(Linear::new(1));
    let trainer = Trainer {
        length: Length::Steps(2),
        validation: 0.5,
        threads,
        ..Trainer::new(network, Mse, Optimiser::new(Adam::default()))
    };
    let targets = Targets::Values { width: 1, values: vec![0.0, 1.0] };
    let examples = Examples::new(1, vec![0.0, 1.0], targets)?;
    let mut run = trainer.start(&examples, Start::Fresh)?;
    while run.advance()?.is_some() {}
    Ok(())
}

/// Resident memory of a training at its peak, in bytes.
struct Prediction {
    /// The program: its code, compiled graphs, what the allocator holds, what is read ahead.
    program: usize,
    /// What reading the data takes, beyond all that comes later.
    reading: usize,
    all: usize,
}

impl Prediction {
    /// What the program takes at least, where the system does not say.
    const PROGRAM: u64 = 6_000_000;

    fn of(needs: &Needs, now: Resident) -> Prediction {
        let [bytes, peak] = [now.bytes, now.peak].map(|bytes| bytes.unwrap_or(Self::PROGRAM));
        let program = (bytes as usize).saturating_sub(needs.given);
        let later = program + needs.data + needs.arena + needs.best + needs.saving;
        let all = later.max(peak as usize);
        Prediction { program, reading: all - later, all }
    }
}

/// The batch size and where it comes from, unless it was given.
fn reason(batch_size: usize, origin: Origin) -> String {
    let why = match origin {
        Origin::Given => return String::new(),
        Origin::Resumed => "that of the run which --resume goes on with".into(),
        Origin::Measured => {
            format!("measured: net train measures again, unless told --batch {batch_size}")
        }
        Origin::Smallest => {
            "the smallest of those to be measured, which does not fit into memory".into()
        }
    };
    format!("; batch size {batch_size}, {why}")
}

fn table(needs: &Needs, reason: &str, resident: &Prediction) -> String {
    let Report { usage, instructions, stages, cost, .. } = &needs.step;
    let mut text = format!("a training step of {} rows{reason}\n\n", needs.batch);
    let mut line = |name: &str, bytes: usize| text += &format!("{name:>18} {:>12}\n", size(bytes));
    for class in Class::ALL {
        line(class.name(), usage.bytes(class));
    }
    text += "\n";
    let mut line = |name: &str, bytes: usize, note: &str| {
        text += &format!("{name:>18} {:>12}  {note}\n", size(bytes));
    };
    let of_bound = usage.working as f64 / usage.lower_bound.max(1) as f64;
    line("arena", needs.arena, "parameters, optimiser, tables, and the working region");
    line("working region", usage.working, &format!("{of_bound:.3} of its lower bound"));
    line("lower bound", usage.lower_bound, "the most that is alive at once");
    text += &format!(
        "\n{instructions} instructions in {stages} stages: {:.3} MFLOP, {} moved\n\n",
        cost.flops / 1e6,
        size(cost.bytes as usize)
    );
    text += "resident memory of net train, predicted\n\n";
    for (name, bytes) in parts(needs, resident) {
        text += &format!("{name:>18} {:>12}\n", size(bytes));
    }
    text + &format!("{:>18} {:>12}\n", "in all", size(resident.all))
}

fn as_json(needs: &Needs, (batch_size, origin): (usize, Origin), resident: &Prediction) -> Value {
    let Report { usage, instructions, stages, cost, .. } = &needs.step;
    let classes = Class::ALL.map(|class| (class.name().to_owned(), usage.bytes(class).into()));
    let parts = parts(needs, resident).map(|(name, bytes)| (name.to_owned(), bytes.into()));
    json!({
        "batch": needs.batch,
        "batch_size": batch_size,
        "batch_size_from": origin.name(),
        "bytes": Value::Object(classes.into_iter().collect()),
        "arena": needs.arena,
        "working": usage.working,
        "lower_bound": usage.lower_bound,
        "instructions": instructions,
        "stages": stages,
        "flops": cost.flops,
        "bytes_moved": cost.bytes,
        "resident": { "parts": Value::Object(parts.into_iter().collect()), "all": resident.all },
    })
}

/// What the resident memory consists of.
fn parts(needs: &Needs, resident: &Prediction) -> [(&'static str, usize); 6] {
    [
        ("program", resident.program),
        ("data", needs.data),
        ("arena", needs.arena),
        ("best weights", needs.best),
        ("writing files", needs.saving),
        ("reading the data", resident.reading),
    ]
}

/// Bytes for a reader.
pub(super) fn size(bytes: usize) -> String {
    match bytes as f64 {
        0.0..1e3 => format!("{bytes} B"),
        bytes @ ..1e6 => format!("{:.1} kB", bytes / 1e3),
        bytes @ ..1e9 => format!("{:.2} MB", bytes / 1e6),
        bytes @ ..1e12 => format!("{:.2} GB", bytes / 1e9),
        bytes => format!("{:.2} TB", bytes / 1e12),
    }
}
