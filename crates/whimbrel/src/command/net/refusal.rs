//! Rows that are refused: what the network file has to do with it.

use crate::failure::Failure;
use std::error::Error;
use whimbrel::nn::file::NetworkFile;
use whimbrel::{DataError, Problem};

/// The failure of rows that cannot be used; where the network file says how to read them, with the place.
pub fn refused(file: &NetworkFile, error: &(dyn Error + Send + Sync + 'static)) -> Failure {
    let hint = error.downcast_ref::<DataError>().and_then(|error| hint(file, error));
    let failure = Failure::input(error);
    match hint {
        Some(hint) => failure.with_hint(hint),
        None => failure,
    }
}

fn hint(file: &NetworkFile, error: &DataError) -> Option<String> {
    let network = file.path().display();
    let named = |field: &str| {
        let line = file.line(&format!("data.{field}"))?;
        Some(format!("{network}:{line} names it as {field}"))
    };
    match &error.problem {
        Problem::EmptyField | Problem::NoValue { .. } => Some(format!(
            "missing under [data] of {network} says what becomes of such rows: \"drop\" passes them \
             over, \"zero\" and \"mean\" fill in inputs"
        )),
        Problem::MissingColumn { name, .. } => {
            let data = file.data();
            let is = |column: &Option<String>| column.as_ref() == Some(name);
            let fields = [("target", is(&data.target)), ("weight", is(&data.weight))];
            let field =
                fields.iter().find(|(_, names)| *names).map_or("inputs", |(field, _)| field);
            let learned =
                || Some("the weights were learned from columns of these names".to_owned());
            named(field).or_else(learned)
        }
        Problem::Io(_) => {
            let is = |path: std::path::PathBuf| path.display().to_string() == error.place.file;
            match file.target_file().is_some_and(is) {
                true => named("target_file"),
                false => is(file.data_file()).then(|| named("file")).flatten(),
            }
        }
        _ => None,
    }
}
