//! Who may read and write a tensor's elements, and as what.

use half::{bf16, f16};
use whimbrel_tensor::{Buffer, DType, Element, Tensor, TensorError};

fn round_trip<T: Element>(elements: &[T]) {
    let tensor = Tensor::from_slice(elements, [elements.len()]).unwrap();
    assert_eq!(tensor.dtype(), T::DTYPE);
    assert_eq!(tensor.as_slice::<T>().unwrap(), elements);
    let mut target = Tensor::zeros(T::DTYPE, tensor.shape()).unwrap();
    target.assign(&tensor).unwrap();
    assert_eq!(target.to_vec::<T>().unwrap(), elements);
    let strided = tensor.broadcast([2, elements.len()]).unwrap().copy().unwrap();
    assert_eq!(strided.to_vec::<T>().unwrap(), [elements, elements].concat());
}

#[test]
fn every_element_type_round_trips() {
    round_trip(&[1.5f32, -0.0, f32::INFINITY]);
    round_trip(&[1.5f64, f64::MIN_POSITIVE, 3.0]);
    round_trip(&[1i32, i32::MIN, -1]);
    round_trip(&[1i64, i64::MAX, -1]);
    round_trip(&[true, false, true]);
    round_trip(&[bf16::from_f32(1.5), bf16::MAX]);
    round_trip(&[f16::from_f32(-2.0), f16::EPSILON]);
    round_trip(&[i8::MIN, 0, 127]);
}

#[test]
fn elements_are_read_only_as_what_they_are() {
    let tensor = Tensor::from_slice(&[1.0f32, 2.0], [2]).unwrap();
    let error = tensor.as_slice::<i32>().unwrap_err();
    assert_eq!(error, TensorError::WrongDType { stored: DType::F32, asked: DType::I32 });
    assert_eq!(error.to_string(), "a tensor of F32 was accessed as I32");
    let bytes = Buffer::copy_of(&[0, 1, 2]).unwrap();
    let flags = Tensor::from_buffer(bytes, DType::Bool, [3]).unwrap();
    assert_eq!(flags.to_vec::<bool>(), Err(TensorError::NotBool { shape: Box::new([3].into()) }));
    assert_eq!(flags.slice(0, 0..2).unwrap().to_vec(), Ok(vec![false, true]));
}

#[test]
fn only_the_sole_holder_of_a_buffer_writes() {
    let mut tensor = Tensor::zeros(DType::F32, [2, 3]).unwrap();
    let row = tensor.slice(0, 1..2).unwrap();
    assert_eq!(tensor.fill(1.0f32), Err(TensorError::Shared { shape: Box::new([2, 3].into()) }));
    drop(row);
    tensor.fill(1.0f32).unwrap();
    let mut row = tensor.slice(0, 1..2).unwrap();
    drop(tensor);
    row.as_mut_slice::<f32>().unwrap()[0] = 5.0;
    assert_eq!(row.to_vec::<f32>().unwrap(), [5.0, 1.0, 1.0]);
}

#[test]
fn overlapping_elements_are_not_written() {
    let mut wide = Tensor::scalar(1.0f32).unwrap().broadcast([3]).unwrap();
    let error = wide.fill(2.0f32).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot write to the tensor of shape [3] with strides [0]: elements overlap"
    );
    assert_eq!(wide.to_vec::<f32>().unwrap(), [1.0; 3]);
}

#[test]
fn strided_tensors_are_written_through_their_view_only() {
    let tensor = Tensor::zeros(DType::I32, [3, 4]).unwrap();
    let mut part = tensor.slice(1, 1..3).unwrap().transpose(0, 1).unwrap();
    let whole_shape = tensor.shape();
    drop(tensor);
    assert!(matches!(part.as_mut_slice::<i32>(), Err(TensorError::NotContiguous { .. })));
    let src = Tensor::from_slice(&[1, 2, 3, 4, 5, 6], [2, 3]).unwrap();
    part.assign(&src).unwrap();
    let whole = Tensor::from_buffer(part.buffer().clone(), DType::I32, whole_shape).unwrap();
    assert_eq!(whole.to_vec::<i32>().unwrap(), [0, 1, 4, 0, 0, 2, 5, 0, 0, 3, 6, 0]);
}

#[test]
fn assigning_another_shape_or_type_is_refused() {
    let mut tensor = Tensor::zeros(DType::F32, [2, 3]).unwrap();
    let other = Tensor::zeros(DType::F32, [3, 2]).unwrap();
    let error = tensor.assign(&other).unwrap_err();
    assert_eq!(error.to_string(), "shapes differ: [2, 3] cannot take the elements of [3, 2]");
    let other = Tensor::zeros(DType::F64, [2, 3]).unwrap();
    assert!(matches!(tensor.assign(&other), Err(TensorError::WrongDType { .. })));
    let alias = tensor.clone();
    assert!(matches!(tensor.assign(&alias), Err(TensorError::Shared { .. })));
}
