//! Files that are none are refused with FANN's code and words, and nothing is allocated for what they only declare.

use whimbrel_fann::{Error, FixedNetwork, Network, TrainData};

fn text() -> String {
    Network::<f32>::standard(&[2, 3, 1]).unwrap().to_text()
}

fn read(text: &str) -> Error {
    Network::<f32>::from_bytes("x.net", text.as_bytes()).unwrap_err()
}

/// The text with the line of a setting replaced.
fn with(name: &str, value: &str) -> String {
    let line = |line: &str| match line.split_once('=') {
        Some((found, _)) if found == name => format!("{name}={value}\n"),
        _ => format!("{line}\n"),
    };
    text().lines().map(line).collect()
}

#[test]
fn settings_that_cannot_be_are_named() {
    for (name, value) in [
        ("num_layers", "-3"),
        ("num_layers", "1"),
        ("num_layers", "4000000000"),
        ("learning_rate", "fast"),
        ("network_type", "7"),
        ("training_algorithm", "9"),
        ("cascade_activation_functions_count", "-1"),
        ("cascade_activation_functions", "99 "),
        ("layer_sizes", "-3 4 2 "),
        ("layer_sizes", "4294967295 4294967295 4294967295 "),
    ] {
        let error = read(&with(name, value));
        assert_eq!(error.code(), 4, "{name}={value}: {error}");
        let told = error.to_string();
        assert!(
            told.starts_with("Error reading \"")
                && told.ends_with("\" from configuration file \"x.net\".")
        );
    }
    let error = read(&with("learning_momentum", ""));
    assert_eq!(
        error.to_string(),
        "Error reading \"learning_momentum\" from configuration file \"x.net\"."
    );
}

#[test]
fn versions_unknown_are_refused() {
    for start in ["", "FANN", "FANN_FLO_3.0\n", "FANN_FIX_2.0\n", "PNG"] {
        let error = read(&text().replacen("FANN_FLO_2.1\n", start, 1));
        assert_eq!(error.code(), 3, "{start}");
    }
    assert_eq!(
        read("").to_string(),
        "Wrong version of configuration file, aborting read of configuration file \"x.net\"."
    );
}

#[test]
fn neurons_and_connections_must_exist() {
    let neurons = "neurons (num_inputs, activation_function, activation_steepness)";
    let connections = "connections (connected_to_neuron, weight)";
    assert_eq!(read(&with(neurons, "(0, 0, 0.0) (0, 99, 0.0) ")).code(), 5);
    assert_eq!(read(&with(neurons, "(4000000000, 0, 0.0) ")).code(), 5);
    assert_eq!(read(&with(connections, "(0, 0.5) (1, 0.5)")).code(), 6);
    let own = text();
    let (head, _) = own.split_once("connections (").unwrap();
    for source in ["400", "3", "-1"] {
        let list = format!("({source}, 0.5) ").repeat(13);
        let error = read(&format!("{head}{connections}={list}\n"));
        assert_eq!(error.code(), 6, "{source}");
        assert_eq!(
            error.to_string(),
            "Error reading connections from configuration file \"x.net\"."
        );
    }
    assert_eq!(read(&with("layer_sizes", "3 2000000000 2 ")).code(), 5);
    assert_eq!(read(&with("layer_sizes", "1 6 2 ")).code(), 5);
}

#[test]
fn every_truncation_is_an_error() {
    let text = text();
    let end = text.rfind(')').unwrap();
    for cut in 0..end {
        let error = Network::<f64>::from_bytes("x.net", &text.as_bytes()[..cut]).unwrap_err();
        assert!((3..=6).contains(&error.code()), "{cut}: {error}");
    }
    let fixed = Network::<f32>::standard(&[2, 3, 1]).unwrap().to_fixed().unwrap().to_text();
    for cut in 0..fixed.rfind(')').unwrap() {
        assert!(FixedNetwork::from_bytes("x.net", &fixed.as_bytes()[..cut]).is_err(), "{cut}");
    }
}

#[test]
fn files_that_are_not_there_cannot_be_opened() {
    let error = Network::<f32>::load("/nowhere/at all.net").unwrap_err();
    assert_eq!(error.code(), 1);
    assert_eq!(
        error.to_string(),
        "Unable to open configuration file \"/nowhere/at all.net\" for reading."
    );
    assert_eq!(TrainData::<f32>::load("/nowhere/x.data").unwrap_err().code(), 1);
    let network = Network::<f32>::standard(&[2, 3, 1]).unwrap();
    assert_eq!(network.save("/nowhere/x.net").unwrap_err().code(), 2);
    assert_eq!(
        TrainData::<f32>::new(1, 1, 1).unwrap().save("/nowhere/x.data").unwrap_err().code(),
        8
    );
}

#[test]
fn data_that_are_not_there_are_missed_at_their_line() {
    let line = |text: &str| match TrainData::<f32>::from_bytes("x.data", text.as_bytes()) {
        Err(Error::CantReadTd { line, .. }) => line,
        other => panic!("{other:?}"),
    };
    assert_eq!(line(""), 1);
    assert_eq!(line("2 -2 1\n"), 1);
    assert_eq!(line("two 2 1\n"), 1);
    assert_eq!(line("4294967295 0 0\n"), 1);
    assert_eq!(line("2 2 1\n1 2\n3\n1 x\n"), 4);
    assert_eq!(line("2 2 1\n1 2\n3\n1 2\n"), 5);
    assert_eq!(line("4294967295 4294967295 4294967295\n1 2\n"), 2);
    let error = TrainData::<f32>::from_bytes("x.data", b"1 1 1\n5").unwrap_err();
    assert_eq!(error.code(), 10);
    assert_eq!(error.to_string(), "Error reading info from train data file \"x.data\", line: 3.");
}

#[test]
fn data_keep_every_digit() {
    let rows = TrainData::from_rows(&[(&[1e-9f32, 3.0, -0.125][..], &[0.1, 1e30][..])]).unwrap();
    let text = rows.to_text();
    assert_eq!(
        text,
        "1 3 2\n1e-9 3 -0.125000 \n0.100000 1000000015047466219876688855040.000000 \n"
    );
    assert_eq!(TrainData::from_bytes("x.data", text.as_bytes()), Ok(rows.clone()));
    assert_eq!(rows.to_fixed_text(4), "1 3 2\n0 48 -2 \n1 2147483647 \n");
}

#[test]
fn networks_of_version_1_are_read() {
    let text = "FANN_FLO_1.1\n3 0.600000 1.000000 0 5 3 0.500000 0.250000\n3 3 2 \n0 0 0 3 3 0 3 0 \n\
        (0 0.5) (1 -0.5) (2 0.25) (0 1.5) (1 0.5) (2 0.125) (3 1.0) (4 -1.0) (5 0.5) \n";
    let mut network = Network::<f32>::from_bytes("old.net", text.as_bytes()).unwrap();
    assert_eq!(network.layer_sizes(), [2, 2, 1]);
    assert_eq!(network.training.learning_rate, 0.6);
    let hidden = [0.5f64 * (0.5 - 0.1 + 0.25), 0.5 * (1.5 + 0.1 + 0.125)].map(f64::tanh);
    let sum = 0.25 * (hidden[0] - hidden[1] + 0.5);
    let wanted = 1.0 / (1.0 + (-2.0 * sum).exp());
    let output = network.run(&[1.0, 0.2]).unwrap()[0];
    assert!((f64::from(output) - wanted).abs() < 1e-6, "{output} {wanted}");
}
