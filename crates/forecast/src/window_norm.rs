//! What a graph does with windows beyond shifting and scaling them: RevIN's learned map, and the
//! inverse hyperbolic sine of the invariant scaler.

use crate::models::{Architecture, Window};
use crate::{Model, Scaler};
use whimbrel_graph::{GraphError, Init, Var};
use whimbrel_nn::{NnError, Scope};

/// What RevIN adds to its divisor.
const EPSILON: f32 = 1e-10;

/// The forecast of a model for scaled windows, `[horizon, outputs, batch]`, on the scale that
/// [`compress`] brings values to.
pub(crate) fn forward<'g>(
    model: &Model,
    window: &Window<'g>,
    scope: &Scope<'g>,
) -> Result<Var<'g>, NnError> {
    let y = compress(model, window.y)?;
    if model.scaler_type != Scaler::Revin {
        return model.network.forward(&Window { y, ..*window }, scope);
    }
    let revin = scope.child("revin");
    let weight = revin.parameter("affine_weight", [1, 1], Init::Constant(1.0))?;
    let bias = revin.parameter("affine_bias", [1, 1], Init::Zeros)?;
    let y = y.mul(weight)?.add(bias)?;
    // What is not known stays 0.
    let y = window.mask.map_or(Ok(y), |mask| y.mul(mask))?;
    let forecast = model.network.forward(&Window { y, ..*window }, scope)?;
    let [weight, bias] = [weight, bias].map(|parameter| parameter.reshape([1, 1, 1]));
    let divisor = weight?.add(scope.builder().scalar(EPSILON))?;
    Ok(forecast.sub(bias?)?.div(divisor)?)
}

/// Scaled values as the loss of the training sees them: `asinh(x)` under the invariant scaler.
///
/// `asinh(|x|) = log1p(|x| + x^2 / (1 + sqrt(1 + x^2)))`, which keeps small values.
pub(crate) fn compress<'g>(model: &Model, x: Var<'g>) -> Result<Var<'g>, GraphError> {
    if model.scaler_type != Scaler::Invariant {
        return Ok(x);
    }
    let (size, square, one) = (x.abs()?, x.square()?, x.builder().scalar(1.0));
    let root = square.add(one)?.sqrt()?;
    size.add(square.div(root.add(one)?)?)?.log1p()?.mul(x.sign()?)
}

/// Brings what [`compress`] gave back to scaled values.
pub(crate) fn expand<'g>(model: &Model, z: Var<'g>) -> Result<Var<'g>, GraphError> {
    if model.scaler_type != Scaler::Invariant {
        return Ok(z);
    }
    z.exp()?.sub(z.neg()?.exp()?)?.mul(z.builder().scalar(0.5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::NLinear;
    use whimbrel_engine::Session;
    use whimbrel_graph::Builder;

    fn model(scaler_type: Scaler) -> Model {
        Model { scaler_type, input_size: 3, ..Model::new(NLinear {}, 2) }
    }

    /// What a graph of one input `[3, 1]` makes of `y`.
    fn run(
        y: [f32; 3],
        state: &[(&str, f32)],
        write: impl for<'g> Fn(Var<'g>, &'g Builder) -> Result<Var<'g>, NnError>,
    ) -> Vec<f32> {
        let g = Builder::new();
        let output = write(g.batch("y", [3, 1]).unwrap(), &g).unwrap();
        g.output("z", output);
        let mut session = Session::new(&g.finish().unwrap()).unwrap();
        for (name, value) in state {
            let numbers = session.read_state(name).unwrap().len();
            session.write_state(name, &vec![*value; numbers]).unwrap();
        }
        session.write("y", &y).unwrap();
        session.run().unwrap();
        session.read("z").unwrap()
    }

    #[test]
    fn the_invariant_scaler_compresses_and_expands() {
        let (model, y) = (model(Scaler::Invariant), [-1e3, 1e-4, 2.0]);
        let small = run(y, &[], |y, _| Ok(compress(&model, y)?));
        for (got, x) in small.iter().zip(y) {
            assert!((got - x.asinh()).abs() <= 2e-6 * got.abs(), "{got} {x}");
        }
        let back = run(y, &[], |y, _| Ok(expand(&model, compress(&model, y)?)?));
        for (got, x) in back.iter().zip(y) {
            assert!((got - x).abs() <= 1e-5 * x.abs().max(1e-2), "{got} {x}");
        }
    }

    #[test]
    fn the_learned_map_of_revin_is_undone_on_the_way_out() {
        // NLinear with weights of 0 forecasts the last value it sees, whatever the map is.
        let model = model(Scaler::Revin);
        let forecast = |weight, bias| {
            let state = [
                ("revin.affine_weight", weight),
                ("revin.affine_bias", bias),
                ("linear.weight", 0.0),
                ("linear.bias", 0.5),
            ];
            run([1.0, -2.0, 3.0], &state, |y, g| {
                forward(&model, &Window::of(y, 2), &Scope::predicting(g))
            })
        };
        assert_eq!(forecast(1.0, 0.0), [3.5, 3.5]);
        // (3 w + b + 0.5 - b) / w
        assert_eq!(forecast(2.0, 7.0), [3.25, 3.25]);
    }
}
