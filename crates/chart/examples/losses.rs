//! Draws a few charts into a folder, to be looked at:
//! `cargo run -p whimbrel-chart --example losses -- FOLDER`.

use std::error::Error;
use std::path::PathBuf;
use whimbrel_chart::{Chart, Line};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or(".".into()));
    for (name, epochs, rate, floor) in [
        ("usual", 40, 0.12, 0.35),
        ("wide", 500, 0.02, 2e-5),
        ("few", 6, 0.5, 0.9),
        ("one", 1, 0.1, 0.3),
        ("many", 100_000, 2e-4, 0.1),
    ] {
        let noise = |i: u32| f64::from(i.wrapping_mul(2_654_435_761) >> 16) / 65536.0 - 0.5;
        let curve = |i: u32, gap: f64| {
            let way = f64::from(i) / f64::from(epochs);
            let loss = floor + 2.0 * (-rate * f64::from(i)).exp();
            loss * (1.0 + gap * way + 0.06 * gap.max(0.3) * noise(i + (gap * 100.0) as u32))
        };
        let points = |gap| (1..=epochs).map(move |i| (f64::from(i), curve(i, gap)));
        let best = points(0.5).min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default();
        let chart = Chart::new("Loss by epoch")
            .axes("epoch", "loss")
            .line(Line::new("training", points(0.0)))
            .line(
                Line::new("validation", points(0.5))
                    .best(&format!("best: epoch {}, {:.4}", best.0, best.1), best),
            );
        std::fs::write(folder.join(name).with_extension("svg"), chart.svg())?;
        std::fs::write(folder.join(name).with_extension("png"), chart.png(1.0)?)?;
    }
    Ok(())
}
