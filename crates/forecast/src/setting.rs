//! Settings by name, as command lines give them: those of a network, of its loss, and of the training that a model
//! has beside them.

use crate::models::Network;
use crate::{Baseline, ForecastError, Model, Rule};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use whimbrel_nn::losses::Loss;

/// Fields of a model that can be set by name and are not those of its network or its loss.
const TRAINING: [&str; 6] = [
    "alias",
    "horizon_weight",
    "lr_scheduler",
    "batch_size",
    "training_data_availability_threshold",
    "average_weights",
];

impl Model {
    /// The names that [`with_setting`](Model::with_setting) knows: those of the network, then of the loss, then
    /// of the training.
    pub fn setting_names(&self) -> Vec<String> {
        let own = [fields(&self.network), fields(&self.loss)];
        own.into_iter().flatten().chain(TRAINING.map(String::from)).collect()
    }

    /// The model with the setting of a name, such as `hidden_size`, at another value.
    ///
    /// # Errors
    /// If there is no such setting, or it cannot have the value.
    pub fn with_setting(&self, name: &str, value: &Value) -> Result<Model, ForecastError> {
        let refused = |error: serde_json::Error| ForecastError::SettingValue {
            name: name.into(),
            value: value.to_string(),
            reason: error.to_string(),
        };
        let is = |known: &String| known == name;
        let model = self.clone();
        if fields(&self.network).iter().any(is) {
            let network: Network = replaced(&self.network, name, value).map_err(refused)?;
            return Ok(Model { network, ..model });
        }
        if fields(&self.loss).iter().any(is) {
            let loss: Loss = replaced(&self.loss, name, value).map_err(refused)?;
            return Ok(Model { loss, ..model });
        }
        if TRAINING.contains(&name) {
            let changed: Model = replaced(self, name, value).map_err(refused)?;
            // Threads are no part of what is written down.
            return Ok(Model { threads: self.threads, ..changed });
        }
        Err(ForecastError::NoSetting {
            model: self.network.name(),
            name: name.into(),
            known: self.setting_names(),
        })
    }
}

impl Rule {
    /// The rule with the setting of a name at another value: of a window average `window_size`; others have none.
    ///
    /// # Errors
    /// If there is no such setting, or it cannot have the value.
    pub fn with_setting(&self, name: &str, value: &Value) -> Result<Rule, ForecastError> {
        let known = match self.baseline {
            Baseline::WindowAverage => vec!["window_size".to_owned()],
            _ => Vec::new(),
        };
        if !known.iter().any(|known| known == name) {
            let (model, name) = (self.baseline.name(), name.into());
            return Err(ForecastError::NoSetting { model, name, known });
        }
        match value.as_u64().and_then(|size| usize::try_from(size).ok()) {
            Some(size @ 1..) => Ok(Rule { window_size: Some(size), ..*self }),
            _ => Err(ForecastError::SettingValue {
                name: name.into(),
                value: value.to_string(),
                reason: "must be a whole number of at least 1".into(),
            }),
        }
    }
}

/// The names of the fields of something tagged by its type.
fn fields(tagged: &impl Serialize) -> Vec<String> {
    let value = serde_json::to_value(tagged).unwrap_or_default();
    let names = value.as_object().into_iter().flat_map(|fields| fields.keys());
    names.filter(|name| *name != "type").cloned().collect()
}

/// The same with a field replaced.
fn replaced<T: Serialize + DeserializeOwned>(
    whole: &T,
    name: &str,
    value: &Value,
) -> serde_json::Result<T> {
    let mut changed = serde_json::to_value(whole)?;
    changed[name] = value.clone();
    serde_json::from_value(changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::{Activation, NBeats, NHits, Rnn};
    use serde_json::json;
    use whimbrel_nn::losses::Huber;

    #[test]
    fn every_setting_of_every_network_can_be_set_to_what_it_is() {
        for name in Network::NAMES {
            let network = Network::named(name).unwrap();
            let model = Model { threads: 3, ..Model::new(network, 4) };
            for setting in fields(&model.network) {
                let value = serde_json::to_value(&model.network).unwrap()[&setting].clone();
                assert_eq!(
                    model.with_setting(&setting, &value).unwrap(),
                    model,
                    "{name} {setting}"
                );
            }
        }
    }

    #[test]
    fn settings_go_to_the_network_the_loss_or_the_training() {
        let model = Model { loss: Huber::default().into(), ..Model::new(NHits::default(), 12) };
        let set = |name, value| model.with_setting(name, &value).unwrap();
        let network = NHits { n_freq_downsample: vec![12, 4, 1], ..NHits::default() };
        assert_eq!(set("n_freq_downsample", json!([12, 4, 1])).network, network.into());
        let network = NHits { activation: Activation::Tanh, ..NHits::default() };
        assert_eq!(set("activation", json!("Tanh")).network, network.into());
        assert_eq!(set("delta", json!(2)).loss, Huber { delta: 2.0 }.into());
        assert_eq!(set("batch_size", json!(8)).batch_size, Some(8));
        let shares = |value| {
            let name = "training_data_availability_threshold";
            set(name, value).training_data_availability_threshold
        };
        assert_eq!([shares(json!(0.5)), shares(json!([0.5, 1]))], [[0.5, 0.5], [0.5, 1.0]]);
        assert_eq!(shares(json!(1)), [1.0, 1.0]);
        assert_eq!(set("alias", json!("mine")).name(), "mine");
    }

    #[test]
    fn what_cannot_be_set_is_named_with_what_can() {
        let model = Model::new(NBeats::default(), 12);
        let text = |name, value| model.with_setting(name, &value).unwrap_err().to_string();
        assert_eq!(
            text("mlp_units", json!("wide")),
            "mlp_units \"wide\": invalid type: string \"wide\", expected a sequence"
        );
        let unknown = text("hidden_size", json!(3));
        assert!(unknown.starts_with("NBEATS has no setting \"hidden_size\"; it has "), "{unknown}");
        assert!(unknown.contains("stack_types") && !unknown.contains("type,"), "{unknown}");
        let naive = Rule::from(Baseline::Naive).with_setting("window_size", &json!(3)).unwrap_err();
        assert_eq!(naive.to_string(), "Naive has no setting \"window_size\"");
        let average = Rule::from(Baseline::WindowAverage);
        for value in [json!(0), json!(-1), json!(2.5), json!("wide")] {
            let text = average.with_setting("window_size", &value).unwrap_err().to_string();
            assert!(text.contains("must be a whole number of at least 1"), "{text}");
        }
        let rnn = Model::new(Rnn::default(), 2);
        assert!(rnn.with_setting("horizon", &json!(3)).is_err());
    }
}
