//! The two libraries of a test: ours as Cargo just built it, under the name programs look for, and FANN's
//! where it is installed; and the compiler that builds programs against FANN's headers.
#![allow(dead_code, reason = "no test file needs all of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What the library is called, in `-l` and in its file.
pub const NAME: &str = if cfg!(feature = "double") { "doublefann" } else { "fann" };

/// Our library in a folder of its own, as `libfann.so.2`.
pub fn ours(folder: &Path) -> PathBuf {
    let program = std::env::current_exe().expect("the test has a path");
    let built = program.parent().expect("in a folder").join("libwhimbrel_fann_c.so");
    std::fs::create_dir_all(folder).expect("a folder for the library");
    let named = folder.join(format!("lib{NAME}.so.2"));
    std::fs::copy(&built, &named).unwrap_or_else(|error| panic!("{}: {error}", built.display()));
    named
}

/// A folder of the test's own, empty.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(NAME).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// Compiles a C program of `tests/programs` and links it with FANN. The reason where that cannot be done.
pub fn compile(source: &str, folder: &Path) -> Result<PathBuf, String> {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let program = folder.join(source).with_extension("");
    let probe = folder.join("probe.c");
    let header = if cfg!(feature = "double") { "doublefann.h" } else { "floatfann.h" };
    let text = format!("#include <{header}>\nint main(void) {{ fann_destroy(0); return 0; }}\n");
    std::fs::write(&probe, text).expect("a small program");
    let link = format!("-l{NAME}");
    let run = |source: &Path, to: &Path| {
        let mut compiler = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".to_owned()));
        if cfg!(feature = "double") {
            compiler.arg("-DDOUBLE");
        }
        compiler.args(["-O1", "-Wall", "-Wextra", "-Werror", "-I"]).arg(folder);
        compiler.arg(source).arg("-o").arg(to).args([&link, "-lm"]).output()
    };
    match run(&probe, &folder.join("probe")) {
        Err(error) => return Err(format!("no C compiler: {error}")),
        Ok(output) if !output.status.success() => {
            return Err(format!("{header} or lib{NAME} is not installed (libfann-dev)"));
        }
        Ok(_) => {}
    }
    let output = run(&programs.join(source), &program).expect("the compiler ran before");
    assert!(output.status.success(), "{source}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(program)
}

/// Runs a program in a folder, with the libraries of another one before those installed.
pub fn run(program: &Path, inside: &Path, libraries: Option<&Path>) -> Output {
    std::fs::create_dir_all(inside).expect("a folder to run in");
    let mut command = Command::new(program);
    command.current_dir(inside).env_remove("LD_LIBRARY_PATH");
    if let Some(libraries) = libraries {
        command.env("LD_LIBRARY_PATH", libraries);
    }
    command.output().expect("the program runs")
}
