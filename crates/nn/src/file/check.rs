//! What a network file must keep to beyond its grammar, told with the line.

use super::line::Lines;
use super::{Data, FileError, NetworkFile, number};

impl NetworkFile {
    /// Says what is wrong with it, if anything is.
    pub(super) fn check(&self) -> Result<(), FileError> {
        let refuse = |way: &str, problem: &str| {
            let line = self.nearest_line(way);
            Err(FileError { file: self.path.clone(), line, problem: problem.into() })
        };
        match (self.training.epochs, self.training.steps) {
            (None, None) => {
                return refuse("training", "epochs is missing; add epochs = 20, or steps");
            }
            (Some(_), Some(_)) => {
                return refuse("training.steps", "epochs and steps are both given; remove one");
            }
            _ => {}
        }
        if self.data.file.as_os_str().is_empty() {
            return refuse("data.file", "file is empty; name the file of the rows");
        }
        match (&self.data.target, &self.data.target_file) {
            (None, None) => {
                return refuse("data", "target is missing; name the column to predict here");
            }
            (Some(_), Some(_)) => {
                let problem = "target and target_file are both given; remove one";
                return refuse("data.target_file", problem);
            }
            _ => {}
        }
        self.check_columns()?;
        if self.layers.is_empty() {
            return refuse("network.layers", "layers is empty; add at least one");
        }
        if self.training.metrics.as_ref().is_some_and(Vec::is_empty) {
            let problem = "metrics names none; name some, or remove it for the usual ones";
            return refuse("training.metrics", problem);
        }
        let folder = self.training.checkpoints.folder.as_ref();
        if folder.is_some_and(|folder| folder.as_os_str().is_empty()) {
            let problem = "folder is empty; name one, or remove it for the usual one";
            return refuse("training.checkpoints.folder", problem);
        }
        self.check_sizes()?;
        self.trainer().check().map_err(|error| self.place(&error))
    }

    /// A column is input, target or weight, and that once.
    fn check_columns(&self) -> Result<(), FileError> {
        let refuse = |field: &str, problem: String| {
            let line = self.nearest_line(&format!("data.{field}"));
            Err(FileError { file: self.path.clone(), line, problem })
        };
        let Data { inputs, target, weight, .. } = &self.data;
        let inputs = inputs.as_deref();
        if inputs.is_some_and(<[String]>::is_empty) {
            let problem = "inputs names no column; name some, or remove it for all";
            return refuse("inputs", problem.into());
        }
        let inputs = inputs.unwrap_or_default();
        if let Some((_, twice)) = inputs.iter().enumerate().find(|(i, x)| inputs[..*i].contains(x))
        {
            return refuse("inputs", format!("inputs names \"{twice}\" twice; remove one"));
        }
        if let Some(target) = target.as_ref().filter(|target| inputs.contains(target)) {
            let problem =
                format!("inputs names \"{target}\", which is the target; remove it there");
            return refuse("inputs", problem);
        }
        match weight
            .as_ref()
            .filter(|weight| inputs.contains(weight) || target.as_ref() == Some(*weight))
        {
            Some(weight) => {
                let problem = format!("weight names \"{weight}\", which is target or input too");
                refuse("weight", format!("{problem}; name another column, or remove weight"))
            }
            None => Ok(()),
        }
    }

    fn check_sizes(&self) -> Result<(), FileError> {
        let lines = Lines(&self.text);
        for layer in &self.layers {
            if let Some(size) = number::too_large(layer.get_ref()) {
                let line = lines.of_mistake(layer.span(), &format!("`{size}`"));
                let problem =
                    format!("{size} is too large; the largest size is {}", number::LARGEST);
                return Err(FileError { file: self.path.clone(), line: Some(line), problem });
            }
        }
        Ok(())
    }
}
