//! What differentiation does with shared values, integers and values held constant.

mod harness;

use harness::{check, integers, outputs, signed};
use whimbrel_graph::{Array, Builder, GraphError, Type};
use whimbrel_tensor::DType;

#[test]
fn a_value_used_twice_gets_the_sum() {
    check(&[signed(&[3, 3])], |_, x| {
        let y = x[0].tanh()?;
        Ok(vec![y.mul(y)?.add(y.dot(y)?)?.add(x[0])?])
    });
}

#[test]
fn gradients_flow_along_every_path_of_a_deep_graph() {
    check(&[signed(&[2, 3])], |g, x| {
        let mut y = x[0];
        for i in 0..6 {
            let branch = if i % 2 == 0 { y.sigmoid()? } else { y.sin()? };
            y = y.mul(g.scalar(0.5))?.add(branch.mul(x[0])?)?;
        }
        Ok(vec![y])
    });
}

#[test]
fn stop_gradient_holds_a_value_constant() -> Result<(), GraphError> {
    let g = Builder::new();
    let x = g.input("x", [2])?;
    let loss = x.mul(x.stop_gradient()?)?.sum()?;
    g.output("grad", g.gradients(loss, &[x])?[0]);
    let made = outputs(&g.finish()?, &[Array::new([2], vec![3.0, 5.0])]);
    assert_eq!(made[0].data, [3.0, 5.0]);
    Ok(())
}

#[test]
#[should_panic(expected = "difference")]
fn finite_differences_notice_a_wrong_gradient() {
    check(&[signed(&[2])], |_, x| Ok(vec![x[0].mul(x[0].stop_gradient()?)?]));
}

#[test]
fn a_value_the_loss_does_not_read_has_a_gradient_of_zeros() -> Result<(), GraphError> {
    let g = Builder::new();
    let (x, y) = (g.input("x", [2])?, g.input("y", [3])?);
    let grads = g.gradients(x.sum()?, &[x, y])?;
    g.output("dy", grads[1]);
    let contents = [Array::new([2], vec![1.0; 2]), Array::new([3], vec![1.0; 3])];
    assert_eq!(outputs(&g.finish()?, &contents)[0].data, [0.0; 3]);
    Ok(())
}

#[test]
fn an_intermediate_value_can_be_wanted() -> Result<(), GraphError> {
    let g = Builder::new();
    let x = g.input("x", [2])?;
    let y = x.square()?;
    let loss = y.mul(g.scalar(3.0))?.sum()?;
    g.output("dy", g.gradients(loss, &[y])?[0]);
    let made = outputs(&g.finish()?, &[Array::new([2], vec![3.0, 5.0])]);
    assert_eq!(made[0].data, [3.0; 2]);
    Ok(())
}

#[test]
fn integers_take_part_without_a_gradient() {
    check(&[signed(&[3, 2]), integers(&[2, 0, 1, 2])], |_, x| {
        let rows = x[0].gather(x[1])?;
        Ok(vec![rows.mul(x[1].cast(DType::F32)?)?])
    });
}

#[test]
fn casts_stop_gradients() {
    check(&[signed(&[4])], |_, x| {
        let whole = x[0].stop_gradient()?.cast(DType::I32)?.cast(DType::F32)?;
        Ok(vec![x[0].mul(x[0])?, whole])
    });
}

#[test]
fn a_gradient_of_a_gradient_is_a_second_derivative() -> Result<(), GraphError> {
    let g = Builder::new();
    let x = g.input("x", [3])?;
    let first = g.gradients(x.square()?.mul(x)?.sum()?, &[x])?[0];
    g.output("second", g.gradients(first.sum()?, &[x])?[0]);
    let made = outputs(&g.finish()?, &[Array::new([3], vec![1.0, -2.0, 0.5])]);
    assert_eq!(made[0].data, [6.0, -12.0, 3.0]);
    Ok(())
}

#[test]
fn an_update_has_no_gradient_and_says_so() -> Result<(), GraphError> {
    let g = Builder::new();
    let (p, rate) = (g.input("p", [2])?, g.input("rate", Type::f32([3]))?);
    let adam = whimbrel_graph::ops::Adam::default();
    let new = g.apply(whimbrel_graph::Op::Adam(adam), &[p, p, p, rate, p])?[0];
    let error = g.gradients(new.sum()?, &[p]).unwrap_err();
    assert!(error.to_string().contains("adam"), "{error}");
    Ok(())
}
