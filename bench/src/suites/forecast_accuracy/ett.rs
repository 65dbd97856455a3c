//! Transformer temperatures by the usual protocol: the first year to learn from, a third of a year each
//! to validate with and to test on, channels standardised by the first part, each a series of its own.
//!
//! The linear models learn as they were published: 32 points of time in a step, of the quarter hours 8, and
//! as many whole windows as those have of all channels; ten epochs, the rate of the set halved after the second
//! and every later one, patience 3. Windows come from all channels in one order, and what is validated is the
//! mean of the weights. Of ETTh2, whose figures are known not to reproduce, two settings are chosen before the
//! test part is seen, by what models reach on the part to validate with when that is held out: the rate, that of
//! the publication or a tenth, and for DLinear, which has no other means against a level that moves, windows as
//! they are or scaled to mean 0 and deviation 1.

use super::{SUITE, failed, peer, rows, seeds};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::row::Row;
use std::path::Path;
use whimbrel_data::{Column, Values, csv};
use whimbrel_forecast::models::{DLinear, NHits, NLinear, Network};
use whimbrel_forecast::{Columns, Model, Panel, Reader, Scaler, Transform};
use whimbrel_nn::losses::Mse;
use whimbrel_nn::schedules::{Step, WarmUp};

const HORIZONS: [usize; 4] = [96, 192, 336, 720];
const MODELS: [&str; 3] = ["nlinear", "dlinear", "nhits"];
const LOOK_BACK: usize = 336;
const CHANNELS: usize = 7;
/// Hours of thirty days.
const MONTH: usize = 30 * 24;
const EPOCHS: usize = 10;
const METRICS: [&str; 2] = ["mse", "mae"];

/// One of the data sets.
struct Set {
    name: &'static str,
    file: &'static str,
    per_hour: usize,
    /// The rate and the points of time in a step with which linear models were published.
    published: (f32, usize),
    /// Whether figures published with these settings are known to come out again.
    reproduces: bool,
}

const SETS: [Set; 3] = [
    Set { name: "h1", file: "ETTh1.csv", per_hour: 1, published: (5e-3, 32), reproduces: true },
    Set { name: "h2", file: "ETTh2.csv", per_hour: 1, published: (5e-2, 32), reproduces: false },
    Set { name: "m1", file: "ETTm1.csv.gz", per_hour: 4, published: (1e-4, 8), reproduces: true },
];

pub(super) fn run(context: &mut Context, data: &Path) -> Result<Vec<Row>> {
    let mut all = Vec::new();
    for set in SETS {
        let mut panel = None;
        for (model, horizon) in MODELS.iter().flat_map(|model| HORIZONS.map(|h| (*model, h))) {
            let case = format!("ett/{}/{model}/{horizon}", set.name);
            let slow = model == "nhits" || horizon > 96 || set.per_hour > 1;
            if !context.wants(&case) || context.quick() && slow {
                continue;
            }
            eprintln!("{SUITE} {case}");
            let panel = match &panel {
                Some(panel) => panel,
                None => panel.insert(set.read(data)?),
            };
            all.extend(set.test(context, data, panel, &case, model, horizon)?);
        }
    }
    Ok(all)
}

impl Set {
    /// The three parts, standardised.
    fn read(&self, data: &Path) -> Result<Panel> {
        let columns = Columns { time: "date".into(), ..Columns::default() };
        let reader = Reader { wide: true, columns, ..Reader::default() };
        let panel = reader.read(data.join(self.file)).map_err(failed)?;
        let unused = (panel.rows() / CHANNELS).saturating_sub(20 * self.month());
        let standard = Transform::Standard.apply(&panel.hold_out(unused).0, 8 * self.month());
        Ok(standard.map_err(failed)?.0)
    }

    /// Values of thirty days.
    fn month(&self) -> usize {
        MONTH * self.per_hour
    }

    fn test(
        &self,
        context: &mut Context,
        data: &Path,
        panel: &Panel,
        case: &str,
        name: &str,
        horizon: usize,
    ) -> Result<Vec<Row>> {
        let (past, _) = panel.hold_out(4 * self.month());
        let model = self.choose(self.models(name, horizon), &past)?;
        let mut ours = Vec::new();
        for &random_seed in seeds(context) {
            let mut fitted = Model { random_seed, ..model.clone() }.fit(&past).map_err(failed)?;
            let errors = fitted.rolling_errors(panel, 4 * self.month()).map_err(failed)?;
            eprintln!("  seed {random_seed}: mse {:.4}, mae {:.4}", errors.mse, errors.mae);
            ours.push(vec![errors.mse, errors.mae]);
        }
        let beside = match name {
            "nhits" => peer(context, case, METRICS.len())?,
            _ => self.figures_published(data, model.network.name(), horizon)?,
        };
        Ok(rows(case, &METRICS, &ours, beside))
    }

    /// The model with the least error on the last part of `past` when it learns from what is before.
    fn choose(&self, models: Vec<Model>, past: &Panel) -> Result<Model> {
        let (before, _) = past.hold_out(4 * self.month());
        let error_of = |model: &Model| -> Result<f64> {
            let errors = model
                .fit(&before)
                .and_then(|mut fitted| fitted.rolling_errors(past, 4 * self.month()));
            let error = errors.map_err(failed)?.mse;
            let (scaler, rate) = (model.scaler_type, model.learning_rate);
            eprintln!("  {scaler:?}, rate {rate}: mse {error:.4} before the test");
            Ok(error)
        };
        let errors = match models.len() {
            1 => vec![0.0],
            _ => models.iter().map(error_of).collect::<Result<Vec<f64>>>()?,
        };
        let best = models.into_iter().zip(errors).min_by(|(_, a), (_, b)| a.total_cmp(b));
        let none = || Error::Suite { suite: SUITE, what: "no model to choose from".into() };
        best.map(|(model, _)| model).ok_or_else(none)
    }

    /// The models to choose from.
    fn models(&self, name: &str, horizon: usize) -> Vec<Model> {
        let network: Network = match name {
            "nlinear" => NLinear {}.into(),
            "dlinear" => DLinear::default().into(),
            _ => NHits::default().into(),
        };
        let model = Model {
            input_size: LOOK_BACK,
            val_size: 4 * self.month(),
            early_stop_patience_steps: Some(3),
            ..Model::new(network, horizon)
        };
        if name == "nhits" {
            // `peers/forecast-accuracy.py` has the same.
            return vec![Model { scaler_type: Scaler::Standard, windows_batch_size: 256, ..model }];
        }
        let (learning_rate, points) = self.published;
        let epoch = (12 * self.month() + 1 - LOOK_BACK - horizon) / points;
        let halved = Step { step_size: epoch, gamma: 0.5 };
        let later = WarmUp { start_factor: 1.0, ..WarmUp::new(epoch, halved) };
        let published = Model {
            loss: Mse.into(),
            learning_rate,
            windows_batch_size: points * CHANNELS,
            training_data_availability_threshold: [1.0; 2],
            max_steps: EPOCHS * epoch,
            lr_scheduler: Some(later.into()),
            val_check_steps: epoch,
            ..model
        };
        if self.reproduces {
            return vec![published];
        }
        let scalers = match name {
            "dlinear" => &[Scaler::Identity, Scaler::Standard][..],
            _ => &[Scaler::Identity],
        };
        let settings = scalers.iter().flat_map(|&scaler_type| {
            [learning_rate, learning_rate / 10.0].map(|rate| (scaler_type, rate))
        });
        let with = |(scaler_type, learning_rate)| Model {
            scaler_type,
            learning_rate,
            ..published.clone()
        };
        settings.map(with).collect()
    }

    /// What was published for a model at the same look-back, if a list of it is among the data.
    fn figures_published(
        &self,
        data: &Path,
        model: &str,
        horizon: usize,
    ) -> Result<Option<(Vec<f64>, String)>> {
        let file = data.join("published_ltsf.csv");
        if !file.is_file() {
            return Ok(None);
        }
        let fail = |what: String| Error::Suite { suite: SUITE, what };
        let table = csv::read(&file, &csv::Options::default());
        let table = table.map_err(|error| fail(error.to_string()))?;
        let set = self.file.split('.').next().unwrap_or_default();
        let texts = |name: &str, row: usize| match table.column(name).map(Column::values) {
            Ok(Values::Text(texts)) => texts.get(row).map(str::to_owned),
            Ok(Values::Integer(numbers)) => numbers.get(row).map(i64::to_string),
            _ => None,
        };
        let wanted = [
            ("dataset", set.to_owned()),
            ("model", model.to_owned()),
            ("horizon", horizon.to_string()),
            ("lookback", LOOK_BACK.to_string()),
        ];
        let is_wanted = |row: &usize| {
            wanted.iter().all(|(name, want)| texts(name, *row).is_some_and(|text| text == *want))
        };
        let row = (0..table.rows()).find(is_wanted);
        let figures = METRICS.map(|metric| {
            let column = table.column(metric).ok()?.to_floats()?;
            column.get(row?).copied()
        });
        let [Some(mse), Some(mae)] = figures else { return Ok(None) };
        Ok(Some((vec![mse, mae], "published".into())))
    }
}
