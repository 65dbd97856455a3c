//! `whimbrel fann test`.

use super::{data, network};
use crate::cli::TestFann;
use crate::command::terminal::print;
use crate::failure::Failure;
use serde_json::json;

pub fn run(options: &TestFann) -> Result<(), Failure> {
    let mut network = network(&options.net)?;
    let samples = data(&options.data)?;
    if let Some(limit) = options.bit_fail_limit {
        network.training.bit_fail_limit = limit;
    }
    let failed = |error| Failure::input(format!("{}: {error}", options.data.display()));
    let mse = network.test_data(&samples).map_err(failed)?;
    let (rows, off) = (samples.len(), network.bit_fail());
    match options.json {
        true => print(format_args!("{}\n", json!({ "rows": rows, "mse": mse, "bit_fail": off }))),
        false => {
            print(format_args!("{rows} rows, mean square error {mse:.6}, {off} outputs off\n"))
        }
    }
}
