//! Tables that pyarrow wrote are read, and ours are written and read back.
use std::path::{Path, PathBuf};
use whimbrel_data::Columnar;
use whimbrel_data::csv::{self, Options};
use whimbrel_data::{Column, DataError, Kind, Table, Values, time};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// A file that is removed when the test is done with it.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Temporary {
        Temporary(std::env::temp_dir().join(format!("whimbrel_{}_{name}", std::process::id())))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn read(path: &Path, names: Option<&[&str]>) -> Result<Table, DataError> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("parquet") => Columnar::Parquet.read(path, names),
        _ => Columnar::Arrow.read(path, names),
    }
}

fn strings(column: &Column) -> Vec<&str> {
    match column.values() {
        Values::Text(text) => text.iter().collect(),
        _ => unreachable!(),
    }
}

#[test]
fn tables_pyarrow_wrote_are_read() {
    for name in ["table.parquet", "table.feather", "zstd.parquet", "zstd.feather"] {
        let table = read(&fixture(name), None).unwrap();
        let column = |name| table.column(name).unwrap();
        assert_eq!(strings(column("id")), ["a", "b", "", "é"]);
        assert_eq!(column("id").missing(), [2]);
        assert_eq!(strings(column("category")), ["x", "", "y", "x"]);
        assert_eq!(column("category").missing(), [1]);
        assert_eq!(column("small").values(), &Values::Integer(vec![1, 0, -3, 4]));
        assert_eq!(column("flag").values(), &Values::Integer(vec![1, 0, 0, 1]));
        assert_eq!(column("y").missing(), [2]);
        assert_eq!(column("y").to_floats().unwrap()[3], -2.0);
        let leap_day = time::parse(b"2024-02-29").unwrap();
        let eve = time::parse(b"1969-12-31").unwrap();
        assert_eq!(column("day").values(), &Values::Time(vec![leap_day, 0, eve, 0]));
        assert_eq!(column("at").values(), &Values::Time(vec![0, 1_709_211_907_000_000, 0, -1]));
        assert_eq!([column("at").zone(), column("day").zone()], [None; 2]);
        // Zoned times are kept, and read, in UTC.
        assert!(column("zoned").zone().is_some());
        assert_eq!(column("zoned").values(), &Values::Time(vec![0, 3_600_000_000, 0, -1_000_000]));
        assert_eq!(column("large").values(), &Values::Integer(vec![7, 0, 8, 9]));
    }
}

#[test]
fn columns_come_in_the_order_asked_for() {
    for name in ["table.parquet", "table.feather"] {
        let table = read(&fixture(name), Some(&["y", "id"])).unwrap();
        let names: Vec<&str> = table.columns().iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["y", "id"]);
        let missing = read(&fixture(name), Some(&["Y"])).unwrap_err().to_string();
        assert!(missing.contains("there is no column \"Y\"") && missing.contains("did you mean"));
    }
}

#[test]
fn what_is_written_is_read_back() {
    let text = b"id,ds,n,y\na,2024-01-31,1,0.5\n,,,\nb,2024-01-31 12:30:00.25,-7,1e300\n";
    let table = csv::read_bytes("t.csv", text, &Options::default()).unwrap();
    let parquet = Temporary::new("t.parquet");
    Columnar::Parquet.write(std::fs::File::create(&parquet.0).unwrap(), &table).unwrap();
    let arrow = Temporary::new("t.arrow");
    Columnar::Arrow.write(std::fs::File::create(&arrow.0).unwrap(), &table).unwrap();
    for file in [&parquet.0, &arrow.0] {
        let back = read(file, None).unwrap();
        assert_eq!(format!("{:?}", back.columns()), format!("{:?}", table.columns()));
        assert_eq!(back.column("ds").unwrap().kind(), Kind::Time);
    }
}

#[test]
fn the_zone_of_times_is_read_back() {
    for ahead in [None, Some(0), Some(-12_600), Some(7200)] {
        let times = Column::new(Values::Time(vec![0, 3_600_000_000])).in_zone(ahead);
        let table = Table::of(vec![("ds".into(), times)]);
        for (format, name) in [(Columnar::Parquet, "z.parquet"), (Columnar::Arrow, "z.arrow")] {
            let mut bytes = Vec::new();
            format.write(&mut bytes, &table).unwrap();
            let back = format.read_bytes(name, &bytes, None).unwrap();
            assert_eq!(back.column("ds").unwrap(), table.column("ds").unwrap(), "{name} {ahead:?}");
        }
    }
}

#[test]
fn files_cut_off_anywhere_are_refused() {
    for name in ["table.parquet", "table.feather", "zstd.parquet", "zstd.feather"] {
        let whole = std::fs::read(fixture(name)).unwrap();
        let file = Temporary::new(&format!("damaged_{name}"));
        for end in (0..whole.len()).step_by(7) {
            std::fs::write(&file.0, &whole[..end]).unwrap();
            let error = read(&file.0, None).unwrap_err().to_string();
            assert!(error.contains("cannot be read") && !error.contains('\n'), "{error}");
        }
    }
}

#[test]
fn changed_bytes_never_end_the_program() {
    let whole = std::fs::read(fixture("table.parquet")).unwrap();
    let file = Temporary::new("changed_table.parquet");
    for at in (0..whole.len()).step_by(5) {
        let mut changed = whole.clone();
        changed[at] ^= 0x5A;
        std::fs::write(&file.0, &changed).unwrap();
        // Some changes leave a table that can be read.
        if let Err(error) = read(&file.0, None) {
            assert!(error.to_string().contains("changed_table.parquet"), "{error}");
        }
    }
}

#[test]
fn sizes_that_no_part_can_have_are_refused() {
    let whole = std::fs::read(fixture("table.feather")).unwrap();
    // Parts are packed alone: each begins with its size, then LZ4's magic number.
    let parts: Vec<usize> = (8..whole.len() - 4)
        .filter(|&at| whole[at..].starts_with(&[0x04, 0x22, 0x4d, 0x18]))
        .collect();
    assert!(!parts.is_empty());
    for at in parts {
        let mut changed = whole.clone();
        changed[at - 8..at].copy_from_slice(&(1_i64 << 50).to_le_bytes());
        let error = Columnar::Arrow.read_bytes("x", &changed, None).unwrap_err().to_string();
        assert!(error.contains("cannot have the sizes it says"), "{error}");
    }
}

/// The stream between the marks of an Arrow file: eight bytes before it; behind it a footer, the length of
/// that and six letters.
fn stream_of(file: &[u8]) -> Vec<u8> {
    let (rest, _) = file.split_at(file.len() - 6);
    let (rest, length) = rest.split_last_chunk::<4>().unwrap();
    rest[8..rest.len() - u32::from_le_bytes(*length) as usize].to_vec()
}

#[test]
fn streams_are_read_like_files() {
    for name in ["table.feather", "zstd.feather"] {
        let file = std::fs::read(fixture(name)).unwrap();
        let stream = stream_of(&file);
        assert_eq!(Columnar::of_start(&stream), Some(Columnar::Arrow));
        for names in [None, Some(&["y", "id"][..])] {
            let expected = Columnar::Arrow.read_bytes("x", &file, names).unwrap();
            let read = Columnar::Arrow.read_bytes("x", &stream, names).unwrap();
            assert_eq!(format!("{read:?}"), format!("{expected:?}"));
        }
        let names = Columnar::Arrow.header_bytes("x", &stream).unwrap();
        assert_eq!(names, Columnar::Arrow.header_bytes("x", &file).unwrap());
    }
}

#[test]
fn streams_cut_off_anywhere_or_of_impossible_sizes_are_refused() {
    let whole = stream_of(&std::fs::read(fixture("table.feather")).unwrap());
    for end in 4..whole.len() {
        let error = Columnar::Arrow.read_bytes("x", &whole[..end], None).unwrap_err().to_string();
        assert!(error.contains("the mark of its end is missing"), "{end}: {error}");
    }
    let packed = (8..whole.len() - 4).find(|&at| whole[at..].starts_with(&[4, 0x22, 0x4d, 0x18]));
    let mut changed = whole.clone();
    let at = packed.unwrap();
    changed[at - 8..at].copy_from_slice(&(1_i64 << 50).to_le_bytes());
    let error = Columnar::Arrow.read_bytes("x", &changed, None).unwrap_err().to_string();
    assert!(error.contains("cannot have the sizes it says"), "{error}");
}

#[test]
fn names_are_told_and_files_are_recognised_without_reading_columns() {
    for (name, format) in [("zstd.parquet", Columnar::Parquet), ("table.feather", Columnar::Arrow)]
    {
        let names = format.header(fixture(name)).unwrap();
        assert_eq!(names, ["id", "category", "small", "y", "flag", "day", "at", "zoned", "large"]);
        let bytes = std::fs::read(fixture(name)).unwrap();
        assert_eq!(format.header_bytes("x", &bytes).unwrap(), names);
        assert_eq!(Columnar::of_start(&bytes), Some(format));
    }
    assert_eq!(Columnar::of_start(b"PAR1,ds,y\n1,2,3\n"), None);
    assert_eq!(Columnar::of_start(b"ARROW1,ds,y\n"), None);
}
