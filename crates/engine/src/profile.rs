//! Where the time goes: per instruction as a table, per piece as a trace for Perfetto.

use crate::backend::Report;
use std::fmt::{self, Write};
use std::time::Instant;
use whimbrel_plan::Class;

/// One piece of one instruction as it ran.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// The instruction, by its line in the report.
    pub instruction: usize,
    /// The piece of it.
    pub piece: usize,
    /// The member of the team that ran it.
    pub worker: usize,
    /// Seconds from the start of the recording.
    pub start: f64,
    /// Seconds it took.
    pub seconds: f64,
}

/// What one core of the machine can do at best; the `machine` suite of the benchmark program
/// measures it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Floating point operations a second.
    pub flops: f64,
    /// Bytes a second.
    pub bytes: f64,
}

/// A recording of runs.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The runs recorded.
    pub runs: usize,
    /// What the instructions are.
    pub report: Report,
    /// All pieces, in the order they ended.
    pub events: Vec<Event>,
    /// When the recording started.
    pub(crate) origin: Instant,
}

impl Profile {
    /// An empty recording.
    pub fn new(report: Report) -> Profile {
        Profile { runs: 0, report, events: Vec::new(), origin: Instant::now() }
    }

    /// Seconds each instruction takes in a run, all its pieces together.
    pub fn seconds(&self) -> Vec<f64> {
        let mut seconds = vec![0.0; self.report.lines.len()];
        for event in &self.events {
            seconds[event.instruction] += event.seconds / self.runs.max(1) as f64;
        }
        seconds
    }

    /// The table of instructions, slowest first; with limits, also how close to them each is.
    pub fn table(&self, limits: Option<Limits>) -> String {
        let seconds = self.seconds();
        let total: f64 = seconds.iter().sum();
        let mut order: Vec<usize> = (0..seconds.len()).collect();
        order.sort_by(|&a, &b| seconds[b].total_cmp(&seconds[a]));
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{:>10} {:>7} {:>9} {:>9} {:>9} {:>7}  instruction",
            "us", "share", "GFLOP/s", "GB/s", "of limit", "pieces"
        );
        for i in order {
            let line = &self.report.lines[i];
            let time = seconds[i].max(1e-12);
            let of_limit = limits.map_or("-".into(), |limits| {
                let least = line.cost.flops / limits.flops + line.cost.bytes / limits.bytes;
                format!("{:.0} %", 100.0 * least / time)
            });
            let _ = writeln!(
                out,
                "{:>10.2} {:>6.1}% {:>9.2} {:>9.2} {:>9} {:>7}  {}",
                1e6 * seconds[i],
                100.0 * seconds[i] / total.max(1e-12),
                line.cost.flops / time / 1e9,
                line.cost.bytes / time / 1e9,
                of_limit,
                line.pieces,
                line.name,
            );
        }
        let _ = writeln!(out, "{:>10.2} us in all, {} runs", 1e6 * total, self.runs);
        out
    }

    /// The recording in the JSON trace format that Perfetto and Chrome read.
    pub fn trace(&self) -> String {
        let mut out = String::from("{\"traceEvents\":[");
        for (i, event) in self.events.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            let name = self.report.lines[event.instruction].name.replace(['"', '\\'], "'");
            let _ = write!(
                out,
                "{comma}\n{{\"name\":\"{name}\",\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{:.3},\
                 \"dur\":{:.3},\"args\":{{\"piece\":{}}}}}",
                event.worker,
                1e6 * event.start,
                1e6 * event.seconds,
                event.piece
            );
        }
        out.push_str("\n]}\n");
        out
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.table(None))
    }
}

impl fmt::Display for Report {
    /// Bytes by class, the working region against its lower bound, and the instructions.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let usage = &self.usage;
        for class in Class::ALL {
            writeln!(f, "{:>16} {:>12} bytes", class.name(), usage.bytes(class))?;
        }
        let bound = usage.lower_bound.max(1) as f64;
        writeln!(
            f,
            "{:>16} {:>12} bytes, {:.3} of its lower bound",
            "working region",
            usage.working,
            usage.working as f64 / bound
        )?;
        writeln!(
            f,
            "{:>16} {:>12} bytes, the most alive at once",
            "lower bound", usage.lower_bound
        )?;
        writeln!(
            f,
            "{} instructions in {} stages, {} blocks of the batch; {:.3} MFLOP, {:.3} MB moved",
            self.instructions,
            self.stages,
            self.blocks,
            self.cost.flops / 1e6,
            self.cost.bytes / 1e6
        )?;
        for line in &self.lines {
            writeln!(f, "{:>4} x {}", line.pieces, line.name)?;
        }
        Ok(())
    }
}
