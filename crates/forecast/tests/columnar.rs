//! Parquet and Arrow files of series.

use std::fs::File;
use std::path::Path;
use whimbrel_data::Columnar;
use whimbrel_data::{Column, Kind, Table, Values, csv};
use whimbrel_forecast::{Columns, Fill, Frame, Reader};

const CSV: &str = "unique_id,ds,y,price\nb,2024-01-31,1,5\na,2024-01-31,3,6.5\na,2024-02-29,4,7\n";

#[test]
fn series_are_read_alike_from_every_format() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let table = csv::read_bytes("t", CSV.as_bytes(), &csv::Options::default()).unwrap();
    // Formats are told from the content.
    let [packed, plain] = ["series.parquet", "series.dat"].map(|name| folder.join(name));
    Columnar::Parquet.write(File::create(&packed).unwrap(), &table).unwrap();
    Columnar::Arrow.write(File::create(&plain).unwrap(), &table).unwrap();
    let reader = Reader { hist_exog_list: vec!["price".into()], ..Reader::default() };
    let expected = reader.read_bytes("t", CSV.as_bytes()).unwrap();
    assert_eq!(reader.read(&packed).unwrap(), expected);
    assert_eq!(reader.read(&plain).unwrap(), expected);

    for path in [&packed, &plain] {
        let piped = reader.read_bytes("standard input", &std::fs::read(path).unwrap());
        assert_eq!(piped.unwrap(), expected);
    }
    let none = Reader { hist_exog_list: vec!["cost".into()], ..Reader::default() };
    let missing = none.read(&packed).unwrap_err().to_string();
    assert!(missing.contains("there is no column \"cost\""), "{missing}");
}

#[test]
fn fields_of_columnar_files_that_cannot_be_used_are_named() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (name, csv, says) in [
        (
            "no_id",
            "unique_id,ds,y\n1,1,1\n,2,2\n",
            "no_id.parquet, row 2, column \"unique_id\": is empty",
        ),
        (
            "text",
            "unique_id,ds,y\na,1,7\na,2,\na,3,x\na,4,y\n",
            "text.parquet, row 3, column \"y\": \"x\" is not a number",
        ),
        (
            "hole",
            "unique_id,ds,y\na,1,1\na,2,\na,3,3\n",
            "row 2, column \"y\": series \"a\" has no value at 2",
        ),
        (
            "twice",
            "unique_id,ds,y\na,1,1\na,1,1\n",
            "row 2, column \"ds\": series \"a\" already has a row for 1, in row 1; remove one",
        ),
        ("float", "unique_id,ds,y\na,1.5,1\na,2.5,1\n", "\"1.5\" is not a time"),
    ] {
        let table = csv::read_bytes("t", csv.as_bytes(), &csv::Options::default()).unwrap();
        let path = folder.join(format!("{name}.parquet"));
        Columnar::Parquet.write(File::create(&path).unwrap(), &table).unwrap();
        let error = Reader::default().read(&path).unwrap_err().to_string();
        assert!(error.contains(says), "{name}: {error}");
    }
}

#[test]
fn numbers_written_as_text_are_numbers() {
    let text = |fields: [&str; 3]| Column::new(Values::Text(fields.into_iter().collect()));
    let times = Column::new(Values::Integer(vec![1, 2, 3]));
    let table = Table::of(vec![("ds".into(), times), ("y".into(), text(["1.5", "NA", " 3"]))]);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("as_text.parquet");
    Columnar::Parquet.write(File::create(&file).unwrap(), &table).unwrap();
    let panel = Reader { fill: Fill::Interpolate, ..Reader::default() }.read(&file).unwrap();
    assert_eq!(panel.series()[0].values(), [1.5, 2.25, 3.0]);
}

#[test]
fn kinds_of_a_forecasts_columns_do_not_depend_on_their_values() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kinds.csv");
    // As pandas writes it, with its index; ids and forecasts are whole numbers, one model has none.
    std::fs::write(&file, ",unique_id,ds,Naive,None\n0,001,7,5,\n1,001,8,5,\n").unwrap();
    let frame = Frame::read(&file, &Columns::default()).unwrap();
    let table = frame.to_table();
    let kind = |name: &str| table.column(name).unwrap().kind();
    let kinds = ["unique_id", "ds", "Naive", "None"].map(kind);
    assert_eq!(kinds, [Kind::Text, Kind::Integer, Kind::Float, Kind::Float]);
    assert_eq!(table.column("None").unwrap().missing(), [0, 1]);
    let packed = file.with_extension("parquet");
    Columnar::Parquet.write(File::create(&packed).unwrap(), &table).unwrap();
    assert_eq!(Frame::read(&packed, &Columns::default()).unwrap().id(1), "001");
    let none = frame.head(0).to_table();
    Columnar::Arrow.write(Vec::new(), &none).unwrap();
}
