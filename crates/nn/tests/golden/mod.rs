//! Golden data that `make.py` wrote: cases with their settings and tensors, and the promise that no
//! variant is without one.
#![allow(dead_code, unused_imports, unused_macros, reason = "every test file uses its part")]

use safetensors::tensor::{Dtype, SafeTensors};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::Path;
use whimbrel_engine::Session;
use whimbrel_graph::Type;
use whimbrel_tensor::{DType, Shape};

/// How far a result may be from PyTorch's, relative to the largest value.
pub const TOLERANCE: f64 = 1e-5;

/// A tensor of a case.
#[derive(Clone, Debug)]
pub struct Tensor {
    pub ty: Type,
    /// Elements in row-major order; integers are small enough for f32.
    pub data: Vec<f32>,
}

/// One case of a family.
pub struct Case {
    pub name: String,
    pub settings: serde_json::Value,
    tensors: Vec<(String, Tensor)>,
}

impl Case {
    /// A tensor that every case of the family has.
    pub fn get(&self, what: &str) -> &Tensor {
        self.find(what).unwrap_or_else(|| panic!("{} has no {what}", self.name))
    }

    pub fn find(&self, what: &str) -> Option<&Tensor> {
        self.tensors.iter().find(|(name, _)| name == what).map(|(_, tensor)| tensor)
    }

    /// Tensors whose name starts with `prefix`, which is left out.
    pub fn under(&self, prefix: &str) -> impl Iterator<Item = (&str, &Tensor)> {
        self.tensors.iter().filter_map(move |(name, t)| Some((name.strip_prefix(prefix)?, t)))
    }

    /// Takes a setting that is not for the thing under test out of the settings.
    pub fn take(&mut self, key: &str) -> serde_json::Value {
        self.settings.as_object_mut().unwrap().remove(key).unwrap_or_default()
    }
}

/// The case of each variant of an enum: a function that finds it, and all names. Without one of the
/// variants it does not compile.
macro_rules! every {
    ($type:ident: $($variant:ident = $case:literal,)*) => {{
        fn case_of(value: &$type) -> &'static str {
            match value { $($type::$variant { .. } => $case,)* }
        }
        (case_of as fn(&$type) -> &'static str, vec![$($case),*])
    }};
}
pub(crate) use every;

/// Asserts that each name is a case of the family, and that what `parse` makes of its settings is the
/// variant that has that name.
#[track_caller]
pub fn covered<T>(
    family: &str,
    (case_of, names): (fn(&T) -> &'static str, Vec<&'static str>),
    parse: impl Fn(&Case) -> T,
) {
    let cases = cases(family);
    for name in names {
        let case = cases.iter().find(|case| case.name == name);
        let case = case.unwrap_or_else(|| panic!("golden/{family}.py makes no case {name}"));
        assert_eq!(case_of(&parse(case)), name, "{family}: another variant than its name says");
    }
}

/// A field of something with settings, given or by default.
pub fn setting<T: DeserializeOwned>(of: &impl Serialize, field: &str) -> T {
    serde_json::from_value(serde_json::to_value(of).unwrap()[field].clone()).unwrap()
}

/// All cases of a family, by name.
pub fn cases(family: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let bytes = std::fs::read(folder.join(format!("{family}.safetensors"))).unwrap();
    let (_, metadata) = SafeTensors::read_metadata(&bytes).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let tensors = file.tensors();
    let cases = &metadata.metadata().as_ref().unwrap()["cases"];
    let cases: BTreeMap<String, serde_json::Value> = serde_json::from_str(cases).unwrap();
    let case = |(name, settings): (String, serde_json::Value)| Case {
        settings,
        tensors: tensors
            .iter()
            .filter_map(|(full, view)| {
                let what = full.strip_prefix(&format!("{name}/"))?;
                Some((what.to_string(), tensor(view.dtype(), view.shape(), view.data())))
            })
            .collect(),
        name,
    };
    cases.into_iter().map(case).collect()
}

fn tensor(dtype: Dtype, shape: &[usize], bytes: &[u8]) -> Tensor {
    let words = bytes.chunks_exact(4).map(|word| word.try_into().unwrap());
    let shape = Shape::from_slice(shape).unwrap();
    match dtype {
        Dtype::I32 => {
            let data = words.map(|word| i32::from_le_bytes(word) as f32).collect();
            Tensor { ty: Type::i32(shape), data }
        }
        _ => Tensor { ty: Type::f32(shape), data: words.map(f32::from_le_bytes).collect() },
    }
}

/// Binds an input of either element type.
pub fn write(session: &mut Session, name: &str, tensor: &Tensor) {
    match tensor.ty.dtype {
        DType::I32 => {
            let integers: Vec<_> = tensor.data.iter().map(|&x| x as i32).collect();
            session.write_i32(name, &integers).unwrap();
        }
        _ => session.write(name, &tensor.data).unwrap(),
    }
}

/// Asserts that `got` is what PyTorch gave.
#[track_caller]
pub fn close(what: &str, got: &[f32], want: &Tensor) {
    assert_eq!(got.len(), want.data.len(), "{what}: number of elements");
    let scale = want.data.iter().fold(1e-6f32, |scale, x| scale.max(x.abs()));
    for (i, (&got, &want)) in got.iter().zip(&want.data).enumerate() {
        let error = f64::from((got - want).abs()) / f64::from(scale);
        assert!(error <= TOLERANCE, "{what}[{i}]: {got} instead of {want} (error {error:.1e})");
    }
}
