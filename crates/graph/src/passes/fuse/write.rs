//! Writes a group as the steps of a fused node, or of several where one program cannot hold them.

use crate::ops::{Expr, Fused};
use crate::passes::rebuild::Rebuild;
use crate::{Graph, NodeId, Op, ValueId};
use std::collections::HashMap;

/// Operands an element-wise program may have.
const MAX_INPUTS: usize = 16;
/// Results an element-wise program may have.
const MAX_RESULTS: usize = 8;
/// Block-sized temporaries an element-wise program may have.
const MAX_REGISTERS: usize = 16;

/// Who reads each value.
pub struct Readers {
    nodes: Vec<Vec<NodeId>>,
    result: Vec<bool>,
}

impl Readers {
    pub fn of(graph: &Graph) -> Readers {
        let mut result = vec![false; graph.values().len()];
        let outputs = graph.outputs().iter().map(|o| o.value);
        for value in outputs.chain(graph.updates().iter().map(|u| u.value)) {
            result[value.index()] = true;
        }
        Readers { nodes: graph.users(), result }
    }

    /// The nodes that read a value.
    pub fn nodes(&self, value: ValueId) -> &[NodeId] {
        &self.nodes[value.index()]
    }

    /// Whether a value is a result of the graph.
    pub fn is_result(&self, value: ValueId) -> bool {
        self.result[value.index()]
    }
}

/// What writing a group goes by.
#[derive(Clone, Copy)]
pub struct Writing<'a> {
    /// The graph before fusing.
    pub graph: &'a Graph,
    /// Who reads each value there.
    pub readers: &'a Readers,
    /// The nodes that are computed anew in every group that reads them.
    pub sunk: &'a [bool],
}

impl Writing<'_> {
    /// Writes one group. Where it exceeds what a program can hold, its first half is written before
    /// its second, which may read it.
    pub fn write(self, rebuild: &mut Rebuild, members: &[NodeId]) {
        let Writing { graph, readers, .. } = self;
        let writer = Writer::over(self, members);
        let escapes = |value: &ValueId| {
            readers.is_result(*value) || readers.nodes(*value).iter().any(|r| !members.contains(r))
        };
        let made = members.iter().map(|&m| graph.node(m).outputs[0]);
        let results: Vec<ValueId> = made.filter(escapes).collect();
        let steps: Vec<usize> = results.iter().map(|v| writer.at[v]).collect();
        let fits = writer.inputs.len() <= MAX_INPUTS
            && results.len() <= MAX_RESULTS
            && registers(&writer.steps, &steps) <= MAX_REGISTERS;
        if !fits && members.len() > 1 {
            let (first, second) = members.split_at(members.len() / 2);
            self.write(rebuild, first);
            return self.write(rebuild, second);
        }
        let last = graph.node(members[members.len() - 1]);
        let shape = graph.ty(last.outputs[0]).shape;
        let fused = Fused { shape, steps: writer.steps, results: steps };
        let inputs = writer.inputs.iter().map(|&v| rebuild.get(v)).collect();
        let made = rebuild.add(Op::Fused(fused), inputs, graph.types(&results), last);
        for (&old, new) in results.iter().zip(made) {
            rebuild.replace(old, new);
        }
    }
}

/// The most values that are alive at once; results stay alive to the end.
fn registers(steps: &[Expr], results: &[usize]) -> usize {
    let computed = |at: usize| !matches!(steps[at], Expr::Input(_) | Expr::Constant(_));
    let mut last_use = vec![0; steps.len()];
    for (at, step) in steps.iter().enumerate() {
        for operand in step.operands() {
            last_use[operand] = at;
        }
    }
    for &result in results {
        last_use[result] = steps.len();
    }
    let (mut alive, mut most) = (0usize, 0);
    for (at, step) in steps.iter().enumerate() {
        let mut operands = step.operands();
        operands.sort_unstable();
        operands.dedup();
        alive += usize::from(computed(at));
        most = most.max(alive);
        alive -= operands.iter().filter(|&&o| computed(o) && last_use[o] == at).count();
    }
    most
}

/// The steps of one group.
struct Writer<'a> {
    writing: Writing<'a>,
    steps: Vec<Expr>,
    inputs: Vec<ValueId>,
    at: HashMap<ValueId, usize>,
}

impl Writer<'_> {
    fn over<'a>(writing: Writing<'a>, members: &[NodeId]) -> Writer<'a> {
        let mut writer =
            Writer { writing, steps: Vec::new(), inputs: Vec::new(), at: HashMap::new() };
        for &id in members {
            writer.compute(id);
        }
        writer
    }

    /// Adds the step of an element-wise node, and gives its place.
    fn compute(&mut self, id: NodeId) -> usize {
        let node = self.writing.graph.node(id);
        let operands: Vec<_> = node.inputs.iter().map(|&v| self.operand(v)).collect();
        self.steps.push(match (&node.op, &operands[..]) {
            (Op::Unary(unary), &[a]) => Expr::Unary(unary.op, a),
            (Op::Binary(binary), &[a, b]) => Expr::Binary(binary.op, a, b),
            (_, &[m, a, b]) => Expr::Select(m, a, b),
            _ => unreachable!("only element-wise nodes are in groups"),
        });
        self.at.insert(node.outputs[0], self.steps.len() - 1);
        self.steps.len() - 1
    }

    /// The step that stands for an operand, looking through broadcasts to what they repeat.
    fn operand(&mut self, value: ValueId) -> usize {
        let Writing { graph, sunk, .. } = self.writing;
        if let Some(&at) = self.at.get(&value) {
            return at;
        }
        let producer = graph.value(value).producer;
        if sunk[producer.index()] {
            return self.compute(producer);
        }
        let mut source = value;
        while let Op::Broadcast(_) = graph.op_of(source) {
            source = graph.node(graph.value(source).producer).inputs[0];
        }
        let uniform = match graph.op_of(source) {
            Op::Constant(constant) => constant.uniform(),
            _ => None,
        };
        let step = match uniform {
            Some(x) => Expr::Constant(x),
            None => {
                let known = self.inputs.iter().position(|&v| v == source);
                Expr::Input(known.unwrap_or_else(|| {
                    self.inputs.push(source);
                    self.inputs.len() - 1
                }))
            }
        };
        self.steps.push(step);
        self.at.insert(value, self.steps.len() - 1);
        self.steps.len() - 1
    }
}
