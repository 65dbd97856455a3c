//! The other side: a live child process that measures the peer library and waits on a pipe.
//!
//! One JSON line asks, one answers: `prepare` a case (the peer tries its forms and keeps the
//! fastest), `measure` a block of it, `answer` for what it computed. Between questions the process
//! is blocked in a read and its threads sleep, so it takes nothing from what we measure meanwhile.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::fill::Digest;

/// The peer's fastest form of a case.
#[derive(Clone, Debug, Deserialize)]
pub struct Prepared {
    /// Library, version, form and threads: `torch 2.15.0 compile t2`.
    pub peer_name: String,
    /// Seconds a call took while the forms were tried.
    pub seconds: f64,
}

/// One running peer process.
pub struct Peer {
    suite: String,
    threads: usize,
    log: PathBuf,
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    /// The project root above the working directory, if the peer environment was set up there.
    pub fn environment() -> Option<PathBuf> {
        let here = std::env::current_dir().ok()?;
        let set_up = |root: &&Path| {
            root.join(".venv/bin/python").exists() && root.join("bench/peers/peer.py").exists()
        };
        here.ancestors().find(set_up).map(Path::to_owned)
    }

    /// Starts the peer of a suite in the environment at `root`.
    pub fn start(root: &Path, suite: &str, threads: usize) -> Result<Peer> {
        let folder = root.join("bench/out");
        let log = folder.join(format!("peer-{suite}-t{threads}.log"));
        let file = std::fs::create_dir_all(&folder)
            .and_then(|()| File::create(&log))
            .map_err(|source| Error::File { path: log.clone(), source })?;
        let count = threads.to_string();
        let mut child = Command::new(root.join(".venv/bin/python"))
            .arg(root.join("bench/peers/peer.py"))
            .arg(suite)
            .current_dir(root)
            .env("OMP_NUM_THREADS", &count)
            .env("MKL_NUM_THREADS", &count)
            // A spinning thread of the peer would steal our core.
            .env("OMP_WAIT_POLICY", "passive")
            .env("KMP_BLOCKTIME", "0")
            // Compiler processes must not be left running beside our rounds.
            .env("TORCHINDUCTOR_COMPILE_THREADS", "1")
            .env("TORCHINDUCTOR_CACHE_DIR", root.join(".venv/inductor"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(file)
            .spawn()
            .map_err(|source| Error::File { path: root.join(".venv/bin/python"), source })?;
        let questions = child.stdin.take();
        let answers = child.stdout.take().map(BufReader::new);
        let Some(answers) = answers else {
            return Err(Error::Peer {
                suite: suite.to_owned(),
                threads,
                what: "started without a pipe".to_owned(),
                log,
            });
        };
        Ok(Peer { suite: suite.to_owned(), threads, log, child, questions, answers })
    }

    /// Makes `case` the current one: tries every known form, keeps the fastest.
    pub fn prepare(&mut self, case: &str, quick: bool) -> Result<Prepared> {
        self.ask(&json!({ "do": "prepare", "case": case, "quick": quick }))
    }

    /// Measures one block of the current case; seconds a call.
    pub fn measure(&mut self, block_seconds: f64) -> Result<f64> {
        #[derive(Deserialize)]
        struct Measured {
            seconds: f64,
        }
        let measured: Measured = self.ask(&json!({ "do": "measure", "seconds": block_seconds }))?;
        Ok(measured.seconds)
    }

    /// What the current case computed.
    pub fn answer(&mut self) -> Result<Digest> {
        self.ask(&json!({ "do": "answer" }))
    }

    /// One question, one answer.
    pub fn ask<T: DeserializeOwned>(&mut self, question: &Value) -> Result<T> {
        let mut line = String::new();
        let sent = match &mut self.questions {
            Some(pipe) => writeln!(pipe, "{question}").and_then(|()| pipe.flush()),
            None => Ok(()),
        };
        let read = sent.and_then(|()| self.answers.read_line(&mut line));
        match read {
            Err(error) => Err(self.failed(error.to_string())),
            Ok(0) => Err(self.failed("ended without an answer".to_owned())),
            Ok(_) => {
                let answer: Value =
                    serde_json::from_str(&line).map_err(|e| self.failed(e.to_string()))?;
                if let Some(error) = answer.get("error").and_then(Value::as_str) {
                    return Err(self.failed(error.to_owned()));
                }
                serde_json::from_value(answer).map_err(|e| self.failed(e.to_string()))
            }
        }
    }

    fn failed(&self, what: String) -> Error {
        Error::Peer {
            suite: self.suite.clone(),
            threads: self.threads,
            what,
            log: self.log.clone(),
        }
    }
}

impl Drop for Peer {
    /// Closing the pipe ends the process.
    fn drop(&mut self) {
        self.questions = None;
        // Nothing is left to do for a peer that cannot be waited for.
        let _ = self.child.wait();
    }
}
