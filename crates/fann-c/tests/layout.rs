//! The structs lie as FANN's headers say: a C program prints where the compiler puts every field.
#![cfg(target_os = "linux")]

mod libraries;

use whimbrel_fann_c::layout::{Ann, Connection, ErrorData, Layer, Neuron, TrainData};

#[test]
fn fields_lie_where_the_headers_have_them() {
    let home = libraries::folder("layout");
    // What is behind the fields C knows of is ours.
    let (own, known) = Ann::FIELDS.split_last().unwrap();
    let structs = [
        ("fann", known, own.1),
        ("fann_train_data", TrainData::FIELDS, size_of::<TrainData>()),
        ("fann_error", ErrorData::FIELDS, size_of::<ErrorData>()),
        ("fann_neuron", Neuron::FIELDS, size_of::<Neuron>()),
        ("fann_layer", Layer::FIELDS, size_of::<Layer>()),
        ("fann_connection", Connection::FIELDS, size_of::<Connection>()),
    ];
    let (mut calls, mut expected) = (String::new(), String::new());
    for (owner, fields, size) in structs {
        for (field, offset) in fields {
            calls += &format!("FIELD({owner}, {field})\n");
            expected += &format!("{owner} {field} {offset}\n");
        }
        calls += &format!("SIZE({owner})\n");
        expected += &format!("{owner} size {size}\n");
    }
    std::fs::write(home.join("fields.h"), calls).unwrap();
    let program = match libraries::compile("layout.c", &home) {
        Ok(program) => program,
        Err(reason) => return println!("skipped: {reason}"),
    };
    let output = libraries::run(&program, &home, None);
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}
