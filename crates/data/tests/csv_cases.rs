//! CSV as people write it, and what is said about CSV that cannot be read.

use std::io::Cursor;
use whimbrel_data::csv::{CsvError, Reader};

fn rows(bytes: &[u8]) -> Result<Vec<Vec<String>>, CsvError> {
    let mut reader = Reader::new("t.csv", Cursor::new(bytes))?;
    let names = reader.header().to_vec();
    let named = names.iter().filter(|name| !name.is_empty());
    let columns = named.map(|name| reader.column(name)).collect::<Result<Vec<_>, _>>()?;
    let mut rows = vec![names];
    while let Some(record) = reader.next_record()? {
        rows.push(columns.iter().map(|&c| record.text(c).to_string()).collect());
    }
    Ok(rows)
}

fn message(bytes: &[u8]) -> String {
    rows(bytes).expect_err("should be refused").to_string()
}

#[test]
fn line_ends_byte_order_mark_and_blank_lines_do_not_matter() {
    let plain = rows(b"a,b\n1,2\n3,4\n").unwrap();
    assert_eq!(plain, [["a", "b"], ["1", "2"], ["3", "4"]]);
    for same in [
        &b"a,b\r\n1,2\r\n3,4\r\n"[..],
        b"a,b\r1,2\r3,4",
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
    assert_eq!(read, [["a", "b"], ["x, \"y\"\r\nz", ""], ["", "5\" disc"]]);
}

#[test]
fn lines_are_counted_through_quotes_and_every_kind_of_line_end() {
    let mut reader = Reader::new("t", &b"a\r\n\"1\n2\"\r\n\r\n3\r4\n\n5"[..]).unwrap();
    let mut lines = Vec::new();
    while let Some(record) = reader.next_record().unwrap() {
        lines.push(record.line());
    }
    assert_eq!(lines, [2, 5, 6, 8]);
}

#[test]
fn broken_files_are_named_with_place_and_remedy() {
    for (bytes, expected) in [
        (&b""[..], "t.csv: is empty; the first line must name the columns"),
        (b"\xef\xbb\xbf\n\r\n", "t.csv: is empty; the first line must name the columns"),
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
            b"a\n\"x\"y\n",
            "t.csv:2: text follows a closing quote; write a quote inside a quoted field twice",
        ),
        (b"a\n1\n\"x\n\ny\n", "t.csv:3: a quote opens here and is never closed"),
    ] {
        assert_eq!(message(bytes), expected);
    }
}

#[test]
fn a_character_cut_by_a_comma_is_not_text() {
    let text = message(b"a,b\n\xc3,\xa9\n");
    assert!(text.starts_with("t.csv:2, column \"a\": is not UTF-8"), "{text}");
}

#[test]
fn a_column_that_is_not_there_is_named_with_those_that_are() {
    let missing = |header: &str, name: &str| {
        let reader = Reader::new("t.csv", header.as_bytes()).unwrap();
        reader.column(name).unwrap_err().to_string()
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
}

#[test]
fn numbers_are_finite_or_refused_with_the_field_shown() {
    let number = |field: &str| {
        let text = format!("y,z\n\"{field}\",0\n");
        let mut reader = Reader::new("t.csv", text.as_bytes()).unwrap();
        let y = reader.column("y").unwrap();
        let record = reader.next_record().unwrap().unwrap();
        record.number(y).map_err(|e| e.to_string())
    };
    assert_eq!(number(" -1.5e3 "), Ok(-1500.0));
    let place = "t.csv:2, column \"y\":";
    assert_eq!(
        number("1,5"),
        Err(format!("{place} \"1,5\" is not a number; write it like 1234.5"))
    );
    assert_eq!(number(" "), Err(format!("{place} is empty; fill it in, or remove the row")));
    for odd in ["nan", "inf", "-Infinity", "1e999"] {
        let expected =
            format!("{place} \"{odd}\" is not a finite number; fill it in, or remove the row");
        assert_eq!(number(odd), Err(expected));
    }
    let long = number(&"\u{7}x".repeat(500)).unwrap_err();
    assert!(long.len() < 250 && long.contains("\\u{7}x") && long.contains("..."), "{long}");
}

#[test]
fn an_endless_row_is_refused_instead_of_held() {
    struct Endless;
    impl std::io::Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            buffer.fill(b'x');
            Ok(buffer.len())
        }
    }
    let input =
        std::io::BufReader::with_capacity(1 << 16, std::io::Read::chain(&b"a\n\""[..], Endless));
    let mut reader = Reader::new("t.csv", input).unwrap();
    let text = reader.next_record().unwrap_err().to_string();
    assert!(text.starts_with("t.csv:2: a row longer than"), "{text}");
}

#[test]
fn a_file_that_cannot_be_opened_is_named() {
    let text = Reader::open("no/such/file.csv").unwrap_err().to_string();
    assert!(text.starts_with("no/such/file.csv: cannot be read: "), "{text}");
    assert!(Reader::open(".").unwrap_err().to_string().starts_with(".: cannot be read: "));
}
