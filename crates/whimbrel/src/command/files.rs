//! The files of a forecast: `forecast.csv` and `forecast.html` in a folder, replaced only if they are ours.

use crate::cli::Report;
use crate::command::output::{STANDARD, expect_writable, is_there};
use crate::failure::Failure;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use whimbrel::{ENSEMBLE, Page, replace};

/// Bytes of a file that tell whose it is.
const HEAD: u64 = 1024;

/// Where a forecast goes.
pub struct Files {
    folder: PathBuf,
    pub csv: PathBuf,
    pub html: PathBuf,
}

impl Files {
    /// Refuses, before the work, to replace files that are not ours, unless told to.
    pub fn check(report: &Report, inputs: &[&Path]) -> Result<Files, Failure> {
        let folder = report.out.clone();
        let files =
            Files { csv: folder.join("forecast.csv"), html: folder.join("forecast.html"), folder };
        if files.is_standard() {
            return Ok(files);
        }
        let refuse = |file: &Path, why: &str| {
            Err(Failure::input(format!("--out: {}: {why}", file.display())))
        };
        if files.folder.exists() && !files.folder.is_dir() {
            return refuse(&files.folder, "is a file; name a folder, or - for standard output");
        }
        let ours = [
            (&files.csv, is_our_csv(&head(&files.csv))),
            (&files.html, Page::is_ours(&head(&files.html))),
        ];
        for (file, is_ours) in ours {
            let same = |input: &Path| input.canonicalize().ok() == file.canonicalize().ok();
            if file.exists() && inputs.iter().any(|input| same(input)) {
                return refuse(file, "is an input file; name another folder");
            }
            if file.is_dir() {
                return refuse(file, "is a folder; name another folder with --out");
            }
            if is_there(file) && !report.force && !is_ours {
                let why = "is there already and not of whimbrel; name another folder with --out, or \
                           replace it with --force";
                return refuse(file, why);
            }
        }
        expect_writable("--out", &files.csv)?;
        Ok(files)
    }

    /// Whether there are no files, and the forecast is printed.
    pub fn is_standard(&self) -> bool {
        self.folder == Path::new(STANDARD)
    }

    /// Writes both, each whole or not at all.
    pub fn write(&self, csv: &[u8], html: &[u8]) -> Result<(), Failure> {
        let failed = |path: &Path, error: std::io::Error| {
            Failure::run(format!("{}: cannot be written: {error}", path.display()))
        };
        fs::create_dir_all(&self.folder).map_err(|error| failed(&self.folder, error))?;
        for (path, bytes) in [(&self.csv, csv), (&self.html, html)] {
            replace(path, bytes).map_err(|error| failed(path, error))?;
        }
        Ok(())
    }
}

/// Whether a CSV begins with the columns that every forecast has first.
fn is_our_csv(head: &str) -> bool {
    let mut columns = head.lines().next().unwrap_or_default().split(',');
    ["unique_id", "ds", ENSEMBLE].iter().all(|name| columns.next() == Some(name))
}

/// The beginning of a file, as far as it can be read.
fn head(file: &Path) -> String {
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|file| file.take(HEAD).read_to_end(&mut bytes));
    read.map_or_else(|_| String::new(), |_| String::from_utf8_lossy(&bytes).into_owned())
}
