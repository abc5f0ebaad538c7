//! Parquet and Arrow IPC, batch by batch.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_cast::cast;
use arrow_cast::display::array_value_to_string;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Schema};
use humbly_types::Problem;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;

use crate::cell::Cell;
use crate::names::unknown_column;
use crate::source::Source;
use crate::table::{Places, Table};

/// Runs a decoder that panics on some damaged files (arrow-ipc 60 slices buffers by offsets that it does not
/// check) and makes a problem of that.
pub(crate) fn guarded<T>(source: &Source, decode: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(decode))
        .unwrap_or_else(|_| Err(damaged(source, &"offsets that point outside of the file")))
}

pub(crate) fn names_of_arrow_stream(source: &Source) -> Result<Vec<String>, Problem> {
    let reader = StreamReader::try_new(source.open()?, None).map_err(|error| damaged(source, &error))?;
    Ok(names(&reader.schema()))
}

pub(crate) fn read_arrow_stream(source: &Source, columns: &[&str]) -> Result<Table, Problem> {
    let schema =
        StreamReader::try_new(source.open()?, None).map_err(|error| damaged(source, &error))?.schema();
    let positions = positions(source, &schema, columns)?;
    let reader = StreamReader::try_new(source.open()?, Some(sorted(&positions)))
        .map_err(|error| damaged(source, &error))?;
    collect(source, columns, reader)
}

pub(crate) fn names_of_arrow_file(source: &Source) -> Result<Vec<String>, Problem> {
    let reader = FileReader::try_new(std::io::Cursor::new(source.whole()?), None)
        .map_err(|error| damaged(source, &error))?;
    Ok(names(&reader.schema()))
}

pub(crate) fn read_arrow_file(source: &Source, columns: &[&str]) -> Result<Table, Problem> {
    let bytes = source.whole()?;
    let schema = FileReader::try_new(std::io::Cursor::new(bytes.clone()), None)
        .map_err(|error| damaged(source, &error))?
        .schema();
    let positions = positions(source, &schema, columns)?;
    let reader = FileReader::try_new(std::io::Cursor::new(bytes), Some(sorted(&positions)))
        .map_err(|error| damaged(source, &error))?;
    collect(source, columns, reader)
}

pub(crate) fn names_of_parquet(source: &Source) -> Result<Vec<String>, Problem> {
    match source.as_file() {
        Some(file) => parquet_names(source, file?),
        None => parquet_names(source, source.whole()?),
    }
}

fn parquet_names<R: ChunkReader + 'static>(source: &Source, reader: R) -> Result<Vec<String>, Problem> {
    let builder =
        ParquetRecordBatchReaderBuilder::try_new(reader).map_err(|error| damaged(source, &error))?;
    Ok(names(builder.schema()))
}

pub(crate) fn read_parquet(source: &Source, columns: &[&str]) -> Result<Table, Problem> {
    match source.as_file() {
        Some(file) => parquet_table(source, file?, columns),
        None => parquet_table(source, source.whole()?, columns),
    }
}

fn parquet_table<R: ChunkReader + 'static>(
    source: &Source,
    reader: R,
    columns: &[&str],
) -> Result<Table, Problem> {
    let builder =
        ParquetRecordBatchReaderBuilder::try_new(reader).map_err(|error| damaged(source, &error))?;
    let positions = positions(source, builder.schema(), columns)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), positions);
    let reader = builder.with_projection(mask).build().map_err(|error| damaged(source, &error))?;
    collect(source, columns, reader)
}

fn collect(source: &Source, columns: &[&str], reader: impl RecordBatchReader) -> Result<Table, Problem> {
    let mut table = Table::new(&source.path, columns, Places::Counted);
    let mut rows = 0;
    for batch in reader {
        let batch: RecordBatch = match batch {
            Ok(batch) => batch,
            // What was read before a cut is used.
            Err(error) if rows > 0 => {
                table.push_problem(damaged(source, &error).record(format!("row {}", rows + 1)));
                return Ok(table);
            }
            Err(error) => return Err(damaged(source, &error)),
        };
        for (index, name) in columns.iter().enumerate() {
            let column = batch
                .column_by_name(name)
                .ok_or_else(|| unknown_column(&source.path, name, &names(&batch.schema())))?;
            let cells = cells(column).map_err(|error| damaged(source, &error))?;
            table.extend_column(index, cells);
        }
        rows += batch.num_rows();
    }
    Ok(table)
}

fn names(schema: &Schema) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

fn positions(source: &Source, schema: &Schema, columns: &[&str]) -> Result<Vec<usize>, Problem> {
    columns
        .iter()
        .map(|wanted| {
            schema.index_of(wanted).map_err(|_| unknown_column(&source.path, wanted, &names(schema)))
        })
        .collect()
}

fn sorted(positions: &[usize]) -> Vec<usize> {
    let mut sorted = positions.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted
}

fn damaged(source: &Source, error: &dyn std::fmt::Display) -> Problem {
    Problem::new(source.path.as_str(), format!("cannot be read as a table: {error}"))
        .hint("the file may be cut or damaged; write it again")
}

fn cells(array: &ArrayRef) -> Result<Vec<Cell>, ArrowError> {
    match array.data_type() {
        DataType::Null => Ok(vec![Cell::Missing; array.len()]),
        DataType::Boolean => {
            Ok(array.as_boolean().iter().map(|flag| flag.map_or(Cell::Missing, Cell::Flag)).collect())
        }
        DataType::Float64 => {
            let values = array.as_primitive::<Float64Type>();
            Ok(values.iter().map(|value| value.map_or(Cell::Missing, Cell::Number)).collect())
        }
        DataType::Float32 => {
            let values = array.as_primitive::<Float32Type>();
            // The shortest text of an f32 is what was meant: 0.9, not 0.8999999761581421.
            Ok(values
                .iter()
                .map(|value| {
                    value.map_or(Cell::Missing, |value| {
                        Cell::Number(value.to_string().parse().unwrap_or_else(|_| f64::from(value)))
                    })
                })
                .collect())
        }
        DataType::Float16
        | DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => cells(&cast(array, &DataType::Float64)?),
        kind if kind.is_integer() => match cast(array, &DataType::Int64) {
            // A cast turns what does not fit into missing.
            Ok(whole) if whole.null_count() == array.null_count() => {
                let values = whole.as_primitive::<Int64Type>();
                Ok(values.iter().map(|value| value.map_or(Cell::Missing, Cell::Integer)).collect())
            }
            _ => cells(&cast(array, &DataType::Float64)?),
        },
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            let text = cast(array, &DataType::LargeUtf8)?;
            let values = text.as_string::<i64>();
            Ok(values.iter().map(|value| value.map_or(Cell::Missing, Cell::of_text)).collect())
        }
        DataType::Dictionary(_, value) => cells(&cast(array, value)?),
        DataType::List(_) => Ok(lists(array, |row| array.as_list::<i32>().value(row))),
        DataType::LargeList(_) => Ok(lists(array, |row| array.as_list::<i64>().value(row))),
        DataType::FixedSizeList(..) => Ok(lists(array, |row| array.as_fixed_size_list().value(row))),
        _ => (0..array.len()).map(|row| displayed(array, row)).collect(),
    }
}

/// A list of one value is that value; others are shown.
fn lists(array: &ArrayRef, item: impl Fn(usize) -> ArrayRef) -> Vec<Cell> {
    (0..array.len())
        .map(|row| {
            if array.is_null(row) {
                return Cell::Missing;
            }
            let items = item(row);
            if items.len() == 1 && !items.data_type().is_nested() {
                return cells(&items).ok().and_then(|cells| cells.into_iter().next()).unwrap_or_default();
            }
            displayed(array, row).unwrap_or_default()
        })
        .collect()
}

fn displayed(array: &ArrayRef, row: usize) -> Result<Cell, ArrowError> {
    if array.is_null(row) {
        return Ok(Cell::Missing);
    }
    array_value_to_string(array, row).map(|text| Cell::Text(text.into()))
}
