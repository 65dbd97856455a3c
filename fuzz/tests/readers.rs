//! No reader panics on damaged files or takes memory they only declare.

use std::path::Path;
use whimbrel_data::array::{Stream, idx, npy, npz};
use whimbrel_data::{Columnar, DataError, csv};
use whimbrel_engine::{Session, read_metadata};
use whimbrel_fann::{FixedNetwork, Network, TrainData};
use whimbrel_forecast::{Columns, Fill, Fitted, Panel, Reader, Series};
use whimbrel_fuzz::Target;
use whimbrel_graph::{Builder, Init};
use whimbrel_nn::file::NetworkFile;
use whimbrel_nn::summarise;
use whimbrel_threads::Pool;

/// The error as a text, and nothing else.
fn told<T, E: ToString>(result: Result<T, E>) -> Result<(), String> {
    result.map(|_| ()).map_err(|error| error.to_string())
}

/// Whether an array can be read to its end some rows at a time.
fn streams(stream: Result<Stream, DataError>) -> bool {
    stream.is_ok_and(|mut arrays| arrays.all(|array| array.is_ok()))
}

#[test]
fn csv_files() {
    let words: &[&[u8]] = &[b",", b"\"", b"\"\"", b"\r\n", b"\n\n", b"NA", b"2024-02-29", b"1e308"];
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz.csv");
    let pool = Pool::new(1);
    let read = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let whole = csv::read_on(&path, &csv::Options::default(), &pool);
        // The cut of the blocks must not decide whether a file is read.
        let cut = csv::read_on(&path, &csv::Options::default().block_bytes(61), &pool);
        assert_eq!(whole.is_ok(), cut.is_ok());
        told(whole)
    };
    Target { name: "csv", words, read: &read }.run();
}

#[test]
fn files_of_series() {
    let words: &[&[u8]] = &[
        b"unique_id,ds,y\n",
        b"2024-02-29",
        b"2024Q1",
        b"T00:00+02:00",
        b"01/02/2024",
        b"31-Jan-2024",
        b"202401",
        b"-9223372036854775808",
        b"NaN",
        b"a,",
    ];
    let readers = [
        Reader::default(),
        Reader { fill: Fill::Mask, ..Reader::default() },
        Reader { fill: Fill::Interpolate, frequency: "1mo".parse().ok(), ..Reader::default() },
        Reader { fill: Fill::Forward, wide: true, ..Reader::default() },
    ];
    let read = |bytes: &[u8]| {
        let panels = readers.each_ref().map(|reader| reader.read_bytes("x.csv", bytes));
        for panel in panels.iter().flatten() {
            let known = |series: &Series| series.values().iter().any(|x| !x.is_nan());
            assert!(panel.series().iter().all(known));
            assert!(panel.series().is_sorted_by(|a, b| a.id() < b.id()));
            let _ = (panel.future(3), panel.span(), panel.hold_out(2));
        }
        panels.into_iter().try_for_each(told)
    };
    Target { name: "series", words, read: &read }.run();
}

#[test]
fn parquet_files() {
    let words: &[&[u8]] = &[b"PAR1", b"\x15\x00", b"\x15\x02", b"\xff\xff\xff\xff\x0f", b"schema"];
    let read = |bytes: &[u8]| told(Columnar::Parquet.read_bytes("x.parquet", bytes, None));
    Target { name: "parquet", words, read: &read }.run();
}

#[test]
fn arrow_files() {
    let words: &[&[u8]] = &[
        b"ARROW1",
        b"\xff\xff\xff\xff",
        b"\xff\xff\xff\xff\xff\xff\xff\x7f",
        b"\x00\x00\x00\x00\x00\x10\x00\x00",
    ];
    let read = |bytes: &[u8]| told(Columnar::Arrow.read_bytes("x.arrow", bytes, None));
    Target { name: "arrow", words, read: &read }.run();
}

#[test]
fn numpy_files() {
    let words: &[&[u8]] =
        &[b"'descr'", b"'shape'", b"'fortran_order'", b"True", b"(", b"),", b"'<f8'", b"\x93NUMPY"];
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz.npy");
    let read = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let whole = npy::from_bytes("x.npy", bytes);
        assert!(whole.is_ok() || !streams(Stream::npy(&path, 2)));
        told(whole)
    };
    Target { name: "npy", words, read: &read }.run();
}

#[test]
fn numpy_archives() {
    let words: &[&[u8]] = &[b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06", b".npy"];
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz.npz");
    let read = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        // One array can be whole where another is not.
        streams(Stream::npz(&path, "x", 2));
        told(npz::from_bytes("x.npz", bytes))
    };
    Target { name: "npz", words, read: &read }.run();
}

#[test]
fn idx_files() {
    let words: &[&[u8]] = &[b"\0\0\x08", b"\0\0\x0d", b"\xff\xff\xff\xff", b"\x1f\x8b"];
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz.idx");
    let read = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let whole = idx::from_bytes("x.idx", bytes);
        assert!(whole.is_ok() || !streams(Stream::idx(&path, 2)));
        told(whole)
    };
    Target { name: "idx", words, read: &read }.run();
}

#[test]
fn network_files() {
    let words: &[&[u8]] = &[
        b"[[network.layers]]\n",
        b"type = \"lstm\"\n",
        b"type = \"conv1d\"\n",
        b"type = \"residual\"\n",
        b"shape = [1, 2]\n",
        b"hidden_size = 3\n",
        b"kernel_size = 3\n",
        b"padding = 1000000\n",
        b"stride = 0\n",
        b"is_causal = true\n",
        b"{ type = \"",
        b"layers = [",
        b"groups = [",
        b"nan",
        b"-inf",
    ];
    let read = |bytes: &[u8]| {
        let Ok(text) = std::str::from_utf8(bytes) else { return Ok(()) };
        let file = NetworkFile::parse(Path::new("x.toml"), text.into());
        let file = file.map_err(|error| error.to_string())?;
        told(summarise(&file.network(), 2))
    };
    Target { name: "toml", words, read: &read }.run();
}

#[test]
fn parameter_files() {
    let words: &[&[u8]] =
        &[b"\"dtype\":", b"\"F32\"", b"\"shape\":[", b"\"data_offsets\":[", b"\"__metadata__\":{"];
    let g = Builder::new();
    let x = g.batch("x", [3, 4]).unwrap();
    let w = g.parameter("w", [2, 3], Init::Zeros).unwrap();
    let b = g.parameter("b", [2, 1], Init::Zeros).unwrap();
    g.output("y", w.dot(x).unwrap().add(b).unwrap());
    let session = std::cell::RefCell::new(Session::new(&g.finish().unwrap()).unwrap());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz.safetensors");
    let read = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let metadata = read_metadata(&path);
        told(session.borrow_mut().load(&path, |_| true)).and(told(metadata))
    };
    Target { name: "safetensors", words, read: &read }.run();
}

#[test]
fn saved_models() {
    let words: &[&[u8]] = &[
        b"\\\"horizon\\\":",
        b"\\\"input_size\\\":",
        b"\\\"version\\\":1",
        b"99999999999",
        b"{\\\"type\\\":\\\"MLP\\\",\\\"num_layers\\\":9,\\\"hidden_size\\\":9}",
        b"\\\"NHITS\\\"",
        b"null",
        b"[]",
    ];
    let csv = b"unique_id,ds,y\na,1,1\na,2,2\na,3,1\n";
    let panel = Panel::from_csv("t", &csv[..], &Columns::default(), None).unwrap();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("saved.safetensors");
    let read = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let (mut fitted, _) = Fitted::load(&path, 1).map_err(|error| error.to_string())?;
        let frame = fitted.predict(&panel).map_err(|error| error.to_string())?;
        let conformal = fitted.conformal().map(|errors| errors.intervals(frame, &[90.0]));
        told(conformal.transpose())
    };
    Target { name: "saved", words, read: &read }.run();
}

#[test]
fn fann_networks() {
    let words: &[&[u8]] = &[
        b"FANN_FLO_2.1\n",
        b"FANN_FIX_2.0\ndecimal_point=13\n",
        b"FANN_FLO_1.1\n",
        b"network_type=1\n",
        b"connection_rate=0.500000\n",
        b"layer_sizes=3 3 2 \n",
        b"4294967295",
        b"-1",
        b"(3, 5, 5e-01) ",
        b"(2, 1e+38) ",
        b"nan",
        b"inf",
    ];
    let read = |bytes: &[u8]| {
        if let Ok(mut fixed) = FixedNetwork::from_bytes("x.net", bytes) {
            let _ = fixed.run(&vec![1; fixed.num_input()]);
        }
        let network = Network::<f32>::from_bytes("x.net", bytes);
        let mut network = network.map_err(|error| error.to_string())?;
        let data = TrainData::new(3, network.num_input(), network.num_output());
        let data = data.map_err(|error| error.to_string())?;
        network.train_epoch(&data).map_err(|error| error.to_string())?;
        // What was read is written so that it is read again.
        told(Network::<f64>::from_bytes("y.net", network.to_text().as_bytes()))
    };
    Target { name: "fann_net", words, read: &read }.run();
}

#[test]
fn fann_data() {
    let words: &[&[u8]] = &[b"4294967295", b"-1", b"1e39", b"nan", b"inf", b"0x1p3", b"2 1 1\n"];
    let read = |bytes: &[u8]| {
        let data =
            TrainData::<f32>::from_bytes("x.data", bytes).map_err(|error| error.to_string())?;
        told(TrainData::<f32>::from_bytes("y.data", data.to_text().as_bytes()))
    };
    Target { name: "fann_data", words, read: &read }.run();
}
