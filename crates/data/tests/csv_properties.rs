//! What holds for all bytes.

use proptest::collection::vec;
use proptest::prelude::*;
use std::io::{BufRead, BufReader};
use whimbrel_data::csv::{Reader, Writer};

/// Everything a reader says about some bytes, errors included.
fn transcript(input: impl BufRead) -> Vec<String> {
    let mut said = Vec::new();
    let mut reader = match Reader::new("t", input) {
        Ok(reader) => reader,
        Err(error) => return vec![error.to_string()],
    };
    said.push(format!("{:?}", reader.header()));
    let columns: Vec<_> =
        reader.header().iter().filter_map(|name| reader.column(name).ok()).collect();
    loop {
        match reader.next_record() {
            Ok(None) => return said,
            Ok(Some(record)) => {
                for &column in &columns {
                    let number = record.number(column).map_err(|e| e.to_string());
                    said.push(format!("{} {:?} {number:?}", record.line(), record.text(column)));
                }
            }
            Err(error) => {
                said.push(error.to_string());
                return said;
            }
        }
    }
}

/// Bytes in which everything the format knows is frequent.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        4 => prop::sample::select(&b",\"\n\r01a. -\xef\xbb\xbf\xc3\xa9"[..]),
        1 => any::<u8>(),
    ];
    vec(byte, 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn any_bytes_give_records_or_an_error_however_they_arrive(bytes in bytes(), chunk in 1usize..9) {
        let whole = transcript(&bytes[..]);
        prop_assert_eq!(&whole, &transcript(BufReader::with_capacity(chunk, &bytes[..])));
        let marked = [b"\xef\xbb\xbf", &bytes[..]].concat();
        if !bytes.starts_with(b"\xef") {
            prop_assert_eq!(whole, transcript(&marked[..]));
        }
    }

    #[test]
    fn what_is_written_is_read_back(rows in vec(vec("(?s).{0,6}", 3), 0..6), single in vec("(?s).{0,3}", 0..5)) {
        let mut writer = Writer::new(Vec::new());
        writer.record(["a", "b", "c"]).unwrap();
        for row in &rows {
            writer.record(row.iter().map(String::as_str)).unwrap();
        }
        let written = writer.finish().unwrap();
        let mut reader = Reader::new("t", &written[..]).unwrap();
        let columns = ["a", "b", "c"].map(|name| reader.column(name).unwrap());
        let mut read = Vec::new();
        while let Some(record) = reader.next_record().unwrap() {
            read.push(columns.map(|c| record.text(c).to_string()).to_vec());
        }
        prop_assert_eq!(read, rows);

        let mut writer = Writer::new(Vec::new());
        writer.record(["a"]).unwrap();
        for field in &single {
            writer.record([field.as_str()]).unwrap();
        }
        let written = writer.finish().unwrap();
        let mut reader = Reader::new("t", &written[..]).unwrap();
        let a = reader.column("a").unwrap();
        let mut read = Vec::new();
        while let Some(record) = reader.next_record().unwrap() {
            read.push(record.text(a).to_string());
        }
        prop_assert_eq!(read, single);
    }
}
