//! How good is the forecast? Hides the last year of a CSV, forecasts it, and compares.
//!
//!     cargo run --release --example hold_out [FILE.csv [HORIZON]]

use whimbrel::{Columns, NLinear, Panel, naive, seasonal_naive};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_else(|| "examples/air_passengers.csv".into());
    let horizon = arguments.next().map_or(Ok(12), |text| text.parse())?;

    let panel = Panel::read_csv(file, &Columns::default(), None)?;
    let (past, held_out) = panel.hold_out(horizon);
    let truth = held_out.concat();

    let season = past.frequency().season_length();
    let forecast = NLinear::new(horizon)
        .fit(&past)?
        .predict(&past)?
        .with_column("Naive", naive(&past, horizon))
        .with_column("SeasonalNaive", seasonal_naive(&past, season, horizon))
        .with_column("truth", truth.clone());
    println!("{forecast}");
    for model in ["NLinear", "Naive", "SeasonalNaive"] {
        let column = forecast.column(model).unwrap_or_default();
        let errors = column.iter().zip(&truth).map(|(f, y)| (f - y).abs());
        println!("mean absolute error of {model}: {:.2}", errors.sum::<f32>() / truth.len() as f32);
    }
    Ok(())
}
