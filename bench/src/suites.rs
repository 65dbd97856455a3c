//! The suites: one function each, one line each in [`SUITES`].

use crate::context::Context;
use crate::error::{Error, Result};
use crate::row::Row;

mod fann;
mod forecast_accuracy;
mod forecast_data;
mod forecast_infer;
pub mod forecast_scale;
pub mod forecast_train;
pub mod gate;
mod gemm;
pub mod isa;
mod kernels;
mod machine;
pub mod networks;
pub mod overhead;
mod plan;
pub mod steps;

/// One suite.
pub struct Suite {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it measures, for `--list`.
    pub about: &'static str,
    /// Runs it.
    pub run: fn(&mut Context) -> Result<Vec<Row>>,
}

/// Every suite, in the order `all` runs them.
pub const SUITES: &[Suite] = &[
    Suite {
        name: "machine",
        about: "arithmetic peak, bandwidth by cache level, huge pages",
        run: machine::run,
    },
    Suite {
        name: "gemm",
        about: "matrix products, plain and with packed weights, one and two threads",
        run: gemm::run,
    },
    Suite {
        name: "kernels",
        about: "element-wise kernels beyond and within the caches, reductions, updates",
        run: kernels::run,
    },
    Suite {
        name: "steps",
        about: "training steps and inference of whole forecasting models",
        run: steps::run,
    },
    Suite {
        name: "forecast-data",
        about: "a million values scaled, differenced, lagged, rolled over; Fourier terms",
        run: forecast_data::run,
    },
    Suite {
        name: "forecast-accuracy",
        about: "test errors on public data, beside published figures and NeuralForecast's",
        run: forecast_accuracy::run,
    },
    Suite {
        name: "forecast-train",
        about: "windows a second of whole forecasters as users fit them, and a study run to the end",
        run: forecast_train::run,
    },
    Suite {
        name: "forecast-infer",
        about: "a forecast of one series, warm, and from the start of a process",
        run: forecast_infer::run,
    },
    Suite {
        name: "forecast-scale",
        about: "training from 10^4 to 10^7 windows, memory of training, a panel of 100,000 series",
        run: forecast_scale::run,
    },
    Suite {
        name: "networks",
        about: "networks from text files through the trainer: samples a second, accuracy",
        run: networks::run,
    },
    Suite {
        name: "fann",
        about: "FANN's tiny networks: training, running, growing, memory",
        run: fann::run,
    },
    Suite {
        name: "plan",
        about: "memory of plans over its lower bound, time to compile and to place",
        run: plan::run,
    },
    Suite {
        name: "overhead",
        about: "instructions, runs, meetings, allocations, memory, networks side by side",
        run: overhead::run,
    },
    Suite { name: "isa", about: "the same kernels on every instruction set", run: isa::run },
    Suite {
        name: "gate",
        about: "executed instructions under callgrind, to be compared with bench/gate.json",
        run: gate::run,
    },
];

/// The suites of these names, in the order given; `all` stands for every one.
pub fn named(names: &[String]) -> Result<Vec<&'static Suite>> {
    let mut suites = Vec::new();
    for name in names {
        if name == "all" {
            suites.extend(SUITES);
            continue;
        }
        let suite = SUITES.iter().find(|suite| suite.name == name);
        suites.push(suite.ok_or_else(|| Error::Usage(format!("no suite `{name}`: see --list")))?);
    }
    Ok(suites)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_are_found_by_name_and_all_means_all() {
        let names = |text: &str| named(&[text.to_owned()]);
        assert_eq!(names("machine").unwrap()[0].name, "machine");
        assert_eq!(names("all").unwrap().len(), SUITES.len());
        assert!(matches!(names("nothing"), Err(Error::Usage(_))));
    }
}
