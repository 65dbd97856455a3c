//! Checkpoints: the state of the session and the position in one file, written whole or not at all. A checksum over
//! both tells of bits that turned since.

use super::machine::Machine;
use super::position::Position;
use super::{TrainError, Trainer};
use crate::hash::Fnv;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;
use whimbrel_engine::{EngineError, Session, WeightsProblem, read_metadata};

/// The version of the format this program writes and reads.
const VERSION: u32 = 1;
/// The metadata entry of a checkpoint.
const ENTRY: &str = "whimbrel.checkpoint";

/// What a checkpoint says beside its tensors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Record {
    identity: Identity,
    position: Position,
}

/// What tells one training from another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Identity {
    settings: serde_json::Value,
    data: String,
}

/// Why a checkpoint is not used.
#[derive(Debug)]
pub(super) enum Refusal {
    /// It is no whole checkpoint; an older one may be.
    Damaged(String),
    /// It is one, but not for this run: an older one would not be either.
    Unfit(TrainError),
}

impl Identity {
    pub(super) fn of(trainer: &Trainer, fingerprint: String) -> Identity {
        Identity {
            // Settings are plain structs, numbers and names, which JSON can hold.
            settings: serde_json::to_value(trainer).unwrap_or_default(),
            data: fingerprint,
        }
    }
}

/// Writes a checkpoint.
pub(super) fn save(
    session: &Session,
    path: &Path,
    identity: &Identity,
    position: &Position,
) -> Result<(), TrainError> {
    let record = Record { identity: identity.clone(), position: position.clone() };
    let failed = |e: serde_json::Error| TrainError::File { path: path.into(), source: e.into() };
    let checksum = Some(checksum(session, &record)?);
    let entry = Versioned { version: VERSION, checksum, record };
    let entry = serde_json::to_string(&entry).map_err(failed)?;
    Ok(session.save(path, Machine::keeps, HashMap::from([(ENTRY.into(), entry)]))?)
}

/// Reads a checkpoint into the session, which is changed only by one that fits; of a damaged one it may then have
/// the numbers, until another is read.
pub(super) fn load(
    session: &mut Session,
    path: &Path,
    identity: &Identity,
) -> Result<Position, Refusal> {
    let damaged = |problem: String| Refusal::Damaged(problem);
    let metadata = read_metadata(path).map_err(refuse)?;
    let foreign = || damaged(format!("{}: is not a checkpoint of Whimbrel", path.display()));
    let entry = metadata.get(ENTRY).ok_or_else(foreign)?;
    let unfit = |problem: String, remedy| {
        Refusal::Unfit(TrainError::Checkpoint { path: path.into(), problem, remedy })
    };
    let version: Version = serde_json::from_str(entry).map_err(|_| foreign())?;
    if version.version != VERSION {
        let problem = format!(
            "has version {} of the format, this program knows version {VERSION}",
            version.version
        );
        let remedy = "resume with the program that wrote it, or start again in another folder";
        return Err(unfit(problem, remedy));
    }
    let entry: Versioned =
        serde_json::from_str(entry).map_err(|e| damaged(format!("{}: {e}", path.display())))?;
    let (record, written) = (entry.record, entry.checksum);
    if record.identity.settings != identity.settings {
        let problem = "was made with other settings".into();
        return Err(unfit(problem, "restore them, or start again in another folder"));
    }
    if record.identity.data != identity.data {
        let problem = "was made with other data".into();
        return Err(unfit(problem, "restore them, or start again in another folder"));
    }
    session.load(path, Machine::keeps).map_err(refuse)?;
    let found = checksum(session, &record).map_err(Refusal::Unfit)?;
    match written.is_none_or(|written| written == found) {
        true => Ok(record.position),
        false => Err(damaged(format!("{}: its checksum does not fit", path.display()))),
    }
}

/// What tells a checkpoint from one in which something was changed.
fn checksum(session: &Session, record: &Record) -> Result<String, TrainError> {
    let mut hash = Fnv::new();
    hash.bytes(serde_json::to_string(record).unwrap_or_default().as_bytes());
    let mut names: Vec<&str> = session.state_names().filter(|name| Machine::keeps(name)).collect();
    names.sort_unstable();
    for name in names {
        hash.bytes(name.as_bytes());
        session.read_state(name)?.iter().for_each(|x| hash.word(x.to_bits()));
    }
    Ok(format!("{:016x}", hash.value()))
}

/// The batch size a checkpoint was made with; none if it is no whole checkpoint.
pub(super) fn batch_size(path: &Path) -> Option<usize> {
    let entry = read_metadata(path).ok()?.remove(ENTRY)?;
    let entry: Versioned = serde_json::from_str(&entry).ok()?;
    entry.record.identity.settings["batch_size"].as_u64()?.try_into().ok()
}

/// A file that cannot be read may well be whole.
fn refuse(error: EngineError) -> Refusal {
    match error {
        EngineError::Weights { problem: WeightsProblem::File(_), .. } => {
            Refusal::Unfit(error.into())
        }
        error => Refusal::Damaged(error.to_string()),
    }
}

/// The entry as it is written.
#[derive(Serialize, Deserialize)]
struct Versioned {
    version: u32,
    /// Not in the first checkpoints of this version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checksum: Option<String>,
    #[serde(flatten)]
    record: Record,
}

/// The part of the entry that all versions have.
#[derive(Deserialize)]
struct Version {
    version: u32,
}
