//! A graph as text for people and as Graphviz for pictures.

use crate::{Graph, Op, Operation};
use std::fmt::{self, Write};

impl fmt::Display for Graph {
    /// One line a node: `%3 f32[12, 32] = dot(w, x)`.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for node in &self.nodes {
            let made: Vec<_> = node
                .outputs
                .iter()
                .map(|&id| match &self.value(id).name {
                    Some(name) => format!("{id:?} \"{name}\" {}", self.ty(id)),
                    None => format!("{id:?} {}", self.ty(id)),
                })
                .collect();
            let read: Vec<_> = node.inputs.iter().map(|&id| self.label(id)).collect();
            writeln!(f, "{} = {}({})", made.join(", "), node.op, read.join(", "))?;
        }
        for output in &self.outputs {
            writeln!(f, "output \"{}\" = {}", output.name, self.label(output.value))?;
        }
        for update in &self.updates {
            writeln!(f, "state {} := {}", self.label(update.state), self.label(update.value))?;
        }
        Ok(())
    }
}

impl Graph {
    /// The graph in Graphviz's language; `dot -Tsvg` draws it.
    pub fn to_graphviz(&self) -> String {
        let mut out = String::from("digraph whimbrel {\n  node [shape=box, fontname=monospace];\n");
        for id in self.node_ids() {
            let node = self.node(id);
            let first = node.outputs[0];
            let colour = match node.op {
                Op::Input(_) => ", style=filled, fillcolor=lightblue",
                Op::State(_) => ", style=filled, fillcolor=lightyellow",
                _ => "",
            };
            let label = format!("{}\\n{} {}", node.op, self.label(first), self.ty(first));
            let label = label.replace('"', "'");
            let _ = writeln!(out, "  n{} [label=\"{label}\"{colour}];", id.0);
            for input in &node.inputs {
                let _ = writeln!(out, "  n{} -> n{};", self.value(*input).producer.0, id.0);
            }
        }
        for (i, output) in self.outputs.iter().enumerate() {
            let name = output.name.replace('"', "'");
            let producer = self.value(output.value).producer.0;
            let _ = writeln!(out, "  o{i} [label=\"{name}\", shape=oval];\n  n{producer} -> o{i};");
        }
        out.push_str("}\n");
        out
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let detail = self.detail();
        if detail.is_empty() {
            f.write_str(self.name())
        } else {
            write!(f, "{}[{detail}]", self.name())
        }
    }
}
