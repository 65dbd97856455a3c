//! What other programs are given: completions for shells, the schema of network files for editors.

mod support;

use support::{text, whimbrel};

fn printed(arguments: &[&str]) -> String {
    let output = whimbrel().args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn every_shell_learns_the_commands_and_their_options() {
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&["completions", shell]);
        for word in ["forecast", "horizon", "train", "resume", "verbose", "plot", "schema"] {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
    }
    let output = whimbrel().args(["completions", "csh"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("bash"), "the known shells are listed");
}

#[test]
fn the_schema_is_json_with_a_description_of_every_setting() {
    let schema: serde_json::Value = serde_json::from_str(&printed(&["net", "schema"])).unwrap();
    assert_eq!(schema["title"], "Whimbrel network file");
    let training = &schema["definitions"]["Training"]["properties"];
    assert_eq!(training["seed"]["default"], 0);
    for (name, field) in training.as_object().unwrap() {
        assert!(field["description"].is_string(), "{name}: {field}");
    }
}
