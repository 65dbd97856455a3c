//! Every model gives what NeuralForecast's gives, with the same weights.

#[path = "../../nn/tests/golden/mod.rs"]
mod golden;

use golden::{Case, cases, close, write};
use whimbrel_engine::Session;
use whimbrel_forecast::models::{Architecture, Network, Window};
use whimbrel_graph::{Builder, Var};
use whimbrel_nn::Scope;

const PARTS: [&str; 4] = ["mask", "historic", "future", "fixed"];

fn network(case: &Case) -> Network {
    serde_json::from_value(case.settings.clone()).unwrap_or_else(|e| panic!("{}: {e}", case.name))
}

fn window<'g>(g: &'g Builder, case: &Case) -> Window<'g> {
    let input = |name: &str| -> Option<Var<'g>> {
        case.find(name).map(|tensor| g.batch(name, tensor.ty).unwrap())
    };
    let [mask, historic, future, fixed] = PARTS.map(input);
    let shape = case.get("forecast").ty.shape;
    let y = g.batch("y", case.get("y").ty).unwrap();
    Window { mask, historic, future, fixed, outputs: shape[1], ..Window::of(y, shape[0]) }
}

#[test]
fn every_model_equals_neuralforecasts() {
    for case in cases("models") {
        let g = Builder::new();
        let forecast = network(&case).forward(&window(&g, &case), &Scope::predicting(&g));
        g.output("forecast", forecast.unwrap_or_else(|e| panic!("{}: {e}", case.name)));
        let parameters = g.parameters().len();
        let mut session = Session::new(&g.finish().unwrap()).unwrap();
        for part in ["y"].into_iter().chain(PARTS) {
            if let Some(tensor) = case.find(part)
                && session.input(0, part).is_ok()
            {
                write(&mut session, part, tensor);
            }
        }
        assert_eq!(case.under("state/").count(), parameters, "{}: parameters", case.name);
        for (name, tensor) in case.under("state/") {
            session.write_state(name, &tensor.data).unwrap();
        }
        session.run().unwrap();
        close(&case.name, &session.read("forecast").unwrap(), case.get("forecast"));
    }
}

#[test]
fn every_model_is_among_the_golden_cases() {
    let cases = cases("models");
    for name in Network::NAMES {
        assert!(cases.iter().any(|case| network(case).name() == *name), "{name}");
        assert_eq!(Network::named(&name.to_lowercase()).map(|network| network.name()), Some(*name));
    }
    assert_eq!(Network::named("oracle"), None);
}

#[test]
fn the_parts_of_a_forecast_add_up_to_it() {
    for case in cases("models") {
        let (g, network) = (Builder::new(), network(&case));
        let (window, scope) = (window(&g, &case), Scope::predicting(&g));
        let parts = network.parts(&window, &scope).unwrap();
        let names = network.part_names();
        assert!(
            names.is_empty() && parts.len() == 1 || names.len() == parts.len(),
            "{}",
            case.name
        );
        let sum = parts.iter().skip(1).try_fold(parts[0], |sum, part| sum.add(*part)).unwrap();
        assert_eq!(sum.shape(), case.get("forecast").ty.shape, "{}", case.name);
    }
}
