//! Reference evaluation: every operation by its plain definition in f64.

use crate::{Array, Graph, GraphError, Op, Operation, ValueId};

impl Graph {
    /// Evaluates the whole graph. `leaf` gives the content of inputs and state.
    ///
    /// Returns one array per value; the caller picks outputs and updates.
    pub fn evaluate(
        &self,
        mut leaf: impl FnMut(ValueId) -> Option<Array>,
    ) -> Result<Vec<Option<Array>>, GraphError> {
        let mut arrays: Vec<Option<Array>> = vec![None; self.values.len()];
        for node in &self.nodes {
            let results = match &node.op {
                Op::Input(_) | Op::State(_) => {
                    let id = node.outputs[0];
                    let array = leaf(id).ok_or_else(|| {
                        GraphError::Malformed(format!("no content for \"{}\"", self.label(id)))
                    })?;
                    vec![array]
                }
                op => {
                    let inputs: Option<Vec<&Array>> =
                        node.inputs.iter().map(|i| arrays[i.index()].as_ref()).collect();
                    let inputs = inputs.ok_or_else(|| {
                        GraphError::Malformed(format!("{} reads a value never made", op.name()))
                    })?;
                    op.eval(&inputs)
                }
            };
            for (output, array) in node.outputs.iter().zip(results) {
                debug_assert_eq!(array.shape, self.ty(*output).shape, "{}", node.op.name());
                arrays[output.index()] = Some(array);
            }
        }
        Ok(arrays)
    }
}
