//! `whimbrel demo`: the main job on data that the program brings along.

use super::files::Files;
use super::forecast::forecast;
use crate::cli::Demo;
use crate::failure::Failure;
use whimbrel::{Automatic, Reader};

/// Monthly airline passengers, 1949 to 1960 (Box and Jenkins), in thousands.
const PASSENGERS: &[u8] = include_bytes!("../../../../examples/air_passengers.csv");
const HORIZON: usize = 12;

pub fn run(options: &Demo) -> Result<(), Failure> {
    let files = Files::check(&options.report, &[])?;
    let panel = Reader::default().read_bytes("AirPassengers", PASSENGERS)?;
    let found = format!("AirPassengers: {} months, 1949 to 1960", panel.rows());
    let automatic = Automatic { levels: options.report.levels(), ..Automatic::new(HORIZON) };
    forecast(&found, &panel, &automatic, &options.report, &files)
}
