//! Distributions: a model whose outputs are the parameters of one, learned by its likelihood, forecasts a
//! mean and any quantile.
//!
//! Parameters are made of a window's outputs and of the shift and scale of its values, as NeuralForecast's
//! `scale_decouple` does: numbers of size one come out of the network whatever the unit of the series.
//! Normal and Student's t are learned on scaled values, which differs from their likelihood in the unit of
//! the series by what no weight can change. Counts are learned in their own unit, since a scaled count is
//! none.

mod settled;
mod special;

pub(crate) use settled::Settled;
pub(crate) use special::normal_quantile;

use crate::scaler::Affine;
use whimbrel_graph::{GraphError, Var};
use whimbrel_nn::NnError;
use whimbrel_nn::losses::{Criterion, Gaussian, Loss, NegativeBinomial, Poisson, StudentT, Target};

/// The smallest deviation of a normal distribution that is told none, relative to the scale of its window, as in
/// NeuralForecast: without one, networks that know their windows by heart are much too sure.
const LEAST_DEVIATION: f32 = 0.2;
/// The same of the scale of Student's t distribution.
const LEAST_SCALE: f32 = 0.1;
/// The smallest rate of counts.
const LEAST: f32 = 1e-8;
/// The smallest dispersion of counts, scale apart: near 0 their likelihood is a difference of large
/// numbers.
const LEAST_DISPERSION: f32 = 1e-3;

/// A distribution; `eps` is its smallest deviation or scale, relative to the scale of a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Distribution {
    Normal { eps: f32 },
    StudentT { eps: f32 },
    Poisson,
    NegativeBinomial,
}

impl Distribution {
    /// The distribution that a loss is the likelihood of, if it is one.
    pub(crate) fn of(loss: &Loss) -> Option<Distribution> {
        match loss {
            Loss::Gaussian(Gaussian { eps }) => {
                Some(Distribution::Normal { eps: eps.unwrap_or(LEAST_DEVIATION) })
            }
            Loss::StudentT(StudentT { eps }) => {
                Some(Distribution::StudentT { eps: eps.unwrap_or(LEAST_SCALE) })
            }
            Loss::Poisson(_) => Some(Distribution::Poisson),
            Loss::NegativeBinomial(_) => Some(Distribution::NegativeBinomial),
            _ => None,
        }
    }

    /// Outputs for each step.
    pub(crate) fn parameters(self) -> usize {
        match self {
            Distribution::Poisson => 1,
            Distribution::Normal { .. } | Distribution::NegativeBinomial => 2,
            Distribution::StudentT { .. } => 3,
        }
    }

    /// Whether values are counts, never below 0.
    pub(crate) fn of_counts(self) -> bool {
        matches!(self, Distribution::Poisson | Distribution::NegativeBinomial)
    }

    /// The mean negative log likelihood of scaled targets `[horizon, 1, batch]` under the outputs
    /// `[horizon, parameters, batch]`; `shift` and `scale`, `[1, batch]`, bring values back.
    pub(crate) fn loss<'g>(
        self,
        outputs: Var<'g>,
        target: Target<'g>,
        [shift, scale]: [Var<'g>; 2],
    ) -> Result<Var<'g>, NnError> {
        let (g, shape) = (outputs.builder(), target.values.shape());
        let scale = scale.broadcast(shape)?;
        let back = |x: Var<'g>| x.mul(scale)?.add(shift.broadcast(shape)?);
        let positive = |x: Var<'g>, floor: f32| -> Result<Var<'g>, GraphError> {
            x.softplus()?.add(g.scalar(floor))
        };
        let part = |number: usize| outputs.slice(1, number, number + 1);
        match self {
            Distribution::Normal { eps } => Gaussian { eps: Some(eps) }.loss(outputs, target),
            Distribution::StudentT { eps } => StudentT { eps: Some(eps) }.loss(outputs, target),
            Distribution::Poisson => {
                let loss = Poisson { log_input: false, full: true, eps: 0.0 };
                let target = Target { values: back(target.values)?, ..target };
                loss.loss(positive(back(outputs)?, LEAST)?, target)
            }
            Distribution::NegativeBinomial => {
                let target = Target { values: back(target.values)?, ..target };
                let mean = positive(back(part(0)?)?, LEAST)?;
                let dispersion =
                    positive(part(1)?, LEAST_DISPERSION)?.div(scale.add(g.scalar(1.0))?)?;
                let logits = mean.mul(dispersion)?.log()?;
                NegativeBinomial::loss_of(dispersion.recip()?, logits, target)
            }
        }
    }

    /// The distribution of one step, from its outputs and the map of its window.
    pub(crate) fn settle(self, outputs: &[f32], map: Affine) -> Settled {
        let output = |number: usize| f64::from(outputs.get(number).copied().unwrap_or(f32::NAN));
        let (shift, scale) = (f64::from(map.shift), f64::from(map.scale));
        let back = |x: f64| x * scale + shift;
        let positive = |x: f64, floor: f32| special::softplus(x) + f64::from(floor);
        match self {
            Distribution::Normal { eps } => Settled::Normal {
                mean: back(output(0)),
                deviation: positive(output(1), eps) * scale,
            },
            Distribution::StudentT { eps } => Settled::StudentT {
                freedom: positive(output(0), StudentT::LEAST_FREEDOM),
                mean: back(output(1)),
                scale: positive(output(2), eps) * scale,
            },
            Distribution::Poisson => Settled::Poisson { rate: positive(back(output(0)), LEAST) },
            Distribution::NegativeBinomial => Settled::NegativeBinomial {
                mean: positive(back(output(0)), LEAST),
                dispersion: positive(output(1), LEAST_DISPERSION) / (scale + 1.0),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::collections::HashMap;
    use whimbrel_engine::Session;
    use whimbrel_graph::Builder;

    const HORIZON: usize = 3;
    const BATCH: usize = 4;

    /// That of a loss as it is by default.
    fn distribution(kind: &str) -> Distribution {
        let loss: Loss = serde_json::from_value(json!({ "type": kind })).unwrap();
        Distribution::of(&loss).unwrap()
    }

    /// The golden cases by the names of their losses.
    fn cases() -> HashMap<String, Value> {
        let golden = include_str!("../../tests/golden/distributions.json");
        let cases: HashMap<String, Value> = serde_json::from_str(golden).unwrap();
        assert_eq!(cases.len(), 4);
        cases
    }

    /// The numbers of a case under a name.
    fn list(case: &Value, name: &str) -> Vec<f32> {
        case[name].as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect()
    }

    #[test]
    fn parameters_are_neuralforecasts() {
        for (kind, case) in cases() {
            let distribution = distribution(&kind);
            let parameters = distribution.parameters();
            let [outputs, expected, shift, scale] =
                ["outputs", "settled", "shift", "scale"].map(|name| list(&case, name));
            for (step, item) in (0..HORIZON).flat_map(|step| (0..BATCH).map(move |b| (step, b))) {
                let of = |list: &[f32]| -> Vec<f32> {
                    let at = |part: usize| list[(step * parameters + part) * BATCH + item];
                    (0..parameters).map(at).collect()
                };
                let map = Affine { shift: shift[item], scale: scale[item] };
                let made = match distribution.settle(&of(&outputs), map) {
                    Settled::Normal { mean, deviation } => vec![mean, deviation],
                    Settled::StudentT { freedom, mean, scale } => vec![freedom, mean, scale],
                    Settled::Poisson { rate } => vec![rate],
                    Settled::NegativeBinomial { mean, dispersion } => vec![mean, dispersion],
                };
                for (made, expected) in made.into_iter().zip(of(&expected)) {
                    let close = (made as f32 - expected).abs() <= 1e-5 * expected.abs();
                    assert!(close, "{kind} {step} {item}: {made} {expected}");
                }
            }
        }
    }

    #[test]
    fn likelihoods_and_their_gradients_equal_pytorchs() {
        for (kind, case) in cases() {
            let list = |name: &str| list(&case, name);
            let distribution = distribution(&kind);
            let g = Builder::new();
            let parameters = distribution.parameters();
            let outputs = g.batch("outputs", [HORIZON, parameters, BATCH]).unwrap();
            let target = Target::new(g.batch("target", [HORIZON, 1, BATCH]).unwrap());
            let back = ["shift", "scale"].map(|name| g.batch(name, [1, BATCH]).unwrap());
            let loss = distribution.loss(outputs, target, back).unwrap();
            g.output("gradient", g.gradients(loss, &[outputs]).unwrap()[0]);
            g.output("loss", loss);
            let mut session = Session::new(&g.finish().unwrap()).unwrap();
            for name in ["outputs", "target", "shift", "scale"] {
                session.write(name, &list(name)).unwrap();
            }
            session.run().unwrap();
            let close = |got: f32, want: f32| (got - want).abs() <= 2e-4 * want.abs().max(0.05);
            let (got, want) = (session.read("loss").unwrap()[0], case["loss"].as_f64().unwrap());
            assert!(close(got, want as f32), "{kind}: {got} {want}");
            for (got, want) in session.read("gradient").unwrap().into_iter().zip(list("gradient")) {
                assert!(close(got, want), "{kind}: gradient {got} {want}");
            }
        }
    }
}
