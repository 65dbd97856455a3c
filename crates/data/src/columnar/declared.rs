//! The sizes that packed parts of an Arrow file or stream say they have when unpacked.
//!
//! Their reader reserves such a size before it unpacks anything, and a program that is refused memory
//! ends. So what no file can hold is refused first.

use super::ipc::MESSAGE;
use arrow_ipc::{Block, Buffer, Message, RecordBatch, root_as_footer, root_as_message};
use std::io::{Read, Seek, SeekFrom};

/// Bytes that any part may have.
const ALWAYS: u64 = 1 << 28;
/// How many times as large as the file a part may be beyond that: LZ4 does not reach 256 times, and real
/// tables no tenth of it.
const SAVED: u64 = 256;

/// Why a file or a stream is not given to its reader.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(super) enum Unsound {
    #[error("it is damaged, or another kind of file: its parts cannot have the sizes it says")]
    Sizes,
    /// A stream without its mark may end where a program was stopped, between two of its parts.
    #[error("it is cut short, or its writer was not closed: the mark of its end is missing")]
    Open,
}

/// Checks that all parts of a file are within it, and that packed ones say sizes that they can have. What
/// else may be wrong is left to the reader.
pub(super) fn check_file(input: &mut (impl Read + Seek)) -> Result<(), Unsound> {
    let (Ok(length), Some(footer)) = (input.seek(SeekFrom::End(0)), footer(input)) else {
        return Err(Unsound::Sizes);
    };
    let footer = root_as_footer(&footer).map_err(|_| Unsound::Sizes)?;
    let blocks = [footer.dictionaries(), footer.recordBatches()].into_iter().flatten().flatten();
    let all = blocks.into_iter().all(|block| can_be(input, block, length).unwrap_or(false));
    if all { Ok(()) } else { Err(Unsound::Sizes) }
}

/// The same of a stream, which must also have its end.
pub(super) fn check_stream(input: &mut (impl Read + Seek)) -> Result<(), Unsound> {
    let length = input.seek(SeekFrom::End(0)).map_err(|_| Unsound::Sizes)?;
    let mut start = 0;
    loop {
        input.seek(SeekFrom::Start(start)).map_err(|_| Unsound::Sizes)?;
        let Some(mark) = bytes(input, 8) else { return Err(Unsound::Open) };
        let (Some(&MESSAGE), Some(&size)) = (mark.first_chunk(), mark.last_chunk()) else {
            return Err(Unsound::Sizes);
        };
        let head = u32::from_le_bytes(size);
        if head == 0 {
            // After its end another stream would be passed over.
            return if start + 8 == length { Ok(()) } else { Err(Unsound::Sizes) };
        }
        start = end_of_message(input, start + 8, u64::from(head), length)?;
    }
}

/// Where a message of a stream of `length` bytes ends, whose head of so many bytes begins at `start`.
fn end_of_message(
    input: &mut (impl Read + Seek),
    start: u64,
    head: u64,
    length: u64,
) -> Result<u64, Unsound> {
    let message = bytes(input, head).ok_or(Unsound::Open)?;
    let message = root_as_message(&message).map_err(|_| Unsound::Sizes)?;
    let body = start.checked_add(head).ok_or(Unsound::Sizes)?;
    let size = u64::try_from(message.bodyLength()).map_err(|_| Unsound::Sizes)?;
    let end = body.checked_add(size).ok_or(Unsound::Sizes)?;
    if end > length {
        return Err(Unsound::Open);
    }
    let sound = match batch_of(&message) {
        Some(batch) => parts_can_be(input, batch, body, length).unwrap_or(false),
        None => true,
    };
    if sound { Ok(end) } else { Err(Unsound::Sizes) }
}

/// The last part of a file, which says where the others are.
fn footer(input: &mut (impl Read + Seek)) -> Option<Vec<u8>> {
    const END: i64 = 10; // the length of the footer, and six letters
    let mut length = [0; 4];
    input.seek(SeekFrom::End(-END)).ok()?;
    input.read_exact(&mut length).ok()?;
    let length = u32::from_le_bytes(length);
    input.seek(SeekFrom::End(-END - i64::from(length))).ok()?;
    bytes(input, u64::from(length))
}

/// The same of one block of a file of `length` bytes; none if it cannot be looked at.
fn can_be(input: &mut (impl Read + Seek), block: &Block, length: u64) -> Option<bool> {
    let start = u64::try_from(block.offset()).ok()?;
    let head = u64::try_from(block.metaDataLength()).ok()?;
    let body = start.checked_add(head)?;
    if body.checked_add(u64::try_from(block.bodyLength()).ok()?)? > length {
        return Some(false);
    }
    input.seek(SeekFrom::Start(start)).ok()?;
    let message = bytes(input, head)?;
    // Older files lack the mark before the length.
    let skipped = if message.starts_with(&MESSAGE) { 8 } else { 4 };
    let message = root_as_message(message.get(skipped..)?).ok()?;
    parts_can_be(input, batch_of(&message)?, body, length)
}

/// The rows or the categories of a message; none of one that has neither.
fn batch_of<'a>(message: &Message<'a>) -> Option<RecordBatch<'a>> {
    let dictionary = message.header_as_dictionary_batch().and_then(|batch| batch.data());
    message.header_as_record_batch().or(dictionary)
}

/// Whether the parts of a batch that begin at `body` can have the sizes they say.
fn parts_can_be(
    input: &mut (impl Read + Seek),
    batch: RecordBatch,
    body: u64,
    length: u64,
) -> Option<bool> {
    if batch.compression().is_none() {
        return Some(true);
    }
    let most = length.saturating_mul(SAVED).max(ALWAYS);
    Some(batch.buffers()?.iter().all(|part| size(input, body, part).is_none_or(|n| n <= most)))
}

/// What a packed part of a block whose parts begin at `body` says; none if it is not packed.
fn size(input: &mut (impl Read + Seek), body: u64, part: &Buffer) -> Option<u64> {
    let at = body.checked_add(u64::try_from(part.offset()).ok()?)?;
    let mut size = [0; 8];
    input.seek(SeekFrom::Start(at)).ok()?;
    input.read_exact(&mut size).ok()?;
    u64::try_from(i64::from_le_bytes(size)).ok()
}

/// So many bytes, as far as they are there: nothing is reserved for them beforehand.
fn bytes(input: &mut impl Read, count: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(count).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == count).then_some(bytes)
}
