//! Writes a saved model. `tests/golden/saved_v1.safetensors` is what this wrote when the format had version 1, and
//! stays as it is.
//!
//! `cargo run -p whimbrel-forecast --example write_saved_v1 -- model.safetensors`

use whimbrel_forecast::models::NLinear;
use whimbrel_forecast::{Columns, ForecastError, Model, Panel, Transform};

fn main() -> Result<(), ForecastError> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "model.safetensors".into());
    let mut csv = String::from("unique_id,ds,y\n");
    for t in 0..40 {
        csv += &format!("a,{t},{}\nb,{t},{}\n", t % 4, 100 + 10 * ((t + 1) % 4));
    }
    let panel = Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None)?;
    let model = Model {
        max_steps: 200,
        windows_batch_size: 8,
        learning_rate: 0.01,
        local_scaler_type: Transform::Standard,
        ..Model::new(NLinear {}, 3)
    };
    let mut fitted = model.fit(&panel)?;
    print!("{}", fitted.predict(&panel)?);
    fitted.save(path, panel.frequency())
}
