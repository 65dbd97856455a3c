//! Page: a forecast as one HTML page that needs nothing else, neither files nor network.
//!
//! The page is `page.html` with its style, its script and the numbers written into it. Everything that
//! comes from the data passes through JSON or is escaped; the script never reads it as markup.

use crate::column::Part;
use crate::{Frame, Panel};
use serde::{Serialize, Serializer};

/// Series a page shows at most, and values of their past.
const MOST_SERIES: usize = 400;
const MOST_PAST: usize = 600;

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
    /// A forecast taken apart: its model, and a frame with a column for each part.
    pub parts: Option<(String, &'a Frame)>,
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
    series: Vec<Shown<'a>>,
    left_out: String,
    scores: &'a [Rank],
    score_names: &'a [String],
    scores_note: &'a str,
    parts_of: Option<&'a str>,
}

/// A series of the page: its times, the values of the first of them, forecasts of the others.
#[derive(Serialize)]
struct Shown<'a> {
    id: &'a str,
    ds: Vec<String>,
    y: Vec<Option<f32>>,
    ahead: Columns<'a>,
    parts: Columns<'a>,
}

/// Values by the name of their column, in order; what is not finite is not known.
#[derive(Default)]
struct Columns<'a>(Vec<(&'a str, Vec<Option<f32>>)>);

impl Serialize for Columns<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, values)| (name, values)))
    }
}

impl Page<'_> {
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
        let all = self.panel.series().len();
        let left_out = match all > MOST_SERIES {
            true => format!("The first {MOST_SERIES} of {all} series; forecast.csv holds all."),
            false => String::new(),
        };
        Data {
            facts: &self.facts,
            models: self.forecast.models(),
            shown: &self.shown,
            levels,
            series: self.series(),
            left_out,
            scores: &self.ranking.rows,
            score_names: &self.ranking.names,
            scores_note: &self.ranking.note,
            parts_of: self.parts.as_ref().map(|(model, _)| model.as_str()),
        }
    }

    fn series(&self) -> Vec<Shown<'_>> {
        let count = self.panel.series().len().max(1);
        let horizon = self.forecast.rows() / count;
        let series = self.panel.series().iter().take(MOST_SERIES).enumerate();
        let show = |(number, series): (usize, &'_ crate::Series)| {
            let rows = number * horizon..(number + 1) * horizon;
            let values = series.values();
            let first = values.len().saturating_sub(MOST_PAST.max(4 * horizon));
            let past = first..values.len();
            let time = |step: usize| self.panel.time_text(series, step);
            let ahead = values.len()..values.len() + horizon;
            Shown {
                id: self.panel.series()[number].id(),
                ds: past.clone().chain(ahead).map(time).collect(),
                y: values[past].iter().map(|&value| known(value)).collect(),
                ahead: columns(self.forecast, rows.clone()),
                parts: self
                    .parts
                    .as_ref()
                    .map_or_else(Columns::default, |(_, parts)| columns(parts, rows.clone())),
            }
        };
        series.map(show).collect()
    }
}

/// The rows of a frame's columns.
fn columns(frame: &Frame, rows: std::ops::Range<usize>) -> Columns<'_> {
    let values = |name| frame.column(name).and_then(|column| column.get(rows.clone()));
    let column = |name| Some((name, values(name)?.iter().map(|&value| known(value)).collect()));
    Columns(frame.columns().filter_map(column).collect())
}

fn known(value: f32) -> Option<f32> {
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Columns as Named;

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
            parts: Some(("A".into(), &forecast)),
        };
        let html = page.html();
        let (_, data) = html.split_once("type=\"application/json\">").unwrap();
        let data = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
        (html, data)
    }

    #[test]
    fn a_page_holds_past_forecast_and_levels() {
        let (_, data) = page("tide", 700);
        assert_eq!(data["models"], serde_json::json!(["A"]));
        assert_eq!(data["levels"], serde_json::json!([95.5, 80.0]));
        let series = &data["series"][0];
        assert_eq!(series["y"].as_array().unwrap().len(), MOST_PAST);
        let times = series["ds"].as_array().unwrap();
        assert_eq!((times.len(), &times[MOST_PAST + 1]), (MOST_PAST + 2, &"701".into()));
        assert_eq!(series["ahead"]["A"], serde_json::json!([1.5, null]));
        assert_eq!(series["parts"]["A-lo-80"][0], 1.5);
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
