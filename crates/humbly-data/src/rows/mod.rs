//! Rows of a file, one at a time: JSONL, a JSON array, an array inside an object, CSV, Parquet.

mod array;
mod columnar;
mod csv_rows;
mod each;
mod lines;

pub(crate) use each::{Place, each_row};
