//! Columns out: Parquet, batch by batch.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

/// Values of one column; `None` is null.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Text.
    Text(Vec<Option<String>>),
    /// Whole numbers.
    Integer(Vec<Option<i64>>),
    /// Numbers.
    Number(Vec<Option<f64>>),
    /// Truth values.
    Flag(Vec<Option<bool>>),
}

impl Values {
    fn kind(&self) -> DataType {
        match self {
            Self::Text(_) => DataType::Utf8,
            Self::Integer(_) => DataType::Int64,
            Self::Number(_) => DataType::Float64,
            Self::Flag(_) => DataType::Boolean,
        }
    }

    fn array(&self) -> ArrayRef {
        match self {
            Self::Text(values) => Arc::new(values.iter().map(Option::as_deref).collect::<StringArray>()),
            Self::Integer(values) => Arc::new(values.iter().copied().collect::<Int64Array>()),
            Self::Number(values) => Arc::new(values.iter().copied().collect::<Float64Array>()),
            Self::Flag(values) => Arc::new(values.iter().copied().collect::<BooleanArray>()),
        }
    }
}

/// Why a table cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A batch does not fit the first one: other columns, or columns of different lengths.
    #[error("the batch does not fit the table: expected the columns of the first one, all of one length")]
    Batch(#[source] arrow_schema::ArrowError),
    /// The writer refused, or the disk.
    #[error("the table cannot be written")]
    Write(#[source] parquet::errors::ParquetError),
}

/// Writes Parquet; every column may hold nulls.
///
/// # Examples
/// ```
/// use humbly_table::{ParquetTable, Values, read_bytes};
/// let batch = |x: Option<i64>| vec![("x", Values::Integer(vec![x])), ("why", Values::Text(vec![None]))];
/// let mut table = ParquetTable::new(Vec::new(), &batch(Some(7)))?;
/// table.write(&batch(Some(7)))?;
/// table.write(&batch(None))?;
/// let bytes = table.finish()?;
/// let read = read_bytes("t.parquet", bytes, &["x"]).map_err(|problem| problem.message)?;
/// assert_eq!(read.column_f64("x").map_err(|problem| problem.message)?.values, [Some(7.0), None]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ParquetTable<W: Write + Send> {
    writer: ArrowWriter<W>,
    schema: Arc<Schema>,
}

impl<W: Write + Send> ParquetTable<W> {
    /// Begins a table with the columns of `like`, whose values are not written.
    ///
    /// # Errors
    /// [`WriteError::Write`].
    pub fn new(out: W, like: &[(&str, Values)]) -> Result<Self, WriteError> {
        let fields: Vec<Field> =
            like.iter().map(|(name, values)| Field::new(*name, values.kind(), true)).collect();
        let schema = Arc::new(Schema::new(fields));
        let properties =
            WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
        let writer =
            ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties)).map_err(WriteError::Write)?;
        Ok(Self { writer, schema })
    }

    /// Writes the rows of a batch.
    ///
    /// # Errors
    /// [`WriteError::Batch`], [`WriteError::Write`].
    pub fn write(&mut self, batch: &[(&str, Values)]) -> Result<(), WriteError> {
        let arrays = batch.iter().map(|(_, values)| values.array()).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays).map_err(WriteError::Batch)?;
        self.writer.write(&batch).map_err(WriteError::Write)
    }

    /// Ends the table.
    ///
    /// # Errors
    /// [`WriteError::Write`].
    pub fn finish(self) -> Result<W, WriteError> {
        self.writer.into_inner().map_err(WriteError::Write)
    }
}
