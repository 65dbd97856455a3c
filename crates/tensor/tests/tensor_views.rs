//! Views copy nothing and mean what their indices say.

use proptest::prelude::*;
use whimbrel_tensor::{DType, Shape, Tensor, TensorError};

fn counting(shape: impl Into<Shape>) -> Tensor {
    let shape = shape.into();
    let elements: Vec<i32> = (0..shape.numel() as i32).collect();
    Tensor::from_slice(&elements, shape).unwrap()
}

#[test]
fn views_point_into_the_same_memory() {
    let tensor = counting([4, 6]);
    let base = tensor.as_slice::<i32>().unwrap().as_ptr();
    let at = |view: &Tensor| view.as_slice::<i32>().unwrap().as_ptr();
    assert_eq!(at(&tensor.clone()), base);
    assert_eq!(at(&tensor.reshape([2, 12]).unwrap()), base);
    assert_eq!(at(&tensor.contiguous().unwrap()), base);
    assert_eq!(at(&tensor.slice(0, 1..3).unwrap()), base.wrapping_add(6));
    let parts = tensor.split(0, &[1, 0, 3]).unwrap();
    assert_eq!(at(&parts[0]), base);
    assert_eq!(at(&parts[2]), base.wrapping_add(6));
    for view in [
        tensor.permute(&[1, 0]).unwrap(),
        tensor.transpose(0, 1).unwrap(),
        tensor.broadcast([2, 4, 6]).unwrap(),
        tensor.slice_step(1, 0..6, 2).unwrap(),
    ] {
        assert!(view.shares_buffer(&tensor) && !view.is_contiguous(), "{view:?}");
        let copy = view.contiguous().unwrap();
        assert!(!copy.shares_buffer(&tensor) && copy.is_contiguous());
        assert_eq!(copy.to_vec::<i32>().unwrap(), view.to_vec::<i32>().unwrap());
    }
}

#[test]
fn views_reach_the_elements_their_indices_name() {
    let tensor = counting([2, 3]);
    let elements = |view: Result<Tensor, TensorError>| view.unwrap().to_vec::<i32>().unwrap();
    assert_eq!(elements(tensor.transpose(0, 1)), [0, 3, 1, 4, 2, 5]);
    assert_eq!(elements(tensor.slice(1, 1..3)), [1, 2, 4, 5]);
    assert_eq!(elements(tensor.slice_step(1, 0..3, 2)), [0, 2, 3, 5]);
    assert_eq!(elements(tensor.slice(0, 1..2).unwrap().broadcast([2, 3])), [3, 4, 5, 3, 4, 5]);
    assert_eq!(tensor.get::<i32>(&[1, 2]), Ok(5));
    assert_eq!(Tensor::scalar(7i64).unwrap().get(&[]), Ok(7i64));
}

#[test]
fn refusals_carry_the_shapes() {
    let tensor = counting([64, 784]);
    let message = |result: Result<Tensor, TensorError>| result.unwrap_err().to_string();
    assert_eq!(
        message(tensor.reshape([10, 10])),
        "cannot reshape [64, 784] (50176 elements) to [10, 10] (100)"
    );
    assert_eq!(
        message(tensor.transpose(0, 1).unwrap().reshape([50176])),
        "reshaping [784, 64] with strides [1, 784] to [50176] needs a copy; \
         use contiguous() first"
    );
    assert_eq!(message(tensor.broadcast([64, 10])), "cannot broadcast [64, 784] to [64, 10]");
    assert_eq!(
        message(tensor.slice(1, 700..800)),
        "range 700..800 step 1 does not lie on axis 1 of shape [64, 784]"
    );
    assert_eq!(message(tensor.slice(2, 0..1)), "no axis 2 in shape [64, 784]");
    assert_eq!(
        message(tensor.permute(&[0, 0])),
        "[0, 0] does not name each axis of [64, 784] once"
    );
    let split = tensor.split(0, &[60, 5]).unwrap_err();
    assert_eq!(split.to_string(), "parts [60, 5] do not add up to axis 0 of shape [64, 784]");
}

#[test]
fn impossible_tensors_are_refused_not_allocated() {
    let huge = Shape::from([usize::MAX, usize::MAX]);
    assert!(matches!(Tensor::zeros(DType::F32, huge), Err(TensorError::TooLarge { .. })));
    let large = Tensor::zeros(DType::I8, [isize::MAX as usize]);
    assert!(matches!(large, Err(TensorError::OutOfMemory(_))));
    let one = Tensor::scalar(1.0f32).unwrap();
    assert!(matches!(one.broadcast(huge), Err(TensorError::CannotBroadcast { .. })));
    let wide = one.broadcast([usize::MAX]).unwrap();
    assert!(wide.contiguous().is_err());
    assert!(matches!(
        Tensor::from_slice(&[1.0f32; 5], [2, 3]),
        Err(TensorError::ElementCount { given: 5, .. })
    ));
    let short = Tensor::from_buffer(one.buffer().clone(), DType::F64, [1]);
    assert!(matches!(short, Err(TensorError::BufferTooShort { bytes: 4, .. })));
}

#[test]
fn tensors_without_elements_can_be_viewed() {
    let empty = Tensor::zeros(DType::I32, [3, 0, usize::MAX]).unwrap();
    let part = empty.slice(2, 7..100).unwrap().slice_step(0, 1..3, 2).unwrap();
    assert_eq!(part.shape(), [1, 0, 93]);
    assert_eq!(part.reshape([5, 0]).unwrap().as_slice::<i32>().unwrap(), []);
    let tail = counting([4, 4]).slice(0, 4..4).unwrap().slice(1, 2..4).unwrap();
    assert_eq!(tail.as_slice::<i32>().unwrap(), []);
    assert_eq!(tail.iter::<i32>().unwrap().count(), 0);
}

#[derive(Clone, Debug)]
enum Operation {
    Slice { axis: usize, start: usize, len: usize, step: usize },
    Swap { lhs: usize, rhs: usize },
    Repeat { axis: usize, times: usize },
    Merge { axis: usize },
    Cut { axis: usize, inner: usize },
}

fn operation() -> impl Strategy<Value = Operation> {
    use Operation::*;
    let n = 0usize..8;
    prop_oneof![
        3 => (n.clone(), n.clone(), n.clone(), 1usize..4)
            .prop_map(|(axis, start, len, step)| Slice { axis, start, len, step }),
        3 => (n.clone(), n.clone()).prop_map(|(lhs, rhs)| Swap { lhs, rhs }),
        1 => (n.clone(), 1usize..4).prop_map(|(axis, times)| Repeat { axis, times }),
        4 => n.clone().prop_map(|axis| Merge { axis }),
        3 => (n, 1usize..4).prop_map(|(axis, inner)| Cut { axis, inner }),
    ]
}

/// Where each element of a tensor of `shape` comes from, element by element: the plain version.
#[derive(Clone, Debug)]
struct Model {
    shape: Vec<usize>,
    elements: Vec<i32>,
}

impl Model {
    fn build(shape: Vec<usize>, source: impl Fn(&[usize]) -> i32) -> Model {
        let mut elements = Vec::new();
        for flat in 0..shape.iter().product() {
            elements.push(source(&unravel(&shape, flat)));
        }
        Model { shape, elements }
    }

    fn at(&self, index: &[usize]) -> i32 {
        let flat = index.iter().zip(&self.shape).fold(0, |flat, (i, n)| flat * n + i);
        self.elements[flat]
    }

    /// Whether `shape` can be laid over the elements, which tell their own offsets, by steps.
    fn can_step(&self, shape: &[usize]) -> bool {
        let Some(&first) = self.elements.first() else { return true };
        let mut inner: usize = shape.iter().product();
        let mut steps = Vec::new();
        for &size in shape {
            inner /= size;
            steps.push(if size > 1 { self.elements[inner] - first } else { 0 });
        }
        self.elements.iter().enumerate().all(|(flat, &element)| {
            let index = unravel(shape, flat);
            let moved = index.iter().zip(&steps).map(|(&i, step)| i as i32 * step);
            element == first + moved.sum::<i32>()
        })
    }
}

fn unravel(shape: &[usize], mut flat: usize) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for axis in (0..shape.len()).rev() {
        index[axis] = flat % shape[axis];
        flat /= shape[axis];
    }
    index
}

/// Applies an operation to both, its numbers brought into range; reshapes may need a copy.
fn apply(operation: &Operation, tensor: &Tensor, model: &Model) -> (Tensor, Model) {
    let shape = model.shape.clone();
    let rank = shape.len();
    let reshape = |shape: Vec<usize>| match tensor.reshape(Shape::from_slice(&shape).unwrap()) {
        Ok(view) => {
            assert!(
                view.shares_buffer(tensor) && model.can_step(&shape),
                "{tensor:?} to {shape:?}"
            );
            (view, Model { shape, elements: model.elements.clone() })
        }
        Err(error) => {
            assert!(matches!(error, TensorError::ReshapeNeedsCopy { .. }), "{error}");
            assert!(!model.can_step(&shape), "{error}");
            (tensor.clone(), model.clone())
        }
    };
    match *operation {
        Operation::Slice { axis, start, len, step } => {
            let axis = axis % rank;
            let start = start % (shape[axis] + 1);
            let end = (start + len).min(shape[axis]);
            let mut to = shape;
            to[axis] = (start..end).step_by(step).count();
            let built = Model::build(to, |index| {
                let mut index = index.to_vec();
                index[axis] = start + index[axis] * step;
                model.at(&index)
            });
            (tensor.slice_step(axis, start..end, step).unwrap(), built)
        }
        Operation::Swap { lhs, rhs } => {
            let (lhs, rhs) = (lhs % rank, rhs % rank);
            let mut to = shape;
            to.swap(lhs, rhs);
            let built = Model::build(to, |index| {
                let mut index = index.to_vec();
                index.swap(lhs, rhs);
                model.at(&index)
            });
            (tensor.transpose(lhs, rhs).unwrap(), built)
        }
        Operation::Repeat { axis, times } => {
            let axis = axis % rank;
            if shape[axis] != 1 {
                return (tensor.clone(), model.clone());
            }
            let mut to = shape;
            to[axis] = times;
            let view = tensor.broadcast(Shape::from_slice(&to).unwrap()).unwrap();
            let built = Model::build(to, |index| {
                let mut index = index.to_vec();
                index[axis] = 0;
                model.at(&index)
            });
            (view, built)
        }
        Operation::Merge { axis } => {
            let mut to = shape;
            if rank > 1 {
                let axis = axis % (rank - 1);
                let size = to.remove(axis);
                to[axis] *= size;
            }
            reshape(to)
        }
        Operation::Cut { axis, inner } => {
            let axis = axis % rank;
            let mut to = shape;
            if to[axis].is_multiple_of(inner) && rank < 8 {
                to[axis] /= inner;
                to.insert(axis + 1, inner);
            }
            reshape(to)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn chains_of_views_agree_with_moving_elements_one_by_one(
        shape in prop::collection::vec(1usize..5, 1..5),
        operations in prop::collection::vec(operation(), 0..8),
    ) {
        let mut tensor = counting(Shape::from_slice(&shape).unwrap());
        let mut model = Model { elements: tensor.to_vec().unwrap(), shape };
        for operation in &operations {
            (tensor, model) = apply(operation, &tensor, &model);
            prop_assert_eq!(&tensor.shape()[..], &model.shape[..]);
            prop_assert_eq!(&tensor.to_vec::<i32>().unwrap(), &model.elements);
            prop_assert_eq!(&tensor.copy().unwrap().to_vec::<i32>().unwrap(), &model.elements);
            let mut distinct = model.elements.clone();
            distinct.sort_unstable();
            distinct.dedup();
            // Nothing else holds the buffer, so only overlap can keep it from being written.
            let written = tensor.update::<i32>(|_| ());
            prop_assert_eq!(written.is_ok(), distinct.len() == model.elements.len());
        }
    }
}
