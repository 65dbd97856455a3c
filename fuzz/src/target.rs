//! Target: a reader under attack.

use crate::memory::peak_bytes;
use crate::mutator::Mutator;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Damaged files a usual run reads.
const MUTANTS: usize = 4000;
/// The longest file that is damaged further: reading should stay quick.
const LONGEST: usize = 1 << 16;
/// What readers may take: far more than files of [`LONGEST`] need, far less than declared sizes ask for.
/// Pages of Parquet declare up to 2 GiB each, which is reserved but not touched.
const MEMORY: u64 = 5 << 30;

/// A reader under attack.
pub struct Target<'a> {
    /// The folder of its corpus.
    pub name: &'a str,
    /// Words that mean something to it.
    pub words: &'a [&'a [u8]],
    /// Reads some bytes; says what is wrong with them, if anything is.
    pub read: &'a dyn Fn(&[u8]) -> Result<(), String>,
}

impl Target<'_> {
    /// Reads the corpus, then damaged files for as long as the environment asks.
    ///
    /// # Panics
    ///
    /// When the reader panics, takes too much memory, or refuses without a word.
    pub fn run(&self) {
        let corpus = self.corpus();
        let before = peak_bytes();
        corpus.iter().for_each(|bytes| self.try_one(bytes, before));
        let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
        let seconds: Option<u64> = number("WHIMBREL_FUZZ_SECONDS");
        let mut mutator = Mutator::new(number("WHIMBREL_FUZZ_SEED").unwrap_or(1));
        let (start, mut done) = (Instant::now(), 0);
        while match seconds {
            Some(seconds) => start.elapsed() < Duration::from_secs(seconds),
            None => done < MUTANTS,
        } {
            let mut bytes = corpus[mutator.below(corpus.len())].clone();
            mutator.damage(&mut bytes, &corpus, self.words);
            bytes.truncate(LONGEST);
            self.try_one(&bytes, before);
            done += 1;
        }
        println!("{}: {} files, {done} damaged further", self.name, corpus.len());
    }

    /// The files of the corpus, by name.
    fn corpus(&self) -> Vec<Vec<u8>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(self.name);
        let entries = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        assert!(!paths.is_empty(), "{} is empty", folder.display());
        paths.iter().map(|path| std::fs::read(path).unwrap_or_default()).collect()
    }

    fn try_one(&self, bytes: &[u8], before: Option<u64>) {
        let problem = match catch_unwind(AssertUnwindSafe(|| (self.read)(bytes))) {
            Err(_) => "the reader panics",
            Ok(Err(message)) if message.trim().is_empty() => "the reader refuses without a word",
            Ok(_) => match before.zip(peak_bytes()) {
                Some((before, now)) if now > before + MEMORY => "the reader takes too much memory",
                _ => return,
            },
        };
        let path = std::env::temp_dir().join(format!("whimbrel-fuzz-{}.bin", self.name));
        let kept = std::fs::write(&path, bytes).map(|()| path.display().to_string());
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]);
        panic!("{}: {problem}; {start:?}, kept in {kept:?}", self.name);
    }
}
