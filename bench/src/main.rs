//! The benchmark program; see `bench/README.md` for its use.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use whimbrel_bench::args::{Args, USAGE};
use whimbrel_bench::compare::Comparison;
use whimbrel_bench::context::Context;
use whimbrel_bench::error::{Error, Result};
use whimbrel_bench::peer::Peer;
use whimbrel_bench::row::{self, Row};
use whimbrel_bench::{child, html, suites, table};

fn main() -> ExitCode {
    match Args::parse(std::env::args().skip(1)).and_then(|args| run(&args)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(if matches!(error, Error::Usage(_)) { 2 } else { 1 })
        }
    }
}

/// Does what was asked; false when a regression or an answer other than a peer's was found.
fn run(args: &Args) -> Result<bool> {
    if args.help {
        println!("{USAGE}");
        return Ok(true);
    }
    if args.list {
        for suite in suites::SUITES {
            println!("{:<10} {}", suite.name, suite.about);
        }
        return Ok(true);
    }
    if let Some(job) = &args.child {
        return child::run(job, args.quick).map(|()| true);
    }
    // Read first: a misspelt name must not cost a whole run.
    let old = args.compare.as_deref().map(row::read).transpose()?;
    let (rows, differences) = match &args.from {
        Some(path) => (row::read(path)?, 0),
        None => measure(args)?,
    };
    print!("{}", table::rows(&rows));
    if let Some(path) = &args.html {
        let page = html::page(&rows);
        std::fs::write(path, page).map_err(|source| Error::File { path: path.clone(), source })?;
    }
    if differences > 0 {
        eprintln!("error: {differences} answers of peers differ from ours, see above");
    }
    let Some(old) = old else { return Ok(differences == 0) };
    let comparison = Comparison::new(&old, &rows);
    print!("\n{}", table::changes(&comparison));
    Ok(differences == 0 && comparison.regressions().next().is_none())
}

/// The rows asked for, and how many answers of peers differ from ours.
fn measure(args: &Args) -> Result<(Vec<Row>, usize)> {
    let environment = if args.no_peer { None } else { Peer::environment() };
    let mut context =
        Context::new(args.quick, args.filter.clone(), environment).for_long(args.long);
    let mut rows = Vec::new();
    for suite in suites::named(&args.suites)? {
        rows.extend((suite.run)(&mut context)?);
        // After each suite: a later one that fails does not lose what was measured.
        if let Some(path) = &args.json {
            row::write(path, &rows)?;
        }
    }
    Ok((rows, context.differences()))
}
