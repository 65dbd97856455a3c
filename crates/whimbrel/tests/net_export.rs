//! `whimbrel net export`: the files are those that PyTorch and ONNX Runtime were seen to agree with, and
//! where both are installed, they are asked again.
//!
//! The networks, their weights and the files lie in `peers`, made by `peers/make`.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::{folder, root, text, whimbrel};

const NETWORKS: [&str; 9] =
    ["activations", "attention", "conv1d", "embedding", "gaps", "gru", "lstm", "mlp", "rnn"];

fn peers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers")
}

/// Runs `whimbrel net COMMAND` on a network of `peers` with its weights.
fn net(command: &str, name: &str, arguments: &[&str]) -> Output {
    let file = peers().join(name).with_extension("toml");
    let weights = peers().join(name).with_extension("weights");
    let mut whimbrel = whimbrel();
    whimbrel.args(["net", command]).arg(file).arg("--weights").arg(weights).args(arguments);
    whimbrel.output().unwrap()
}

fn done(output: Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn exported_files_are_the_golden_ones() {
    let folder = folder("export_golden");
    for name in NETWORKS {
        for ending in ["safetensors", "onnx"] {
            let made = folder.join(name).with_extension(ending);
            done(net("export", name, &["--out", made.to_str().unwrap()]));
            let golden = fs::read(peers().join(name).with_extension(ending)).unwrap();
            assert!(fs::read(&made).unwrap() == golden, "{name}.{ending}");
        }
    }
}

#[test]
fn the_result_is_said_as_json() {
    let folder = folder("export_json");
    for ending in ["safetensors", "onnx"] {
        let file = folder.join("mlp").with_extension(ending);
        let file = file.to_str().unwrap();
        let said = done(net("export", "mlp", &["--out", file]));
        let result = done(net("export", "mlp", &["--out", file, "--json"]));
        let result: serde_json::Value = serde_json::from_str(&result).unwrap();
        assert_eq!((&result["file"], &result["format"]), (&file.into(), &ending.into()));
        assert_eq!(said, format!("{file}: {} numbers\n", result["numbers"]));
    }
}

#[test]
fn biases_are_vectors_and_taps_come_last() {
    let bytes = fs::read(peers().join("conv1d.safetensors")).unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header: serde_json::Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    assert_eq!(header["2.weight"]["shape"], serde_json::json!([6, 1, 3]));
    assert_eq!(header["2.bias"]["shape"], serde_json::json!([6]));
    assert_eq!(header["1.running_var"]["shape"], serde_json::json!([3]));
    let network = header["__metadata__"]["whimbrel.network"].as_str().unwrap();
    let network: serde_json::Value = serde_json::from_str(network).unwrap();
    assert_eq!(network["layers"][2]["kernel_size"], 3);
}

/// Needs a Python with torch, onnx and onnxruntime: that of WHIMBREL_PYTHON, of .venv, or python3.
#[test]
fn pytorch_and_onnx_runtime_predict_the_same() {
    let folder = folder("export_peers");
    for name in NETWORKS {
        for ending in ["safetensors", "onnx"] {
            let made = folder.join(name).with_extension(ending);
            done(net("export", name, &["--out", made.to_str().unwrap()]));
        }
        let own = peers().join(name).with_extension("csv");
        let rows = if own.exists() { own } else { peers().join("rows.csv") };
        fs::copy(&rows, folder.join(rows.file_name().unwrap())).unwrap();
        let ours = done(net("predict", name, &["--json", "--data", rows.to_str().unwrap()]));
        fs::write(folder.join(name).with_extension("jsonl"), ours).unwrap();
    }
    let own = root().join(".venv/bin/python");
    let python = std::env::var_os("WHIMBREL_PYTHON").map(PathBuf::from);
    let python = python.or(own.exists().then_some(own)).unwrap_or("python3".into());
    let script = peers().join("check.py");
    match Command::new(&python).arg(script).arg(&folder).output() {
        Err(error) => eprintln!("skipped, {} does not run: {error}", python.display()),
        Ok(output) if output.status.code() == Some(77) => {
            eprintln!("skipped, {} says: {}", python.display(), text(&output.stdout).trim());
        }
        Ok(output) => {
            let said = text(&output.stdout);
            assert!(output.status.success(), "{said}{}", text(&output.stderr));
            assert_eq!(said.lines().count(), 2 * NETWORKS.len(), "{said}");
        }
    }
}

#[test]
fn what_cannot_be_exported_is_refused_by_name() {
    let refused = |output: Output, says: &str| {
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(says), "{message}");
    };
    refused(net("export", "mlp", &["--out", "mlp.pth"]), "let the name end in .safetensors or");
    let file = peers().join("mlp.toml");
    let out = folder("export_none").join("mlp.onnx");
    let mut untrained = whimbrel();
    untrained.args(["net", "export"]).arg(file).arg("--out").arg(&out);
    refused(untrained.output().unwrap(), "there are no weights");
    assert!(!out.exists());
    // Weights of another network.
    let mut other = whimbrel();
    other.args(["net", "export"]).arg(peers().join("mlp.toml")).arg("--out").arg(&out);
    refused(
        other.arg("--weights").arg(peers().join("gru.weights")).output().unwrap(),
        "gru.weights",
    );
    assert!(!out.exists());
}
