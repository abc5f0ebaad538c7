//! Parquet, batch by batch, with nested columns as JSON.

use std::fs::File;
use std::panic::AssertUnwindSafe;

use arrow_json::LineDelimitedWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::each::{Found, Place, object};
use crate::row::Fault;

/// Rows held at a time.
const BATCH: usize = 1024;

pub(super) fn each(file: File, sink: &mut dyn FnMut(Found)) -> Result<(), String> {
    let damaged = |reason: String| format!("cannot be read as Parquet: {reason}");
    let mut batches = guarded(|| {
        ParquetRecordBatchReaderBuilder::try_new(file)
            .and_then(|builder| builder.with_batch_size(BATCH).build())
            .map_err(|error| error.to_string())
    })
    .map_err(damaged)?;
    let mut number = 0;
    loop {
        let lines = guarded(|| {
            let Some(batch) = batches.next() else { return Ok(None) };
            let batch = batch.map_err(|error| error.to_string())?;
            let mut writer = LineDelimitedWriter::new(Vec::new());
            writer.write(&batch).and_then(|()| writer.finish()).map_err(|error| error.to_string())?;
            Ok(Some(writer.into_inner()))
        });
        match lines {
            Ok(None) => return Ok(()),
            Ok(Some(lines)) => {
                for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                    number += 1;
                    sink((Place::Row(number), object(line)));
                }
            }
            // What was read before a cut is used.
            Err(reason) if number > 0 => {
                sink((Place::Row(number + 1), Err(Fault::new(damaged(reason)))));
                return Ok(());
            }
            Err(reason) => return Err(damaged(reason)),
        }
    }
}

/// Some damaged files make the decoder panic; that is a problem of the file.
fn guarded<T>(decode: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    std::panic::catch_unwind(AssertUnwindSafe(decode))
        .unwrap_or_else(|_| Err("the file points outside of itself".to_owned()))
}
