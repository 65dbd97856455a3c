//! State values in safetensors files: plain row-major layout, by name, whatever the layout in
//! memory. Floats of two bytes are widened as they are loaded. Nothing a file says is believed
//! before it is checked, and nothing is allocated for it beyond twice the bytes it has.

use crate::replace::replace_with;
use crate::{EngineError, Session, Slot, WeightsProblem};
use half::{bf16, f16};
use safetensors::SafeTensorError;
use safetensors::tensor::{Dtype, Metadata, SafeTensors, TensorInfo, TensorView, View};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use whimbrel_graph::Type;
use whimbrel_tensor::DType;

impl Session {
    /// Saves the state values whose names `keep` accepts in one file. A file of that name is
    /// replaced whole, or not at all.
    pub fn save(
        &self,
        path: &Path,
        keep: impl Fn(&str) -> bool,
        metadata: HashMap<String, String>,
    ) -> Result<(), EngineError> {
        let mut tensors = Vec::new();
        for name in self.state_names().filter(|name| keep(name)) {
            let slot = self.state(name)?;
            tensors.push((name, Stored { session: self, slot, ty: self.ty(slot) }));
        }
        write(path, tensors, metadata)
    }

    /// Loads the state values whose names `keep` accepts. Of these names, file and session must
    /// have the same, with the same types; others are passed over. BF16 and F16 serve as f32, with
    /// the same values. Nothing is changed unless all of it fits.
    pub fn load(&mut self, path: &Path, keep: impl Fn(&str) -> bool) -> Result<(), EngineError> {
        let failed = |problem| EngineError::Weights { path: path.into(), problem };
        let bytes = std::fs::read(path).map_err(|e| failed(WeightsProblem::File(e)))?;
        let file = SafeTensors::deserialize(&bytes).map_err(|e| failed(malformed(&bytes, e)))?;
        let mut names = file.names();
        names.sort_unstable();
        for name in names.into_iter().filter(|name| keep(name)) {
            let unknown = |_| failed(WeightsProblem::Unknown { name: name.into() });
            self.state(name).map_err(unknown)?;
        }
        let mut found = Vec::new();
        for name in self.state_names().filter(|name| keep(name)) {
            let missing = |_| failed(WeightsProblem::Missing { name: name.into() });
            let view = file.tensor(name).map_err(missing)?;
            let slot = self.state(name)?;
            let ty = self.ty(slot);
            if !serves(view.dtype(), ty.dtype) || view.shape() != &ty.shape[..] {
                let (name, needed) = (name.into(), Box::new(ty));
                let stored = format!("{}{:?}", view.dtype(), view.shape());
                return Err(failed(WeightsProblem::Mismatch { name, stored, needed }));
            }
            found.push((name.to_owned(), slot, view));
        }
        for (name, slot, view) in found {
            match self.ty(slot).dtype {
                DType::I32 => {
                    self.write_slot_i32(slot, &name, &numbers(&view, i32::from_le_bytes))?
                }
                _ => self.write_slot(slot, &name, &floats(&view))?,
            }
        }
        Ok(())
    }
}

/// Writes tensors of floats, each with its name, sizes and elements in row-major order, under the
/// terms of [`Session::save`].
pub fn save_tensors<'a>(
    path: &Path,
    tensors: impl IntoIterator<Item = (&'a str, &'a [usize], &'a [f32])>,
    metadata: HashMap<String, String>,
) -> Result<(), EngineError> {
    let tensors = tensors.into_iter().map(|(name, shape, data)| (name, Plain { shape, data }));
    write(path, tensors, metadata)
}

fn write<'a>(
    path: &Path,
    tensors: impl IntoIterator<Item = (&'a str, impl View)>,
    metadata: HashMap<String, String>,
) -> Result<(), EngineError> {
    let written =
        replace_with(path, |file| safetensors::serialize_to_file(tensors, Some(metadata), file));
    written.map_err(|error| {
        let problem = match error {
            SafeTensorError::IoError(error) => WeightsProblem::Write(error),
            error => WeightsProblem::Header(error.to_string()),
        };
        EngineError::Weights { path: path.into(), problem }
    })
}

/// Floats as they go into a file.
struct Plain<'a> {
    shape: &'a [usize],
    data: &'a [f32],
}

impl View for Plain<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        self.data.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    fn data_len(&self) -> usize {
        4 * self.data.len()
    }
}

/// A state value as it goes into a file: its bytes are made when they are written, one value after
/// another.
struct Stored<'a> {
    session: &'a Session,
    slot: Slot,
    ty: Type,
}

impl View for Stored<'_> {
    fn dtype(&self) -> Dtype {
        dtype_in_files(self.ty.dtype)
    }

    fn shape(&self) -> &[usize] {
        &self.ty.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        // Integers come as the floats of the same bits, which is all that is written.
        self.session.read_slot(self.slot).iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    fn data_len(&self) -> usize {
        4 * self.ty.numel()
    }
}

/// State is f32 or i32.
fn dtype_in_files(dtype: DType) -> Dtype {
    match dtype {
        DType::I32 => Dtype::I32,
        _ => Dtype::F32,
    }
}

/// Whether a value in a file has what a state value needs.
fn serves(stored: Dtype, needed: DType) -> bool {
    let widened = matches!(stored, Dtype::BF16 | Dtype::F16) && needed != DType::I32;
    widened || stored == dtype_in_files(needed)
}

/// The elements of a tensor of floats; every value of two bytes is one of f32.
fn floats(view: &TensorView) -> Vec<f32> {
    match view.dtype() {
        Dtype::BF16 => numbers(view, |bytes| bf16::from_le_bytes(bytes).to_f32()),
        Dtype::F16 => numbers(view, |bytes| f16::from_le_bytes(bytes).to_f32()),
        _ => numbers(view, f32::from_le_bytes),
    }
}

fn numbers<const N: usize, T>(view: &TensorView, number: impl Fn([u8; N]) -> T) -> Vec<T> {
    let (elements, _) = view.data().as_chunks();
    elements.iter().map(|bytes| number(*bytes)).collect()
}

/// Why a file was refused, with the tensor at fault where there is one: the library names it for
/// some faults only.
pub(crate) fn malformed(bytes: &[u8], error: SafeTensorError) -> WeightsProblem {
    if let SafeTensorError::InvalidOffset(name) = error {
        let reason = "its bytes do not begin where those before it end".into();
        return WeightsProblem::Entry { name, reason };
    }
    match faulty_entry(bytes) {
        Some((name, reason)) => WeightsProblem::Entry { name, reason },
        None => WeightsProblem::Header(error.to_string()),
    }
}

/// The first tensor, by name, whose entry in the header is wrong by itself, and why.
fn faulty_entry(bytes: &[u8]) -> Option<(String, String)> {
    let (len, rest) = bytes.split_first_chunk()?;
    let (header, data) = rest.split_at_checked(u64::from_le_bytes(*len).try_into().ok()?)?;
    let entries: serde_json::Map<String, Value> = serde_json::from_slice(header).ok()?;
    let mut tensors = entries.into_iter().filter(|(name, _)| name != "__metadata__");
    tensors.find_map(|(name, entry)| {
        let reason = fault(&name, entry, data.len())?;
        Some((name, reason))
    })
}

fn fault(name: &str, entry: Value, data_len: usize) -> Option<String> {
    let info: TensorInfo = match serde_json::from_value(entry) {
        Ok(info) => info,
        Err(e) => return Some(e.to_string()),
    };
    let (start, end) = info.data_offsets;
    // Alone in a file it would begin at 0.
    let alone = TensorInfo { data_offsets: (0, end.saturating_sub(start)), ..info };
    match Metadata::new(None, vec![(name.into(), alone)]) {
        Err(e) => Some(e.to_string()),
        Ok(_) if end > data_len => Some(format!("it ends at byte {end} of {data_len}")),
        Ok(_) => None,
    }
}
