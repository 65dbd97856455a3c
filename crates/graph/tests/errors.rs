//! Mistakes are errors where they are made: with the names and shapes of values and the line.

use whimbrel_graph::ops::{Attention, BatchNorm, Conv1d, Pool1d, PoolOp, Role, Sgd};
use whimbrel_graph::{Builder, GraphError, Init, Type, Var};
use whimbrel_tensor::DType;

/// Asserts that a message names all of `parts` and a line of this file.
#[track_caller]
fn says<T>(result: Result<T, GraphError>, parts: &[&str]) {
    let message = match result {
        Ok(_) => panic!("no error"),
        Err(error) => error.to_string(),
    };
    for part in parts.iter().chain(&["errors.rs:"]) {
        assert!(message.contains(part), "{message} lacks {part}");
    }
}

#[test]
fn a_product_names_operands_shapes_and_line() -> Result<(), GraphError> {
    let g = Builder::new();
    let (w, x) = (g.input("w", [12, 24])?, g.input("x", [25, 32])?);
    let line = line!() + 1;
    let error = w.dot(x).map(|_| ()).unwrap_err();
    let message = error.to_string();
    let at = format!("errors.rs:{line}:");
    for part in ["dot", "24 != 25", "\"w\" f32[12, 24]", "\"x\" f32[25, 32]", &at] {
        assert!(message.contains(part), "{message} lacks {part}");
    }
    Ok(())
}

#[test]
fn unnamed_values_are_called_by_number() -> Result<(), GraphError> {
    let g = Builder::new();
    let x = g.input("x", [2, 3])?;
    says(x.exp()?.add(g.constant([2, 4], vec![0.0])), &["add", "\"%1\" f32[2, 3]", "f32[2, 4]"]);
    Ok(())
}

#[test]
fn movements_check_their_axes() -> Result<(), GraphError> {
    let g = Builder::new();
    let x = g.input("x", [2, 3])?;
    says(x.reshape([7]), &["reshape", "6 elements", "x"]);
    says(x.permute(&[0, 0]), &["permute", "[0, 0]"]);
    says(x.slice(1, 2, 5), &["slice", "2..5", "0..3"]);
    says(x.slice(4, 0, 1), &["slice", "axis 4"]);
    says(x.broadcast([3, 3]), &["broadcast"]);
    says(Var::concat(&[x, g.input("y", [2])?], 0), &["concat", "\"y\" f32[2]"]);
    says(x.pad(2, 1, 1, 0.0), &["pad"]);
    says(x.sum_axes(&[2]), &["sum", "[2]"]);
    says(g.iota([2], 1), &["iota", "axis 1"]);
    Ok(())
}

#[test]
fn the_batch_is_not_normalised_or_summed_along() -> Result<(), GraphError> {
    let g = Builder::new();
    let x = g.batch("x", [2, 3])?;
    says(x.softmax(1), &["softmax", "batch", "\"x\" f32[2, 3]"]);
    says(x.layer_norm(1, 1e-5, None, None), &["layer_norm", "batch"]);
    says(x.cumsum(1), &["cumsum", "batch"]);
    says(x.cumsum(2), &["cumsum", "axis 2"]);
    says(x.reverse(1), &["reverse", "batch"]);
    says(x.batch_norm("n", BatchNorm::new(2), true), &["batch_norm", "axis 2", "\"x\""]);
    Ok(())
}

#[test]
fn element_types_are_checked() -> Result<(), GraphError> {
    let g = Builder::new();
    let (x, i) = (g.input("x", [2, 3])?, g.input("i", Type::i32([3]))?);
    says(i.exp(), &["exp", "f32", "i32", "\"i\""]);
    says(x.gather(x), &["gather", "i32"]);
    says(x.cross_entropy(g.input("label", [3])?), &["cross_entropy", "i32", "\"label\" f32[3]"]);
    says(x.cast(DType::I64), &["cast"]);
    says(x.dropout(0.5, x), &["random", "i32[2]"]);
    Ok(())
}

#[test]
fn probabilities_lie_between_zero_and_one() -> Result<(), GraphError> {
    let g = Builder::new();
    let (x, rng) = (g.input("x", [2, 3])?, g.input("rng", Type::i32([2]))?);
    says(x.dropout(1.5, rng), &["-0.5", "probability"]);
    says(x.dropout(f32::NAN, rng), &["probability"]);
    Ok(())
}

#[test]
fn windows_must_fit() -> Result<(), GraphError> {
    let g = Builder::new();
    let (x, w) = (g.input("x", [4, 3, 2])?, g.input("w", [5, 2, 3])?);
    says(x.conv1d(w, Conv1d::default()), &["conv1d", "5 taps", "\"w\" f32[5, 2, 3]"]);
    says(x.conv1d(w, Conv1d { stride: 0, ..Conv1d::default() }), &["stride"]);
    says(x.conv1d(w, Conv1d { groups: 2, pad_left: 4, ..Conv1d::default() }), &["groups"]);
    let far = Conv1d { dilation: usize::MAX, ..Conv1d::default() };
    says(x.conv1d(w, far), &["conv1d"]);
    says(x.pool1d(Pool1d::new(PoolOp::Max, 5)), &["max_pool1d", "5 steps"]);
    says(x.pool1d(Pool1d { padding: 2, ..Pool1d::new(PoolOp::Max, 2) }), &["padding 2"]);
    Ok(())
}

#[test]
fn recurrences_name_the_operand_that_is_wrong() -> Result<(), GraphError> {
    let g = Builder::new();
    let (x, bias) = (g.input("x", [4, 3, 2])?, g.input("bias", [8, 1])?);
    let (w_ih, w_hh) = (g.input("w_ih", [8, 3])?, g.input("w_hh", [8, 3])?);
    says(x.lstm(w_ih, w_hh, bias, None, None), &["lstm", "w_hh must be [12, 3]"]);
    says(x.gru(w_ih, w_hh, bias, bias, None), &["gru", "w_hh must be [9, 3]"]);
    let square = g.input("square", [8, 2])?;
    says(x.lstm(w_ih, square, bias, Some(bias), None), &["lstm", "h0 must be [2, 2]"]);
    says(x.lstm(w_ih, x, bias, None, None), &["lstm", "w_hh needs 2 axes"]);
    Ok(())
}

#[test]
fn attention_divides_channels_among_heads() -> Result<(), GraphError> {
    let g = Builder::new();
    let (q, k) = (g.input("q", [4, 6, 2])?, g.input("k", [5, 8, 2])?);
    says(q.attention(q, q, None, Attention::new(4, 2)), &["attention", "6", "4 heads"]);
    says(q.attention(k, k, None, Attention::new(2, 3)), &["k must be [5, 6, 2]"]);
    says(q.attention(q, q, None, Attention::new(0, 2)), &["0 heads"]);
    let mask = g.input("mask", [2, 4, 3, 1])?;
    says(q.attention(q, q, Some(mask), Attention::new(2, 3)), &["must be [2, 4, 4, 1]"]);
    Ok(())
}

#[test]
fn losses_are_single_numbers() -> Result<(), GraphError> {
    let g = Builder::new();
    let x = g.input("x", [2, 3])?;
    says(g.gradients(x, &[x]), &["gradients", "one element", "\"x\" f32[2, 3]"]);
    Ok(())
}

#[test]
fn updates_fit_their_state() -> Result<(), GraphError> {
    let g = Builder::new();
    let p = g.parameter("p", [2, 3], Init::Zeros)?;
    let (x, lr) = (g.input("x", [3])?, g.input("lr", [1])?);
    says(g.update(p, x), &["update", "types differ", "\"p\" f32[2, 3]", "\"x\" f32[3]"]);
    says(g.update(x, x), &["only state", "\"x\""]);
    says(g.sgd(Sgd::default(), &[p], &[x], lr), &["sgd", "differ in shape"]);
    g.update(p, p.exp()?)?;
    says(g.update(p, p), &["already"]);
    Ok(())
}

#[test]
fn names_are_given_once() -> Result<(), GraphError> {
    let g = Builder::new();
    g.input("x", [2])?;
    says(g.state("x", [2], Init::Zeros, Role::Table), &["\"x\"", "taken"]);
    Ok(())
}

#[test]
fn graphs_do_not_mix() -> Result<(), GraphError> {
    let (g, other) = (Builder::new(), Builder::new());
    let (x, y) = (g.input("x", [2])?, other.input("y", [2])?);
    says(x.add(y), &["add", "another graph"]);
    Ok(())
}
