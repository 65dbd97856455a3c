//! `whimbrel net` on files other than small CSV ones, and on files in which something is missing.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::{folder, text, whimbrel};
use whimbrel::data::Array;
use whimbrel::data::array::{Elements, npy};

const NETWORK: &str = r#"
[data]
DATA
validation = 0.2

[[network.layers]]
type = "linear"
out_features = 8
[[network.layers]]
type = "tanh"
[[network.layers]]
type = "linear"
out_features = 1

[training]
loss = { type = "mse" }
optimiser = { type = "adam", lr = 0.01 }
epochs = 20
batch_size = 16
"#;

/// An empty folder with a network file that has these lines under `[data]`.
fn network(test: &str, data: &str) -> PathBuf {
    let folder = folder(test);
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("net.toml"), NETWORK.replacen("DATA", data, 1)).unwrap();
    folder
}

/// The inputs of a row, and its target.
fn row(i: usize) -> ([f32; 2], f32) {
    let (x, y) = ((i % 13) as f32 / 13.0, (i % 7) as f32 / 7.0);
    ([x, y], x * y)
}

fn csv(rows: usize) -> String {
    let line = |i| {
        let ([a, b], y) = row(i);
        format!("{a},{b},{y}\n")
    };
    format!("a,b,y\n{}", (0..rows).map(line).collect::<String>())
}

fn write_npy(path: &Path, shape: Vec<usize>, numbers: Vec<f32>) {
    let array = Array::new(shape, Elements::F32(numbers)).unwrap();
    npy::write(fs::File::create(path).unwrap(), &array).unwrap();
}

/// Runs a command in a folder; gives the exit code, what was printed, and what was said.
fn net(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = whimbrel().current_dir(folder).arg("net").args(arguments).output().unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn done(folder: &Path, arguments: &[&str]) -> String {
    let (code, printed, said) = net(folder, arguments);
    assert_eq!(code, Some(0), "{said}");
    printed
}

fn refused(folder: &Path, arguments: &[&str], says: &str) {
    let (code, _, said) = net(folder, arguments);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains(says), "{said:?} lacks {says:?}");
}

/// The numbers learned; tables also have the names of their columns before them.
fn weights(folder: &Path) -> Vec<u8> {
    let bytes = fs::read(folder.join("net.run/weights.safetensors")).unwrap();
    let header = u64::from_le_bytes(bytes[..8].try_into().unwrap());
    bytes[8 + header as usize..].to_vec()
}

#[test]
fn arrays_are_learned_like_the_same_table() {
    let table = network("formats_csv", "file = \"d.csv\"\ntarget = \"y\"");
    fs::write(table.join("d.csv"), csv(90)).unwrap();
    done(&table, &["train", "net.toml"]);

    let arrays = network("formats_npy", "file = \"x.npy\"\ntarget_file = \"y.npy\"");
    write_npy(&arrays.join("x.npy"), vec![90, 2], (0..90).flat_map(|i| row(i).0).collect());
    write_npy(&arrays.join("y.npy"), vec![90], (0..90).map(|i| row(i).1).collect());
    done(&arrays, &["train", "net.toml"]);
    assert!(weights(&arrays) == weights(&table));

    let scores = done(&table, &["eval", "net.toml"]);
    assert_eq!(done(&arrays, &["eval", "net.toml"]), scores);
    assert_eq!(
        done(&arrays, &["eval", "net.toml", "--data", "x.npy", "--targets", "y.npy"]),
        scores
    );
    let predictions = done(&table, &["predict", "net.toml", "--data", "d.csv"]);
    assert_eq!(done(&arrays, &["predict", "net.toml", "--data", "x.npy"]), predictions);
    assert_eq!(predictions.lines().count(), 91);
}

#[test]
fn streamed_arrays_are_learned_like_the_same_streamed_table() {
    let stream = "stream = true\nmissing = \"drop\"";
    let table =
        network("formats_csv_stream", &format!("file = \"d.csv\"\ntarget = \"y\"\n{stream}"));
    let gap = |i: usize| i == 17;
    let lines: Vec<String> = csv(90).lines().map(String::from).collect();
    let with_gap = lines.iter().enumerate().map(|(i, line)| match i {
        18 => format!(",{}\n", line.split_once(',').unwrap().1),
        _ => format!("{line}\n"),
    });
    fs::write(table.join("d.csv"), with_gap.collect::<String>()).unwrap();
    done(&table, &["train", "net.toml"]);
    let data = format!("file = \"x.npy\"\ntarget_file = \"y.npy\"\n{stream}");
    let arrays = network("formats_npy_stream", &data);
    let inputs = |i| if gap(i) { [f32::NAN, row(i).0[1]] } else { row(i).0 };
    write_npy(&arrays.join("x.npy"), vec![90, 2], (0..90).flat_map(inputs).collect());
    write_npy(&arrays.join("y.npy"), vec![90], (0..90).map(|i| row(i).1).collect());
    done(&arrays, &["train", "net.toml"]);
    assert!(weights(&arrays) == weights(&table));
    let scores = done(&arrays, &["eval", "net.toml"]);
    assert_eq!(scores, done(&table, &["eval", "net.toml"]));
    assert!(scores.contains("rows      89"), "{scores}");
    let says = "x.npy, row 18, column 1: has no value";
    refused(&arrays, &["predict", "net.toml", "--data", "x.npy"], says);
    write_npy(&arrays.join("z.npy"), vec![90, 2], (0..90).flat_map(|i| row(i).0).collect());
    fs::write(table.join("z.csv"), csv(90)).unwrap();
    assert_eq!(
        done(&arrays, &["predict", "net.toml", "--data", "z.npy"]),
        done(&table, &["predict", "net.toml", "--data", "z.csv"])
    );
}

#[test]
fn arrays_that_do_not_fit_are_refused() {
    let folder = network("formats_npy_bad", "file = \"x.npy\"\ntarget_file = \"y.npy\"");
    write_npy(&folder.join("x.npy"), vec![3, 2], vec![0.5; 6]);
    write_npy(&folder.join("y.npy"), vec![4], vec![0.5; 4]);
    refused(&folder, &["train", "net.toml"], "y.npy: has 4 targets for 3 rows of inputs");
    write_npy(&folder.join("y.npy"), vec![], vec![0.5]);
    refused(&folder, &["train", "net.toml"], "y.npy: has no rows; its first axis counts them");
    let mut inputs = vec![0.5; 6];
    inputs[3] = f32::NAN;
    write_npy(&folder.join("x.npy"), vec![3, 2], inputs);
    write_npy(&folder.join("y.npy"), vec![3], vec![0.5; 3]);
    refused(&folder, &["train", "net.toml"], "x.npy, row 2, column 2: has no value; fill it in");
    assert!(!folder.join("net.run").exists(), "nothing is written");
}

#[test]
fn missing_values_are_refused_dropped_or_counted_as_zero() {
    let whole = csv(90);
    // A row without an input and one without a target, which are rows of the whole table otherwise.
    let mut lines: Vec<String> = whole.lines().map(String::from).collect();
    lines.insert(4, "0.5,,0.25".into());
    lines.insert(9, "0.5,NA,0.25".into());
    lines.insert(30, "0.5,0.5,".into());
    let gaps = lines.join("\n");
    let table = network("missing_none", "file = \"d.csv\"\ntarget = \"y\"");
    fs::write(table.join("d.csv"), &whole).unwrap();
    done(&table, &["train", "net.toml"]);
    fs::write(table.join("gaps.csv"), &gaps).unwrap();
    refused(
        &table,
        &["eval", "net.toml", "--data", "gaps.csv"],
        "gaps.csv:5, column \"b\": is empty",
    );

    let dropped = network("missing_drop", "file = \"d.csv\"\ntarget = \"y\"\nmissing = \"drop\"");
    fs::write(dropped.join("d.csv"), &gaps).unwrap();
    done(&dropped, &["train", "net.toml"]);
    assert!(weights(&dropped) == weights(&table));
    let says = "d.csv:5, column \"b\": is empty";
    refused(&dropped, &["predict", "net.toml", "--data", "d.csv"], says);

    let zero = network("missing_zero", "file = \"d.csv\"\ntarget = \"y\"\nmissing = \"zero\"");
    fs::write(zero.join("d.csv"), &gaps).unwrap();
    refused(&zero, &["train", "net.toml"], "d.csv:31, column \"y\": is empty");
    lines.remove(30);
    fs::write(zero.join("d.csv"), lines.join("\n")).unwrap();
    done(&zero, &["train", "net.toml"]);
    let filled = lines.join("\n").replacen("0.5,,", "0.5,0,", 1).replacen("NA", "0", 1);
    fs::write(table.join("filled.csv"), filled).unwrap();
    let expected = done(&table, &["predict", "net.toml", "--data", "filled.csv"]);
    let weights = table.join("net.run/weights.safetensors");
    let other = ["predict", "net.toml", "--data", "d.csv", "--weights", weights.to_str().unwrap()];
    assert_eq!(done(&zero, &other), expected);
}

#[test]
fn a_column_weighs_the_rows() {
    let folder = network("weights", "file = \"d.csv\"\ntarget = \"y\"\nweight = \"w\"");
    // Every third row is wrong, and counts for nothing.
    let line = |i: usize| {
        let ([a, b], y) = row(i);
        if i.is_multiple_of(3) { format!("{a},0,{b},9\n") } else { format!("{a},2,{b},{y}\n") }
    };
    let table: String = (0..90).map(line).collect();
    fs::write(folder.join("d.csv"), format!("a,w,b,y\n{table}")).unwrap();
    done(&folder, &["train", "net.toml"]);
    let loss = |data: &str| -> f64 {
        let printed = done(&folder, &["eval", "net.toml", "--data", data, "--json"]);
        let scores: serde_json::Value = serde_json::from_str(&printed).unwrap();
        scores["scores"]["loss"].as_f64().unwrap()
    };
    assert!(loss("d.csv") < 0.1, "{}", loss("d.csv"));
    fs::write(folder.join("alike.csv"), format!("a,w,b,y\n{}", table.replace(",0,", ",2,")))
        .unwrap();
    assert!(loss("alike.csv") > 1.0, "{}", loss("alike.csv"));

    // Nothing but the inputs is needed to predict.
    fs::write(folder.join("inputs.csv"), "a,b\n0.5,0.5\n").unwrap();
    assert_eq!(done(&folder, &["predict", "net.toml", "--data", "inputs.csv"]).lines().count(), 2);

    fs::write(folder.join("bad.csv"), "a,w,b,y\n0.5,1,0.5,1\n0.5,-1,0.5,1\n").unwrap();
    let says = "bad.csv:3, column \"w\": is -1; give weights that are not negative";
    refused(&folder, &["eval", "net.toml", "--data", "bad.csv"], says);
}

#[test]
fn columns_of_indices_are_learned_and_what_is_none_is_refused_with_its_line() {
    let embedding = |text: String| {
        let table = "type = \"embedding\"\nnum_embeddings = 5\nembedding_dim = 3";
        text.replace("type = \"linear\"\nout_features = 8", table).replace("tanh", "flatten")
    };
    let write = |folder: &Path, data: &str| {
        let text = embedding(NETWORK.replacen("DATA", data, 1));
        fs::write(folder.join("net.toml"), text).unwrap();
    };
    let data = "file = \"d.csv\"\ntarget = \"y\"";
    let folder = network("formats_indices", data);
    write(&folder, data);
    let line = |i: usize| format!("{},{},{}\n", i / 5, i % 5, (i / 5) * (i % 5));
    let table = format!("a,b,y\n{}", (0..25).map(line).collect::<String>());
    fs::write(folder.join("d.csv"), &table).unwrap();
    done(&folder, &["train", "net.toml"]);
    assert!(done(&folder, &["info", "net.toml"]).contains("embedding              [2, 3]"));
    let predictions = done(&folder, &["predict", "net.toml", "--data", "d.csv"]);
    assert_eq!(predictions.lines().count(), 26);
    for wrong in ["7", "-1", "0.5"] {
        fs::write(folder.join("d.csv"), table.replacen("0,2,0", &format!("0,{wrong},0"), 1))
            .unwrap();
        let says =
            format!("d.csv:4, column \"b\": is {wrong}, which is no index of an embedding of 5");
        refused(&folder, &["eval", "net.toml"], &says);
    }
    write(&folder, &format!("{data}\nmissing = \"mean\""));
    let says = "missing is mean: indices of an embedding have none";
    refused(&folder, &["train", "net.toml"], says);
}

#[test]
fn missing_inputs_count_as_the_mean_that_was_learned() {
    let data = "file = \"d.csv\"\ntarget = \"y\"\nmissing = \"mean\"";
    let folder = network("missing_mean", data);
    let mut lines: Vec<String> = csv(90).lines().map(String::from).collect();
    lines.insert(4, "0.5,,0.25".into());
    lines.insert(9, "NA,0.5,0.25".into());
    fs::write(folder.join("d.csv"), lines.join("\n")).unwrap();
    done(&folder, &["train", "net.toml"]);
    done(&folder, &["export", "net.toml", "--out", "net.safetensors"]);
    let exported = fs::read(folder.join("net.safetensors")).unwrap();
    let length = u64::from_le_bytes(exported[..8].try_into().unwrap()) as usize;
    let header: serde_json::Value = serde_json::from_slice(&exported[8..8 + length]).unwrap();
    assert!(header.get("inputs.mean").is_none(), "no weight of a layer: {header}");
    let described = header["__metadata__"]["whimbrel.network"].as_str().unwrap();
    let described: serde_json::Value = serde_json::from_str(described).unwrap();
    let mean = |input: usize| described["inputs"]["mean"][input].as_f64().unwrap() as f32;
    let (a, b) = (mean(0), mean(1));
    assert!((0.4..0.5).contains(&a) && (0.4..0.5).contains(&b), "{described}");
    // A gap and the mean in its place are predicted the same, alone and among others.
    fs::write(folder.join("gaps.csv"), "a,b\n,0.5\n0.5,\n").unwrap();
    fs::write(folder.join("filled.csv"), format!("a,b\n{a},0.5\n0.5,{b}\n")).unwrap();
    let predictions = done(&folder, &["predict", "net.toml", "--data", "gaps.csv"]);
    assert_eq!(done(&folder, &["predict", "net.toml", "--data", "filled.csv"]), predictions);
    assert!(done(&folder, &["eval", "net.toml"]).contains("rows      92"));
    fs::write(folder.join("d.csv"), "a,b,y\n0.5,0.5,\n").unwrap();
    refused(&folder, &["eval", "net.toml"], "d.csv:2, column \"y\": is empty");
}

/// The array of NumPy's archives is made by `fixtures/rows.py`, as [`row`] does.
#[test]
fn archives_of_numpy_are_learned_like_the_same_table() {
    let table = network("formats_npz_csv", "file = \"d.csv\"\ntarget = \"y\"");
    fs::write(table.join("d.csv"), csv(90)).unwrap();
    done(&table, &["train", "net.toml"]);
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/rows.npz");
    let names = "inputs = [\"points\"]\ntarget = \"products\"";
    let folder = network("formats_npz", &format!("file = \"rows.npz\"\n{names}"));
    fs::copy(fixture, folder.join("rows.npz")).unwrap();
    done(&folder, &["train", "net.toml"]);
    assert!(weights(&folder) == weights(&table));
    assert_eq!(done(&folder, &["eval", "net.toml"]), done(&table, &["eval", "net.toml"]));
    let predictions = done(&table, &["predict", "net.toml", "--data", "d.csv"]);
    assert_eq!(done(&folder, &["predict", "net.toml", "--data", "rows.npz"]), predictions);
    let other = NETWORK.replacen("DATA", "file = \"rows.npz\"\ntarget = \"products\"", 1);
    fs::write(folder.join("net.toml"), other).unwrap();
    let says = "rows.npz: there is no array \"x\"; it holds points, products";
    refused(&folder, &["train", "net.toml"], says);
}

/// An array of bytes as MNIST has it.
fn idx(sizes: &[u32], bytes: &[u8]) -> Vec<u8> {
    let sizes: Vec<u8> = sizes.iter().flat_map(|size| size.to_be_bytes()).collect();
    [&[0, 0, 8, (sizes.len() / 4) as u8], &sizes[..], bytes].concat()
}

#[test]
fn pictures_and_labels_of_mnists_format_are_learned_like_the_same_table() {
    let pixels: Vec<u8> = (0..90 * 6).map(|i| (i * i % 251) as u8).collect();
    let labels: Vec<u8> = (0..90).map(|i| pixels[6 * i] % 3).collect();
    let classes =
        |text: String| text.replace("\"mse\"", "\"cross_entropy\"").replace("= 1\n", "= 3\n");
    let table = network("formats_idx_csv", "file = \"d.csv\"\ntarget = \"y\"");
    let line = |i: usize| -> String {
        pixels[6 * i..][..6].iter().map(|x| format!("{x},")).collect::<String>()
            + &format!("{}\n", labels[i])
    };
    let lines: String = (0..90).map(line).collect();
    fs::write(table.join("d.csv"), format!("a,b,c,d,e,f,y\n{lines}")).unwrap();
    let names = ["train-images-idx3-ubyte", "train-labels-idx1-ubyte"];
    let data = format!("file = \"{}\"\ntarget_file = \"{}\"", names[0], names[1]);
    let folder = network("formats_idx", &data);
    fs::write(folder.join(names[0]), idx(&[90, 2, 3], &pixels)).unwrap();
    fs::write(folder.join(names[1]), idx(&[90], &labels)).unwrap();
    for folder in [&table, &folder] {
        let text = fs::read_to_string(folder.join("net.toml")).unwrap();
        fs::write(folder.join("net.toml"), classes(text)).unwrap();
        done(folder, &["train", "net.toml"]);
    }
    assert!(weights(&folder) == weights(&table));
    assert_eq!(done(&folder, &["eval", "net.toml"]), done(&table, &["eval", "net.toml"]));
    let predictions = done(&table, &["predict", "net.toml", "--data", "d.csv"]);
    assert_eq!(done(&folder, &["predict", "net.toml", "--data", names[0]]), predictions);
}

#[test]
fn a_large_file_is_predicted_for_like_its_parts() {
    let folder = network("formats_large", "file = \"d.csv\"\ntarget = \"y\"\nstream = true");
    let rows = 40_000;
    fs::write(folder.join("d.csv"), csv(rows)).unwrap();
    let auto = done(&folder, &["train", "net.toml", "--batch", "auto", "--json"]);
    let result: serde_json::Value = serde_json::from_str(&auto).unwrap();
    let batch = result["batch_size"].as_u64().unwrap();
    assert!(batch.is_power_of_two() && (16..=1000).contains(&batch), "{auto}");
    let again = done(&folder, &["train", "net.toml", "--batch", "auto", "--resume", "--json"]);
    let again: serde_json::Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again["batch_size"], batch, "a resumed run keeps its batch size");
    let all = done(&folder, &["predict", "net.toml", "--data", "d.csv"]);
    assert_eq!(all.lines().count(), rows + 1);
    fs::write(folder.join("few.csv"), csv(100)).unwrap();
    let few = done(&folder, &["predict", "net.toml", "--data", "few.csv"]);
    assert!(all.starts_with(&few));
    assert!(done(&folder, &["eval", "net.toml"]).contains(&format!("rows      {rows}")));
    assert!(done(&folder, &["info", "net.toml"]).contains("40000 rows, 2 inputs"));
}

#[test]
fn parquet_and_arrow_are_learned_like_the_same_table() {
    use whimbrel::csv::{self as reader, Options};
    use whimbrel::data::Columnar;
    let table = network("formats_columnar", "file = \"d.csv\"\ntarget = \"y\"");
    fs::write(table.join("d.csv"), csv(90)).unwrap();
    done(&table, &["train", "net.toml"]);
    let rows = reader::read(table.join("d.csv"), &Options::default()).unwrap();
    for stream in ["true", "false"] {
        let data = format!("file = \"d.csv\"\ntarget = \"y\"\nstream = {stream}");
        let expected = network("formats_columnar_csv", &data);
        fs::write(expected.join("d.csv"), csv(90)).unwrap();
        done(&expected, &["train", "net.toml"]);
        for ending in ["parquet", "arrow"] {
            let folder = network("formats_columnar_other", &data.replace("csv", ending));
            let file = fs::File::create(folder.join("d").with_extension(ending)).unwrap();
            match ending {
                "parquet" => Columnar::Parquet.write(file, &rows).unwrap(),
                _ => Columnar::Arrow.write(file, &rows).unwrap(),
            }
            done(&folder, &["train", "net.toml"]);
            assert!(weights(&folder) == weights(&expected), "{ending}, stream = {stream}");
        }
    }
}
