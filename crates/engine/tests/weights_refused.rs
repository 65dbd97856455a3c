//! A file that does not fit is refused with its name and the tensor at fault, and changes nothing.

mod saved;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use safetensors::SafeTensors;
use saved::{bits, folder, model};
use std::collections::HashMap;
use std::path::PathBuf;
use whimbrel_engine::Session;

/// A session and a path to put files at.
struct Reader {
    session: Session,
    path: PathBuf,
}

impl Reader {
    fn new(test: &str) -> Reader {
        let path = folder(test).join("model.safetensors");
        Reader { session: Session::new(&model()).unwrap(), path }
    }

    /// A file the session accepts.
    fn valid(&self) -> Vec<u8> {
        self.session.save(&self.path, |_| true, HashMap::new()).unwrap();
        std::fs::read(&self.path).unwrap()
    }

    /// Loads `bytes`; the reason of a refusal, whose message begins with the path.
    fn load(&mut self, bytes: &[u8], keep: impl Fn(&str) -> bool) -> Result<(), String> {
        std::fs::write(&self.path, bytes).unwrap();
        self.session.load(&self.path, keep).map_err(|e| {
            let (message, path) = (e.to_string(), format!("{}: ", self.path.display()));
            message.strip_prefix(&path).expect("the file is named").to_owned()
        })
    }

    /// The reason why `b`, a value of 20 floats, is refused as this header entry and data give it.
    #[track_caller]
    fn refuses_b(&mut self, entry: &str, data: &[u8]) -> String {
        let before = bits(&self.session);
        let bytes = file(&format!("{{\"b\":{entry}}}"), data);
        let reason = self.load(&bytes, |name| name == "b").unwrap_err();
        assert_eq!(bits(&self.session), before);
        reason
    }
}

/// A file of this header and data.
fn file(header: &str, data: &[u8]) -> Vec<u8> {
    let len = (header.len() as u64).to_le_bytes();
    [&len[..], header.as_bytes(), data].concat()
}

const UNUSABLE: &str = "not a usable safetensors file: ";

#[test]
fn a_file_cut_short_is_refused_at_every_length() {
    let mut reader = Reader::new("cut_short");
    let (valid, before) = (reader.valid(), bits(&reader.session));
    for len in 0..valid.len() {
        let reason = reader.load(&valid[..len], |_| true).unwrap_err();
        assert!(reason.starts_with(UNUSABLE), "{len} bytes: {reason}");
    }
    assert_eq!(bits(&reader.session), before);
    let reason = reader.load(&valid[..valid.len() - 1], |_| true).unwrap_err();
    assert!(reason.contains("\": it ends at byte "), "{reason}");
}

#[test]
fn bytes_past_the_end_are_refused() {
    let mut reader = Reader::new("past_the_end");
    let mut bytes = reader.valid();
    bytes.push(0);
    assert!(reader.load(&bytes, |_| true).unwrap_err().starts_with(UNUSABLE));
}

#[test]
fn a_header_longer_than_the_file_is_refused() {
    let mut reader = Reader::new("long_header");
    for len in [9u64, 1 << 20, 99_999_999, 1 << 60, u64::MAX - 7, u64::MAX] {
        let bytes = [&len.to_le_bytes()[..], b"{}      "].concat();
        let reason = reader.load(&bytes, |_| true).unwrap_err();
        assert!(reason.starts_with(UNUSABLE), "{len}: {reason}");
    }
}

#[test]
fn headers_that_are_no_tables_of_tensors_are_refused() {
    let mut reader = Reader::new("no_table");
    let deep = format!("{{\"b\":{}", "[".repeat(100_000));
    for header in ["", "[]", "null", "{", "{\"b\":", "{\"__metadata__\":1}", "\u{0}", &deep] {
        let reason = reader.load(&file(header, &[]), |_| true).unwrap_err();
        assert!(reason.starts_with(UNUSABLE), "{reason}");
    }
    let bytes = [&2u64.to_le_bytes()[..], &[0xff, 0xfe]].concat();
    assert!(reader.load(&bytes, |_| true).unwrap_err().starts_with(UNUSABLE));
}

#[test]
fn an_entry_that_is_wrong_by_itself_is_refused_by_name() {
    let mut reader = Reader::new("entries");
    let entry = |dtype: &str, shape: &str, offsets: &str| {
        format!("{{\"dtype\":\"{dtype}\",\"shape\":{shape},\"data_offsets\":{offsets}}}")
    };
    let huge = 1u64 << 60;
    let many = format!("[{huge},{huge},{huge}]");
    let end = format!("[0,{}]", 4 * huge);
    for entry in [
        entry("F32", &format!("[{huge}]"), "[0,80]"),
        entry("F32", &format!("[{huge}]"), &end),
        entry("U8", &format!("[{huge}]"), &format!("[0,{huge}]")),
        entry("F32", &many, "[0,80]"),
        entry("F32", "[20,1]", "[0,76]"),
        entry("F32", "[20,1]", "[80,0]"),
        entry("F32", "[20,1]", "[4,84]"),
        entry("F32", "[20,1]", "[18446744073709551615,80]"),
        entry("F32", "[40,1]", "[0,160]"),
        entry("F32", "[20,-1]", "[0,80]"),
        entry("F32", "20", "[0,80]"),
        entry("F32", "[20,1]", "[0]"),
        entry("F31", "[20,1]", "[0,80]"),
        "{}".to_owned(),
        "7".to_owned(),
    ] {
        let reason = reader.refuses_b(&entry, &[0; 80]);
        assert!(reason.starts_with(&format!("{UNUSABLE}\"b\": ")), "{entry}: {reason}");
    }
}

#[test]
fn tensors_that_share_bytes_or_leave_some_out_are_refused_by_name() {
    let mut reader = Reader::new("offsets");
    let a = "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}";
    for offsets in ["[0,8]", "[2,10]", "[8,16]"] {
        let c = format!("{{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":{offsets}}}");
        let header = format!("{{\"a\":{a},\"c\":{c}}}");
        let reason = reader.load(&file(&header, &[0; 16]), |_| true).unwrap_err();
        let why = "its bytes do not begin where those before it end";
        assert_eq!(reason, format!("{UNUSABLE}\"c\": {why}"));
    }
}

#[test]
fn another_shape_or_element_type_is_refused() {
    let mut reader = Reader::new("types");
    for (dtype, shape, stored) in [
        ("F32", "[1,20]", "F32[1, 20]"),
        ("F32", "[20]", "F32[20]"),
        ("I32", "[20,1]", "I32[20, 1]"),
        ("F64", "[10]", "F64[10]"),
        ("F16", "[40]", "F16[40]"),
        ("BF16", "[2,20]", "BF16[2, 20]"),
    ] {
        let entry = format!("{{\"dtype\":\"{dtype}\",\"shape\":{shape},\"data_offsets\":[0,80]}}");
        let reason = reader.refuses_b(&entry, &[0; 80]);
        assert_eq!(reason, format!("\"b\" is {stored}, the model needs f32[20, 1]"));
    }
}

#[test]
fn integers_are_not_made_of_floats() {
    let mut reader = Reader::new("integers");
    for dtype in ["F16", "BF16"] {
        let header = format!(
            "{{\"counts\":{{\"dtype\":\"{dtype}\",\"shape\":[5],\"data_offsets\":[0,10]}}}}"
        );
        let reason = reader.load(&file(&header, &[0; 10]), |name| name == "counts").unwrap_err();
        assert_eq!(reason, format!("\"counts\" is {dtype}[5], the model needs i32[5]"));
    }
}

#[test]
fn a_value_the_file_lacks_is_named() {
    let mut reader = Reader::new("missing");
    reader.session.save(&reader.path, |name| name != "b", HashMap::new()).unwrap();
    let bytes = std::fs::read(&reader.path).unwrap();
    let reason = reader.load(&bytes, |_| true).unwrap_err();
    assert_eq!(reason, "has no \"b\", which the model needs");
}

#[test]
fn a_value_the_model_lacks_is_named() {
    let mut reader = Reader::new("unknown");
    let mut bytes = reader.valid();
    let at = bytes.windows(4).position(|part| part == b"\"b\":").unwrap();
    bytes[at + 1] = b'q';
    let reason = reader.load(&bytes, |_| true).unwrap_err();
    assert_eq!(reason, "has \"q\", which the model does not know");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let mut session = Session::new(&model()).unwrap();
    let path = folder("not_there").join("model.safetensors");
    let message = session.load(&path, |_| true).unwrap_err().to_string();
    assert!(message.starts_with(&format!("{}: ", path.display())), "{message}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::with_cases(64)
    })]

    #[test]
    fn arbitrary_bytes_are_refused(header in any::<Vec<u8>>(), data in any::<Vec<u8>>()) {
        let mut reader = Reader::new("arbitrary");
        let before = bits(&reader.session);
        let len = (header.len() as u64).to_le_bytes();
        for bytes in [[&header[..], &data].concat(), [&len[..], &header, &data].concat()] {
            prop_assert!(reader.load(&bytes, |_| true).is_err());
        }
        prop_assert_eq!(bits(&reader.session), before);
    }

    #[test]
    fn a_valid_file_with_a_few_bytes_changed_loads_whole_or_not_at_all(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        in_header in any::<bool>(),
    ) {
        let mut reader = Reader::new("changed");
        let mut bytes = reader.valid();
        let header = 8 + u64::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
        for (at, byte) in changes {
            let at = at.index(if in_header { header } else { bytes.len() });
            bytes[at] = byte;
        }
        let before = bits(&reader.session);
        match reader.load(&bytes, |_| true) {
            Err(_) => prop_assert_eq!(bits(&reader.session), before),
            Ok(()) => {
                let file = SafeTensors::deserialize(&bytes).unwrap();
                for (name, words) in bits(&reader.session) {
                    let loaded: Vec<u8> = words.iter().flat_map(|x| x.to_le_bytes()).collect();
                    prop_assert_eq!(file.tensor(&name).unwrap().data(), loaded);
                }
            }
        }
    }
}
