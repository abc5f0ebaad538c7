//! The header of a GGUF file: entries, tensor names, types and places.
//!
//! Own reader and not the tensor library's: every length is checked against the
//! bytes that are left before anything is allocated, and each kind of damage has its own error.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};

use crate::error::{ModelError, Result};
use crate::quantisation::Format;

const MAGIC: &[u8; 4] = b"GGUF";
const DEEPEST_ARRAY: usize = 4;
const MOST_DIMENSIONS: u32 = 4;

/// A header entry.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Bool(bool),
    Text(String),
    Array(Vec<Value>),
}

impl Value {
    pub(crate) fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Unsigned(value) => Some(*value),
            Self::Signed(value) => u64::try_from(*value).ok(),
            _ => None,
        }
    }
}

/// Where a tensor lies and how it is stored.
#[derive(Debug, Clone)]
pub(crate) struct TensorEntry {
    /// Rows first, as candle has it.
    pub(crate) shape: Vec<usize>,
    pub(crate) format: Format,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

impl TensorEntry {
    pub(crate) fn values(&self) -> usize {
        self.shape.iter().product()
    }
}

/// The whole header.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) entries: BTreeMap<String, Value>,
    pub(crate) tensors: BTreeMap<String, TensorEntry>,
}

impl Header {
    pub(crate) fn read<R: Read + Seek>(source: &mut R) -> Result<Self> {
        let length = source
            .seek(SeekFrom::End(0))
            .and_then(|length| source.seek(SeekFrom::Start(0)).map(|_| length))
            .map_err(|source| ModelError::io("reading the length", source))?;
        let mut reader = Reader { source, left: length, length };
        let magic = reader.magic()?;
        if magic != MAGIC {
            return Err(ModelError::NotGguf { found: magic });
        }
        let version = reader.u32("the version")?;
        if !(2..=3).contains(&version) {
            return Err(ModelError::GgufVersion { found: version });
        }
        let tensor_count = reader.count("the tensor list", 24)?;
        let entry_count = reader.count("the entry list", 13)?;
        let mut entries = BTreeMap::new();
        for _ in 0..entry_count {
            let key = reader.text("a key")?;
            let kind = reader.u32("the type of an entry")?;
            let value = reader.value(kind, 0)?;
            if entries.insert(key.clone(), value).is_some() {
                return Err(ModelError::Malformed { what: format!("entry `{key}` stands twice") });
            }
        }
        let mut tensors = BTreeMap::new();
        for _ in 0..tensor_count {
            let (name, entry) = reader.tensor()?;
            if tensors.insert(name.clone(), entry).is_some() {
                return Err(ModelError::Malformed { what: format!("tensor `{name}` stands twice") });
            }
        }
        let alignment = match entries.get("general.alignment") {
            None => 32,
            Some(value) => value
                .as_u64()
                .filter(|alignment| alignment.is_power_of_two() && *alignment <= 1 << 20)
                .ok_or_else(|| ModelError::Malformed {
                    what: "the alignment is not a power of two".to_owned(),
                })?,
        };
        let start = (length - reader.left).next_multiple_of(alignment);
        for (name, entry) in &mut tensors {
            entry.offset = entry.offset.checked_add(start).ok_or_else(|| ModelError::Malformed {
                what: format!("tensor `{name}` lies beyond every file"),
            })?;
            let available = length.saturating_sub(entry.offset);
            if entry.bytes > available {
                return Err(ModelError::CutShort {
                    what: format!("tensor `{name}`"),
                    needed: entry.bytes,
                    available,
                });
            }
        }
        Ok(Self { entries, tensors })
    }

    pub(crate) fn text(&self, key: &str) -> Result<&str> {
        match self.entries.get(key) {
            Some(Value::Text(text)) => Ok(text),
            _ => Err(ModelError::Metadata { key: key.to_owned(), expected: "a text" }),
        }
    }

    pub(crate) fn size(&self, key: &str) -> Result<usize> {
        self.optional_size(key)?
            .ok_or_else(|| ModelError::Metadata { key: key.to_owned(), expected: "a whole number" })
    }

    /// Absent is `None`; present and not a number is an error.
    pub(crate) fn optional_size(&self, key: &str) -> Result<Option<usize>> {
        self.entries
            .get(key)
            .map(|value| {
                value
                    .as_u64()
                    .and_then(|value| usize::try_from(value).ok())
                    .ok_or_else(|| ModelError::Metadata { key: key.to_owned(), expected: "a whole number" })
            })
            .transpose()
    }

    pub(crate) fn optional_float(&self, key: &str) -> Result<Option<f64>> {
        match self.entries.get(key) {
            None => Ok(None),
            Some(Value::Float(value)) if value.is_finite() => Ok(Some(*value)),
            Some(_) => Err(ModelError::Metadata { key: key.to_owned(), expected: "a finite number" }),
        }
    }

    pub(crate) fn optional_bool(&self, key: &str) -> Option<bool> {
        match self.entries.get(key) {
            Some(Value::Bool(value)) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn array(&self, key: &str) -> Result<&[Value]> {
        match self.entries.get(key) {
            Some(Value::Array(values)) => Ok(values),
            _ => Err(ModelError::Metadata { key: key.to_owned(), expected: "a list" }),
        }
    }

    pub(crate) fn texts(&self, key: &str) -> Result<Vec<&str>> {
        self.array(key)?
            .iter()
            .map(|value| match value {
                Value::Text(text) => Ok(text.as_str()),
                _ => Err(ModelError::Metadata { key: key.to_owned(), expected: "a list of texts" }),
            })
            .collect()
    }
}

/// Bytes of one tensor.
pub(crate) fn read_tensor<R: Read + Seek>(
    source: &mut R,
    name: &str,
    entry: &TensorEntry,
) -> Result<Vec<u8>> {
    let action = || format!("reading tensor `{name}`");
    let length = usize::try_from(entry.bytes)
        .map_err(|_| ModelError::Malformed { what: format!("tensor `{name}` does not fit in memory") })?;
    let mut bytes = vec![0; length];
    source.seek(SeekFrom::Start(entry.offset)).map_err(|error| ModelError::io(action(), error))?;
    source.read_exact(&mut bytes).map_err(|error| ModelError::io(action(), error))?;
    Ok(bytes)
}

struct Reader<'a, R> {
    source: &'a mut R,
    left: u64,
    length: u64,
}

impl<R: Read> Reader<'_, R> {
    fn magic(&mut self) -> Result<Vec<u8>> {
        let mut magic = vec![0; usize::try_from(self.length.min(4)).unwrap_or(4)];
        self.fill(&mut magic, "the first bytes")?;
        Ok(magic)
    }

    fn fill(&mut self, bytes: &mut [u8], what: &str) -> Result<()> {
        let needed = bytes.len() as u64;
        self.need(needed, what)?;
        self.source.read_exact(bytes).map_err(|error| ModelError::io(format!("reading {what}"), error))?;
        self.left -= needed;
        Ok(())
    }

    fn need(&self, needed: u64, what: &str) -> Result<()> {
        if needed > self.left {
            return Err(ModelError::CutShort { what: what.to_owned(), needed, available: self.left });
        }
        Ok(())
    }

    fn array_of<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes, what)?;
        Ok(bytes)
    }

    fn u32(&mut self, what: &str) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array_of(what)?))
    }

    fn u64(&mut self, what: &str) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array_of(what)?))
    }

    /// A number of things of which each takes at least `least` bytes.
    fn count(&mut self, what: &str, least: u64) -> Result<u64> {
        let count = self.u64(what)?;
        self.need(count.saturating_mul(least), what)?;
        Ok(count)
    }

    fn text(&mut self, what: &str) -> Result<String> {
        let length = self.count(what, 1)?;
        let length = usize::try_from(length)
            .map_err(|_| ModelError::Malformed { what: format!("{what} does not fit in memory") })?;
        let mut bytes = vec![0; length];
        self.fill(&mut bytes, what)?;
        String::from_utf8(bytes).map_err(|_| ModelError::Malformed { what: format!("{what} is not UTF-8") })
    }

    fn value(&mut self, kind: u32, depth: usize) -> Result<Value> {
        const WHAT: &str = "an entry";
        Ok(match kind {
            0 => Value::Unsigned(u64::from(self.array_of::<1>(WHAT)?[0])),
            1 => Value::Signed(i64::from(i8::from_le_bytes(self.array_of(WHAT)?))),
            2 => Value::Unsigned(u64::from(u16::from_le_bytes(self.array_of(WHAT)?))),
            3 => Value::Signed(i64::from(i16::from_le_bytes(self.array_of(WHAT)?))),
            4 => Value::Unsigned(u64::from(self.u32(WHAT)?)),
            5 => Value::Signed(i64::from(i32::from_le_bytes(self.array_of(WHAT)?))),
            6 => Value::Float(f64::from(f32::from_le_bytes(self.array_of(WHAT)?))),
            7 => Value::Bool(self.array_of::<1>(WHAT)?[0] != 0),
            8 => Value::Text(self.text("a text entry")?),
            9 => {
                if depth == DEEPEST_ARRAY {
                    return Err(ModelError::Malformed { what: "lists are nested too deeply".to_owned() });
                }
                let kind = self.u32(WHAT)?;
                let least = match kind {
                    0 | 1 | 7 => 1,
                    2 | 3 => 2,
                    4..=6 => 4,
                    _ => 8,
                };
                let count = self.count("a list", least)?;
                let mut values = Vec::new();
                for _ in 0..count {
                    values.push(self.value(kind, depth + 1)?);
                }
                Value::Array(values)
            }
            10 => Value::Unsigned(self.u64(WHAT)?),
            11 => Value::Signed(i64::from_le_bytes(self.array_of(WHAT)?)),
            12 => Value::Float(f64::from_le_bytes(self.array_of(WHAT)?)),
            _ => return Err(ModelError::Malformed { what: format!("an entry has the unknown type {kind}") }),
        })
    }

    fn tensor(&mut self) -> Result<(String, TensorEntry)> {
        let name = self.text("a tensor's name")?;
        let malformed = |what: &str| ModelError::Malformed { what: format!("tensor `{name}` {what}") };
        let dimensions = self.u32("a tensor's shape")?;
        if dimensions == 0 || dimensions > MOST_DIMENSIONS {
            return Err(malformed(&format!("has {dimensions} dimensions")));
        }
        let mut shape = Vec::new();
        let mut values = 1_usize;
        for _ in 0..dimensions {
            let extent =
                usize::try_from(self.u64("a tensor's shape")?).map_err(|_| malformed("is too large"))?;
            values = values.checked_mul(extent).ok_or_else(|| malformed("is too large"))?;
            shape.push(extent);
        }
        let row = shape.first().copied().unwrap_or(0);
        shape.reverse();
        let code = self.u32("a tensor's type")?;
        let format = Format::from_code(code).ok_or_else(|| ModelError::Quantisation {
            tensor: name.clone(),
            found: Format::name_of_code(code),
            expected: Format::KNOWN,
        })?;
        if row == 0 || row % format.block_values() != 0 {
            return Err(malformed(&format!(
                "has rows of {row} values, not whole blocks of {}",
                format.block_values()
            )));
        }
        let bytes = (values / format.block_values())
            .checked_mul(format.block_bytes())
            .ok_or_else(|| malformed("is too large"))?;
        let offset = self.u64("a tensor's place")?;
        Ok((name, TensorEntry { shape, format, offset, bytes: bytes as u64 }))
    }
}
