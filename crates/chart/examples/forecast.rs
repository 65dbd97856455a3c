//! Draws forecasts with their intervals over dates into a folder, to be looked at:
//! `cargo run -p whimbrel-chart --example forecast -- FOLDER`.

use std::error::Error;
use std::path::PathBuf;
use whimbrel_chart::{Chart, Line};

const DAY: f64 = 86_400.0;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or(".".into()));
    for (name, step, rows, season) in [
        ("months", 30.4369 * DAY, 120, 12.0),
        ("days", DAY, 90, 7.0),
        ("hours", DAY / 24.0, 72, 24.0),
        ("years", 365.2425 * DAY, 60, 9.0),
    ] {
        let start = -7670.0 * DAY;
        let ahead = rows / 5;
        let time = |t: u32| start + f64::from(t) * step;
        let value = |t: u32| {
            let phase = std::f64::consts::TAU * f64::from(t) / season;
            (200.0 + 2.0 * f64::from(t)) * (1.0 + 0.2 * phase.sin() + 0.05 * (3.1 * phase).cos())
        };
        let points = move |from: u32, to: u32| (from..to).map(move |t| (time(t), value(t)));
        let band = |width: f64| {
            (rows..rows + ahead).map(move |t| {
                let room = width * f64::from(t - rows + 1).sqrt();
                (time(t), value(t) - room, value(t) + room)
            })
        };
        let chart = Chart::new("Passengers and their forecast")
            .axes("", "thousands")
            .dates()
            .line(Line::new("y", points(0, rows)))
            .line(
                Line::new("NHITS", points(rows, rows + ahead))
                    .band("90 %", band(16.0))
                    .band("80 %", band(12.0)),
            );
        std::fs::write(folder.join(name).with_extension("svg"), chart.svg())?;
        std::fs::write(folder.join(name).with_extension("png"), chart.png(1.0)?)?;
    }
    Ok(())
}
