//! `whimbrel net plan` and `net profile`: what a training will need, and where its time goes.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::{folder, root, text, whimbrel};

/// Runs `whimbrel net` and expects success; gives what was printed.
fn net(arguments: &[&str]) -> String {
    let output = whimbrel().arg("net").args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn json(arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&net(arguments)).unwrap()
}

fn digits() -> String {
    root().join("examples/digits.toml").to_str().unwrap().into()
}

#[test]
fn the_plan_counts_bytes_by_what_they_are_for() {
    let plan = json(&["plan", &digits(), "--json", "--batch", "64"]);
    let bytes = |class: &str| plan["bytes"][class].as_u64().unwrap();
    assert!(bytes("parameters") > 0 && bytes("optimiser") >= 2 * bytes("parameters"), "{plan}");
    assert!(bytes("activations") > 0, "{plan}");
    let [arena, working, bound] =
        ["arena", "working", "lower_bound"].map(|key| plan[key].as_u64().unwrap());
    assert!(arena > working && working >= bound && bound > bytes("activations"), "{plan}");
    let larger = json(&["plan", &digits(), "--json", "--batch", "128"]);
    let doubled = larger["bytes"]["activations"].as_u64().unwrap();
    let growth = doubled as f64 / bytes("activations") as f64;
    assert!((1.9..=2.0).contains(&growth), "kept values grow with the batch: {growth}");
    assert_eq!(larger["bytes"]["parameters"], plan["bytes"]["parameters"]);
    let table = net(&["plan", &digits()]);
    for word in ["activations", "lower bound", "instructions", "MFLOP", "resident", "in all"] {
        assert!(table.contains(word), "{table}");
    }
}

/// A step of more bytes than there are addresses on x86-64, so that no machine gives them away.
#[test]
fn what_does_not_fit_into_memory_is_planned() {
    let file = dense("plan_huge", 10, 2, &[1 << 20; 16], "");
    let plan = json(&["plan", file.to_str().unwrap(), "--json", "--threads", "1"]);
    let parameters = plan["bytes"]["parameters"].as_u64().unwrap();
    assert!(plan["resident"]["all"].as_u64().unwrap() > 3 * parameters, "{plan}");
    assert!(3 * parameters > 1 << 47, "{plan}");
    assert!(net(&["plan", file.to_str().unwrap()]).contains(" TB\n"));
    let train = whimbrel().args(["net", "train", file.to_str().unwrap()]).output().unwrap();
    let message = text(&train.stderr);
    assert_eq!(train.status.code(), Some(1), "{message}");
    assert!(message.contains("out of memory"), "{message}");
    assert!(message.contains("whimbrel net plan shows what needs it"), "{message}");
}

/// 512 rows to learn from leave one batch size to be tried, whatever is fast here.
#[test]
fn a_batch_to_be_measured_is_planned_as_a_training_chooses_it() {
    let file = dense("plan_auto", 640, 4, &[8], "batch_size = \"auto\"");
    let path = file.to_str().unwrap();
    let plan = json(&["plan", path, "--json"]);
    assert_eq!(
        (&plan["batch"], &plan["batch_size_from"]),
        (&16.into(), &"measured".into()),
        "{plan}"
    );
    let table = net(&["plan", path]);
    assert!(table.starts_with("a training step of 16 rows; batch size 16, measured:"), "{table}");
    assert_eq!(json(&["train", path, "--json"])["batch_size"], 16);
    let given = json(&["plan", path, "--json", "--batch", "32"]);
    assert_eq!(
        (&given["batch"], &given["batch_size_from"]),
        (&32.into(), &"given".into()),
        "{given}"
    );
    assert!(net(&["plan", path, "--batch", "32"]).starts_with("a training step of 32 rows\n"));
    let few = dense("plan_few", 10, 4, &[8], "batch_size = \"auto\"");
    let plan = json(&["plan", few.to_str().unwrap(), "--json"]);
    assert_eq!((&plan["batch"], &plan["batch_size"]), (&8.into(), &16.into()), "{plan}");
    let profile = json(&["profile", path, "--json", "--steps", "1"]);
    assert_eq!(profile["batch_size"], 16);
}

#[test]
fn a_run_to_be_resumed_is_planned_with_its_batch() {
    let file = dense("plan_resumed", 640, 4, &[8], "batch_size = \"auto\"");
    let path = file.to_str().unwrap();
    net(&["train", path, "--batch", "24"]);
    let plan = json(&["plan", path, "--json"]);
    assert_eq!(
        (&plan["batch"], &plan["batch_size_from"]),
        (&24.into(), &"resumed".into()),
        "{plan}"
    );
    assert!(net(&["plan", path]).contains("24 rows; batch size 24, that of the run"));
}

#[test]
fn of_what_does_not_fit_the_smallest_batch_is_planned() {
    let file = dense("plan_huge_auto", 640, 2, &[1 << 20; 16], "batch_size = \"auto\"");
    let plan = json(&["plan", file.to_str().unwrap(), "--json", "--threads", "1"]);
    assert_eq!(
        (&plan["batch"], &plan["batch_size_from"]),
        (&16.into(), &"smallest".into()),
        "{plan}"
    );
}

#[test]
fn the_picture_shows_every_buffer_inside_the_arena() {
    let path = folder("plan_picture").join("arena.svg");
    net(&["plan", &digits(), "--out", path.to_str().unwrap()]);
    let picture = fs::read_to_string(path).unwrap();
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    for class in ["parameters", "activations", "gradients", "0.weight"] {
        assert!(picture.contains(class), "{class}");
    }
    let number = |line: &str, key: &str| -> f64 {
        let from = line.split_once(&format!(" {key}=\"")).unwrap().1;
        from.split_once('"').unwrap().0.parse().unwrap()
    };
    let buffers: Vec<_> = picture.lines().filter(|line| line.contains("<title>")).collect();
    assert!(buffers.len() > 10);
    for line in buffers.iter().filter(|line| line.starts_with("<rect")) {
        let (x, y) = (number(line, "x"), number(line, "y"));
        let (right, bottom) = (x + number(line, "width"), y + number(line, "height"));
        assert!((89.9..970.1).contains(&x) && right <= 970.1, "{line}");
        assert!((75.9..576.1).contains(&y) && bottom <= 576.1, "{line}");
    }
}

#[test]
fn the_profile_shows_every_instruction_and_writes_a_trace() {
    let trace = folder("profile").join("trace.json");
    let path = trace.to_str().unwrap();
    let table = net(&["profile", &digits(), "--steps", "3", "--trace", path]);
    assert!(table.contains("of limit") && table.contains("adam"), "{table}");
    let trace: serde_json::Value = serde_json::from_slice(&fs::read(&trace).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap().len();
    let profile = json(&["profile", &digits(), "--steps", "3", "--json"]);
    let instructions = profile["instructions"].as_array().unwrap();
    assert!(events >= 3 * instructions.len(), "{events}");
    let infer = json(&["profile", &digits(), "--steps", "3", "--infer", "--json"]);
    assert!(infer["instructions"].as_array().unwrap().len() < instructions.len());
}

/// A network file of dense layers, and rows of `inputs` columns beside it.
fn dense(test: &str, rows: usize, inputs: usize, hidden: &[usize], rest: &str) -> PathBuf {
    let folder = folder(test);
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir_all(&folder).unwrap();
    let mut csv: String = (0..inputs).map(|i| format!("x{i},")).collect();
    csv += "y\n";
    for row in 0..rows {
        for input in 0..inputs {
            csv += &format!("0.{:03},", (row * 7 + input * 13) % 1000);
        }
        csv += &format!("{}\n", row % 5);
    }
    fs::write(folder.join("rows.csv"), csv).unwrap();
    let linear = |n: &usize| format!("  {{ type = \"linear\", out_features = {n} }},\n");
    let layers: String = hidden.iter().map(|n| linear(n) + "  { type = \"relu\" },\n").collect();
    let text = format!(
        "[data]\nfile = \"rows.csv\"\ntarget = \"y\"\nvalidation = 0.2\n[network]\nlayers = [\n{layers}{}]\n\
         [training]\nloss = {{ type = \"mse\" }}\noptimiser = {{ type = \"adam\" }}\nsteps = 40\n{rest}\n",
        linear(&1)
    );
    fs::write(folder.join("net.toml"), text).unwrap();
    folder.join("net.toml")
}

/// The same file with its rows read again in every epoch.
#[cfg(target_os = "linux")]
fn streamed(file: PathBuf, settings: &str) -> PathBuf {
    let text = fs::read_to_string(&file).unwrap();
    let settings = format!("validation = 0.2\nstream = true\n{settings}");
    fs::write(&file, text.replacen("validation = 0.2", &settings, 1)).unwrap();
    file
}

/// An example that learns from sequences, for one epoch.
#[cfg(target_os = "linux")]
fn sequences(test: &str, name: &str) -> PathBuf {
    let (folder, examples) = (folder(test), root().join("examples"));
    fs::copy(examples.join("vowels.csv.gz"), folder.join("vowels.csv.gz")).unwrap();
    let text = fs::read_to_string(examples.join(name)).unwrap();
    fs::write(folder.join(name), text.replace("epochs = 40", "epochs = 1")).unwrap();
    folder.join(name)
}

/// The peak of resident memory of a training, in bytes, as the system counted it for the training
/// itself: a look from outside would miss the end of a short one.
#[cfg(target_os = "linux")]
fn measured(file: &Path, threads: &str) -> f64 {
    let _ = fs::remove_dir_all(file.with_extension("run"));
    let trained = json(&["train", file.to_str().unwrap(), "--json", "--threads", threads]);
    let phases = trained["monitor"].as_array().unwrap().iter();
    phases.filter_map(|phase| phase["peak_bytes"].as_f64()).fold(0.0, f64::max)
}

/// The middle of five: resident memory differs a little from run to run.
#[cfg(target_os = "linux")]
fn median(mut once: impl FnMut() -> f64) -> f64 {
    let mut all = [(); 5].map(|()| once());
    all.sort_by(f64::total_cmp);
    all[2]
}

/// Bytes by which even the middle of five runs of a command may differ from that of five others (single runs
/// spread over 2 MB on a quiet machine, and the middle of three once was 3.7 MB off): pages of
/// the program's own code, of which the system maps more or fewer around those that are used, and what
/// the allocator keeps of what threads that read have freed. The rehearsal of a plan also runs no code
/// that only some layers need.
#[cfg(target_os = "linux")]
const PAGES: f64 = 3e6;

/// The share that a prediction may be off beyond that: what is made while graphs are compiled and files
/// are written grows with them, and is not counted byte by byte.
#[cfg(target_os = "linux")]
const SHARE: f64 = 0.05;

/// From an empty program to millions of parameters, from four rows to tens of megabytes, held and streamed.
#[cfg(target_os = "linux")]
#[test]
fn resident_memory_is_predicted_within_a_twentieth() {
    let early = "early_stopping = { patience = 50 }\ncheckpoints = { every = 10 }";
    let often = "checkpoints = { every = 10 }";
    let cases = [
        ("tiny", dense("resident_tiny", 10, 2, &[8], often), "1"),
        ("wide rows", dense("resident_rows", 20_000, 40, &[32], often), "1"),
        ("256 k", dense("resident_small", 2000, 64, &[256, 256, 512], often), "1"),
        ("1 m", dense("resident_1m", 2000, 64, &[1000, 900], early), "1"),
        ("2 m", dense("resident_2m", 500, 64, &[1400, 1300], often), "1"),
        ("batch", dense("resident_batch", 4000, 64, &[512, 512], "batch_size = 2048"), "1"),
        ("two", dense("resident_two", 2000, 64, &[1000, 900], often), "2"),
        ("lstm", sequences("resident_lstm", "vowels_lstm.toml"), "1"),
        ("attention", sequences("resident_attention", "vowels_attention.toml"), "2"),
        ("streamed", streamed(dense("resident_streamed", 60_000, 40, &[32], often), ""), "1"),
        (
            "few held",
            streamed(dense("resident_few", 30_000, 40, &[32], often), "shuffle_rows = 1000"),
            "1",
        ),
    ];
    for (name, file, threads) in cases {
        let plan = || json(&["plan", file.to_str().unwrap(), "--json", "--threads", threads]);
        let predicted = median(|| plan()["resident"]["all"].as_f64().unwrap());
        let measured = median(|| measured(&file, threads));
        println!(
            "{name:<10} {:.2} {:.2} {:.3}",
            predicted / 1e6,
            measured / 1e6,
            predicted / measured
        );
        let close = (predicted - measured).abs() <= SHARE * measured + PAGES;
        let parts = &plan()["resident"]["parts"];
        assert!(close, "{name}: predicted {predicted}, measured {measured}: {parts}");
    }
}
