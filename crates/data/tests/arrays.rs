//! Arrays that NumPy wrote are read; damaged ones are refused with the reason.

use proptest::collection::vec;
use proptest::prelude::*;
use std::path::PathBuf;
use whimbrel_data::DataError;
use whimbrel_data::array::{Array, Elements, Stream, idx, npy, npz};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn numbers<T>(number: impl Fn(i32) -> T) -> Vec<T> {
    (0..24).map(number).collect()
}

#[test]
fn arrays_numpy_wrote_are_read_in_row_major_order() {
    for (name, elements) in [
        ("f32.npy", Elements::F32(numbers(|i| i as f32 / 8.0))),
        ("f64_fortran.npy", Elements::F64(numbers(|i| f64::from(i) / 8.0))),
        ("f64_big.npy", Elements::F64(numbers(|i| f64::from(i) / 8.0))),
        ("i32.npy", Elements::I32(numbers(|i| i - 12))),
        ("i64_fortran.npy", Elements::I64(numbers(|i| i64::from(i) - 12))),
        ("u8.npy", Elements::U8(numbers(|i| i as u8))),
        ("bool_fortran.npy", Elements::Bool(numbers(|i| i % 3 == 0))),
    ] {
        let array = npy::read(fixture(name)).unwrap();
        assert_eq!((array.shape(), array.elements()), (&[2, 3, 4][..], &elements), "{name}");
    }
    let scalar = npy::read(fixture("scalar.npy")).unwrap();
    assert_eq!((scalar.shape(), scalar.elements()), (&[][..], &Elements::F32(vec![1.5])));
    let empty = npy::read(fixture("empty.npy")).unwrap();
    assert!(empty.shape() == [0, 3] && empty.elements().is_empty());
}

#[test]
fn archives_stored_and_packed_hold_the_same_arrays() {
    let stored = npz::read(fixture("stored.npz")).unwrap();
    assert_eq!(stored, npz::read(fixture("packed.npz")).unwrap());
    let names: Vec<&str> = stored.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["x", "y"]);
    assert_eq!(stored[0].1.elements(), &Elements::I64(numbers(i64::from)));
}

#[test]
fn idx_files_are_read_plain_and_packed() {
    let floats = idx::read(fixture("f32.idx")).unwrap();
    assert_eq!(floats.shape(), [2, 3, 4]);
    assert_eq!(floats.elements(), &Elements::F32(numbers(|i| i as f32 / 8.0)));
    let bytes = idx::read(fixture("u8.idx.gz")).unwrap();
    assert_eq!(bytes.elements(), &Elements::U8(numbers(|i| i as u8)));
    assert_eq!(bytes.elements().to_f32(), numbers(|i| i as f32));
}

/// The elements of a stream one after another.
fn joined(stream: Stream) -> Vec<f32> {
    stream.flat_map(|rows| rows.unwrap().elements().to_f32()).collect()
}

#[test]
fn rows_read_some_at_a_time_are_those_of_the_whole() {
    for rows in [1, 2, 3, 100] {
        for name in ["f32.npy", "f64_big.npy", "i32.npy", "u8.npy"] {
            let stream = Stream::npy(&fixture(name), rows).unwrap();
            assert_eq!(stream.shape(), [2, 3, 4]);
            let whole = npy::read(fixture(name)).unwrap();
            assert_eq!(joined(stream), whole.elements().to_f32(), "{name}");
        }
        for name in ["f32.idx", "u8.idx.gz"] {
            let whole = idx::read(fixture(name)).unwrap();
            let stream = Stream::idx(&fixture(name), rows).unwrap();
            assert_eq!(joined(stream), whole.elements().to_f32(), "{name}");
        }
        for name in ["stored.npz", "packed.npz"] {
            let stream = Stream::npz(&fixture(name), "x", rows).unwrap();
            assert_eq!(joined(stream), numbers(|i| i as f32), "{name}");
        }
    }
    assert_eq!(Stream::npy(&fixture("empty.npy"), 5).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_read_row_by_row_is_refused() {
    let refused = |stream: Result<Stream, DataError>| stream.unwrap_err().to_string();
    let message = refused(Stream::npy(&fixture("f64_fortran.npy"), 1));
    assert!(message.ends_with("row by row; save numpy.ascontiguousarray of it"), "{message}");
    let message = refused(Stream::npz(&fixture("packed.npz"), "z", 1));
    assert!(message.ends_with("there is no such array; the file holds x, y"), "{message}");
    let whole = std::fs::read(fixture("f32.npy")).unwrap();
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("damaged.npy");
    for (bytes, count) in [(&whole[..whole.len() - 1], 95), (&[&whole[..], b"x"].concat(), 97)] {
        std::fs::write(&path, bytes).unwrap();
        let last = Stream::npy(&path, 1).unwrap().last().unwrap().unwrap_err().to_string();
        assert!(last.contains(&format!("but holds {count} bytes of elements")), "{last}");
    }
}

#[test]
fn damaged_files_are_named_with_the_remedy() {
    let npy = |bytes: &[u8]| npy::from_bytes("x.npy", bytes).unwrap_err().to_string();
    assert_eq!(npy(b"PK"), "x.npy: is not a NumPy file; save it with numpy.save");
    let whole = std::fs::read(fixture("f32.npy")).unwrap();
    assert_eq!(
        npy(&whole[..whole.len() - 1]),
        "x.npy: declares the shape [2, 3, 4], but holds 95 bytes of elements; is it cut off?"
    );
    assert!(npy(&whole[..20]).ends_with("its header is damaged (it is cut off); save it again"));
    let complex = npy::read(fixture("complex.npy")).unwrap_err().to_string();
    assert!(complex.contains("holds elements of type c8; convert them to one of f4"), "{complex}");
    let huge = String::from_utf8_lossy(&whole[10..128]).replace("(2, 3, 4)", "(9999999999999999,)");
    let huge = [&b"\x93NUMPY\x02\0"[..], &(huge.len() as u32).to_le_bytes(), huge.as_bytes()];
    assert!(npy(&huge.concat()).contains("declares the shape [9999999999999999]"));

    let idx = |bytes: &[u8]| idx::from_bytes("x", bytes).unwrap_err().to_string();
    assert_eq!(idx(b""), "x: is not an IDX file; the first two bytes must be 0");
    assert!(
        idx(b"\0\0\x08\x02\xff\xff\xff\xff\xff\xff\xff\xff").contains("[4294967295, 4294967295]")
    );
    assert!(idx(b"\0\0\x01\0").contains("holds elements of type 1; convert them to one of 8 (u8)"));
    let npz = npz::from_bytes("x.npz", b"PK").unwrap_err().to_string();
    assert_eq!(npz, "x.npz: is not a NumPy archive; save it with numpy.savez");
}

/// A file of the fixtures with some bytes changed and the end cut off.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let names = ["f32.npy", "i64_fortran.npy", "packed.npz", "stored.npz", "f32.idx", "u8.idx.gz"];
    let changes = vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
    let name = prop::sample::select(names.to_vec());
    (name, changes, any::<prop::sample::Index>()).prop_map(|(name, changes, end)| {
        let mut bytes = std::fs::read(fixture(name)).unwrap();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let end = end.index(2 * bytes.len());
        bytes.truncate(end);
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes_give_arrays_or_an_error(bytes in prop_oneof![damaged(), vec(any::<u8>(), 0..80)]) {
        let _ = npy::from_bytes("x", &bytes);
        let _ = npz::from_bytes("x", &bytes);
        let _ = idx::from_bytes("x", &bytes);
    }

    #[test]
    fn what_is_written_is_read_back(shape in vec(0usize..4, 0..4)) {
        let count: usize = shape.iter().product();
        for elements in [
            Elements::F32((0..count).map(|i| i as f32 / 3.0).collect()),
            Elements::F64((0..count).map(|i| i as f64 / 3.0).collect()),
            Elements::I32((0..count).map(|i| -(i as i32)).collect()),
            Elements::I64((0..count).map(|i| -(i as i64)).collect()),
            Elements::U8((0..count).map(|i| i as u8).collect()),
            Elements::Bool((0..count).map(|i| i % 2 == 0).collect()),
        ] {
            let array = Array::new(shape.clone(), elements).unwrap();
            let mut written = Vec::new();
            npy::write(&mut written, &array).unwrap();
            prop_assert_eq!(npy::from_bytes("x", &written).unwrap(), array);
        }
    }
}
