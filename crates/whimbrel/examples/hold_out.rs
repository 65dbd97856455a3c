//! How good is the forecast? Hides the last year of a CSV, forecasts it, and compares.
//!
//!     cargo run --release --example hold_out [FILE.csv [HORIZON]]

use whimbrel::models::NLinear;
use whimbrel::{Baseline, Columns, Model, Panel, Transform};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_else(|| "examples/air_passengers.csv".into());
    let horizon = arguments.next().map_or(Ok(12), |text| text.parse())?;

    let panel = Panel::read(file, &Columns::default(), None)?;
    let (past, held_out) = panel.hold_out(horizon);
    let truth = held_out.concat();

    let model = Model {
        learning_rate: 1e-3,
        local_scaler_type: Transform::Standard,
        ..Model::new(NLinear {}, horizon)
    };
    let forecast = model
        .fit(&past)?
        .predict(&past)?
        .with_baseline(&past, Baseline::SeasonalNaive)
        .with_baseline(&past, Baseline::Theta)
        .with_column("truth", truth.clone());
    println!("{forecast}");
    for model in ["NLinear", "SeasonalNaive", "Theta"] {
        let column = forecast.column(model).unwrap_or_default();
        let errors = column.iter().zip(&truth).map(|(f, y)| (f - y).abs());
        println!("mean absolute error of {model}: {:.2}", errors.sum::<f32>() / truth.len() as f32);
    }
    Ok(())
}
