//! Saved state comes back bit for bit, and saving touches no file but its own.

mod saved;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use saved::{bits, files, folder, model};
use std::collections::HashMap;
use whimbrel_engine::{Class, Session};
use whimbrel_graph::{Builder, Init};

fn all(_: &str) -> bool {
    true
}

fn is_parameter(name: &str) -> bool {
    ["w", "b"].contains(&name)
}

/// Fills every state value with bits of its own, infinities, NaNs and subnormals among them.
fn fill(session: &mut Session) {
    let names: Vec<_> = session.state_names().map(str::to_owned).collect();
    let mut x = 1u32;
    for name in names {
        let slot = session.state(&name).unwrap();
        let words: Vec<u32> = (0..session.ty(slot).numel())
            .map(|_| {
                x = x.wrapping_mul(1664525).wrapping_add(1013904223);
                x
            })
            .collect();
        if name == "counts" {
            let data: Vec<_> = words.iter().map(|x| x.cast_signed()).collect();
            session.write_slot_i32(slot, &name, &data).unwrap();
        } else {
            let special = [f32::NAN, f32::INFINITY, -0.0, f32::from_bits(1)];
            let mut data: Vec<_> = words.iter().map(|x| f32::from_bits(*x)).collect();
            data[..4].copy_from_slice(&special);
            session.write_slot(slot, &name, &data).unwrap();
        }
    }
}

#[test]
fn every_kind_of_state_comes_back_bit_for_bit() {
    let path = folder("round_trip").join("all.safetensors");
    let mut session = Session::new(&model()).unwrap();
    fill(&mut session);
    session.save(&path, all, HashMap::new()).unwrap();
    let mut other = Session::new(&model()).unwrap();
    assert_ne!(bits(&other), bits(&session));
    other.load(&path, all).unwrap();
    assert_eq!(bits(&other), bits(&session));
    // Two parameters, each with two states of Adam, and the counts; `w` as two panels of 16 rows.
    assert_eq!(bits(&session).len(), 7);
    assert_eq!(session.report(0).usage.bytes(Class::Parameters), 4 * (2 * 16 * 3 + 20));
}

#[test]
fn files_hold_the_plain_layout_and_the_metadata() {
    let path = folder("plain_layout").join("all.safetensors");
    let mut session = Session::new(&model()).unwrap();
    fill(&mut session);
    let metadata = HashMap::from([("made".to_owned(), "today".to_owned())]);
    session.save(&path, all, metadata.clone()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
    assert_eq!(*header.metadata(), Some(metadata));
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let w = file.tensor("w").unwrap();
    let rows: Vec<u8> =
        session.read_state("w").unwrap().iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!((w.shape(), w.data()), (&[20, 3][..], &rows[..]));
    assert_eq!(file.tensor("counts").unwrap().dtype(), Dtype::I32);
}

/// What 16 bits mean with so many of them for the exponent, by the definition.
fn half(bits: u16, exponent_bits: u32) -> f32 {
    let fraction_bits = 15 - exponent_bits;
    let bias = (1 << (exponent_bits - 1)) - 1;
    let exponent = i32::from(bits & 0x7fff) >> fraction_bits;
    let fraction = f64::from(bits & ((1 << fraction_bits) - 1)) / f64::from(1 << fraction_bits);
    let size = match exponent {
        0 => fraction * 2f64.powi(1 - bias),
        _ if exponent <= 2 * bias => (1.0 + fraction) * 2f64.powi(exponent - bias),
        _ if fraction == 0.0 => f64::INFINITY,
        _ => f64::NAN,
    };
    (if bits >> 15 == 0 { size } else { -size }) as f32
}

#[test]
fn floats_of_two_bytes_are_loaded_with_the_same_values() {
    let g = Builder::new();
    let w = g.parameter("w", [1 << 16], Init::Zeros).unwrap();
    g.output("sum", w.sum().unwrap());
    let mut session = Session::new(&g.finish().unwrap()).unwrap();
    let data: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    for (dtype, exponent_bits) in [(Dtype::BF16, 8), (Dtype::F16, 5)] {
        let path = folder("two_bytes").join("w.safetensors");
        let view = TensorView::new(dtype, vec![1 << 16], &data).unwrap();
        safetensors::serialize_to_file([("w", view)], None, &path).unwrap();
        session.load(&path, all).unwrap();
        for (bits, got) in (0..=u16::MAX).zip(session.read_state("w").unwrap()) {
            let want = half(bits, exponent_bits);
            let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
            assert!(same, "{dtype} {bits:#06x}: {got} instead of {want}");
        }
    }
}

#[test]
fn a_part_of_the_state_is_saved_and_loaded_alone() {
    let folder = folder("part");
    let (part, whole) = (folder.join("part.safetensors"), folder.join("whole.safetensors"));
    let mut session = Session::new(&model()).unwrap();
    fill(&mut session);
    session.save(&part, is_parameter, HashMap::new()).unwrap();
    session.save(&whole, all, HashMap::new()).unwrap();
    for path in [part, whole] {
        let mut other = Session::new(&model()).unwrap();
        let before = bits(&other);
        other.load(&path, is_parameter).unwrap();
        for ((new, old), saved) in bits(&other).iter().zip(&before).zip(&bits(&session)) {
            assert_eq!(new, if is_parameter(&new.0) { saved } else { old });
        }
    }
}

#[test]
fn saving_replaces_its_file_and_leaves_its_neighbours_alone() {
    let folder = folder("neighbours");
    let path = folder.join("model.safetensors");
    let neighbours = ["model.tmp", "model.safetensors.tmp"];
    for name in neighbours {
        std::fs::write(folder.join(name), "notes").unwrap();
    }
    std::fs::write(&path, "old").unwrap();
    let mut session = Session::new(&model()).unwrap();
    session.save(&path, all, HashMap::new()).unwrap();
    session.load(&path, all).unwrap();
    for name in neighbours {
        assert_eq!(std::fs::read(folder.join(name)).unwrap(), b"notes");
    }
    assert_eq!(files(&folder), ["model.safetensors", "model.safetensors.tmp", "model.tmp"]);
}

#[test]
fn a_save_that_fails_leaves_nothing_behind() {
    let folder = folder("no_leftovers");
    // A folder that is not empty cannot be replaced by a file.
    let path = folder.join("taken");
    std::fs::create_dir_all(path.join("inner")).unwrap();
    let session = Session::new(&model()).unwrap();
    let message = session.save(&path, all, HashMap::new()).unwrap_err().to_string();
    assert!(message.starts_with(&format!("{}: ", path.display())), "{message}");
    assert_eq!(files(&folder), ["taken"]);
    let nowhere = folder.join("missing").join("model.safetensors");
    let message = session.save(&nowhere, all, HashMap::new()).unwrap_err().to_string();
    assert!(message.starts_with(&format!("{}: ", nowhere.display())), "{message}");
}

#[test]
fn saves_at_once_to_one_path_leave_one_whole_file() {
    let folder = folder("at_once");
    let path = folder.join("model.safetensors");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let session = Session::new(&model()).unwrap();
                for _ in 0..8 {
                    session.save(&path, all, HashMap::new()).unwrap();
                }
            });
        }
    });
    Session::new(&model()).unwrap().load(&path, all).unwrap();
    assert_eq!(files(&folder), ["model.safetensors"]);
}
