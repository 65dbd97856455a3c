//! Scaling of inputs and outputs that belongs to a network: to a mean of zero and a deviation of one,
//! then to a range. Eight arrays hold it, and there are all of them or none.

use std::ffi::c_int;

use whimbrel_fann::{Error, Scaling, SideScaling};

use crate::allocate::{self, zeroed};
use crate::edge::export;
use crate::layout::{Ann, Real, TrainData};
use crate::view::{Rows, slice_mut};

/// The four arrays of one side.
struct Side<'a> {
    mean: &'a mut [f32],
    deviation: &'a mut [f32],
    new_min: &'a mut [f32],
    factor: &'a mut [f32],
}

impl Ann {
    fn has_scaling(&self) -> bool {
        !self.scale_mean_in.is_null()
    }

    /// The pointers of the scaling: of the inputs first, each side from mean to factor.
    fn scaling_arrays(&mut self) -> [&mut *mut f32; 8] {
        [
            &mut self.scale_mean_in,
            &mut self.scale_deviation_in,
            &mut self.scale_new_min_in,
            &mut self.scale_factor_in,
            &mut self.scale_mean_out,
            &mut self.scale_deviation_out,
            &mut self.scale_new_min_out,
            &mut self.scale_factor_out,
        ]
    }

    fn input_side(&mut self) -> Side<'_> {
        let width = self.num_input as usize;
        // SAFETY: NULL or an array of this length, four different ones.
        unsafe {
            Side {
                mean: slice_mut(self.scale_mean_in, width),
                deviation: slice_mut(self.scale_deviation_in, width),
                new_min: slice_mut(self.scale_new_min_in, width),
                factor: slice_mut(self.scale_factor_in, width),
            }
        }
    }

    fn output_side(&mut self) -> Side<'_> {
        let width = self.num_output as usize;
        // SAFETY: NULL or an array of this length, four different ones.
        unsafe {
            Side {
                mean: slice_mut(self.scale_mean_out, width),
                deviation: slice_mut(self.scale_deviation_out, width),
                new_min: slice_mut(self.scale_new_min_out, width),
                factor: slice_mut(self.scale_factor_out, width),
            }
        }
    }

    /// Whether there is a scaling; says in the network that there is none.
    fn needs_scaling(&mut self) -> bool {
        if !self.has_scaling() {
            self.report(Error::ScaleNotPresent);
        }
        self.has_scaling()
    }

    /// Makes a scaling that changes nothing, unless there is one.
    fn ensure_scaling(&mut self) -> bool {
        if self.has_scaling() {
            return true;
        }
        let (inputs, outputs) = (self.num_input as usize, self.num_output as usize);
        let arrays = self.scaling_arrays();
        for (index, array) in arrays.into_iter().enumerate() {
            *array = zeroed(if index < 4 { inputs } else { outputs });
        }
        if self.scaling_arrays().iter().any(|array| array.is_null()) {
            release(self);
            crate::error::report(None, &Error::CantAllocateMem);
            return false;
        }
        self.input_side().clear();
        self.output_side().clear();
        true
    }

    /// The scaling as `whimbrel-fann` has it.
    pub(crate) fn scaling(&mut self) -> Option<Scaling> {
        self.has_scaling().then(|| Scaling {
            input: self.input_side().copied(),
            output: self.output_side().copied(),
        })
    }

    /// Takes over a scaling; false where there is no memory.
    pub(crate) fn adopt_scaling(&mut self, scaling: &Scaling) -> bool {
        let there = self.ensure_scaling();
        if there {
            self.input_side().adopt(&scaling.input);
            self.output_side().adopt(&scaling.output);
        }
        there
    }

    /// Whether data have as many inputs and outputs as the network; an error says where not.
    pub(crate) fn fits(&mut self, data: &TrainData) -> bool {
        let mismatch = if self.num_input != data.num_input {
            Error::InputNoMatch { network: self.num_input as usize, data: data.num_input as usize }
        } else if self.num_output != data.num_output {
            Error::OutputNoMatch {
                network: self.num_output as usize,
                data: data.num_output as usize,
            }
        } else {
            return true;
        };
        self.report(mismatch);
        false
    }
}

/// Leaves the scaling to whom it belongs.
pub(crate) fn forget(ann: &mut Ann) {
    ann.scaling_arrays().into_iter().for_each(|array| *array = std::ptr::null_mut());
}

/// Gives up the scaling.
pub(crate) fn release(ann: &mut Ann) {
    ann.scaling_arrays().into_iter().for_each(allocate::release);
}

impl Side<'_> {
    /// Changes nothing but from and to the range from -1.
    fn clear(&mut self) {
        self.mean.fill(0.0);
        self.deviation.fill(1.0);
        self.new_min.fill(-1.0);
        self.factor.fill(1.0);
    }

    /// Fits the scaling to rows.
    fn fit(&mut self, rows: Rows, low: f32, high: f32) {
        if rows.count == 0 {
            return self.clear();
        }
        let count = rows.count as f32;
        self.mean.fill(0.0);
        self.deviation.fill(0.0);
        for row in rows.iter() {
            self.mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += *x as f32);
        }
        self.mean.iter_mut().for_each(|mean| *mean /= count);
        for row in rows.iter() {
            for ((deviation, mean), x) in self.deviation.iter_mut().zip(&*self.mean).zip(row) {
                *deviation += (*x as f32 - mean) * (*x as f32 - mean);
            }
        }
        for deviation in &mut *self.deviation {
            *deviation = f64::from(*deviation / count).sqrt() as f32;
        }
        self.factor.fill((high - low) / 2.0);
        self.new_min.fill(low);
    }

    fn scale(&self, vector: &mut [Real]) {
        for (i, x) in vector.iter_mut().enumerate() {
            let unit = (*x - Real::from(self.mean[i])) / Real::from(self.deviation[i]) + 1.0;
            *x = unit * Real::from(self.factor[i]) + Real::from(self.new_min[i]);
        }
    }

    fn descale(&self, vector: &mut [Real]) {
        for (i, x) in vector.iter_mut().enumerate() {
            let unit = (*x - Real::from(self.new_min[i])) / Real::from(self.factor[i]) - 1.0;
            *x = unit * Real::from(self.deviation[i]) + Real::from(self.mean[i]);
        }
    }

    fn copied(&self) -> SideScaling {
        SideScaling {
            mean: self.mean.to_vec(),
            deviation: self.deviation.to_vec(),
            new_min: self.new_min.to_vec(),
            factor: self.factor.to_vec(),
        }
    }

    fn adopt(&mut self, side: &SideScaling) {
        let pairs = [
            (&mut *self.mean, &side.mean),
            (&mut *self.deviation, &side.deviation),
            (&mut *self.new_min, &side.new_min),
            (&mut *self.factor, &side.factor),
        ];
        for (to, from) in pairs {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        }
    }
}

/// Declares functions that put a vector of the program through a side of the scaling.
macro_rules! vectors {
    ($($name:ident $width:ident $side:ident $way:ident),*) => { export! { $(
        fn $name(ann: &mut Ann, vector: *mut Real) {
            if ann.needs_scaling() {
                // SAFETY: as many numbers as that side of the network has.
                let vector = unsafe { slice_mut(vector, ann.$width as usize) };
                ann.$side().$way(vector);
            }
        }
    )* } };
}

vectors!(
    fann_scale_input num_input input_side scale,
    fann_scale_output num_output output_side scale,
    fann_descale_input num_input input_side descale,
    fann_descale_output num_output output_side descale
);

/// Declares functions that put all rows of data through the scaling.
macro_rules! tables {
    ($($name:ident $way:ident),*) => { export! { $(
        fn $name(ann: &mut Ann, data: &mut TrainData) {
            if ann.needs_scaling() && ann.fits(data) {
                let side = ann.input_side();
                data.inputs().iter_mut().for_each(|row| side.$way(row));
                let side = ann.output_side();
                data.outputs().iter_mut().for_each(|row| side.$way(row));
            }
        }
    )* } };
}

tables!(fann_scale_train scale, fann_descale_train descale);

impl Ann {
    /// Prepares to fit a scaling to data; says where the data do not fit.
    fn can_fit(&mut self, data: &TrainData) -> bool {
        if (self.num_input, self.num_output) != (data.num_input, data.num_output) {
            self.report(Error::TrainDataMismatch);
            return false;
        }
        self.ensure_scaling()
    }
}

export! {
    fn fann_allocate_scale(ann: &mut Ann) -> c_int {
        release(ann);
        c_int::from(!ann.ensure_scaling())
    }

    fn fann_set_input_scaling_params(
        ann: &mut Ann, data: &mut TrainData, low: f32, high: f32,
    ) -> c_int {
        if !ann.can_fit(data) {
            return -1;
        }
        ann.input_side().fit(data.inputs(), low, high);
        0
    }

    fn fann_set_output_scaling_params(
        ann: &mut Ann, data: &mut TrainData, low: f32, high: f32,
    ) -> c_int {
        if !ann.can_fit(data) {
            return -1;
        }
        ann.output_side().fit(data.outputs(), low, high);
        0
    }

    fn fann_set_scaling_params(
        ann: &mut Ann, data: &mut TrainData,
        input_low: f32, input_high: f32, output_low: f32, output_high: f32,
    ) -> c_int {
        if !ann.can_fit(data) {
            return -1;
        }
        ann.input_side().fit(data.inputs(), input_low, input_high);
        ann.output_side().fit(data.outputs(), output_low, output_high);
        0
    }

    fn fann_clear_scaling_params(ann: &mut Ann) -> c_int {
        if !ann.ensure_scaling() {
            return -1;
        }
        ann.input_side().clear();
        ann.output_side().clear();
        0
    }

    fn fann_check_input_output_sizes(ann: &mut Ann, data: &mut TrainData) -> c_int {
        if ann.fits(data) { 0 } else { -1 }
    }
}
