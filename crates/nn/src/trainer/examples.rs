//! Examples: the rows that are learned from, in memory.

use super::TrainError;

/// Rows of inputs, each with what should be predicted for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Examples {
    features: usize,
    inputs: Vec<f32>,
    targets: Targets,
}

/// What should be predicted.
#[derive(Clone, Debug, PartialEq)]
pub enum Targets {
    /// Numbers, `width` for each row, row by row.
    Values {
        /// Numbers of a row.
        width: usize,
        /// The numbers.
        values: Vec<f32>,
    },
    /// The right class of each row, from 0.
    Classes(Vec<i32>),
}

impl Targets {
    fn rows(&self) -> usize {
        match self {
            Targets::Values { width, values } => values.len() / (*width).max(1),
            Targets::Classes(classes) => classes.len(),
        }
    }
}

impl Examples {
    /// Rows of `features` inputs each, row by row, and their targets.
    pub fn new(
        features: usize,
        inputs: Vec<f32>,
        targets: Targets,
    ) -> Result<Examples, TrainError> {
        let data = |problem: String, remedy| Err(TrainError::Data { problem, remedy });
        let rows = targets.rows();
        if features == 0 || rows == 0 {
            let problem = format!("there are {rows} rows of {features} inputs");
            return data(problem, "give at least one of each");
        }
        if rows > u32::MAX as usize {
            return data(format!("there are {rows} rows"), "give fewer than 4294967296");
        }
        let whole = match &targets {
            Targets::Values { width, values } => values.len() == rows * width,
            Targets::Classes(_) => true,
        };
        if inputs.len() != rows * features || !whole {
            let problem = format!("{} inputs do not make {rows} rows of {features}", inputs.len());
            return data(problem, "give as many rows of inputs as of targets");
        }
        let finite = match &targets {
            Targets::Values { values, .. } => values.iter().all(|x| x.is_finite()),
            Targets::Classes(_) => true,
        };
        if !finite || !inputs.iter().all(|x| x.is_finite()) {
            return data("a number is not finite".into(), "fill it in, or remove the row");
        }
        Ok(Examples { features, inputs, targets })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.targets.rows()
    }

    /// Inputs of a row.
    pub fn features(&self) -> usize {
        self.features
    }

    /// What should be predicted.
    pub fn targets(&self) -> &Targets {
        &self.targets
    }

    /// The inputs of `rows` as a batch `[feature, row]`.
    pub(super) fn gather_inputs(&self, rows: &[u32], batch: &mut Vec<f32>) {
        gather(&self.inputs, self.features, rows, batch);
    }

    /// A number that tells these examples from others: the hash FNV-1a of all there is to them.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut add = |word: u32| {
            for byte in word.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        add(self.features as u32);
        self.inputs.iter().for_each(|x| add(x.to_bits()));
        match &self.targets {
            Targets::Values { values, .. } => values.iter().for_each(|x| add(x.to_bits())),
            Targets::Classes(classes) => classes.iter().for_each(|&class| add(class as u32)),
        }
        hash
    }
}

/// Rows of a table as a batch, in which the row is the last axis.
pub(super) fn gather(table: &[f32], width: usize, rows: &[u32], batch: &mut Vec<f32>) {
    batch.resize(width * rows.len(), 0.0);
    for (item, &row) in rows.iter().enumerate() {
        let from = row as usize * width;
        for (column, &x) in table[from..from + width].iter().enumerate() {
            batch[column * rows.len() + item] = x;
        }
    }
}
