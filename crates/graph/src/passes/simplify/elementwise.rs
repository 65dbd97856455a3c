//! Rules for element-wise operations: neutral elements, double negation, products of constants.

use super::Rewrite;
use crate::ops::{Binary, BinaryOp, Constant, Unary, UnaryOp};
use crate::passes::rebuild::Rebuild;
use crate::{Graph, Node, Op, ValueId};
use whimbrel_tensor::Shape;

fn apply_unary(op: UnaryOp, x: ValueId) -> Option<Rewrite> {
    Some(Rewrite::Apply(Op::Unary(Unary { op }), vec![x]))
}

fn apply_binary(op: BinaryOp, a: ValueId, b: ValueId) -> Option<Rewrite> {
    Some(Rewrite::Apply(Op::Binary(Binary { op }), vec![a, b]))
}

/// The operand of a value that is a function of one.
fn unary_of(graph: &Graph, value: ValueId) -> Option<(UnaryOp, ValueId)> {
    match graph.op_of(value) {
        Op::Unary(unary) => Some((unary.op, graph.node(graph.value(value).producer).inputs[0])),
        _ => None,
    }
}

fn negated(graph: &Graph, value: ValueId) -> Option<ValueId> {
    unary_of(graph, value).filter(|(op, _)| *op == UnaryOp::Neg).map(|(_, x)| x)
}

/// The operands of a value that is a function of two.
fn binary_of(graph: &Graph, value: ValueId) -> Option<(BinaryOp, ValueId, ValueId)> {
    let node = graph.node(graph.value(value).producer);
    match node.op {
        Op::Binary(Binary { op }) => Some((op, node.inputs[0], node.inputs[1])),
        _ => None,
    }
}

/// A value that is another times a number.
fn scaled(graph: &Graph, value: ValueId) -> Option<(ValueId, f32)> {
    match binary_of(graph, value) {
        Some((BinaryOp::Mul, a, b)) => match (graph.uniform(a), graph.uniform(b)) {
            (None, Some(c)) => Some((a, c)),
            (Some(c), None) => Some((b, c)),
            _ => None,
        },
        _ => None,
    }
}

/// `x` times a number, as nodes.
fn scale(rebuild: &mut Rebuild, x: ValueId, by: f32, node: &Node) -> Option<Rewrite> {
    let shape = rebuild.graph().ty(x).shape;
    let constant = Constant::new(Shape::SCALAR, vec![by]);
    let by = rebuild.uniform(constant, shape, node);
    apply_binary(BinaryOp::Mul, x, by)
}

pub(super) fn unary(
    rebuild: &mut Rebuild,
    op: UnaryOp,
    inputs: &[ValueId],
    node: &Node,
) -> Option<Rewrite> {
    use UnaryOp::{Abs, Floor, Neg, Relu, Sign, Square};
    let graph = rebuild.graph();
    if op == Neg {
        match binary_of(graph, inputs[0]) {
            Some((BinaryOp::Sub, a, b)) => return apply_binary(BinaryOp::Sub, b, a),
            Some((BinaryOp::Mul, ..)) => {
                let (x, by) = scaled(graph, inputs[0])?;
                return scale(rebuild, x, -by, node);
            }
            _ => {}
        }
    }
    let (inner, x) = unary_of(graph, inputs[0])?;
    match (op, inner) {
        (Neg, Neg) => Some(Rewrite::Value(x)),
        (Abs, Abs) | (Relu, Relu) | (Floor, Floor) | (Sign, Sign) => {
            Some(Rewrite::Value(inputs[0]))
        }
        (Abs | Square, Neg) | (Square, Abs) => apply_unary(op, x),
        _ => None,
    }
}

pub(super) fn binary(
    rebuild: &mut Rebuild,
    op: BinaryOp,
    inputs: &[ValueId],
    node: &Node,
) -> Option<Rewrite> {
    let graph = rebuild.graph();
    let (a, b) = (inputs[0], inputs[1]);
    let (left, right) = (graph.uniform(a), graph.uniform(b));
    match (op, left, right) {
        (BinaryOp::Add, _, Some(0.0)) | (BinaryOp::Sub, _, Some(0.0)) => Some(Rewrite::Value(a)),
        (BinaryOp::Mul | BinaryOp::Div | BinaryOp::Pow, _, Some(1.0)) => Some(Rewrite::Value(a)),
        (BinaryOp::Add, Some(0.0), _) | (BinaryOp::Mul, Some(1.0), _) => Some(Rewrite::Value(b)),
        (BinaryOp::Mul | BinaryOp::Div, _, Some(-1.0)) => apply_unary(UnaryOp::Neg, a),
        (BinaryOp::Mul, Some(-1.0), _) | (BinaryOp::Sub, Some(0.0), _) => {
            apply_unary(UnaryOp::Neg, b)
        }
        (BinaryOp::Pow, _, Some(2.0)) => apply_unary(UnaryOp::Square, a),
        (BinaryOp::Max | BinaryOp::Min, ..) if a == b => Some(Rewrite::Value(a)),
        // The reciprocal of a power of two is exact.
        (BinaryOp::Div, None, Some(by)) if by.is_normal() && is_power_of_two(by) => {
            let reciprocal = by.recip();
            if reciprocal.is_normal() { scale(rebuild, a, reciprocal, node) } else { None }
        }
        (BinaryOp::Mul, None, Some(by)) => scale_again(rebuild, a, by, node),
        (BinaryOp::Mul, Some(by), None) => scale_again(rebuild, b, by, node),
        (BinaryOp::Add, ..) => match (negated(graph, a), negated(graph, b)) {
            (_, Some(b)) => apply_binary(BinaryOp::Sub, a, b),
            (Some(a), None) => apply_binary(BinaryOp::Sub, b, a),
            (None, None) => None,
        },
        (BinaryOp::Sub, ..) => negated(graph, b).and_then(|b| apply_binary(BinaryOp::Add, a, b)),
        _ => None,
    }
}

/// `(x c) by` and `(-x) by` as one product, where the product of the numbers is exact in f32.
fn scale_again(rebuild: &mut Rebuild, value: ValueId, by: f32, node: &Node) -> Option<Rewrite> {
    let graph = rebuild.graph();
    if let Some(x) = negated(graph, value) {
        return scale(rebuild, x, -by, node);
    }
    let (x, before) = scaled(graph, value)?;
    let both = before * by;
    let exact = f64::from(before) * f64::from(by) == f64::from(both);
    if exact && both.is_normal() { scale(rebuild, x, both, node) } else { None }
}

fn is_power_of_two(x: f32) -> bool {
    x.to_bits() << 9 == 0
}

pub(super) fn select(graph: &Graph, inputs: &[ValueId]) -> Option<Rewrite> {
    match graph.uniform(inputs[0]) {
        _ if inputs[1] == inputs[2] => Some(Rewrite::Value(inputs[1])),
        Some(0.0) => Some(Rewrite::Value(inputs[2])),
        Some(_) => Some(Rewrite::Value(inputs[1])),
        None => None,
    }
}
