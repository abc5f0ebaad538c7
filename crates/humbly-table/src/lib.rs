//! Columns from CSV, JSONL, JSON arrays, Parquet and Arrow IPC, recognised from content.
//!
//! Only the columns that are asked for are kept. A cell is a value, missing, or a problem with its place: NaN,
//! a word in a column of numbers and an infinite number are problems, never numbers.

mod cell;
mod columnar;
mod csv_rows;
mod json_rows;
mod names;
mod read;
mod source;
mod table;
mod verl;
mod write;

pub use cell::Cell;
pub use read::{column_names, column_names_of_bytes, read, read_bytes};
pub use table::{Column, Table};
pub use verl::{VerlExtra, VerlRow, VerlTable, VerlTruth, VerlTurn};
pub use write::{ParquetTable, Values, WriteError};
