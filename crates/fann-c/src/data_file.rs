//! Files of training data. `whimbrel-fann` knows the format; here they go through the program's streams.

use std::ffi::{c_int, c_uint};

use libc::FILE;
use whimbrel_fann::{Error, Result};

use crate::data::create;
use crate::edge::{Name, export};
use crate::error::report;
use crate::layout::{Real, TrainData};
use crate::stream::{File, read_front, write};

/// Data as `whimbrel-fann` has them.
type Table = whimbrel_fann::TrainData<Real>;

/// Lays out data as C sees them.
fn adopt(table: &Table) -> Result<*mut TrainData> {
    let data = create(table.len(), table.num_input(), table.num_output())?;
    // SAFETY: made above and known to nobody else.
    let new = unsafe { &*data };
    for (row, to) in new.inputs().iter_mut().enumerate() {
        to.copy_from_slice(table.input(row).unwrap_or_default());
    }
    for (row, to) in new.outputs().iter_mut().enumerate() {
        to.copy_from_slice(table.output(row).unwrap_or_default());
    }
    Ok(data)
}

impl TrainData {
    fn table(&self) -> Result<Table> {
        let widths = (self.num_input as usize, self.num_output as usize);
        let inputs = self.inputs().iter().flatten().copied().collect();
        let outputs = self.outputs().iter().flatten().copied().collect();
        Table::from_parts(self.num_data as usize, widths, inputs, outputs)
    }

    /// Saves the data, in fixed point where a point is given, with what puts the bytes where they belong; false where
    /// they did not all get there.
    fn save(
        &mut self,
        name: Name,
        point: Option<c_uint>,
        put: impl FnOnce(&[u8]) -> bool,
    ) -> c_int {
        let text = self.table().map(|table| match point {
            Some(point) => table.to_fixed_text(point),
            None => table.to_text(),
        });
        if text.is_ok_and(|text| put(text.as_bytes())) {
            return 0;
        }
        self.report(Error::CantOpenTdW { file: name.text(), reason: String::new() });
        -1
    }
}

export! {
    fn fann_read_train_from_file(name: Name) -> *mut TrainData {
        let Some(file) = File::open(name) else {
            report(None, &Error::CantOpenConfigR { file: name.text() });
            return std::ptr::null_mut();
        };
        // SAFETY: an open stream and the program's name of it.
        unsafe { fann_read_train_from_fd(file.0, name.0) }
    }

    fn fann_read_train_from_fd(file: *mut FILE, name: Name) -> *mut TrainData {
        let table = read_front(file, |bytes| Table::from_front(&name.text(), bytes));
        table.and_then(|table| adopt(&table)).unwrap_or_else(|error| {
            report(None, &error);
            std::ptr::null_mut()
        })
    }

    fn fann_save_train(data: *mut TrainData, name: Name) -> c_int {
        // SAFETY: the program's promise goes on.
        unsafe { fann_save_train_internal(data, name.0, 0, 0) }
    }

    fn fann_save_train_to_fixed(data: *mut TrainData, name: Name, decimal_point: c_uint) -> c_int {
        // SAFETY: the program's promise goes on.
        unsafe { fann_save_train_internal(data, name.0, 1, decimal_point) }
    }

    fn fann_save_train_internal(
        data: &mut TrainData, name: Name, fixed: c_uint, decimal_point: c_uint,
    ) -> c_int {
        data.save(name, (fixed != 0).then_some(decimal_point), |bytes| name.write(bytes))
    }

    fn fann_save_train_internal_fd(
        data: &mut TrainData, file: *mut FILE, name: Name, fixed: c_uint, decimal_point: c_uint,
    ) -> c_int {
        data.save(name, (fixed != 0).then_some(decimal_point), |bytes| write(file, bytes))
    }
}
