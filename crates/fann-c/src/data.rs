//! Training data: making, copying, joining and cutting. Rows of data made here lie one after another; those
//! of data a program put together may lie anywhere.

use std::ffi::c_uint;

use whimbrel_fann::Error;

use crate::allocate::{release, zeroed};
use crate::edge::export;
use crate::error::report;
use crate::layout::{ErrorData, Real, TrainData};
use crate::view::{Rows, slice_mut};

/// The function that fills a row: its number, the widths, the inputs and the outputs.
pub(crate) type Fill = Option<unsafe extern "C" fn(c_uint, c_uint, c_uint, *mut Real, *mut Real)>;

impl crate::edge::Edge for Fill {
    type Raw = Fill;
    unsafe fn receive(raw: Fill) -> Option<Fill> {
        raw.map(Some)
    }
}

/// Rows of zeros at addresses of their own, one after another; NULL where there is no memory.
fn rows(count: usize, width: usize) -> *mut *mut Real {
    let mut rows: *mut *mut Real = zeroed(count);
    let mut block: *mut Real = width.checked_mul(count).map_or(std::ptr::null_mut(), zeroed);
    if rows.is_null() || block.is_null() {
        release(&mut rows);
        release(&mut block);
        return rows;
    }
    // SAFETY: made above, for so many rows.
    for (index, row) in unsafe { slice_mut(rows, count) }.iter_mut().enumerate() {
        *row = block.wrapping_add(index * width);
    }
    if count == 0 {
        // Nothing points at the block of no rows.
        release(&mut block);
    }
    rows
}

/// Data of zeros, or the error.
pub(crate) fn create(count: usize, inputs: usize, outputs: usize) -> Result<*mut TrainData, Error> {
    let as_count = |n: usize| c_uint::try_from(n).map_err(|_| Error::CantAllocateMem);
    let (num_data, num_input, num_output) =
        (as_count(count)?, as_count(inputs)?, as_count(outputs)?);
    let data: *mut TrainData = zeroed(1);
    // SAFETY: NULL, or all-zero bytes, which are a valid `TrainData`.
    let Some(new) = (unsafe { data.as_mut() }) else { return Err(Error::CantAllocateMem) };
    *new.error_data() = crate::error::fresh();
    (new.num_data, new.num_input, new.num_output) = (num_data, num_input, num_output);
    new.input = rows(count, inputs);
    new.output = rows(count, outputs);
    if new.input.is_null() || new.output.is_null() {
        // SAFETY: made above and known to nobody else.
        unsafe { fann_destroy_train(data) };
        return Err(Error::CantAllocateMem);
    }
    Ok(data)
}

/// Copies rows to others.
fn copy<'a>(from: impl Iterator<Item = &'a [Real]>, to: impl Iterator<Item = &'a mut [Real]>) {
    from.zip(to).for_each(|(from, to)| to.copy_from_slice(from));
}

/// New data whose rows are `count` of these sets, each from a row on, one set after another; widths and log are those of
/// the first, which is told of an error.
///
/// # Safety
/// All sets are valid, of the same widths, and no reference to them is in use.
unsafe fn collect(count: usize, sets: &[(*mut TrainData, usize)]) -> *mut TrainData {
    let Some((first, _)) = sets.first() else { return std::ptr::null_mut() };
    // SAFETY: the caller's promise.
    let sets = sets.iter().map(|(set, from)| (unsafe { &**set }, *from));
    // SAFETY: the caller's promise.
    let (inputs, outputs, error_log) = unsafe {
        ((**first).num_input as usize, (**first).num_output as usize, (**first).error_log)
    };
    match create(count, inputs, outputs) {
        Ok(data) => {
            // SAFETY: made above.
            let new = unsafe { &mut *data };
            new.error_log = error_log;
            let inputs = sets.clone().flat_map(|(set, from)| set.inputs().iter().skip(from));
            copy(inputs, new.inputs().iter_mut());
            let outputs = sets.flat_map(|(set, from)| set.outputs().iter().skip(from));
            copy(outputs, new.outputs().iter_mut());
            data
        }
        Err(error) => {
            // SAFETY: the caller's promise; the other references are gone.
            unsafe { (**first).report(error) };
            std::ptr::null_mut()
        }
    }
}

impl TrainData {
    /// Whether rows lie one after another, from the first.
    pub(crate) fn is_contiguous(rows: Rows) -> bool {
        let Some(first) = rows.iter().next() else { return true };
        rows.iter()
            .enumerate()
            .all(|(i, row)| row.as_ptr() == first.as_ptr().wrapping_add(i * rows.width))
    }
}

export! {
    fn fann_create_train(num_data: c_uint, num_input: c_uint, num_output: c_uint) -> *mut TrainData {
        create(num_data as usize, num_input as usize, num_output as usize).unwrap_or_else(|error| {
            report(None::<&mut ErrorData>, &error);
            std::ptr::null_mut()
        })
    }

    fn fann_create_train_from_callback(
        num_data: c_uint, num_input: c_uint, num_output: c_uint, fill: Fill,
    ) -> *mut TrainData {
        // SAFETY: any numbers may be asked for.
        let data = unsafe { fann_create_train(num_data, num_input, num_output) };
        // SAFETY: NULL or new.
        let (Some(new), Some(fill)) = (unsafe { data.as_ref() }, fill) else { return data };
        let pairs = new.inputs().iter_mut().zip(new.outputs().iter_mut());
        for (index, (input, output)) in (0..).zip(pairs) {
            // SAFETY: the program's function, with rows of the widths it is told.
            unsafe {
                fill(index, num_input, num_output, input.as_mut_ptr(), output.as_mut_ptr());
            }
        }
        data
    }

    fn fann_destroy_train(data: *mut TrainData) {
        // SAFETY: data of this library, or put together as FANN asks for; the program gives them up.
        let old = unsafe { &mut *data };
        for rows in [&mut old.input, &mut old.output] {
            // SAFETY: NULL or addresses of rows, the first of which is the address of their block.
            if let Some(first) = unsafe { rows.as_mut() }.filter(|_| old.num_data > 0) {
                release(first);
            }
            release(rows);
        }
        release(&mut old.errstr);
        // SAFETY: from the same allocator, and nothing of it is used any more.
        unsafe { libc::free(data.cast()) };
    }

    /// Gives every row in turn another random place, as libfann does.
    fn fann_shuffle_train_data(data: &mut TrainData) {
        let count = data.num_data as usize;
        let width = |rows: Rows| rows.iter_mut().collect::<Vec<_>>();
        let (mut inputs, mut outputs) = (width(data.inputs()), width(data.outputs()));
        let mut random = crate::random::source();
        for row in 0..count {
            let other = random.draw() as usize % count;
            if other != row {
                for rows in [&mut inputs, &mut outputs] {
                    if let Ok([one, two]) = rows.get_disjoint_mut([row, other]) {
                        one.swap_with_slice(two);
                    }
                }
            }
        }
    }

    fn fann_merge_train_data(one: *mut TrainData, two: *mut TrainData) -> *mut TrainData {
        // SAFETY: neither is NULL; they may be the same.
        let (first, second) = unsafe { (&*one, &*two) };
        let widths = |data: &TrainData| (data.num_input, data.num_output);
        if widths(first) != widths(second) {
            // SAFETY: the references are gone.
            unsafe { (*one).report(Error::TrainDataMismatch) };
            return std::ptr::null_mut();
        }
        let count = first.num_data as usize + second.num_data as usize;
        // SAFETY: of the same widths.
        unsafe { collect(count, &[(one, 0), (two, 0)]) }
    }

    fn fann_duplicate_train_data(data: *mut TrainData) -> *mut TrainData {
        // SAFETY: not NULL.
        unsafe { collect((*data).num_data as usize, &[(data, 0)]) }
    }

    fn fann_subset_train_data(data: *mut TrainData, from: c_uint, length: c_uint) -> *mut TrainData {
        // SAFETY: not NULL.
        let rows = unsafe { (*data).num_data };
        if from.checked_add(length).is_none_or(|end| end > rows) {
            let (pos, length, len) = (from as usize, length as usize, rows as usize);
            // SAFETY: not NULL.
            unsafe { (*data).report(Error::TrainDataSubset { pos, length, len }) };
            return std::ptr::null_mut();
        }
        // SAFETY: not NULL.
        unsafe { collect(length as usize, &[(data, from as usize)]) }
    }

    fn fann_length_train_data(data: &mut TrainData) -> c_uint {
        data.num_data
    }

    fn fann_num_input_train_data(data: &mut TrainData) -> c_uint {
        data.num_input
    }

    fn fann_num_output_train_data(data: &mut TrainData) -> c_uint {
        data.num_output
    }
}
