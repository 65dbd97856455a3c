//! Which weights are kept in panels.
//!
//! A weight `[.., outputs, inputs]` that is only multiplied from the left, updated element by
//! element, and whose gradient is a product, lives as panels of 16 outputs (see
//! `kernels::gemm::pack`). Its optimiser state and gradient take the same form. Values are linked
//! through element-wise operations; a linked set is packed when some reader gains from it and none
//! needs plain rows.

use std::collections::HashSet;
use whimbrel_graph::{Graph, Node, Op, ValueId};
use whimbrel_kernels::gemm::packed_len;
use whimbrel_plan::Sets;
use whimbrel_tensor::Shape;

/// For each value of a graph, whether it is kept in panels.
pub struct Layouts {
    panels: Vec<bool>,
}

/// How a node takes an operand or gives a result.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// Plain rows only.
    Rows,
    /// Panels are welcome.
    Panels,
    /// Either, but the same for all operands marked so.
    Same,
    /// Either.
    Any,
}

impl Layouts {
    /// Layouts of several graphs that share state by name.
    pub fn of(graphs: &[Graph]) -> Vec<Layouts> {
        let mut plain: HashSet<String> = HashSet::new();
        loop {
            let layouts: Vec<_> = graphs.iter().map(|g| Layouts::one(g, &plain)).collect();
            let before = plain.len();
            // A state packed in one graph but not in another stays plain in both.
            for (graph, layout) in graphs.iter().zip(&layouts) {
                for value in graph.state().filter(|v| !layout.in_panels(*v)) {
                    let name = graph.label(value);
                    let packed_elsewhere = graphs
                        .iter()
                        .zip(&layouts)
                        .any(|(g, l)| g.state().any(|v| l.in_panels(v) && g.label(v) == name));
                    if packed_elsewhere {
                        plain.insert(name);
                    }
                }
            }
            if plain.len() == before {
                return layouts;
            }
        }
    }

    fn one(graph: &Graph, plain: &HashSet<String>) -> Layouts {
        let count = graph.values().len();
        let mut sets = Sets::new(count);
        let forms: Vec<Vec<Form>> = graph.nodes().iter().map(|n| forms(graph, n)).collect();
        for (node, forms) in graph.nodes().iter().zip(&forms) {
            let operands = node.inputs.iter().chain(&node.outputs).zip(forms);
            let same: Vec<_> =
                operands.filter(|(_, f)| **f == Form::Same).map(|(v, _)| v.index()).collect();
            for pair in same.windows(2) {
                sets.join(pair[0], pair[1]);
            }
        }
        for update in graph.updates() {
            sets.join(update.state.index(), update.value.index());
        }
        let mut wanted = vec![false; count];
        let mut refused = vec![false; count];
        for (node, forms) in graph.nodes().iter().zip(&forms) {
            for (value, form) in node.inputs.iter().chain(&node.outputs).zip(forms) {
                let at = sets.root(value.index());
                wanted[at] |= *form == Form::Panels;
                refused[at] |= *form == Form::Rows || graph.ty(*value).shape.rank() < 2;
            }
        }
        for value in graph.outputs().iter().map(|o| o.value) {
            refused[sets.root(value.index())] = true;
        }
        for value in graph.state().filter(|v| plain.contains(&graph.label(*v))) {
            refused[sets.root(value.index())] = true;
        }
        // Only what hangs together with a state is packed: packing anything else costs a pass.
        let mut stateful = vec![false; count];
        for value in graph.state() {
            stateful[sets.root(value.index())] = true;
        }
        let panels = (0..count).map(|v| {
            let at = sets.root(v);
            wanted[at] && !refused[at] && stateful[at]
        });
        Layouts { panels: panels.collect() }
    }

    /// Whether a value is kept in panels.
    pub fn in_panels(&self, value: ValueId) -> bool {
        self.panels[value.index()]
    }

    /// Words a value occupies.
    pub fn words(&self, graph: &Graph, value: ValueId) -> usize {
        let shape = graph.ty(value).shape;
        if self.in_panels(value) { panel_words(shape) } else { shape.numel() }
    }
}

/// Matrices, outputs and inputs of a weight `[.., outputs, inputs]`.
pub fn matrices(shape: Shape) -> (usize, usize, usize) {
    let rank = shape.rank();
    (shape[..rank - 2].iter().product(), shape[rank - 2], shape[rank - 1])
}

/// Words of a weight in panels.
pub fn panel_words(shape: Shape) -> usize {
    let (count, outputs, inputs) = matrices(shape);
    count * packed_len(outputs, inputs)
}

/// The operand a kernel reads as panels; packed for the occasion where it is not kept so.
pub fn weight_operand(op: &Op) -> Option<usize> {
    match op {
        Op::Lstm(_) | Op::Gru(_) | Op::Rnn(_) => Some(1),
        Op::LstmGrad(_) | Op::GruGrad(_) | Op::RnnGrad(_) => Some(0),
        Op::Conv1d(_) => Some(1),
        Op::Conv1dGradInput(_) => Some(0),
        _ => None,
    }
}

/// The forms of a node's operands, then of its results.
fn forms(graph: &Graph, node: &Node) -> Vec<Form> {
    let rank = |value: ValueId| graph.ty(value).shape.rank();
    match &node.op {
        Op::State(_) => vec![Form::Any],
        Op::Dot(dot) => {
            let weight = rank(node.inputs[0]) == 2 && !dot.rhs_transposed && !dot.sum;
            let gradient = dot.rhs_transposed && !dot.lhs_transposed && rank(node.outputs[0]) == 2;
            vec![
                if weight { Form::Panels } else { Form::Rows },
                Form::Rows,
                if gradient { Form::Any } else { Form::Rows },
            ]
        }
        Op::Dense(_) => {
            let mut forms = vec![Form::Rows; node.inputs.len() + 1];
            forms[0] = Form::Panels;
            forms
        }
        Op::Adam(_) | Op::Sgd(_) => {
            let (states, grad) = match &node.op {
                Op::Sgd(sgd) => (sgd.states(), sgd.grad),
                Op::Adam(adam) => (3, adam.grad),
                _ => (0, None),
            };
            let mut forms = vec![Form::Same; states];
            forms.push(Form::Rows);
            match grad {
                None => forms.push(Form::Same),
                Some(_) => forms.extend([Form::Rows, Form::Rows]),
            }
            forms.extend(vec![Form::Same; states]);
            forms
        }
        Op::Fused(fused) => {
            let form = |v: &ValueId| match graph.ty(*v).shape {
                shape if shape == fused.shape => Form::Same,
                shape if shape.numel() == 1 => Form::Any,
                _ => Form::Rows,
            };
            let partial = node.inputs.iter().any(|v| form(v) == Form::Rows);
            let all = node.inputs.iter().chain(&node.outputs);
            all.map(|v| if partial { Form::Rows } else { form(v) }).collect()
        }
        Op::Conv1dGradWeight(_) => vec![Form::Rows, Form::Rows, Form::Any],
        op => {
            let mut forms = vec![Form::Rows; node.inputs.len() + node.outputs.len()];
            if let Some(weight) = weight_operand(op) {
                forms[weight] = Form::Panels;
            }
            forms
        }
    }
}
