//! Every model gives what NeuralForecast's gives, with the same weights.

#[path = "../../nn/tests/golden/mod.rs"]
mod golden;

use golden::{Case, cases, close, write};
use serde_json::json;
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

/// What a network says to a window of eight steps.
fn refusal(settings: serde_json::Value) -> String {
    let network: Network = serde_json::from_value(settings).unwrap();
    let g = Builder::new();
    let window = Window::of(g.batch("y", [8, 2]).unwrap(), 4);
    network.forward(&window, &Scope::predicting(&g)).unwrap_err().to_string()
}

#[test]
fn shares_that_are_none_are_refused() {
    for share in [-0.1, 1.0, 7.0] {
        let said = refusal(json!({ "type": "NHITS", "dropout_prob_theta": share }));
        assert!(
            said.contains("NHITS: dropout_prob_theta is") && said.contains("below 1"),
            "{said}"
        );
        for kind in ["RNN", "LSTM", "GRU"] {
            let one_layer =
                json!({ "type": kind, "encoder_n_layers": 1, "encoder_dropout": share });
            let said = refusal(one_layer);
            assert!(said.contains(&format!("{kind}: encoder_dropout is")), "{said}");
        }
    }
}

#[test]
fn models_without_blocks_are_refused() {
    for kind in ["NBEATS", "NHITS"] {
        let said = refusal(json!({ "type": kind, "n_blocks": [0, 0, 0] }));
        assert!(said.contains(&format!("{kind}: n_blocks is [0, 0, 0]")), "{said}");
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
