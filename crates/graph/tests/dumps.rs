//! A graph as text and as Graphviz, in full.

use whimbrel_graph::ops::{Conv1d, Sgd};
use whimbrel_graph::{Builder, Graph, GraphError, Init, passes};

fn small() -> Result<Graph, GraphError> {
    let g = Builder::new();
    let x = g.batch("x", [3, 4])?;
    let w = g.parameter("w", [2, 3], Init::Zeros)?;
    let y = w.dot(x)?.relu()?.named("y");
    let loss = y.mean()?;
    let grads = g.gradients(loss, &[w])?;
    g.sgd(Sgd::default(), &[w], &grads, g.input("lr", [1])?)?;
    g.output("loss", loss);
    g.finish()
}

#[test]
fn text_has_a_line_for_each_node_output_and_update() -> Result<(), GraphError> {
    let expected = r#"%0 "x" f32[3, 4] = input[batch]()
%1 "w" f32[2, 3] = parameter()
%2 f32[2, 4] = dot(w, x)
%3 "y" f32[2, 4] = relu(%2)
%4 f32[1, 1] = sum[axes [0, 1]](y)
%5 f32[] = reshape(%4)
%6 f32[] = constant[0.125]()
%7 f32[] = mul(%5, %6)
%8 f32[] = constant[1]()
%9 f32[] = mul(%8, %6)
%10 f32[1, 1] = reshape(%9)
%11 f32[2, 4] = broadcast(%10)
%12 f32[] = constant[0]()
%13 f32[2, 4] = broadcast(%12)
%14 f32[2, 4] = lt(%13, y)
%15 f32[] = constant[0]()
%16 f32[2, 4] = broadcast(%15)
%17 f32[2, 4] = select(%14, %11, %16)
%18 f32[2, 3] = dot[rhsᵀ](%17, x)
%19 "lr" f32[1] = input()
%20 f32[2, 3] = sgd(w, lr, %18)
output "loss" = %7
state w := %20
"#;
    assert_eq!(small()?.to_string(), expected);
    Ok(())
}

#[test]
fn text_after_the_passes_shows_fused_steps() -> Result<(), GraphError> {
    let expected = r#"%0 "x" f32[3, 4] = input[batch]()
%1 "w" f32[2, 3] = parameter()
%2 f32[2, 4] = dot(w, x)
%3 "y" f32[2, 4], %4 f32[2, 4] = fused[in0; Relu 0; 0; Lt 2 1; 0.125; Select 3 4 2](%2)
%5 f32[1, 1] = sum[axes [0, 1]](y)
%6 f32[] = reshape(%5)
%7 f32[] = fused[in0; 0.125; Mul 0 1](%6)
%8 "lr" f32[1] = input()
%9 f32[2, 3] = dot_sgd[rhsᵀ](w, lr, %4, x)
output "loss" = %7
state w := %9
"#;
    assert_eq!(passes::run(&small()?, None)?.to_string(), expected);
    Ok(())
}

#[test]
fn graphviz_draws_nodes_edges_and_outputs() -> Result<(), GraphError> {
    let g = Builder::new();
    let (x, w) = (g.batch("x", [5, 2, 3])?, g.parameter("w", [2, 4, 2], Init::Zeros)?);
    g.output("the \"y\"", x.conv1d(w, Conv1d::causal(2, 1))?);
    let expected = r#"digraph whimbrel {
  node [shape=box, fontname=monospace];
  n0 [label="input[batch]\nx f32[5, 2, 3]", style=filled, fillcolor=lightblue];
  n1 [label="parameter\nw f32[2, 4, 2]", style=filled, fillcolor=lightyellow];
  n2 [label="conv1d[stride 1 dilation 1 groups 1 pad 1 0]\n%2 f32[5, 4, 3]"];
  n0 -> n2;
  n1 -> n2;
  o0 [label="the 'y'", shape=oval];
  n2 -> o0;
}
"#;
    assert_eq!(g.finish()?.to_graphviz(), expected);
    Ok(())
}
