//! The command line.

use std::path::PathBuf;

use crate::error::{Error, Result};

/// What `--help` prints.
pub const USAGE: &str = "\
usage: cargo run --release -p whimbrel-bench -- SUITE... [options]

  SUITE              the suites to run, or `all`; --list names them
  --json FILE        write the rows as JSON
  --html FILE        write the rows as one self-contained page
  --quick            fewer and shorter rounds
  --long             also what takes hours: all seeds, and peers that train whole models
  --filter TEXT      only cases whose name contains TEXT
  --compare FILE     compare with rows written earlier; exit status 1 on a regression
  --from FILE        take rows written earlier instead of running suites
  --no-peer          do not start peer processes
  --list             name the suites

exit status: 0 done, 1 failed or a regression was found, 2 bad usage";

/// What the user asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Args {
    /// The suites to run, in order.
    pub suites: Vec<String>,
    /// Where to write the rows.
    pub json: Option<PathBuf>,
    /// Where to write the page.
    pub html: Option<PathBuf>,
    /// Fewer and shorter rounds.
    pub quick: bool,
    /// What takes hours, too.
    pub long: bool,
    /// Text a case must contain.
    pub filter: Option<String>,
    /// Rows to compare with.
    pub compare: Option<PathBuf>,
    /// Rows to take instead of running suites.
    pub from: Option<PathBuf>,
    /// Leave the peers out.
    pub no_peer: bool,
    /// Name the suites.
    pub list: bool,
    /// Print the usage.
    pub help: bool,
    /// Do one job of [`child`](crate::child) instead; for the program's own use.
    pub child: Option<String>,
}

impl Args {
    /// Reads the arguments that follow the program's name.
    pub fn parse(words: impl IntoIterator<Item = String>) -> Result<Args> {
        let mut args = Args::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let mut value =
                || words.next().ok_or_else(|| Error::Usage(format!("{word} wants a value")));
            match word.as_str() {
                "--json" => args.json = Some(value()?.into()),
                "--html" => args.html = Some(value()?.into()),
                "--compare" => args.compare = Some(value()?.into()),
                "--from" => args.from = Some(value()?.into()),
                "--filter" => args.filter = Some(value()?),
                "--child" => args.child = Some(value()?),
                "--quick" => args.quick = true,
                "--long" => args.long = true,
                "--no-peer" => args.no_peer = true,
                "--list" => args.list = true,
                "--help" | "-h" => args.help = true,
                _ if word.starts_with('-') => {
                    return Err(Error::Usage(format!("unknown option {word}")));
                }
                _ => args.suites.push(word),
            }
        }
        let asks_nothing = args.suites.is_empty() && args.from.is_none();
        if asks_nothing && !args.list && !args.help && args.child.is_none() {
            return Err(Error::Usage("name a suite".to_owned()));
        }
        if !args.suites.is_empty() && args.from.is_some() {
            return Err(Error::Usage("--from takes the place of suites".to_owned()));
        }
        Ok(args)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Args> {
        Args::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn suites_and_options_come_in_any_order() {
        let args = parse("--quick machine --json a.json gemm --filter t1/").unwrap();
        assert_eq!(args.suites, ["machine", "gemm"]);
        assert!(args.quick);
        assert_eq!(args.json, Some("a.json".into()));
        assert_eq!(args.filter.as_deref(), Some("t1/"));
    }

    #[test]
    fn senseless_lines_are_usage_errors() {
        for line in ["", "--nonsense", "machine --json", "machine --from a.json"] {
            assert!(matches!(parse(line), Err(Error::Usage(_))), "{line}");
        }
        assert!(parse("--list").is_ok() && parse("--from a.json --compare b.json").is_ok());
    }
}
