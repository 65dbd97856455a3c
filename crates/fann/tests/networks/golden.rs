//! Networks of libfann answer and learn here as they do there; see ../golden/make.py.

use std::path::PathBuf;
use whimbrel_fann::{Algorithm, FixedNetwork, Network, Real, TrainData};

fn path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "golden", name].iter().collect()
}

/// The numbers libfann gave, as (case, what, numbers).
fn expected() -> Vec<(String, String, Vec<f64>)> {
    let text = std::fs::read_to_string(path("expected.txt")).unwrap();
    let lines = text.lines().map(|line| {
        let mut words = line.split(' ');
        let (case, what) = (words.next().unwrap().into(), words.next().unwrap().into());
        (case, what, words.map(|word| word.parse().unwrap()).collect())
    });
    lines.collect()
}

fn network<T: Real>(case: &str) -> Network<T> {
    Network::load(path(&format!("{case}.net"))).unwrap()
}

const POINTS: [[f64; 2]; 4] = [[-1.0, 0.4], [0.25, -0.75], [0.0, 0.0], [3.0, 2.5]];

fn answers<T: Real>(case: &str, wanted: &[f64]) {
    let mut network = network::<T>(case);
    let rows = POINTS.map(|row| network.run(&row.map(T::of)).unwrap().to_vec());
    let given: Vec<f64> = rows.concat().iter().map(|y| y.f64()).collect();
    assert_eq!(given.len(), wanted.len(), "{case}");
    for (i, (given, wanted)) in given.iter().zip(wanted).enumerate() {
        assert!(
            (given - wanted).abs() <= 1e-6 * wanted.abs().max(1.0),
            "{case} {i}: {given} {wanted}"
        );
    }
}

#[test]
fn outputs_agree() {
    for (case, what, numbers) in expected() {
        match what.as_str() {
            "outputs_c_float" => answers::<f32>(&case, &numbers),
            "outputs_c_double" => answers::<f64>(&case, &numbers),
            _ => {}
        }
    }
}

fn data_of(case: &str) -> &'static str {
    match case {
        "wide" => "wide.data",
        _ if case.starts_with("activation_") => "pairs.data",
        _ => "waves.data",
    }
}

fn learns<T: Real>(case: &str, what: &str, errors: &[f64], bits: &[f64]) {
    let (name, rate) = what.split_once('_').map(|(name, _)| name).map_or((what, 0.0), |name| {
        (
            name,
            match name {
                "batch" if case.starts_with("activation_") => 0.3,
                "batch" => 0.5,
                "incremental" => 0.2,
                _ => 0.7,
            },
        )
    });
    let mut network = network::<T>(case);
    let data = TrainData::<T>::load(path(data_of(case))).unwrap();
    network.training.learning_rate = rate;
    network.training.training_algorithm = match name {
        "batch" => Algorithm::Batch,
        "rprop" => Algorithm::Rprop,
        "quickprop" => Algorithm::Quickprop,
        "sarprop" => Algorithm::Sarprop,
        _ => Algorithm::Incremental,
    };
    for (epoch, (wanted, bit_fail)) in errors.iter().zip(bits).enumerate() {
        let given = f64::from(network.train_epoch(&data).unwrap());
        assert!(
            (given - wanted).abs() <= 1e-4 * wanted,
            "{case} {what}, epoch {epoch}: {given}, libfann {wanted}"
        );
        // An output may stand on the limit itself.
        assert!((f64::from(network.bit_fail()) - bit_fail).abs() <= 1.0, "{case} {what} {epoch}");
    }
}

#[test]
fn errors_fall_alike() {
    let expected = expected();
    let mut seen = 0;
    for (case, what, errors) in &expected {
        let Some((name, kind)) = what.split_once("_c_") else { continue };
        if name.contains("bits") || name.contains("outputs") {
            continue;
        }
        let bits = format!("{name}_bits_c_{kind}");
        let (_, _, bits) = expected.iter().find(|e| e.0 == *case && e.1 == bits).unwrap();
        match kind {
            "float" => learns::<f32>(case, what, errors, bits),
            _ => learns::<f64>(case, what, errors, bits),
        }
        seen += 1;
    }
    assert!(seen > 60, "{seen}");
}

fn case(case: &str, what: &str) -> Vec<f64> {
    expected().into_iter().find(|e| e.0 == case && e.1 == what).unwrap().2
}

#[test]
fn scaling_agrees() {
    let mut network = network::<f32>("scaled");
    let mut row = [0.3, -2.0, 5.5];
    network.scale_input(&mut row).unwrap();
    let near =
        |a: &[f32], b: &[f64]| a.iter().zip(b).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-5);
    assert!(near(&row, &case("scaled", "input")), "{row:?}");
    let mut output = network.run(&row).unwrap().to_vec();
    network.descale_output(&mut output).unwrap();
    assert!(near(&output, &case("scaled", "output")), "{output:?}");
    network.descale_input(&mut row).unwrap();
    assert!(near(&row, &[0.3, -2.0, 5.5]), "{row:?}");
}

#[test]
fn fixed_point_agrees() {
    let floating = network::<f32>("floating");
    let exported = floating.to_fixed().unwrap();
    let text = std::fs::read_to_string(path("fixed.net")).unwrap();
    assert_eq!(exported.to_text(), text);
    assert_eq!(f64::from(exported.decimal_point()), case("fixed", "decimal_point")[0]);
    let mut fixed = FixedNetwork::load(path("fixed.net")).unwrap();
    let one = f64::from(fixed.multiplier());
    let rows = POINTS[..3].iter().map(|row| row.map(|x| (x * one) as i32));
    let outputs: Vec<f64> =
        rows.flat_map(|row| fixed.run(&row).unwrap().to_vec()).map(f64::from).collect();
    assert_eq!(outputs, case("fixed", "outputs"));
}

#[test]
fn files_are_written_as_libfann_writes_them() {
    for entry in std::fs::read_dir(path("")).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        let Some(case) = name.strip_suffix(".net").filter(|case| *case != "fixed") else {
            continue;
        };
        let text = std::fs::read_to_string(entry.path()).unwrap();
        assert_eq!(network::<f32>(case).to_text(), text, "{case}");
        assert_eq!(network::<f64>(case).to_text(), text, "{case}");
    }
    let data = TrainData::<f32>::load(path("waves.data")).unwrap();
    assert_eq!(TrainData::from_bytes("", data.to_text().as_bytes()), Ok(data));
}
