//! Ahead: the chunks of a source, each made ready while the one before it is used.
//!
//! A thread of its own reads and checks one chunk and waits with it until it is taken: there are never more than the one
//! in use and the next. Chunks, the error that ends them and their end come in the order of the source. The thread does
//! not outlive what it reads for.

use super::super::{Chunks, Examples, RowForm, Source, TrainError};
use super::Bounds;
use super::pass::changed;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

/// One reading of a source, a chunk ahead.
pub(super) struct Ahead {
    /// None once it is over.
    chunks: Option<Receiver<Result<Examples, TrainError>>>,
    thread: Option<JoinHandle<()>>,
}

impl Ahead {
    /// Begins to read at the first row; `bounds` says which rows are refused.
    pub(super) fn open(source: &dyn Source, bounds: Bounds) -> Result<Ahead, TrainError> {
        let (chunks, form) = (source.open()?, source.form());
        // Without room of its own, the channel lets the thread hold one chunk and no more.
        let (sender, receiver) = sync_channel(0);
        let read = move || read_ahead(chunks, form, bounds, &sender);
        let thread = Builder::new().name("rows".into()).spawn(read);
        let thread = thread.map_err(|error| TrainError::Source(error.into()))?;
        Ok(Ahead { chunks: Some(receiver), thread: Some(thread) })
    }

    /// The next chunk; none after the last, or after an error.
    pub(super) fn next(&mut self) -> Result<Option<Examples>, TrainError> {
        let chunk = self.chunks.as_ref().and_then(|chunks| chunks.recv().ok());
        if chunk.is_none()
            && let Err(panic) = self.end()
        {
            // As if the source had been read here.
            std::panic::resume_unwind(panic);
        }
        chunk.transpose()
    }

    /// Waits for the thread, which ends as soon as it finds that nobody takes its chunk.
    fn end(&mut self) -> std::thread::Result<()> {
        self.chunks = None;
        self.thread.take().map_or(Ok(()), JoinHandle::join)
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        // What goes wrong with rows that nobody wants concerns nobody.
        let _ = self.end();
    }
}

/// Sends chunks until the last, an error, or until nobody takes them any more.
fn read_ahead(
    mut chunks: Chunks,
    form: RowForm,
    bounds: Bounds,
    sender: &SyncSender<Result<Examples, TrainError>>,
) {
    let mut before = 0;
    while let Some(chunk) = next_chunk(&mut chunks, form, bounds, before).transpose() {
        let last = chunk.is_err();
        before += chunk.as_ref().map_or(0, Examples::rows);
        if sender.send(chunk).is_err() || last {
            return;
        }
    }
}

/// The next chunk after `before` rows, which fits the source's word and the network.
fn next_chunk(
    chunks: &mut Chunks,
    form: RowForm,
    bounds: Bounds,
    before: usize,
) -> Result<Option<Examples>, TrainError> {
    let Some(chunk) = chunks.next().transpose()? else { return Ok(None) };
    if chunk.form() != form {
        return Err(changed());
    }
    bounds.check(&chunk, before)?;
    Ok(Some(chunk))
}

#[cfg(test)]
mod tests {
    use super::super::super::{TargetForm, Targets};
    use super::*;
    use crate::losses::Domain;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::Sender;
    use std::sync::{Arc, Mutex};

    const BOUNDS: Bounds =
        Bounds { classes: 1, indices: None, missing: false, loss: ("mse", Domain::Any) };

    /// Chunks of a row each, which is its own number; after the last, what `end` says.
    struct Counted {
        chunks: usize,
        end: End,
        made: Arc<AtomicUsize>,
        /// Hears of each chunk when it is made.
        heard: Mutex<Option<Sender<usize>>>,
    }

    #[derive(Clone, Copy)]
    enum End {
        Quiet,
        Error,
        Missing,
        Panic,
    }

    fn counted(chunks: usize, end: End) -> Counted {
        Counted { chunks, end, made: Arc::default(), heard: Mutex::new(None) }
    }

    fn row(number: f32) -> Result<Examples, TrainError> {
        let values = Targets::Values { width: 1, values: vec![0.0] };
        Examples::with_missing(1, vec![number], values)
    }

    impl Source for Counted {
        fn form(&self) -> RowForm {
            RowForm { features: 1, target: TargetForm::Values { width: 1 }, weighted: false }
        }

        fn open(&self) -> Result<Chunks, TrainError> {
            let (chunks, end, made) = (self.chunks, self.end, Arc::clone(&self.made));
            let heard = self.heard.lock().unwrap().take();
            Ok(Box::new((0..=chunks).map_while(move |number| {
                made.fetch_add(1, Ordering::SeqCst);
                if let Some(heard) = &heard {
                    let _ = heard.send(number);
                }
                match end {
                    _ if number < chunks => Some(row(number as f32)),
                    End::Quiet => None,
                    End::Error => Some(Err(TrainError::Source("torn".into()))),
                    End::Missing => Some(row(f32::NAN)),
                    End::Panic => panic!("the source is at its end"),
                }
            })))
        }
    }

    /// The rows up to the end, and how it ended.
    fn drain(source: &Counted) -> (Vec<f32>, Result<(), String>) {
        let mut ahead = Ahead::open(source, BOUNDS).unwrap();
        let mut rows = Vec::new();
        loop {
            match ahead.next() {
                Ok(Some(chunk)) => rows.extend_from_slice(chunk.inputs()),
                Ok(None) => return (rows, Ok(())),
                Err(error) => {
                    assert!(ahead.next().unwrap().is_none(), "an error is the end");
                    return (rows, Err(error.to_string()));
                }
            }
        }
    }

    #[test]
    fn rows_errors_and_the_end_come_in_order() {
        assert_eq!(drain(&counted(3, End::Quiet)), (vec![0.0, 1.0, 2.0], Ok(())));
        assert_eq!(drain(&counted(0, End::Quiet)), (vec![], Ok(())));
        assert_eq!(drain(&counted(2, End::Error)), (vec![0.0, 1.0], Err("torn".into())));
        let (rows, end) = drain(&counted(2, End::Missing));
        assert_eq!(rows, [0.0, 1.0]);
        assert!(end.unwrap_err().starts_with("input 1 of row 3 is missing; "));
    }

    #[test]
    fn the_next_chunk_is_made_while_one_is_used_and_no_more() {
        let source = counted(9, End::Quiet);
        let (sender, heard) = std::sync::mpsc::channel();
        *source.heard.lock().unwrap() = Some(sender);
        let mut ahead = Ahead::open(&source, BOUNDS).unwrap();
        for taken in 0..9 {
            // Nothing is asked for here, and still the next one comes to be.
            assert_eq!(heard.recv(), Ok(taken));
            assert!(source.made.load(Ordering::SeqCst) <= taken + 1, "one ahead and no more");
            assert_eq!(ahead.next().unwrap().unwrap().inputs(), [taken as f32]);
        }
        assert!(ahead.next().unwrap().is_none());
    }

    #[test]
    fn no_thread_is_left_behind() {
        for taken in [0, 1, 3] {
            let source = counted(1000, End::Quiet);
            let mut ahead = Ahead::open(&source, BOUNDS).unwrap();
            for _ in 0..taken {
                ahead.next().unwrap();
            }
            drop(ahead);
            // The thread owned the other one.
            assert_eq!(Arc::strong_count(&source.made), 1);
            assert!(source.made.load(Ordering::SeqCst) <= taken + 1);
        }
    }

    #[test]
    #[should_panic(expected = "the source is at its end")]
    fn a_source_that_panics_is_not_taken_for_one_that_ends() {
        let _ = drain(&counted(1, End::Panic));
    }
}
