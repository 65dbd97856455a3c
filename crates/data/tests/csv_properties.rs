//! What holds for all bytes.

use proptest::collection::vec;
use proptest::prelude::*;
use whimbrel_data::csv::{self, Options, Request, Writer};
use whimbrel_data::{Kind, Values};
use whimbrel_threads::Pool;

/// Everything the reader says about some bytes, errors included.
fn transcript(bytes: &[u8], options: &Options) -> String {
    match csv::read_bytes("t", bytes, options) {
        Err(error) => error.to_string(),
        Ok(table) => {
            let lines: Vec<_> = (0..table.rows()).map(|row| table.line(row)).collect();
            format!("{lines:?} {:?}", table.columns())
        }
    }
}

/// Bytes in which everything the format knows is frequent.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        8 => prop::sample::select(&b",,\"\n\n\r01a. -\xef\xbb\xbf\xc3\xa9"[..]),
        1 => any::<u8>(),
    ];
    vec(byte, 0..80)
}

/// Lines of as many fields as the header mostly, so that many files have no error.
fn lines() -> impl Strategy<Value = Vec<u8>> {
    let field = prop::sample::select(vec![
        "",
        "1",
        "-2.5",
        "1e5",
        "NA",
        "2024-02-29",
        "x",
        "\"a\nb\"",
        "\"\"\"\"",
        "12345678.9",
        "é",
    ]);
    let line = (vec(field, 2..4), prop::sample::select(vec!["\n", "\r\n", "\n\n"]));
    let line = line.prop_map(|(fields, end)| fields[..2].join(",") + end);
    vec(line, 0..20).prop_map(|lines| format!("a,b\n{}", lines.concat()).into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn any_bytes_give_a_table_or_an_error_however_they_are_cut(
        bytes in prop_oneof![bytes(), lines()],
        block in 1usize..40,
    ) {
        let whole = transcript(&bytes, &Options::default());
        let cut = Options::default().block_bytes(block);
        prop_assert_eq!(&whole, &transcript(&bytes, &cut));
        let marked = [b"\xef\xbb\xbf", &bytes[..]].concat();
        if !bytes.starts_with(b"\xef") && !bytes.starts_with(b"\xff") && !bytes.starts_with(b"\xfe") {
            prop_assert_eq!(&whole, &transcript(&marked, &cut));
        }
    }

    #[test]
    fn what_is_written_is_read_back(
        rows in vec(vec("(?s).{0,6}", 3), 1..6), single in vec("(?s).{0,3}", 1..5)
    ) {
        let mut writer = Writer::new(Vec::new());
        writer.record(["a", "b", "c"]).unwrap();
        for row in &rows {
            writer.record(row.iter().map(String::as_str)).unwrap();
        }
        let written = writer.finish().unwrap();
        for (i, name) in ["a", "b", "c"].into_iter().enumerate() {
            let expected: Vec<&str> = rows.iter().map(|row| row[i].as_str()).collect();
            prop_assert_eq!(strings(&written, name), expected);
        }

        let mut writer = Writer::new(Vec::new());
        writer.record(["a"]).unwrap();
        for field in &single {
            writer.record([field.as_str()]).unwrap();
        }
        prop_assert_eq!(strings(&writer.finish().unwrap(), "a"), single);
    }
}

fn strings(bytes: &[u8], name: &str) -> Vec<String> {
    let wanted = Options::columns([Request::of(name, Kind::Text)]);
    let table = csv::read_bytes("t", bytes, &wanted).unwrap();
    match table.column(name).unwrap().values() {
        Values::Text(text) => text.iter().map(String::from).collect(),
        _ => unreachable!(),
    }
}

#[test]
fn the_number_of_threads_does_not_change_the_table() {
    let file = std::env::temp_dir().join(format!("whimbrel_threads_{}.csv", std::process::id()));
    let rows = (0..5000).map(|i| format!("s{},2024-01-{:02},{}.5\n", i % 7, i % 28 + 1, i * i));
    std::fs::write(&file, format!("id,ds,y\n{}", rows.collect::<String>())).unwrap();
    let options = Options::default().block_bytes(1000);
    let alone = csv::read_on(&file, &options, &Pool::new(1)).unwrap();
    for threads in [2, 3, 8] {
        assert_eq!(csv::read_on(&file, &options, &Pool::new(threads)).unwrap(), alone);
    }
    std::fs::remove_file(file).unwrap();
}

#[test]
fn memory_that_is_used_again_leaves_nothing_behind() {
    // Some hundred blocks, each in the memory of one before, of all kinds and both ways to parse.
    let row = |i: usize| {
        let name = if i % 97 < 90 { format!("s{}", i / 50) } else { format!("\"q,{i}\"") };
        let y = if i.is_multiple_of(13) { String::new() } else { format!("{}.25", i * i) };
        format!("{name},2024-01-{:02},{},{y}\n", i % 28 + 1, if i % 11 == 5 { "" } else { "7" })
    };
    let text = format!("id,ds,n,y\n{}", (0..4000).map(row).collect::<String>());
    let whole = transcript(text.as_bytes(), &Options::default().block_bytes(1 << 20));
    for size in [300, 1000, 5000] {
        assert!(transcript(text.as_bytes(), &Options::default().block_bytes(size)) == whole);
    }
}
