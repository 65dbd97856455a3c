//! Constant: content known when the graph is built.

use super::{Backward, Cost, Gradients, Operation};
use crate::{Array, Type};
use whimbrel_tensor::Shape;

/// A constant f32 array.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Its shape.
    pub shape: Shape,
    /// Its elements, or one element for all of them.
    pub data: Vec<f32>,
}

impl Constant {
    /// A constant of `data`; a single element stands for all.
    pub fn new(shape: Shape, data: Vec<f32>) -> Constant {
        Constant { shape, data }
    }

    /// The element all others equal, if there is one.
    pub fn uniform(&self) -> Option<f32> {
        let first = *self.data.first()?;
        self.data.iter().all(|x| x.to_bits() == first.to_bits()).then_some(first)
    }
}

impl Operation for Constant {
    fn name(&self) -> &'static str {
        "constant"
    }

    fn detail(&self) -> String {
        match self.uniform() {
            Some(x) => format!("{x}"),
            None => format!("{} elements", self.data.len()),
        }
    }

    fn infer(&self, _: &[Type]) -> Result<Vec<Type>, String> {
        if self.data.len() != 1 && self.data.len() != self.shape.numel() {
            return Err(format!("{} elements do not fill {}", self.data.len(), self.shape));
        }
        Ok(vec![Type::f32(self.shape)])
    }

    fn eval(&self, _: &[&Array]) -> Vec<Array> {
        let data = match self.data[..] {
            [x] => vec![f64::from(x); self.shape.numel()],
            _ => self.data.iter().map(|&x| f64::from(x)).collect(),
        };
        vec![Array { shape: self.shape, data }]
    }

    fn grad<'g>(&self, _: &Backward<'g>) -> Gradients<'g> {
        Ok(Vec::new())
    }

    fn cost(&self, _: &[Type], _: &[Type]) -> Cost {
        Cost::default()
    }
}
