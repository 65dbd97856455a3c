//! CSV as people write it, and what is said about CSV that cannot be read.

use whimbrel_data::csv::{self, Options, Request, Stream};
use whimbrel_data::{DataError, Kind, Table, Values};

/// Every column as text.
fn as_text(header: &[&str]) -> Options {
    Options::columns(header.iter().map(|name| Request::of(name, Kind::Text)))
}

/// The rows of the columns `a` and `b`.
fn rows(bytes: &[u8]) -> Result<Vec<[String; 2]>, DataError> {
    let table = csv::read_bytes("t.csv", bytes, &as_text(&["a", "b"]))?;
    let column = |name| match table.column(name).unwrap().values() {
        Values::Text(text) => text.iter().map(String::from).collect::<Vec<_>>(),
        _ => unreachable!(),
    };
    Ok(column("a").into_iter().zip(column("b")).map(<[String; 2]>::from).collect())
}

fn message(bytes: &[u8]) -> String {
    rows(bytes).expect_err("should be refused").to_string()
}

fn inferred(text: &str) -> Table {
    csv::read_bytes("t.csv", text.as_bytes(), &Options::default()).unwrap()
}

#[test]
fn line_ends_byte_order_mark_and_blank_lines_do_not_matter() {
    let plain = rows(b"a,b\n1,2\n3,4\n").unwrap();
    assert_eq!(plain, [["1", "2"], ["3", "4"]]);
    for same in [
        &b"a,b\r\n1,2\r\n3,4\r\n"[..],
        b"a,b\r1,2\r3,4",
        b"a,b\n1,2\r\n3,4\r",
        b"\xef\xbb\xbfa,b\n1,2\n3,4",
        b"\xef\xbb\xbf\"a\",b\n1,2\n3,4",
        b"\n\na, b \n\r\n1,2\n\n3,4\n\n",
    ] {
        assert_eq!(rows(same).unwrap(), plain, "{}", String::from_utf8_lossy(same));
    }
}

#[test]
fn quotes_hold_commas_lines_and_quotes() {
    let read = rows(b"a,b\n\"x, \"\"y\"\"\r\nz\",\"\"\n\"\",5\" disc\n").unwrap();
    assert_eq!(read, [["x, \"y\"\r\nz", ""], ["", "5\" disc"]]);
}

#[test]
fn lines_are_counted_through_quotes_and_every_kind_of_line_end() {
    let table = inferred("a\r\n\"1\n2\"\r\n\r\n3\r4\n\n5");
    let lines: Vec<_> = (0..table.rows()).map(|row| table.line(row)).collect();
    assert_eq!(lines, [2, 5, 6, 8].map(Some));
}

#[test]
fn columns_hold_what_their_fields_look_like() {
    let table = inferred("i,f,t,x,n\n1,1,2024-01-31, a,\n-2,2.5,2024-01-31 12:00,2,NA\n,NaN,,,\n");
    let kinds: Vec<Kind> = table.columns().iter().map(|(_, column)| column.kind()).collect();
    assert_eq!(kinds, [Kind::Integer, Kind::Float, Kind::Time, Kind::Text, Kind::Integer]);
    assert_eq!(table.column("i").unwrap().values(), &Values::Integer(vec![1, -2, 0]));
    for name in ["i", "f", "t", "x"] {
        assert_eq!(table.column(name).unwrap().missing(), [2], "{name}");
    }
    assert_eq!(table.column("n").unwrap().missing(), [0, 1, 2]);
    let Values::Text(text) = table.column("x").unwrap().values() else { panic!() };
    assert_eq!(text.iter().collect::<Vec<_>>(), [" a", "2", ""]);
    let floats = table.column("i").unwrap().to_floats().unwrap();
    assert!(floats[..2] == [1.0, -2.0] && floats[2].is_nan());
}

#[test]
fn a_late_field_of_another_kind_widens_the_whole_column() {
    let options = Options::default().block_bytes(16);
    for (late, kind) in [("7.5", Kind::Float), ("many", Kind::Text), ("", Kind::Integer)] {
        let text = format!("y,z\n{}{late},0\n", "1,0\n".repeat(100));
        let table = csv::read_bytes("t.csv", text.as_bytes(), &options).unwrap();
        assert_eq!((table.rows(), table.column("y").unwrap().kind()), (101, kind));
    }
}

#[test]
fn a_stream_gives_the_rows_of_the_table_and_names_a_late_surprise() {
    let file = std::env::temp_dir().join(format!("whimbrel_stream_{}.csv", std::process::id()));
    let text = format!("y,z\n{}7.5,0\n", "1,0\n".repeat(1000));
    std::fs::write(&file, text).unwrap();
    let float = Options::default().with(Request::of("y", Kind::Float)).block_bytes(100);
    let stream = Stream::open(&file, &float).unwrap();
    assert_eq!(stream.header(), ["y", "z"]);
    let tables: Vec<Table> = stream.map(Result::unwrap).collect();
    assert!(tables.len() > 10);
    assert_eq!(tables.iter().map(Table::rows).sum::<usize>(), 1001);
    assert_eq!(tables.last().unwrap().line(tables.last().unwrap().rows() - 1), Some(1002));

    let guessed = Options::default().block_bytes(100);
    let error = Stream::open(&file, &guessed).unwrap().find_map(Result::err).unwrap().to_string();
    let expected =
        ":1002, column \"y\": \"7.5\" is not a whole number, as the first rows are; say what";
    assert!(error.contains(expected), "{error}");
    // A stream that is dropped early ends its thread.
    drop(Stream::open(&file, &float).unwrap().next());
    std::fs::remove_file(file).unwrap();
}

#[test]
fn gzip_is_unpacked_whatever_the_file_is_called() {
    use std::io::Write;
    let pack = |text: &[u8]| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(text).unwrap();
        packer.finish().unwrap()
    };
    let packed = [pack(b"a,b\n1,2\n3"), pack(b",4\n")].concat();
    assert_eq!(rows(&packed).unwrap(), [["1", "2"], ["3", "4"]]);
    let cut = message(&packed[..packed.len() / 3]);
    assert!(cut.starts_with("t.csv: its compressed data are cut short; copy it again"), "{cut}");
}

#[test]
fn broken_files_are_named_with_place_and_remedy() {
    for (bytes, expected) in [
        (&b""[..], "t.csv: is empty; the first line must name the columns"),
        (b"\xef\xbb\xbf\n\r\n", "t.csv: is empty; the first line must name the columns"),
        (b"a,b\n\n", "t.csv: has a header but no rows"),
        (b"\xff\xfea\0,\0", "t.csv: is UTF-16 text; save it as UTF-8"),
        (b"a,b,a\n", "t.csv:1: two columns are called \"a\"; rename one of them"),
        (
            b"a,b\n1,2\n\n3\n",
            "t.csv:4: has 1 field, the header names 2; complete the row, and quote fields that \
             contain a comma",
        ),
        (
            b"a,b\n1,2,3\n",
            "t.csv:2: has 3 fields, the header names 2; complete the row, and quote fields that \
             contain a comma",
        ),
        (
            b"a,b\n1,caf\xe9\n",
            "t.csv:2, column \"b\": is not UTF-8 text (byte 0xe9); save the file as CSV in UTF-8",
        ),
        (
            b"a\xe9,b\n",
            "t.csv:1, column 1: is not UTF-8 text (byte 0xe9); save the file as CSV in UTF-8",
        ),
        (
            b"a,b\n\"x\"y,\n",
            "t.csv:2: text follows a closing quote; write a quote inside a quoted field twice",
        ),
        (b"a,b\n1,2\n\"x\n\ny\n", "t.csv:3: a quote opens here and is never closed"),
    ] {
        assert_eq!(message(bytes), expected);
    }
    let text = message(b"a,b\n\xc3,\xa9\n");
    assert!(text.starts_with("t.csv:2, column \"a\": is not UTF-8"), "{text}");
}

#[test]
fn a_column_that_is_not_there_is_named_with_those_that_are() {
    let missing = |header: &str, name: &str| {
        let wanted = as_text(&[name]);
        csv::read_bytes("t.csv", header.as_bytes(), &wanted).unwrap_err().to_string()
    };
    assert_eq!(
        missing("id,when", "y"),
        "t.csv:1: there is no column \"y\"; the header names \"id\", \"when\""
    );
    assert!(missing("id,Y", "y").ends_with("; did you mean \"Y\"?"));
    assert!(missing("id;y", "y").ends_with("; separate the columns by commas, not semicolons"));
    assert!(missing("id\ty", "y").ends_with("; separate the columns by commas, not tabs"));
    assert!(missing("a,,", "").contains("there is no column \"\""));
    let many: Vec<_> = (0..40).map(|i| format!("c{i}")).collect();
    assert!(missing(&many.join(","), "y").ends_with("\"c9\", 30 more"));
    let twice = csv::read_bytes("t.csv", b"a\n1\n", &as_text(&["a", "a"])).unwrap_err();
    assert_eq!(twice.to_string(), "t.csv:1: column \"a\" is asked for twice; ask once");
}

#[test]
fn fields_of_another_kind_are_refused_with_the_field_shown() {
    let refused = |kind: Kind, field: &str| {
        let text = format!("y,z\n\"{field}\",0\n");
        let wanted = Options::columns([Request::of("y", kind).required()]);
        csv::read_bytes("t.csv", text.as_bytes(), &wanted).unwrap_err().to_string()
    };
    let place = "t.csv:2, column \"y\":";
    for (kind, field, says) in [
        (Kind::Float, "1,5", "\"1,5\" is not a number; write it like 1234.5"),
        (Kind::Float, " ", "is empty; fill it in, or remove the row"),
        (Kind::Float, "nan", "\"nan\" stands for no value; fill it in, or remove the row"),
        (Kind::Float, "N/A", "\"N/A\" stands for no value; fill it in, or remove the row"),
        (
            Kind::Float,
            "#N/A",
            "\"#N/A\" is not a number; write it like 1234.5, or leave the field empty where there is no value",
        ),
        (Kind::Float, "1e999", "\"1e999\" is not a finite number; fill it in, or remove the row"),
        (Kind::Integer, "1.5", "\"1.5\" is not a whole number; write it like 1234"),
        (
            Kind::Time,
            "31/01/2024",
            "\"31/01/2024\" is not a time; write it like 2024-01-31 or 2024-01-31 13:00:00",
        ),
        (Kind::Text, "", "is empty; fill it in, or remove the row"),
    ] {
        assert_eq!(refused(kind, field), format!("{place} {says}"));
    }
    let long = refused(Kind::Float, &"\u{7}x".repeat(500));
    assert!(long.len() < 250 && long.contains("\\u{7}x") && long.contains("..."), "{long}");
}

#[test]
fn an_endless_row_is_refused_instead_of_held() {
    let text = [&b"a,b\n\""[..], &vec![b'x'; 40 << 20]].concat();
    let text = message(&text);
    assert!(text.starts_with("t.csv:2: a row longer than"), "{text}");
}

#[test]
fn a_file_that_cannot_be_opened_is_named() {
    let error = |path: &str| csv::read(path, &Options::default()).unwrap_err().to_string();
    assert!(error("no/such/file.csv").starts_with("no/such/file.csv: cannot be read: "));
    assert!(error(".").starts_with(".: cannot be read: "));
}
