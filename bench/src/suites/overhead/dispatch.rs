//! One instruction that does next to nothing, and one run of next to no instructions.

use whimbrel_engine::{EngineError, Options, Session};
use whimbrel_graph::{Builder, Graph, GraphError, passes};

use super::{SUITE, engine, timed};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::row::Row;

/// Instructions of the long plan.
const INSTRUCTIONS: usize = 1000;

/// Time of an instruction and of a run.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for threads in [1, 2] {
        let name = format!("instruction/t{threads}");
        if context.wants(&name) {
            rows.push(instruction(context, &name, threads)?);
        }
        let name = format!("empty-run/t{threads}");
        if context.wants(&name) {
            let mut session = compile(chain(0), threads).map_err(engine)?;
            let case = timed(&name, threads, 1);
            rows.push(context.measure(&case, || drop(session.run()))?);
        }
    }
    Ok(rows)
}

/// The time of a long run over its instructions.
fn instruction(context: &mut Context, name: &str, threads: usize) -> Result<Row> {
    let mut session = compile(chain(INSTRUCTIONS), threads).map_err(engine)?;
    let instructions = session.report(0).instructions;
    if instructions != INSTRUCTIONS {
        let what = format!("{name}: {INSTRUCTIONS} operations became {instructions} instructions");
        return Err(Error::Suite { suite: SUITE, what });
    }
    context.measure(&timed(name, threads, INSTRUCTIONS), || drop(session.run()))
}

/// `length` operations on one number, each on the result of the one before.
fn chain(length: usize) -> std::result::Result<Graph, GraphError> {
    let g = Builder::new();
    let mut y = g.input("x", [1])?;
    for at in 0..length {
        y = if at % 2 == 0 { y.neg()? } else { y.relu()? };
    }
    g.output("y", y);
    g.finish()
}

/// Compiled without the passes that would make one instruction of many.
fn compile(
    graph: std::result::Result<Graph, GraphError>,
    threads: usize,
) -> std::result::Result<Session, EngineError> {
    let first = passes::PIPELINE.first().map(|pass| pass.name.to_owned());
    let options = Options { threads, passes_until: first, ..Options::default() };
    Session::with_options(&[graph?], &options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_of_the_chain_is_an_instruction() {
        for length in [0, 1, 10] {
            let mut session = compile(chain(length), 1).unwrap();
            assert_eq!(session.report(0).instructions, length);
            session.write("x", &[-3.0]).unwrap();
            session.run().unwrap();
            assert_eq!(session.read("y").unwrap().len(), 1);
        }
    }
}
