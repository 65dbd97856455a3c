//! Every operation in the engine equals its reference, with the batch whole and cut into blocks.

mod agreement;

use agreement::agrees;
use whimbrel_engine::{Options, Session};
use whimbrel_graph::ops::{Attention, Dot, Pool1d, PoolOp, Role, Sgd};
use whimbrel_graph::{Builder, Graph, GraphError, Init, Type, Var};
use whimbrel_tensor::DType;

/// Runs `graph` with the batch whole, in blocks of 16, and with two threads.
#[track_caller]
fn agrees_however_cut(graph: &Graph, tolerance: f64) {
    for (lanes, threads) in [(None, 1), (Some(16), 1), (Some(16), 2), (None, 2)] {
        agrees(graph, &Options { lanes, threads, ..Options::default() }, tolerance);
    }
}

/// A graph of `outputs` made from `x [6, 5, 48]` and a parameter `w [7, 5]`.
#[track_caller]
fn check(build: impl for<'g> Fn(Var<'g>, Var<'g>) -> Result<Var<'g>, GraphError>) {
    let g = Builder::new();
    let x = g.batch("x", [6, 5, 48]).unwrap();
    let w = g.parameter("w", [7, 5], Init::Zeros).unwrap();
    g.output("y", build(x, w).unwrap());
    agrees_however_cut(&g.finish().unwrap(), 1e-5);
}

#[test]
fn movements_agree() {
    check(|x, _| x.permute(&[1, 0, 2]));
    check(|x, _| x.permute(&[2, 0, 1]));
    check(|x, _| x.slice(1, 1, 4));
    check(|x, _| x.slice(0, 2, 5)?.neg());
    check(|x, _| x.slice(2, 3, 40));
    check(|x, _| Var::concat(&[x, x.neg()?, x.slice(0, 0, 2)?], 0));
    check(|x, _| Var::concat(&[x, x.slice(1, 0, 2)?], 1));
    check(|x, _| x.slice(0, 0, 1)?.broadcast([6, 5, 48]));
    check(|x, _| x.reshape([6, 240])?.neg()?.reshape([30, 48]));
    check(|x, _| x.pad_axes(&[1, 0, 0], &[0, 2, 0], 0.5));
    check(|x, _| x.cumsum(0)?.add(x.cumsum(1)?));
    check(|x, _| x.reverse(0)?.add(x.reverse(1)?));
}

#[test]
fn products_with_steps_after_them_agree() {
    check(|x, w| w.dot(x)?.tanh());
    check(|x, w| w.dot(x)?.add(x.sum_axes(&[1])?)?.relu()?.mul(x.max_axes(&[0, 1])?));
    check(|x, w| x.sum_axes(&[1])?.sub(w.dot(x)?));
    for (outputs, inputs, batch) in [(70, 40, 96), (100, 130, 48), (33, 600, 128), (50, 8, 16)] {
        let g = Builder::new();
        let x = g.batch("x", [inputs, batch]).unwrap();
        let residual = g.batch("residual", [outputs, batch]).unwrap();
        let [w, back] = [("w", [outputs, inputs]), ("back", [inputs, outputs])]
            .map(|(name, shape)| g.parameter(name, shape, Init::Zeros).unwrap());
        let bias = g.parameter("bias", [outputs, 1], Init::Zeros).unwrap();
        let y = w.dot(x).unwrap().add(bias).unwrap().tanh().unwrap().add(residual).unwrap();
        let turned = Dot { lhs_transposed: true, ..Dot::default() };
        g.output("z", back.product(x, turned).unwrap().mul(residual).unwrap());
        g.output("y", y);
        agrees_however_cut(&g.finish().unwrap(), 1e-5);
    }
}

#[test]
fn products_over_nothing_are_zero_before_their_steps() {
    let g = Builder::new();
    let x = g.batch("x", [0, 48]).unwrap();
    let w = g.parameter("w", [7, 0], Init::Zeros).unwrap();
    g.output("product", w.dot(x.neg().unwrap()).unwrap());
    g.output("y", w.dot(x).unwrap().add(g.scalar(1.0)).unwrap());
    agrees_however_cut(&g.finish().unwrap(), 1e-5);
}

/// What else reads the weight keeps it in rows.
#[test]
fn steps_after_a_product_of_rows_agree() {
    check(|x, w| w.dot(x)?.tanh()?.add(w.sum_axes(&[1])?));
}

#[test]
fn reductions_agree() {
    for axes in [&[0][..], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]] {
        check(|x, _| x.sum_axes(axes));
        check(|x, _| x.max_axes(axes));
        check(|x, _| x.min_axes(axes));
    }
}

#[test]
fn element_wise_chains_agree() {
    check(|x, _| x.tanh()?.mul(x.sigmoid()?)?.add(x.exp()?)?.gelu());
    check(|x, _| x.sub(x.mean_axes(&[1])?)?.abs()?.sqrt()?.log1p());
    check(|x, _| {
        let zero = x.builder().scalar(0.0);
        x.gt(zero)?.select(x.softplus()?, x.sin()?.add(x.cos()?)?)
    });
    check(|x, _| x.max(x.mean_axes(&[0])?)?.min(x.square()?)?.erf()?.silu());
}

#[test]
fn a_value_beside_a_view_of_itself_agrees() {
    check(|x, _| {
        let y = x.tanh()?;
        y.sub(y.slice(0, 0, 1)?)
    });
    check(|x, _| {
        let y = x.tanh()?.reshape([6, 240])?;
        y.sub(y.sum_axes(&[1])?)?.mul(y.stop_gradient()?)
    });
    let g = Builder::new();
    let w = g.parameter("w", [6, 5], Init::Zeros).unwrap();
    g.update(w, w.mul(w.slice(0, 1, 2).unwrap()).unwrap()).unwrap();
    g.output("y", w.sum().unwrap());
    agrees_however_cut(&g.finish().unwrap(), 1e-5);
}

#[test]
fn products_agree_in_every_form() {
    check(|x, w| w.dot(x));
    check(|x, w| w.product(w.dot(x)?, Dot { lhs_transposed: true, ..Dot::default() }));
    // No parameter on the left: general products.
    for lhs_transposed in [false, true] {
        for rhs_transposed in [false, true] {
            for sum in [false, true] {
                let dot = Dot { lhs_transposed, rhs_transposed, sum };
                let g = Builder::new();
                let lhs =
                    g.batch("x", if lhs_transposed { [3, 20, 9] } else { [3, 9, 20] }).unwrap();
                let rhs = g.input("z", if rhs_transposed { [3, 17, 20] } else { [3, 20, 17] });
                g.output("y", lhs.product(rhs.unwrap(), dot).unwrap());
                agrees_however_cut(&g.finish().unwrap(), 1e-5);
            }
        }
    }
    // Sums over the batch, with a result in rows.
    check(|x, w| {
        let (dot, y) = (Dot { rhs_transposed: true, sum: true, ..Dot::default() }, w.dot(x)?);
        y.product(x, dot)
    });
}

#[test]
fn updates_agree_for_weights_in_rows_and_in_panels() {
    for momentum in [0.0, 0.9] {
        for shown in [false, true] {
            let g = Builder::new();
            let x = g.batch("x", [5, 32]).unwrap();
            let w = g.parameter("w", [40, 5], Init::Zeros).unwrap();
            let loss = w.dot(x).unwrap().square().unwrap().mean().unwrap();
            let grads = g.gradients(loss, &[w]).unwrap();
            let lr = g.input("lr", []).unwrap();
            let sgd = Sgd { momentum, nesterov: momentum > 0.0, ..Sgd::default() };
            g.sgd(sgd, &[w], &grads, lr).unwrap();
            g.output("loss", loss);
            if shown {
                g.output("shown", w.mul(g.scalar(2.0)).unwrap());
            }
            agrees_however_cut(&g.finish().unwrap(), 1e-5);
        }
    }
}

#[test]
fn state_that_keeps_a_batch_agrees() {
    for activated in [false, true] {
        let g = Builder::new();
        let x = g.batch("x", [3, 48]).unwrap();
        let kept = g.state("kept", [3, 48], Init::Zeros, Role::Table).unwrap();
        let y = x.tanh().unwrap();
        g.update(kept, if activated { y } else { x }).unwrap();
        g.output("y", y);
        agrees_however_cut(&g.finish().unwrap(), 1e-5);
    }
}

#[test]
fn gathers_and_their_gradients_agree() {
    for ty in [Type::i32([32]), Type::i32([5, 32])] {
        let g = Builder::new();
        let index = g.batch("index", ty).unwrap();
        let table = g.state("table", [10, 6], Init::Zeros, Role::Parameter).unwrap();
        let rows = table.gather(index).unwrap();
        let loss = rows.square().unwrap().sum().unwrap();
        let grad = g.gradients(loss, &[table]).unwrap()[0];
        g.output("rows", rows);
        g.output("grad", grad);
        g.output("loss", loss);
        agrees_however_cut(&g.finish().unwrap(), 1e-5);
    }
}

#[test]
fn indices_made_by_the_graph_are_refused() {
    // They could not be checked before a run.
    for trained in [false, true] {
        let g = Builder::new();
        let x = g.batch("x", [32]).unwrap();
        let table = g.state("table", [10, 6], Init::Zeros, Role::Parameter).unwrap();
        let index = x.cast(DType::I32).unwrap();
        let loss = table.gather(index).unwrap().sum().unwrap();
        let (name, result) = match trained {
            false => ("gather", loss),
            true => ("scatter_add", g.gradients(loss, &[table]).unwrap()[0]),
        };
        g.output("result", result);
        let message = Session::new(&g.finish().unwrap()).err().unwrap().to_string();
        let reason = "its indices must be an input";
        assert_eq!(message, format!("the cpu back end cannot run {name}: {reason}"));
    }
}

#[test]
fn attention_and_its_gradients_agree() {
    for (shared_values, masked) in [(false, false), (true, false), (false, true)] {
        let g = Builder::new();
        let (heads, width) = (2, 4);
        let q = g.batch("q", [3, heads * width, 32]).unwrap();
        let k = g.batch("k", [5, heads * width, 32]).unwrap();
        let values = if shared_values { 3 } else { 3 * heads };
        let v = g.batch("v", [5, values, 32]).unwrap();
        let added = masked.then(|| g.input("added", [heads, 3, 5, 1]).unwrap());
        let op = Attention { heads, scale: 0.5, shared_values, return_scores: false };
        let made = q.attention(k, v, added, op).unwrap();
        let loss = made.out.square().unwrap().mean().unwrap();
        let grads = g.gradients(loss, &[q, k, v]).unwrap();
        g.output("out", made.out);
        for (name, grad) in ["dq", "dk", "dv"].into_iter().zip(grads) {
            g.output(name, grad);
        }
        agrees_however_cut(&g.finish().unwrap(), 1e-4);
    }
}

#[test]
fn random_numbers_agree_and_do_not_depend_on_the_cut() {
    let g = Builder::new();
    let x = g.batch("x", [6, 5, 48]).unwrap();
    let rng = g.input("rng", Type::i32([2])).unwrap();
    g.output("y", x.dropout(0.3, rng).unwrap());
    agrees_however_cut(&g.finish().unwrap(), 1e-5);
}

#[test]
fn casts_and_counts_agree() {
    check(|x, _| {
        let g = x.builder();
        x.mul(g.iota([6, 5, 48], 1)?)?.add(g.iota([6, 5, 48], 0)?)
    });
}

#[test]
fn normalisations_and_their_gradients_agree() {
    type Make = for<'g> fn(Var<'g>) -> Result<Var<'g>, GraphError>;
    let makes: [Make; 4] = [
        |x| x.softmax(1),
        |x| x.log_softmax(0),
        |x| x.layer_norm(1, 1e-5, None, None),
        |x| x.layer_norm(0, 1e-5, None, None)?.tanh(),
    ];
    for make in makes {
        let g = Builder::new();
        let x = g.batch("x", [6, 5, 48]).unwrap();
        let weights = g.batch("weights", [6, 5, 48]).unwrap();
        let y = make(x).unwrap();
        let loss = y.mul(weights).unwrap().sum().unwrap();
        let grad = g.gradients(loss, &[x]).unwrap()[0];
        g.output("y", y);
        g.output("dx", grad);
        agrees_however_cut(&g.finish().unwrap(), 2e-5);
    }
}

#[test]
fn cross_entropy_and_its_gradient_agree() {
    let g = Builder::new();
    let x = g.batch("x", [7, 48]).unwrap();
    let labels = g.batch("labels", Type::i32([48])).unwrap();
    let loss = x.cross_entropy(labels).unwrap();
    let grad = g.gradients(loss.mean().unwrap(), &[x]).unwrap()[0];
    g.output("loss", loss);
    g.output("dx", grad);
    agrees_however_cut(&g.finish().unwrap(), 2e-5);
}

#[test]
fn poolings_and_their_gradients_agree() {
    for op in [PoolOp::Max, PoolOp::Average] {
        let g = Builder::new();
        let x = g.batch("x", [7, 3, 48]).unwrap();
        let pool = Pool1d { stride: 2, padding: 1, ..Pool1d::new(op, 3) };
        let y = x.pool1d(pool).unwrap();
        let grad = g.gradients(y.square().unwrap().sum().unwrap(), &[x]).unwrap()[0];
        g.output("y", y);
        g.output("dx", grad);
        agrees_however_cut(&g.finish().unwrap(), 1e-5);
    }
}
