//! The rows as one self-contained page: no script, no outside file, light and dark.
//!
//! A ratio is a bar on a logarithmic scale around 1, because twice as fast and half as fast are
//! equally far from equal; a share of the limit is a bar from 0 to 100 %.

use std::fmt::Write;

use crate::row::Row;
use crate::table::value;

const STYLE: &str = include_str!("html/page.css");

/// Half the width of the ratio scale, in powers of two: bars end at 1/64 and 64 times.
const OCTAVES: f64 = 6.0;

/// The whole page.
pub fn page(rows: &[Row]) -> String {
    let mut body = String::new();
    let mut suites: Vec<&str> = rows.iter().map(|row| row.suite.as_str()).collect();
    suites.dedup();
    for suite in suites {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.suite == suite).collect();
        section(&mut body, suite, &rows);
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>Whimbrel benchmark</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>Whimbrel benchmark</h1>\n\
         <p>A ratio above 1 means Whimbrel is better; it is the median over interleaved rounds. \
         The limit is this machine's, measured in the same run. Spread is (p90 - p10) / median \
         over the rounds.</p>\n{body}</body>\n</html>\n"
    )
}

fn section(out: &mut String, suite: &str, rows: &[&Row]) {
    let any = |has: fn(&Row) -> bool| rows.iter().any(|row| has(row));
    let peers = any(|row| row.ratio.is_some());
    let limits = any(|row| row.of_limit.is_some());
    // Without peer or limit the bars show the values themselves, on the suite's own scale.
    let largest = |row: &&Row| {
        let same = rows.iter().filter(|r| r.unit == row.unit);
        same.filter_map(|r| r.ours).fold(0.0, f64::max)
    };
    let _ = write!(out, "<h2>{}</h2>\n<table>\n<tr><th>case<th class=n>ours", escape(suite));
    if peers {
        out.push_str("<th class=n>peer");
    }
    out.push_str("<th>unit");
    if peers {
        out.push_str("<th class=n>ratio<th>");
    }
    if limits {
        out.push_str("<th class=n>of limit<th>");
    }
    if !peers && !limits {
        out.push_str("<th>");
    }
    out.push_str("<th class=n>spread");
    if peers {
        out.push_str("<th>peer's form");
    }
    out.push_str("</tr>\n");
    for row in rows {
        let _ = write!(out, "<tr><td>{}<td class=n>{}", escape(&row.case), value(row.ours));
        if peers {
            let _ = write!(out, "<td class=n>{}", value(row.peer));
        }
        let _ = write!(out, "<td>{}", escape(&row.unit.name()));
        if peers {
            let text = row.ratio.map_or("-".to_owned(), |r| format!("{r:.2}&times;"));
            let _ = write!(out, "<td class=n>{text}<td>");
            if let Some(ratio) = row.ratio {
                ratio_bar(out, ratio);
            }
        }
        if limits {
            let text = row.of_limit.map_or("-".to_owned(), |l| format!("{l:.0} %"));
            let _ = write!(out, "<td class=n>{text}<td>");
            if let Some(share) = row.of_limit {
                share_bar(out, share);
            }
        }
        if !peers && !limits {
            out.push_str("<td>");
            if let Some(ours) = row.ours {
                share_bar(out, 100.0 * ours / largest(row));
            }
        }
        let spread = row.spread.map_or("-".to_owned(), |s| format!("{:.0} %", 100.0 * s));
        let _ = write!(out, "<td class=n>{spread}");
        if peers {
            let _ = write!(out, "<td>{}", escape(row.peer_name.as_deref().unwrap_or("-")));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table>\n");
}

/// A bar from the middle (equal) to the right (better) or left (worse).
fn ratio_bar(out: &mut String, ratio: f64) {
    let octaves = ratio.max(f64::MIN_POSITIVE).log2().clamp(-OCTAVES, OCTAVES);
    let width = 50.0 * octaves.abs() / OCTAVES;
    let (class, left) = if octaves < 0.0 { ("worse", 50.0 - width) } else { ("better", 50.0) };
    let _ = write!(
        out,
        "<div class=\"scale ratio\"><i class={class} style=\"left:{left:.1}%;width:{width:.1}%\">\
         </i></div>"
    );
}

/// A bar from 0 to 100 %.
fn share_bar(out: &mut String, percent: f64) {
    let width = percent.clamp(0.0, 100.0);
    let _ = write!(out, "<div class=scale><i class=share style=\"width:{width:.1}%\"></i></div>");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Unit;

    #[test]
    fn the_page_stands_alone_and_shows_every_row() {
        let mut row = Row::new("gemm", "f32/<t1>", "rate", Unit::Gflops);
        row.ours = Some(100.0);
        row.ratio = Some(4.0);
        row.peer_name = Some("torch".to_owned());
        let page = page(&[row, Row::new("machine", "fma/f32/t1", "rate", Unit::Gflops)]);
        assert!(page.contains("f32/&lt;t1&gt;") && page.contains("fma/f32/t1"));
        assert!(page.contains("left:50.0%;width:16.7%"));
        for outside in ["http:", "https:", "<script", "src=", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    #[test]
    fn ratios_below_one_grow_to_the_left() {
        let mut bar = String::new();
        ratio_bar(&mut bar, 0.5);
        assert!(bar.contains("class=worse style=\"left:41.7%;width:8.3%\""), "{bar}");
    }
}
