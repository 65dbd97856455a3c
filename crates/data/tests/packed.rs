//! Files packed by gzip that are not whole: the message names the file, what happened to it, and the remedy.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::path::{Path, PathBuf};
use whimbrel_data::csv::{self, Options, Stream};
use whimbrel_data::{DataError, Problem, Table};

const REMEDY: &str = "; copy it again, or pack it again";

fn pack(text: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(text).unwrap();
    packer.finish().unwrap()
}

/// Some thousand rows, more than one block of them.
fn rows() -> Vec<u8> {
    let lines = (0..60_000u64).map(|i| format!("{i},{}\n", i * 7919 % 10_007));
    ["a,b\n".to_owned()].into_iter().chain(lines).collect::<String>().into_bytes()
}

fn write(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// What is said of a file, whole and streamed; both say the same of what is packed.
#[track_caller]
fn refused(name: &str, bytes: &[u8]) -> DataError {
    let path = write(name, bytes);
    let streamed =
        || -> Result<Vec<Table>, DataError> { Stream::open(&path, &Options::default())?.collect() };
    let (whole, streamed) =
        (csv::read(&path, &Options::default()).unwrap_err(), streamed().unwrap_err());
    assert_eq!(whole.problem.to_string(), streamed.problem.to_string());
    let message = whole.to_string();
    assert!(message.starts_with(path.to_str().unwrap()), "{message}");
    assert!(message.ends_with(REMEDY), "{message}");
    whole
}

#[test]
fn a_file_that_ends_early_is_cut_short_wherever_it_ends() {
    let packed = pack(&rows());
    let last = packed.len() - 1;
    // Within the header, the data, and the checksum at the end; and nothing but a name.
    for length in [0, 1, 2, 5, 10, 11, 1000, last / 2, last - 8, last - 7, last - 3, last] {
        let error = refused("cut.csv.gz", &packed[..length]);
        assert!(matches!(error.problem, Problem::CutShort), "{length} bytes: {error}");
        assert!(error.to_string().contains("its compressed data are cut short"), "{error}");
    }
}

#[test]
fn bytes_that_changed_are_damage() {
    let packed = pack(&rows());
    let with = |at: usize, to: u8| {
        let mut bytes = packed.clone();
        bytes[at] = to;
        bytes
    };
    let checksum = packed.len() - 8;
    let second = [&packed[..], b"and something else that is no gzip"].concat();
    for (bytes, reason) in [
        (with(2, 7), "its header is none of gzip"),
        (with(checksum, !packed[checksum]), "its checksum does not fit"),
        (with(checksum + 4, !packed[checksum + 4]), "its checksum does not fit"),
        // A block of the type that does not exist.
        (with(10, 0xff), "it cannot be unpacked"),
        (second, "its header is none of gzip"),
        (
            b"\x80\x04\xff\x00\x9c neither packed nor text".to_vec(),
            "it does not begin as gzip does",
        ),
        (b"zip\0\x01\x02\x03".to_vec(), "it does not begin as gzip does"),
    ] {
        let error = refused("damaged.csv.gz", &bytes);
        let says = format!("its compressed data are damaged: {reason}{REMEDY}");
        assert_eq!(error.problem.to_string(), says);
    }
}

#[test]
fn text_may_be_called_packed() {
    let path = write("text.csv.gz", "a,größe\n1,2\n".as_bytes());
    assert_eq!(csv::read(&path, &Options::default()).unwrap().rows(), 1);
    let path = write("short.csv.gz", b"a\n1\n");
    assert_eq!(csv::read(&path, &Options::default()).unwrap().rows(), 1);
}

#[test]
fn arrays_may_be_called_packed() {
    let path = write("plain-idx1-ubyte.gz", &[0, 0, 8, 1, 0, 0, 0, 2, 3, 4]);
    assert_eq!(whimbrel_data::array::idx::read(&path).unwrap().shape(), [2]);
}

#[test]
fn no_changed_byte_is_taken_for_rows() {
    let text = b"a,b\n1,2\n3,4\n5,6\n";
    let packed = pack(text);
    let expected = csv::read_bytes("t.csv", text, &Options::default()).unwrap();
    for at in 2..packed.len() {
        for flip in [0x01, 0x10, 0x80] {
            let mut bytes = packed.clone();
            bytes[at] ^= flip;
            // Time, flags of the packer and system in the header do not matter.
            match csv::read_bytes("t.csv", &bytes, &Options::default()) {
                Ok(table) => assert_eq!(table, expected, "byte {at}"),
                Err(error) => assert!(error.to_string().starts_with("t.csv"), "{error}"),
            }
        }
    }
}
