//! The rules every graph keeps, checked after building and between passes.

use crate::{Graph, GraphError, Operation};

impl Graph {
    /// Checks order, ownership of values, inferred types, outputs and updates.
    pub fn verify(&self) -> Result<(), GraphError> {
        let mut made = vec![false; self.values.len()];
        let mut types = Vec::new();
        for id in self.node_ids() {
            let node = self.node(id);
            let name = node.op.name();
            for input in &node.inputs {
                if !made.get(input.index()).copied().unwrap_or(false) {
                    return malformed(format!("{name} reads {input:?} before it is made"));
                }
            }
            types.clear();
            types.extend(node.inputs.iter().map(|&id| self.ty(id)));
            let inferred = node.op.infer(&types).map_err(|reason| {
                GraphError::Malformed(format!("{name} making {:?}: {reason}", node.outputs))
            })?;
            if !node.outputs.iter().map(|&id| self.ty(id)).eq(inferred.iter().copied()) {
                return malformed(format!("{name} should make {inferred:?}"));
            }
            for output in &node.outputs {
                if self.value(*output).producer != id || made[output.index()] {
                    return malformed(format!("{output:?} is made by two nodes"));
                }
                made[output.index()] = true;
            }
        }
        let results = self.outputs.iter().map(|o| o.value);
        for value in results.chain(self.updates.iter().flat_map(|u| [u.state, u.value])) {
            if !made.get(value.index()).copied().unwrap_or(false) {
                return malformed(format!("result {value:?} is never made"));
            }
        }
        for update in &self.updates {
            if self.ty(update.state) != self.ty(update.value) {
                return malformed(format!(
                    "state \"{}\" {} is updated with {}",
                    self.label(update.state),
                    self.ty(update.state),
                    self.ty(update.value)
                ));
            }
        }
        Ok(())
    }
}

fn malformed(what: String) -> Result<(), GraphError> {
    Err(GraphError::Malformed(what))
}
