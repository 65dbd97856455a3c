//! Parquet and Arrow files of series.

use std::fs::File;
use std::path::Path;
use whimbrel_data::Columnar;
use whimbrel_data::{Column, Kind, Table, Values, csv, time};
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

/// A series of so many hours that end with a moment, in UTC, in a file whose zone is two hours ahead.
fn hours(file: &Path, count: i64, last: &str) {
    let last = time::parse(last.as_bytes()).unwrap();
    let at = (0..count).map(|hour| last - (count - 1 - hour) * 3_600_000_000).collect();
    let times = Column::new(Values::Time(at)).in_zone(Some(7200));
    let values = Column::new(Values::Integer((0..count).collect()));
    let table = Table::of(vec![("ds".into(), times), ("y".into(), values)]);
    Columnar::Parquet.write(File::create(file).unwrap(), &table).unwrap();
}

#[test]
fn a_row_alone_in_the_last_batch_does_not_make_midnights_days() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("batches.parquet");
    hours(&file, (1 << 16) + 1, "2024-01-21 22:00:00");
    let panel = Reader::default().read(&file).unwrap();
    assert_eq!((panel.frequency().to_string().as_str(), panel.rows()), ("h", (1 << 16) + 1));
}

#[test]
fn forecasts_of_a_zoned_file_are_in_its_zone_in_every_format() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let series = folder.join("zoned_series.parquet");
    hours(&series, 48, "2024-01-21 20:00:00");
    let future = Reader::default().read(&series).unwrap().future(2).unwrap();
    let forecast = future.with_column("Naive", vec![47.0, 48.0]);
    let mut csv = Vec::new();
    forecast.write_csv(&mut csv).unwrap();
    let expected = "unique_id,ds,Naive\nzoned_series,2024-01-21 23:00:00+02:00,47\n\
                    zoned_series,2024-01-22 00:00:00+02:00,48\n";
    assert_eq!(String::from_utf8(csv).unwrap(), expected);
    for (format, name) in [(Columnar::Parquet, "zoned.parquet"), (Columnar::Arrow, "zoned.arrow")] {
        let file = folder.join(name);
        format.write(File::create(&file).unwrap(), &forecast.to_table()).unwrap();
        assert_eq!(Frame::read(&file, &Columns::default()).unwrap(), forecast, "{name}");
    }
}

#[test]
fn midnights_of_a_zone_are_days_in_columnar_files_too() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("zoned_days.parquet");
    let at = ["2024-01-20 22:00", "2024-01-21 22:00", "2024-01-22 22:00"];
    let at = at.map(|at| time::parse(at.as_bytes()).unwrap()).to_vec();
    let times = Column::new(Values::Time(at)).in_zone(Some(7200));
    let values = Column::new(Values::Integer(vec![1, 2, 3]));
    let table = Table::of(vec![("ds".into(), times), ("y".into(), values)]);
    Columnar::Parquet.write(File::create(&file).unwrap(), &table).unwrap();
    let panel = Reader::default().read(&file).unwrap();
    assert_eq!(panel.frequency().to_string(), "D");
    assert_eq!(panel.series()[0].start().to_string(), "2024-01-21");
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
