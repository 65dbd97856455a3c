//! What each pass does to small graphs made for it.

mod harness;

use harness::outputs;
use whimbrel_graph::ops::{Distribution, Fused, Sgd};
use whimbrel_graph::{
    Array, Builder, Graph, GraphError, Init, Node, Op, Operation, Type, Var, passes,
};

/// The graph of one output over an input `x`, after the passes up to `until`, without dead code.
fn after(
    until: &str,
    shape: &[usize],
    build: impl for<'g> Fn(&'g Builder, Var<'g>) -> Result<Var<'g>, GraphError>,
) -> Graph {
    let g = Builder::new();
    let x = g.input("x", whimbrel_tensor::Shape::from_slice(shape).unwrap()).unwrap();
    let y = build(&g, x).unwrap();
    g.output("y", y);
    let graph = passes::run(&g.finish().unwrap(), Some(until)).unwrap();
    let dead_code = passes::PIPELINE.iter().find(|pass| pass.name == "dead_code").unwrap();
    (dead_code.apply)(&graph)
}

/// Names of the operations, without inputs and constants.
fn names(graph: &Graph) -> Vec<&'static str> {
    let nodes = graph.nodes().iter().filter(|n| !matches!(n.op, Op::Input(_) | Op::Constant(_)));
    nodes.map(|n| n.op.name()).collect()
}

#[test]
fn simplify_removes_what_changes_nothing() {
    let unchanged = |graph: Graph| assert_eq!(names(&graph), [""; 0], "{graph}");
    unchanged(after("simplify", &[2, 3], |g, x| x.add(g.scalar(0.0))));
    unchanged(after("simplify", &[2, 3], |g, x| g.scalar(0.0).add(x)));
    unchanged(after("simplify", &[2, 3], |g, x| x.sub(g.scalar(0.0))));
    unchanged(after("simplify", &[2, 3], |g, x| x.mul(g.scalar(1.0))));
    unchanged(after("simplify", &[2, 3], |g, x| x.div(g.scalar(1.0))));
    unchanged(after("simplify", &[2, 3], |g, x| x.pow(g.scalar(1.0))));
    unchanged(after("simplify", &[2, 3], |_, x| x.neg()?.neg()));
    unchanged(after("simplify", &[2, 3], |_, x| x.max(x)));
    unchanged(after("simplify", &[2, 3], |_, x| x.reshape([6])?.reshape([3, 2])?.reshape([2, 3])));
    unchanged(after("simplify", &[2, 3], |_, x| x.permute(&[1, 0])?.permute(&[1, 0])));
    unchanged(after("simplify", &[2, 3], |_, x| x.stop_gradient()));
    unchanged(after("simplify", &[2, 3], |_, x| Var::concat(&[x, x], 0)?.slice(0, 2, 4)));
    unchanged(after("simplify", &[2, 1], |_, x| x.sum_axes(&[1])));
    unchanged(after("simplify", &[2, 3], |g, x| g.scalar(2.0).select(x, x.exp()?)));
    unchanged(after("simplify", &[2, 3], |_, x| x.pad(0, 0, 0, 1.0)));
}

#[test]
fn simplify_finds_cheaper_operations() {
    let cases: [(Graph, &[&str]); 9] = [
        (after("simplify", &[2], |g, x| x.pow(g.scalar(2.0))), &["square"]),
        (after("simplify", &[2], |g, x| g.scalar(0.0).sub(x)), &["neg"]),
        (after("simplify", &[2], |_, x| x.exp()?.add(x.neg()?)), &["exp", "sub"]),
        (after("simplify", &[2], |_, x| x.neg()?.abs()), &["abs"]),
        (after("simplify", &[2], |g, x| x.div(g.scalar(4.0))), &["broadcast", "mul"]),
        (after("simplify", &[2], |g, x| x.div(g.scalar(3.0))), &["broadcast", "div"]),
        (after("simplify", &[9], |_, x| x.slice(0, 2, 8)?.slice(0, 1, 3)), &["slice"]),
        (after("simplify", &[1, 3], |_, x| x.permute(&[1, 0])), &["reshape"]),
        (after("simplify", &[1], |_, x| x.reshape([1, 1])?.broadcast([2, 3])), &["broadcast"]),
    ];
    for (graph, expected) in cases {
        assert_eq!(names(&graph), expected, "{graph}");
    }
}

#[test]
fn simplify_multiplies_numbers_where_that_is_exact() {
    let graph = after("simplify", &[2], |g, x| x.mul(g.scalar(0.5))?.neg()?.mul(g.scalar(3.0)));
    assert_eq!(names(&graph), ["broadcast", "mul"], "{graph}");
    let made = outputs(&graph, &[Array::new([2], vec![1.0, 2.0])]);
    assert_eq!(made[0].data, [-1.5, -3.0]);
    let third = after("simplify", &[2], |g, x| x.mul(g.scalar(1.0 / 3.0))?.mul(g.scalar(0.1)));
    assert_eq!(names(&third), ["broadcast", "mul", "broadcast", "mul"], "{third}");
}

#[test]
fn simplify_keeps_products_with_zero() {
    let graph = after("simplify", &[2], |g, x| x.mul(g.scalar(0.0)));
    let made = outputs(&graph, &[Array::new([2], vec![f64::INFINITY, 1.0])]);
    assert!(made[0].data[0].is_nan());
}

#[test]
fn fold_computes_what_depends_on_constants_only() {
    let graph = after("fold", &[2], |g, x| {
        let table = g.constant([2, 1], vec![1.0, 2.0]).dot(g.constant([1, 1], vec![3.0]))?;
        x.add(table.reshape([2])?.exp()?)
    });
    assert_eq!(names(&graph), ["add"], "{graph}");
}

#[test]
fn fold_keeps_single_numbers_single() {
    let graph = after("fold", &[2, 3], |g, x| x.add(g.scalar(2.0).broadcast([2, 3])?.exp()?));
    assert_eq!(names(&graph), ["broadcast", "add"], "{graph}");
    let whole =
        |node: &whimbrel_graph::Node| matches!(&node.op, Op::Constant(c) if c.shape.rank() > 0);
    assert!(!graph.nodes().iter().any(whole), "{graph}");
}

#[test]
fn fold_leaves_large_results_alone() {
    let graph = after("fold", &[], |g, x| {
        let large = g.constant([64, 64], (0..4096).map(|i| i as f32).collect());
        x.add(large.dot(large)?.sum()?)
    });
    assert!(names(&graph).contains(&"dot"), "{graph}");
}

#[test]
fn cse_computes_each_expression_once() {
    let graph = after("cse", &[2, 3], |g, x| {
        let (a, b) = (x.exp()?.add(g.scalar(3.0))?, x.exp()?.add(g.scalar(3.0))?);
        a.mul(b)?.sub(b.mul(a)?)
    });
    assert_eq!(names(&graph), ["exp", "broadcast", "add", "mul", "sub"], "{graph}");
}

#[test]
fn cse_keeps_draws_inputs_and_the_sign_of_zero_apart() -> Result<(), GraphError> {
    let g = Builder::new();
    let rng = g.input("rng", Type::i32([2]))?;
    let draw = || g.random(Distribution::Uniform, [2], rng);
    g.output("y", draw()?.sub(draw()?)?);
    g.output("z", g.scalar(0.0).recip()?.add(g.scalar(-0.0).recip()?)?);
    let cse = passes::PIPELINE.iter().find(|pass| pass.name == "cse").unwrap();
    let graph = (cse.apply)(&g.finish()?);
    let made = outputs(&graph, &[Array::new([2], vec![1.0, 2.0])]);
    assert_ne!(made[0].data, [0.0, 0.0]);
    assert!(made[1].data[0].is_nan());
    Ok(())
}

#[test]
fn dead_code_goes_but_the_interface_stays() -> Result<(), GraphError> {
    let g = Builder::new();
    let (x, _unused) = (g.input("x", [2])?, g.input("unused", [2])?);
    g.parameter("p", [2], Init::Zeros)?;
    x.exp()?.log()?;
    g.output("y", x.abs()?);
    let graph = passes::run(&g.finish()?, Some("dead_code"))?;
    assert_eq!(names(&graph), ["parameter", "abs"]);
    assert_eq!(graph.inputs().count(), 2);
    Ok(())
}

#[test]
fn a_result_that_shows_an_updated_state_is_a_copy() -> Result<(), GraphError> {
    let g = Builder::new();
    let (p, fixed) = (g.parameter("p", [2], Init::Zeros)?, g.parameter("q", [2], Init::Zeros)?);
    g.output("before", p.add(g.scalar(0.0))?);
    g.output("row", p.reshape([2, 1])?);
    g.output("fixed", fixed);
    g.update(p, p.add(g.scalar(1.0))?)?;
    let graph = passes::run(&g.finish()?, None)?;
    let leaf = |name: &str| matches!(graph.op_of(graph.output(name).unwrap()), Op::State(_));
    assert!(!leaf("before") && !leaf("row") && leaf("fixed"), "{graph}");
    Ok(())
}

#[test]
fn updates_take_in_the_product_that_only_they_read() -> Result<(), GraphError> {
    for shown in [false, true] {
        let g = Builder::new();
        let w = g.parameter("w", [2, 3], Init::Zeros)?;
        let (x, lr) = (g.batch("x", [3, 4])?, g.input("lr", [1])?);
        let grads = g.gradients(w.dot(x)?.square()?.sum()?, &[w])?;
        g.sgd(Sgd { momentum: 0.5, ..Sgd::default() }, &[w], &grads, lr)?;
        if shown {
            g.output("grad", grads[0]);
        }
        let graph = passes::run(&g.finish()?, None)?;
        assert_eq!(names(&graph).contains(&"dot_sgd"), !shown, "{graph}");
    }
    Ok(())
}

#[test]
fn chains_fuse_into_one_node_with_broadcasts_and_numbers_inside() {
    let graph = after("fuse", &[4, 8], |g, x| {
        let bias = g.input("bias", [4, 1])?;
        x.mul(g.scalar(0.3))?.add(bias)?.tanh()?.mul(x)
    });
    assert_eq!(names(&graph), ["fused"], "{graph}");
}

#[test]
fn nothing_is_fused_around_a_reduction() {
    let graph = after("fuse", &[4, 8], |_, x| {
        let y = x.exp()?;
        y.div(y.sum_axes(&[0])?)
    });
    assert_eq!(names(&graph), ["fused", "sum", "fused"], "{graph}");
}

#[test]
fn a_group_may_wait_for_a_later_operand() {
    // The chain of x is still unread when the product is made, so it is lifted above it.
    let graph = after("fuse", &[4, 4], |_, x| {
        let y = x.tanh()?;
        let product = x.dot(x)?;
        y.add(product)
    });
    assert_eq!(names(&graph), ["dot", "fused"], "{graph}");
}

#[test]
fn steps_go_with_the_product_that_only_they_read() -> Result<(), GraphError> {
    let kinds = |read_twice: bool| -> Result<Graph, GraphError> {
        let g = Builder::new();
        let x = g.batch("x", [3, 8])?;
        let w = g.parameter("w", [4, 3], Init::Zeros)?;
        let bias = g.parameter("bias", [4, 1], Init::Zeros)?;
        let product = w.dot(x)?;
        g.output("y", bias.sub(product)?.relu()?);
        if read_twice {
            g.output("product", product);
        }
        passes::run(&g.finish()?, None)
    };
    let graph = kinds(false)?;
    assert_eq!(names(&graph), ["parameter", "parameter", "dense"], "{graph}");
    let text = graph.to_string();
    assert!(text.contains("dense[in1; in0; Sub 0 1; Relu 2](w, x, bias)"), "{text}");
    let graph = kinds(true)?;
    assert_eq!(names(&graph), ["parameter", "parameter", "dot", "fused"], "{graph}");
    Ok(())
}

#[test]
fn slopes_are_made_where_they_are_read() -> Result<(), GraphError> {
    for rectified in [false, true] {
        let g = Builder::new();
        let x = g.batch("x", [4, 8])?;
        let w = [g.parameter("a", [4, 4], Init::Zeros)?, g.parameter("b", [4, 4], Init::Zeros)?];
        let before = w[0].dot(x)?;
        let hidden = if rectified { before.relu()? } else { before.tanh()? };
        let loss = w[1].dot(hidden)?.square()?.mean()?;
        for (name, grad) in ["da", "db"].into_iter().zip(g.gradients(loss, &w)?) {
            g.output(name, grad);
        }
        // Only the activation itself is stored from the forward pass.
        let graph = passes::run(&g.finish()?, None)?;
        let is_activation = |n: &&Node| matches!(n.op, Op::Dense(_) | Op::Fused(_) | Op::Unary(_));
        let first = graph.nodes().iter().find(is_activation);
        assert_eq!(first.map(|n| n.outputs.len()), Some(1), "{graph}");
    }
    Ok(())
}

#[test]
fn fused_programs_stay_within_operands_results_and_registers() -> Result<(), GraphError> {
    let g = Builder::new();
    let inputs: Vec<_> =
        (0..24).map(|i| g.input(&format!("x{i}"), [4, 4])).collect::<Result<_, _>>()?;
    let mut sum = inputs[0];
    let mut waiting = Vec::new();
    for &x in &inputs[1..] {
        sum = sum.add(x)?;
        waiting.push(sum);
    }
    for (i, &value) in waiting.iter().enumerate() {
        sum = sum.mul(value)?;
        if i % 2 == 0 {
            g.output("y", value);
        }
    }
    g.output("sum", sum);
    let graph = passes::run(&g.finish()?, None)?;
    let fused: Vec<(&Fused, usize)> = graph
        .nodes()
        .iter()
        .filter_map(|n| match &n.op {
            Op::Fused(fused) => Some((fused, n.inputs.len())),
            _ => None,
        })
        .collect();
    assert!(fused.len() > 1);
    assert!(fused.iter().all(|(fused, inputs)| *inputs <= 16 && fused.results.len() <= 8));
    Ok(())
}

#[test]
fn a_long_chain_passes_without_deep_recursion() -> Result<(), GraphError> {
    let g = Builder::new();
    let mut x = g.input("x", [2, 2])?;
    for i in 0..10_000 {
        x = if i % 7 == 0 { x.dot(x)? } else { x.tanh()? };
    }
    g.output("y", x);
    let graph = passes::run(&g.finish()?, None)?;
    assert!(graph.nodes().len() < 4_000);
    Ok(())
}

#[test]
fn running_stops_after_the_named_pass() {
    let graph = after("cse", &[2], |_, x| x.exp()?.abs());
    assert_eq!(names(&graph), ["exp", "abs"]);
}
