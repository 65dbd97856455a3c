//! The sizes that packed parts of an Arrow file say they have when unpacked.
//!
//! Their reader reserves such a size before it unpacks anything, and a program that is refused memory
//! ends. So what no file can hold is refused first.

use arrow_ipc::{Block, Buffer, RecordBatch, root_as_footer, root_as_message};
use std::io::{Read, Seek, SeekFrom};

/// Bytes that any part may have.
const ALWAYS: u64 = 1 << 28;
/// How many times as large as the file a part may be beyond that: LZ4 does not reach 256 times, and real
/// tables no tenth of it.
const SAVED: u64 = 256;

/// Whether all parts of a file are within it, and packed ones say sizes that they can have. What else
/// may be wrong is left to the reader.
pub(super) fn sizes_can_be(input: &mut (impl Read + Seek)) -> bool {
    let (Ok(length), Some(footer)) = (input.seek(SeekFrom::End(0)), footer(input)) else {
        return false;
    };
    let Ok(footer) = root_as_footer(&footer) else { return false };
    let blocks = [footer.dictionaries(), footer.recordBatches()].into_iter().flatten().flatten();
    blocks.into_iter().all(|block| can_be(input, block, length).unwrap_or(false))
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
    let skipped = if message.starts_with(&[0xff; 4]) { 8 } else { 4 };
    let message = root_as_message(message.get(skipped..)?).ok()?;
    let dictionary = message.header_as_dictionary_batch().and_then(|batch| batch.data());
    let batch: RecordBatch = message.header_as_record_batch().or(dictionary)?;
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
