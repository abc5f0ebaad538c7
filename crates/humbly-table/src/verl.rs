//! Training sets in verl's form: Parquet with nested columns.

use std::io::Write;
use std::sync::Arc;

use arrow_json::ReaderBuilder;
use arrow_json::reader::Decoder;
use arrow_schema::{DataType, Field, Fields, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde::Serialize;

use crate::write::WriteError;

/// Rows that are held at a time.
const BATCH: usize = 1_024;

/// One row of a training set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerlRow {
    /// Data set.
    pub data_source: String,
    /// What the model is told, turn by turn.
    pub prompt: Vec<VerlTurn>,
    /// Kind of task, e.g. `fact-reasoning` or `math`.
    pub ability: String,
    /// What the reward compares with.
    pub reward_model: VerlTruth,
    /// What the reward and the loop read beside it.
    pub extra_info: VerlExtra,
}

/// A turn of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerlTurn {
    /// `user` or `system`.
    pub role: String,
    /// Its text.
    pub content: String,
}

/// `reward_model`: as in Search-R1's files, so that one column holds questions with one reference, several or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerlTruth {
    style: &'static str,
    ground_truth: Targets,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Targets {
    target: Vec<String>,
}

impl VerlTruth {
    /// Compared by rule with these answers, any one of which is right.
    pub fn rule(target: Vec<String>) -> Self {
        Self { style: "rule", ground_truth: Targets { target } }
    }
}

/// `extra_info`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerlExtra {
    /// Position in the file.
    pub index: i64,
    /// `train`, `test`, …
    pub split: String,
    /// Id of the question.
    pub question_id: String,
    /// The question alone.
    pub question: String,
    /// `answerable`, `data` or `model`; null where nobody said.
    pub label: Option<String>,
}

fn schema() -> Schema {
    let text = |name: &str| Field::new(name, DataType::Utf8, false);
    let object =
        |name: &str, fields: Vec<Field>| Field::new(name, DataType::Struct(Fields::from(fields)), false);
    let list = |name: &str, item: Field| Field::new(name, DataType::List(Arc::new(item)), false);
    Schema::new(vec![
        text("data_source"),
        list("prompt", object("item", vec![text("role"), text("content")])),
        text("ability"),
        object(
            "reward_model",
            vec![text("style"), object("ground_truth", vec![list("target", text("item"))])],
        ),
        object(
            "extra_info",
            vec![
                Field::new("index", DataType::Int64, false),
                text("split"),
                text("question_id"),
                text("question"),
                Field::new("label", DataType::Utf8, true),
            ],
        ),
    ])
}

/// Writes rows as verl's `RLHFDataset` reads them.
///
/// # Examples
/// ```
/// use humbly_table::{VerlExtra, VerlRow, VerlTable, VerlTruth, VerlTurn};
/// let mut table = VerlTable::new(Vec::new())?;
/// table.write(VerlRow {
///     data_source: "nq-open".to_owned(),
///     prompt: vec![VerlTurn { role: "user".to_owned(), content: "Who wrote Emma?".to_owned() }],
///     ability: "fact-reasoning".to_owned(),
///     reward_model: VerlTruth::rule(vec!["Jane Austen".to_owned()]),
///     extra_info: VerlExtra {
///         index: 0,
///         split: "train".to_owned(),
///         question_id: "nq-0".to_owned(),
///         question: "Who wrote Emma?".to_owned(),
///         label: None,
///     },
/// })?;
/// let bytes = table.finish()?;
/// assert_eq!(&bytes[..4], b"PAR1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct VerlTable<W: Write + Send> {
    writer: ArrowWriter<W>,
    decoder: Decoder,
    held: Vec<VerlRow>,
}

impl<W: Write + Send> VerlTable<W> {
    /// Begins a table.
    ///
    /// # Errors
    /// [`WriteError::Write`].
    pub fn new(out: W) -> Result<Self, WriteError> {
        let schema = Arc::new(schema());
        let properties =
            WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
        let writer =
            ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties)).map_err(WriteError::Write)?;
        let decoder = ReaderBuilder::new(schema).build_decoder().map_err(WriteError::Batch)?;
        Ok(Self { writer, decoder, held: Vec::with_capacity(BATCH) })
    }

    /// Writes a row.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn write(&mut self, row: VerlRow) -> Result<(), WriteError> {
        self.held.push(row);
        if self.held.len() == BATCH { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), WriteError> {
        self.decoder.serialize(&self.held).map_err(WriteError::Batch)?;
        self.held.clear();
        match self.decoder.flush().map_err(WriteError::Batch)? {
            Some(batch) => self.writer.write(&batch).map_err(WriteError::Write),
            None => Ok(()),
        }
    }

    /// Ends the table.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn finish(mut self) -> Result<W, WriteError> {
        self.flush()?;
        self.writer.into_inner().map_err(WriteError::Write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::{Array, RecordBatch};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    fn row(index: i64, target: &[&str], label: Option<&str>) -> VerlRow {
        VerlRow {
            data_source: "set".to_owned(),
            prompt: vec![VerlTurn { role: "user".to_owned(), content: format!("Q{index} \"quoted\"\n") }],
            ability: "math".to_owned(),
            reward_model: VerlTruth::rule(target.iter().map(|&text| text.to_owned()).collect()),
            extra_info: VerlExtra {
                index,
                split: "train".to_owned(),
                question_id: format!("q{index}"),
                question: format!("Q{index}"),
                label: label.map(str::to_owned),
            },
        }
    }

    fn read(bytes: Vec<u8>) -> Vec<RecordBatch> {
        let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).unwrap();
        reader.build().unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn rows_come_back_over_the_edge_of_a_batch() {
        let mut table = VerlTable::new(Vec::new()).unwrap();
        for index in 0..2_500 {
            let label = (index == 1_500).then_some("data");
            let target: &[&str] = if label.is_some() { &[] } else { &["a", "b"] };
            table.write(row(index, target, label)).unwrap();
        }
        let batches = read(table.finish().unwrap());
        let mut found = 0;
        for batch in &batches {
            let extra = batch.column_by_name("extra_info").unwrap().as_struct();
            let truth = batch.column_by_name("reward_model").unwrap().as_struct();
            let target = truth.column_by_name("ground_truth").unwrap().as_struct();
            let target = target.column_by_name("target").unwrap().as_list::<i32>();
            let labels = extra.column_by_name("label").unwrap().as_string::<i32>();
            let ids = extra.column_by_name("question_id").unwrap().as_string::<i32>();
            let prompts = batch.column_by_name("prompt").unwrap().as_list::<i32>();
            for at in 0..batch.num_rows() {
                assert_eq!(ids.value(at), format!("q{found}"));
                let is_data = found == 1_500;
                assert_eq!(labels.is_null(at), !is_data);
                assert_eq!(target.value(at).len(), if is_data { 0 } else { 2 });
                let turn = prompts.value(at);
                let content = turn.as_struct().column_by_name("content").unwrap().as_string::<i32>();
                assert_eq!(content.value(0), format!("Q{found} \"quoted\"\n"));
                found += 1;
            }
        }
        assert_eq!(found, 2_500);
    }

    #[test]
    fn an_empty_table_has_the_columns() {
        let bytes = VerlTable::new(Vec::new()).unwrap().finish().unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).unwrap();
        let names: Vec<&str> = reader.schema().fields().iter().map(|field| field.name().as_str()).collect();
        assert_eq!(names, ["data_source", "prompt", "ability", "reward_model", "extra_info"]);
    }
}
