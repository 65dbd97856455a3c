//! Gauge: a named metric of a validation, being gathered from what the network puts out.

use crate::losses::Loss;
use crate::metrics::*;

/// A metric of the kind of predictions that a loss makes.
pub(super) enum Gauge {
    /// Of numbers, as they are put out.
    Numbers(Box<dyn Metric>),
    /// Of probabilities of yes.
    Shares(Box<dyn Metric>),
    Confusion(Confusion, fn(&Confusion) -> f64),
    TopK(TopKAccuracy),
    LogLoss(LogLoss, fn(&LogLoss) -> f64),
    Brier(Brier),
    Coverage(Ends, Coverage),
    Interval(Ends, IntervalScore),
}

/// Which of several quantiles are the lowest and the highest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    lowest: usize,
    highest: usize,
}

/// What a batch predicts and what is right, in the forms that gauges take.
pub(super) enum Judged<'a> {
    /// Numbers or quantiles.
    Numbers { predictions: &'a [f32], right: &'a [f32] },
    /// Scores and probabilities `[class, batch]`. Yes or no are the classes 1 and 0.
    Classes { scores: &'a [f32], probabilities: &'a [f32], right: &'a [i32] },
}

impl Gauge {
    /// Nothing gathered yet, of predictions of `outputs` numbers a row; none of a metric that needs a setting which
    /// the loss does not have.
    pub(super) fn new(name: MetricName, loss: &Loss, outputs: usize) -> Option<Gauge> {
        let yes = Predictions::of(loss) == Predictions::Decisions;
        let confusion = |of_classes, of_yes| {
            let classes = if yes { 2 } else { outputs };
            Gauge::Confusion(Confusion::new(classes), if yes { of_yes } else { of_classes })
        };
        let mean = |kind| Box::new(MeanError::new(kind));
        Some(match name {
            MetricName::Bias => Gauge::Numbers(mean(ErrorKind::Bias)),
            MetricName::Mae => Gauge::Numbers(mean(ErrorKind::Mae)),
            MetricName::Mse => Gauge::Numbers(mean(ErrorKind::Mse)),
            MetricName::Rmse => Gauge::Numbers(mean(ErrorKind::Rmse)),
            MetricName::Mape => Gauge::Numbers(mean(ErrorKind::Mape)),
            MetricName::Smape => Gauge::Numbers(mean(ErrorKind::Smape)),
            MetricName::Msle => Gauge::Numbers(mean(ErrorKind::Msle)),
            MetricName::Wape => Gauge::Numbers(Box::<WeightedError>::default()),
            MetricName::MaxError => Gauge::Numbers(Box::<MaxError>::default()),
            MetricName::R2 => Gauge::Numbers(Box::<Determination>::default()),
            MetricName::Pearson => Gauge::Numbers(Box::<Correlation>::default()),
            MetricName::QuantileLoss => {
                let Loss::Quantile(loss) = loss else { return None };
                Gauge::Numbers(Box::new(QuantileLoss::new(loss.q.into())))
            }
            MetricName::Coverage => Gauge::Coverage(Ends::of(loss)?.0, Coverage::default()),
            MetricName::IntervalScore => {
                let (ends, share) = Ends::of(loss)?;
                Gauge::Interval(ends, IntervalScore::new(1.0 - share))
            }
            MetricName::Accuracy => confusion(Confusion::accuracy, Confusion::accuracy),
            MetricName::BalancedAccuracy => confusion(Confusion::recall, Confusion::recall),
            MetricName::Precision => confusion(Confusion::precision, |c| c.precision_of(1)),
            MetricName::Recall => confusion(Confusion::recall, |c| c.recall_of(1)),
            MetricName::F1 => confusion(Confusion::f1, |c| c.f1_of(1)),
            MetricName::LogLoss => Gauge::LogLoss(LogLoss::default(), LogLoss::value),
            MetricName::Perplexity => Gauge::LogLoss(LogLoss::default(), LogLoss::perplexity),
            MetricName::Brier if yes => Gauge::Shares(mean(ErrorKind::Mse)),
            MetricName::Brier => Gauge::Brier(Brier::default()),
            MetricName::Top2Accuracy => Gauge::TopK(TopKAccuracy::new(2)),
            MetricName::Top3Accuracy => Gauge::TopK(TopKAccuracy::new(3)),
            MetricName::Top5Accuracy => Gauge::TopK(TopKAccuracy::new(5)),
        })
    }

    /// Whether it looks at probabilities.
    pub(super) fn needs_probabilities(&self) -> bool {
        matches!(self, Gauge::LogLoss(..) | Gauge::Brier(_) | Gauge::Shares(_))
    }

    /// Adds a batch.
    pub(super) fn add(&mut self, judged: &Judged) {
        match (self, judged) {
            (Gauge::Numbers(metric), Judged::Numbers { predictions, right }) => {
                metric.add(predictions, right);
            }
            (Gauge::Coverage(ends, metric), Judged::Numbers { predictions, right }) => {
                let (lower, upper) = ends.pick(predictions, right.len());
                metric.add(lower, upper, right);
            }
            (Gauge::Interval(ends, metric), Judged::Numbers { predictions, right }) => {
                let (lower, upper) = ends.pick(predictions, right.len());
                metric.add(lower, upper, right);
            }
            (Gauge::Confusion(metric, _), Judged::Classes { scores, right, .. }) => {
                metric.add_scores(scores, right);
            }
            (Gauge::TopK(metric), Judged::Classes { scores, right, .. }) => {
                metric.add(scores, right);
            }
            (Gauge::LogLoss(metric, _), Judged::Classes { probabilities, right, .. }) => {
                metric.add(probabilities, right);
            }
            (Gauge::Brier(metric), Judged::Classes { probabilities, right, .. }) => {
                metric.add(probabilities, right);
            }
            (Gauge::Shares(metric), Judged::Classes { probabilities, right, .. }) => {
                let right: Vec<f32> = right.iter().map(|&class| class as f32).collect();
                metric.add(probabilities.get(right.len()..).unwrap_or(&[]), &right);
            }
            // A loss makes predictions of one kind, which its gauges are of.
            _ => {}
        }
    }

    /// The metric of all that was added.
    pub(super) fn value(&self) -> f64 {
        match self {
            Gauge::Numbers(metric) | Gauge::Shares(metric) => metric.value(),
            Gauge::Confusion(metric, value) => value(metric),
            Gauge::TopK(metric) => metric.value(),
            Gauge::LogLoss(metric, value) => value(metric),
            Gauge::Brier(metric) => metric.value(),
            Gauge::Coverage(_, metric) => metric.value(),
            Gauge::Interval(_, metric) => metric.value(),
        }
    }
}

impl Ends {
    /// Those of the quantiles of a loss, and the share of targets that should lie between them.
    fn of(loss: &Loss) -> Option<(Ends, f64)> {
        let Loss::MultiQuantile(loss) = loss else { return None };
        let numbered = || loss.quantiles.iter().map(|&q| f64::from(q)).enumerate();
        let (lowest, low) = numbered().min_by(|a, b| a.1.total_cmp(&b.1))?;
        let (highest, high) = numbered().max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((Ends { lowest, highest }, high - low))
    }

    /// Their predictions, `count` of each: all of the first quantile come before all of the second.
    fn pick(self, predictions: &[f32], count: usize) -> (&[f32], &[f32]) {
        let of = |quantile: usize| predictions.get(quantile * count..(quantile + 1) * count);
        (of(self.lowest).unwrap_or(&[]), of(self.highest).unwrap_or(&[]))
    }
}
