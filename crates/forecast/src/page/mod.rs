//! Page: a forecast as one HTML page that needs nothing else, neither files nor network.
//!
//! The page is `page.html` with its style, its script and the numbers written into it. Everything that
//! comes from the data passes through JSON or is escaped; the script never reads it as markup. Start
//! reading at [`Page::html`]; `series.rs` says what fits.

mod series;

use crate::column::Part;
use crate::{Frame, Panel};
use serde::Serialize;
use series::{MOST, Shelf};

/// A page about a forecast.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    /// What is forecast.
    pub title: String,
    /// What was found in the data: names and values.
    pub facts: Vec<(String, String)>,
    /// The series.
    pub panel: &'a Panel,
    /// Their forecasts, with the rows of [`Panel::future`].
    pub forecast: &'a Frame,
    /// The models shown at first.
    pub shown: Vec<String>,
    /// How the models did.
    pub ranking: Ranking,
    /// Forecasts taken apart, model by model.
    pub parts: Vec<Parts>,
}

/// What the forecast of a model is made of.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The model.
    pub model: String,
    /// A frame with a column for each part; or why its forecast is not taken apart, in a few words.
    pub frame: Result<Frame, String>,
}

/// A table of models.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    /// What the numbers mean.
    pub note: String,
    /// The names of the columns after the first, which names the model.
    pub names: Vec<String>,
    /// A row for each model.
    pub rows: Vec<Rank>,
}

/// A model in a table of models.
#[derive(Clone, Debug, Serialize)]
pub struct Rank {
    /// Its name.
    pub name: String,
    /// A text for each column.
    pub cells: Vec<String>,
    /// Whether the forecast rests on it.
    pub chosen: bool,
}

/// What the script reads.
#[derive(Serialize)]
struct Data<'a> {
    facts: &'a [(String, String)],
    models: Vec<&'a str>,
    shown: &'a [String],
    levels: Vec<f32>,
    #[serde(flatten)]
    shelf: Shelf<'a>,
    scores: &'a [Rank],
    score_names: &'a [String],
    scores_note: &'a str,
    parts: Vec<PartsNote<'a>>,
}

/// A model whose forecast is made of parts; `why_whole` if it is not taken apart.
#[derive(Serialize)]
struct PartsNote<'a> {
    model: &'a str,
    why_whole: Option<&'a str>,
}

impl<'a> PartsNote<'a> {
    fn of(parts: &'a Parts) -> PartsNote<'a> {
        let why_whole = parts.frame.as_ref().err().map(String::as_str);
        PartsNote { model: &parts.model, why_whole }
    }
}

impl Page<'_> {
    /// Series it shows at most, the first ones of the panel; parts of others are not looked at.
    pub const MOST_SERIES: usize = MOST.series;

    /// Whether a file that begins so is such a page.
    pub fn is_ours(head: &str) -> bool {
        let (own, _) = include_str!("page.html").split_once("<title>").unwrap_or_default();
        head.starts_with(own)
    }

    /// The page.
    pub fn html(&self) -> String {
        let data = serde_json::to_string(&self.data()).unwrap_or_default();
        // Within a script, only these can end it or begin a comment.
        let data = data.replace('<', "\\u003c").replace('&', "\\u0026");
        let title = self.title.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        let mut page = String::new();
        let mut rest = include_str!("page.html");
        while let Some((before, after)) = rest.split_once("{{") {
            let (name, after) = after.split_once("}}").unwrap_or((after, ""));
            page += before;
            page += match name {
                "title" => &title,
                "style" => include_str!("page.css"),
                "script" => include_str!("page.js"),
                "data" => &data,
                _ => "",
            };
            rest = after;
        }
        page + rest
    }

    fn data(&self) -> Data<'_> {
        let low = |name| match Part::split(name).1 {
            Part::Low(level) => Some(level),
            _ => None,
        };
        let mut levels: Vec<f32> = self.forecast.columns().filter_map(low).collect();
        // The widest band first: narrower ones are painted over it.
        levels.sort_by(|a, b| b.total_cmp(a));
        levels.dedup();
        Data {
            facts: &self.facts,
            models: self.forecast.models(),
            shown: &self.shown,
            levels,
            shelf: Shelf::of(self, MOST),
            scores: &self.ranking.rows,
            score_names: &self.ranking.names,
            scores_note: &self.ranking.note,
            parts: self.parts.iter().map(PartsNote::of).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::{NBeats, NHits, Network};
    use crate::{Columns as Named, Model};

    fn page(id: &str, rows: usize) -> (String, serde_json::Value) {
        let rows: String = (0..rows).map(|t| format!("{id},{t},{}\n", 10 * t)).collect();
        let csv = format!("unique_id,ds,y\n{rows}");
        let panel = Panel::from_csv("t", csv.as_bytes(), &Named::default(), None).unwrap();
        let forecast = panel.future(2).unwrap();
        let forecast = ["A", "A-lo-80", "A-hi-80", "A-lo-95.5", "A-hi-95.5"]
            .iter()
            .fold(forecast, |frame, name| frame.with_column(name, vec![1.5, f32::NAN]));
        let page = Page {
            title: "a & <b>".into(),
            facts: vec![("series".into(), "1".into())],
            panel: &panel,
            forecast: &forecast,
            shown: vec!["A".into()],
            ranking: Ranking::default(),
            parts: vec![
                Parts { model: "A".into(), frame: Ok(forecast.clone()) },
                Parts { model: "B".into(), frame: Err("curved".into()) },
            ],
        };
        let html = page.html();
        let data = data(&html);
        (html, data)
    }

    /// What the script of a page reads.
    fn data(html: &str) -> serde_json::Value {
        let (_, data) = html.split_once("type=\"application/json\">").unwrap();
        serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
    }

    #[test]
    fn a_page_holds_past_forecast_and_levels() {
        let (_, data) = page("tide", 700);
        assert_eq!(data["models"], serde_json::json!(["A"]));
        assert_eq!(data["levels"], serde_json::json!([95.5, 80.0]));
        let series = &data["series"][0];
        assert_eq!(series["y"].as_array().unwrap().len(), 600);
        let times = data["axes"][0].as_array().unwrap();
        assert_eq!((times.len(), &times[601]), (602, &"701".into()));
        assert_eq!((&series["axis"], &series["from"]), (&0.into(), &0.into()));
        assert_eq!(series["ahead"]["A"], serde_json::json!([1.5, null]));
        assert_eq!(series["parts"]["A"]["A-lo-80"][0], 1.5);
        assert_eq!(data["cut"], serde_json::json!(["Pasts are cut to their last 600 values."]));
        let parts = serde_json::json!([
            { "model": "A", "why_whole": null },
            { "model": "B", "why_whole": "curved" },
        ]);
        assert_eq!(data["parts"], parts);
    }

    #[test]
    fn forecasts_of_networks_are_taken_apart_on_their_page() {
        let rows = |id: &str, size: usize| -> String {
            (0..40).map(|t| format!("{id},{t},{}\n", size * (t + [3, 9, 1, 5][t % 4]))).collect()
        };
        let csv = format!("unique_id,ds,y\n{}{}", rows("ebb", 1), rows("tide", 20));
        let panel = Panel::from_csv("t", csv.as_bytes(), &Named::default(), None).unwrap();
        let (mut forecast, mut parts) = (panel.future(4).unwrap(), Vec::new());
        for network in [Network::from(NBeats::default()), NHits::default().into()] {
            let model = Model { max_steps: 3, windows_batch_size: 4, ..Model::new(network, 4) };
            let mut fitted = model.fit(&panel).unwrap();
            forecast = forecast.beside(fitted.predict(&panel).unwrap());
            let frame = Ok(fitted.decompose(&panel).unwrap().unwrap());
            parts.push(Parts { model: model.name().to_owned(), frame });
        }
        let page = Page {
            title: "tides".into(),
            facts: Vec::new(),
            panel: &panel,
            forecast: &forecast,
            shown: vec!["NBEATS".into()],
            ranking: Ranking::default(),
            parts,
        };
        let data = data(&page.html());
        let names = [
            ("NBEATS", ["identity", "level", "seasonality", "trend"]),
            ("NHITS", ["block 1", "block 2", "block 3", "level"]),
        ];
        for (number, (model, names)) in names.into_iter().enumerate() {
            assert_eq!(data["parts"][number]["model"], model);
            for series in data["series"].as_array().unwrap() {
                let parts = series["parts"][model].as_object().unwrap();
                let mut found: Vec<&str> = parts.keys().map(String::as_str).collect();
                found.sort_unstable();
                assert_eq!(found, names);
                for step in 0..4 {
                    let whole = series["ahead"][model][step].as_f64().unwrap();
                    let sum: f64 = parts.values().map(|part| part[step].as_f64().unwrap()).sum();
                    assert!((sum - whole).abs() <= 1e-3 * whole.abs(), "{model}: {sum} {whole}");
                }
            }
        }
    }

    #[test]
    fn nothing_of_the_data_becomes_markup() {
        let (html, data) = page("</script><script>alert(1)</script>{{style}}&amp;<!--", 3);
        assert!(!html.contains("<script>alert") && !html.contains("<b>") && !html.contains("<!--"));
        assert!(html.contains("a &amp; &lt;b>"));
        assert_eq!(html.matches("prefers-color-scheme").count(), 1);
        let id = data["series"][0]["id"].as_str().unwrap();
        assert_eq!(id, "</script><script>alert(1)</script>{{style}}&amp;<!--");
    }

    #[test]
    fn a_page_loads_nothing() {
        let (html, _) = page("tide", 3);
        for reference in [" src=", "<link", "url(", "import ", "fetch("] {
            assert!(!html.contains(reference), "{reference}");
        }
    }
}
