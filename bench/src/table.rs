//! Rows and changes as aligned tables for the terminal.

use std::fmt::Write;

use crate::compare::{Change, Comparison};
use crate::row::Row;
use whimbrel_chart::Table;

/// The rows as a table, with a heading per suite.
pub fn rows(rows: &[Row]) -> String {
    let titles = ["suite", "case", "ours", "peer", "unit", "ratio", "% of limit", "spread", "peer"];
    let mut table = Table::new(titles).left([0, 1, 4, 8]);
    for row in rows {
        table.row([
            row.suite.clone(),
            row.case.clone(),
            value(row.ours),
            value(row.peer),
            row.unit.name(),
            row.ratio.map_or_else(dash, |r| format!("{r:.2}x")),
            row.of_limit.map_or_else(dash, |l| format!("{l:.1}")),
            row.spread.map_or_else(dash, |s| format!("{:.1} %", 100.0 * s)),
            row.peer_name.clone().unwrap_or_else(dash),
        ]);
    }
    table.to_string()
}

/// What a row says of its case, in a line.
pub fn line(row: &Row) -> String {
    let mut text = format!("{} {}", value(row.ours), row.unit.name());
    if let (Some(ratio), Some(peer)) = (row.ratio, &row.peer_name) {
        let _ = write!(text, ", {ratio:.2}x {peer}");
    }
    if let Some(spread) = row.spread {
        let _ = write!(text, ", spread {:.0} %", 100.0 * spread);
    }
    text
}

/// The changes beyond the noise as a table, what is gone, and a line that sums up.
pub fn changes(comparison: &Comparison) -> String {
    let mut text = String::new();
    let notable: Vec<&Change> = comparison
        .changes
        .iter()
        .filter(|change| change.is_regression() || change.is_improvement())
        .collect();
    if !notable.is_empty() {
        let titles = ["suite", "case", "old", "new", "unit", "worse by", "noise", ""];
        let mut table = Table::new(titles).left([0, 1, 4, 7]);
        for change in notable {
            table.row([
                change.new.suite.clone(),
                change.new.case.clone(),
                value(change.old.ours),
                value(change.new.ours),
                change.new.unit.name(),
                format!("{:+.1} %", 100.0 * (change.worse - 1.0)),
                format!("{:.1} %", 100.0 * change.noise),
                if change.is_regression() { "REGRESSION" } else { "better" }.to_owned(),
            ]);
        }
        text += &table.to_string();
    }
    for gone in &comparison.gone {
        let _ = writeln!(text, "gone: {gone}");
    }
    let regressions = comparison.regressions().count();
    let rows = comparison.changes.len();
    let _ = writeln!(text, "{rows} rows compared, {regressions} worse beyond the noise");
    text
}

/// A value with four significant digits, or a dash.
pub fn value(value: Option<f64>) -> String {
    let Some(value) = value else { return dash() };
    let digits = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 + 1 };
    let decimals = (4 - digits).clamp(0, 6) as usize;
    format!("{value:.decimals$}")
}

fn dash() -> String {
    "-".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Unit;

    #[test]
    fn values_keep_four_digits() {
        let shown = [Some(0.0), Some(0.012_345), Some(3.456_78), Some(123_456.0), None].map(value);
        assert_eq!(shown, ["0.0000", "0.01235", "3.457", "123456", "-"]);
    }

    #[test]
    fn columns_line_up_and_absent_values_are_dashes() {
        let mut first = Row::new("machine", "fma/f32/t1", "rate", Unit::Gflops);
        first.ours = Some(100.0);
        let second = Row::new("gemm", "a", "rate", Unit::Gflops);
        let text = rows(&[first, second]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[1],
            "machine  fma/f32/t1  100.0     -  GFLOP/s      -           -       -  -"
        );
        assert_eq!(
            lines[2],
            "gemm     a               -     -  GFLOP/s      -           -       -  -"
        );
    }

    #[test]
    fn a_line_says_what_is_known_of_a_row() {
        let mut row = Row::new("gemm", "a", "rate", Unit::Gflops);
        row.ours = Some(100.0);
        assert_eq!(line(&row), "100.0 GFLOP/s");
        (row.ratio, row.peer_name, row.spread) = (Some(1.5), Some("torch".to_owned()), Some(0.25));
        assert_eq!(line(&row), "100.0 GFLOP/s, 1.50x torch, spread 25 %");
    }
}
