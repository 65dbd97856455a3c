//! The arena over time, as a picture: from left to right the instructions, from bottom to top the
//! addresses, each buffer a rectangle in the colour of its class.

use super::plan::size;
use std::fmt::Write;
use whimbrel::{Class, Report};

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 640.0;
/// The plot: left, top, width, height.
const PLOT: [f64; 4] = [90.0, 76.0, 880.0, 500.0];

/// Colours that can be told apart on light and dark ground, and by people who see fewer of them.
const STYLE: &str = "\
svg { background: #fff; color: #222; font: 13px system-ui, sans-serif }
text { fill: currentColor }
line { stroke: currentColor; stroke-opacity: .25 }
.bound { stroke-opacity: .9; stroke-dasharray: 5 4 }
rect { stroke: #fff; stroke-width: .5 }
rect:hover { fill-opacity: .6 }
@media (prefers-color-scheme: dark) {
  svg { background: #16181c; color: #ddd }
  rect { stroke: #16181c }
}";

fn colour(class: Class) -> &'static str {
    match class {
        Class::Parameters => "#0072b2",
        Class::Optimiser => "#56b4e9",
        Class::Tables => "#8c8c8c",
        Class::Interface => "#b08800",
        Class::Activations => "#009e73",
        Class::Gradients => "#d55e00",
        Class::Passing => "#66c2a5",
        Class::Scratch => "#cc79a7",
    }
}

/// The picture (SVG) of a compiled graph in an arena of so many bytes.
pub fn arena_over_time(report: &Report, arena: usize) -> String {
    let [left, top, width, height] = PLOT;
    let steps = report.instructions.max(1) as f64;
    let x = |step: f64| left + width * step / steps;
    let y = |byte: usize| top + height * (1.0 - byte as f64 / arena.max(1) as f64);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"The arena over time\">\n<style>{STYLE}</style>\n"
    );
    // Writing to a string cannot fail.
    legend(&mut svg, report);
    for buffer in report.buffers.iter().filter(|buffer| buffer.bytes > 0) {
        let (from, to) = (x(buffer.first as f64), x(buffer.last as f64 + 1.0));
        let (low, high) = (y(buffer.offset), y(buffer.offset + buffer.bytes));
        let _ = writeln!(
            svg,
            "<rect x=\"{from:.2}\" y=\"{high:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{}\">\
             <title>{}\n{}, {}, instructions {} to {}</title></rect>",
            to - from,
            low - high,
            colour(buffer.class),
            escape(&buffer.name),
            buffer.class.name(),
            size(buffer.bytes),
            buffer.first,
            buffer.last,
        );
    }
    axes(&mut svg, report, arena, &x, &y);
    svg + "</svg>\n"
}

/// The classes with their bytes, four in a row.
fn legend(svg: &mut String, report: &Report) {
    let shown = Class::ALL.into_iter().filter(|class| report.usage.bytes(*class) > 0);
    for (i, class) in shown.enumerate() {
        let (x, y) = (PLOT[0] + 220.0 * (i % 4) as f64, 16.0 + 24.0 * (i / 4) as f64);
        let (fill, name) = (colour(class), class.name());
        let bytes = size(report.usage.bytes(class));
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"14\" height=\"14\" fill=\"{fill}\"/>\
             <text x=\"{}\" y=\"{}\">{name} {bytes}</text>",
            x + 20.0,
            y + 12.0
        );
    }
}

/// Addresses on the left, instructions below, and a line where no plan can be lower.
fn axes(
    svg: &mut String,
    report: &Report,
    arena: usize,
    x: &impl Fn(f64) -> f64,
    y: &impl Fn(usize) -> f64,
) {
    let [left, top, width, height] = PLOT;
    let (right, bottom) = (left + width, top + height);
    for quarter in 0..=4 {
        let bytes = arena * quarter / 4;
        let at = y(bytes);
        let _ = writeln!(
            svg,
            "<line x1=\"{left}\" x2=\"{right}\" y1=\"{at:.2}\" y2=\"{at:.2}\"/>\
             <text x=\"{}\" y=\"{:.2}\" text-anchor=\"end\">{}</text>",
            left - 8.0,
            at + 4.0,
            size(bytes)
        );
        let step = report.instructions * quarter / 4;
        let _ = writeln!(
            svg,
            "<text x=\"{:.2}\" y=\"{}\" text-anchor=\"middle\">{step}</text>",
            x(step as f64),
            bottom + 20.0
        );
    }
    let middle = left + width / 2.0;
    let _ = writeln!(
        svg,
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">instruction</text>",
        bottom + 42.0
    );
    let state = report.buffers.iter().filter(|buffer| buffer.class.outlasts_runs());
    let state = state.map(|buffer| buffer.offset + buffer.bytes).max().unwrap_or(0);
    let bound = y(state + report.usage.lower_bound);
    let _ = writeln!(
        svg,
        "<line class=\"bound\" x1=\"{left}\" x2=\"{right}\" y1=\"{bound:.2}\" y2=\"{bound:.2}\">\
         <title>no plan of this order is lower</title></line>"
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
