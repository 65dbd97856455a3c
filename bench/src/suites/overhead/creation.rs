//! Making a session: from nothing to a network with its first parameters, ready to train.

use whimbrel_engine::{Class, Options, Session};
use whimbrel_forecast::models::Mlp;
use whimbrel_graph::Builder;
use whimbrel_graph::ops::Adam;
use whimbrel_nn::{NnError, Scope};

use super::{SUITE, engine};
use crate::context::{Case, Context, Report, Rival};
use crate::error::Result;
use crate::models::{HORIZON, INPUT, forecast};
use crate::row::{Row, Unit};
use crate::suites::steps::Failure;

const BATCH: usize = 32;

/// Multilayer perceptrons of 5 thousand to 2.5 million parameters by the width of their two layers.
const SIZES: [(&str, usize); 5] =
    [("5k", 54), ("50k", 205), ("500k", 690), ("1m", 1024), ("2.5m", 1563)];

/// Time and parameter memory of every size.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (size, hidden) in SIZES {
        let name = format!("create/mlp-{size}");
        if !context.wants(&name) {
            continue;
        }
        let parameters = session(hidden).map_err(engine)?.report(0).usage.bytes(Class::Parameters);
        let rival = format!("create/{hidden}");
        let case = Case {
            suite: SUITE,
            name: &name,
            report: Report::time(Unit::Milliseconds),
            work: None,
            threads: 1,
            peer: Some(Rival { case: &rival, threads: &[1, 2], answer: None }),
        };
        rows.push(context.measure(&case, || drop(session(hidden)))?);

        let mut row = Row::new(SUITE, &name, "parameter memory", Unit::Bytes);
        row.ours = Some(parameters as f64);
        if let Some((bytes, name)) = context.peer_figure(SUITE, &rival)? {
            row.peer = Some(bytes);
            row.peer_name = Some(name);
            row.ratio = Some(bytes / parameters as f64);
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Graph, gradients, plan, memory, first parameters.
fn session(hidden: usize) -> std::result::Result<Session, Failure> {
    let graph = || -> std::result::Result<_, NnError> {
        let g = Builder::new();
        let (x, y) = (g.batch("x", [INPUT, BATCH])?, g.batch("y", [HORIZON, BATCH])?);
        let network = Mlp { hidden_size: hidden, ..Mlp::default() };
        let forecast = forecast(&network.into(), x, &Scope::training(&g))?;
        let loss = forecast.sub(y)?.abs()?.mean()?;
        let parameters = g.parameters();
        let gradients = g.gradients(loss, &parameters)?;
        let (rate, count) = (g.input("lr", [])?, g.input("step", [])?);
        g.adam(Adam::default(), &parameters, &gradients, rate, count)?;
        g.output("loss", loss);
        Ok(g.finish()?)
    };
    Ok(Session::with_options(&[graph()?], &Options { threads: 1, ..Options::default() })?)
}
