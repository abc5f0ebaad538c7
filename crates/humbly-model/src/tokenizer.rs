//! Byte-level BPE from the vocabulary and merges that the file itself brings.

use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::tokenizer::SplitDelimiterBehavior;
use tokenizers::{AddedToken, Tokenizer as Library};

use crate::error::{ModelError, Result};
use crate::gguf::{Header, Value};

const CONTROL: u64 = 3;
const USER_DEFINED: u64 = 4;
const KNOWN: &str = "`gpt2` with pre-tokeniser `gpt-2`, `smollm`, `llama-bpe`, `llama3` or `qwen2`";

/// GPT-2's rule: contractions, words, numbers, other signs, white space.
const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
/// Llama 3's rule; Qwen 2's differs in numbers of one digit.
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// Names of tokens that end a turn or a text in the models that are known.
const ENDS: &[&str] = &["<|im_end|>", "<|eot_id|>", "<|endoftext|>", "<|end_of_text|>", "</s>"];

/// Turns text into tokens and back.
#[derive(Debug)]
pub struct Tokenizer {
    library: Library,
    /// Bytes of each token; of a control token its name.
    bytes: Vec<Box<[u8]>>,
    control: Vec<bool>,
    names: Vec<String>,
    ends: Vec<u32>,
    begin: Option<u32>,
    adds_begin: bool,
}

impl Tokenizer {
    pub(crate) fn from_header(header: &Header) -> Result<Self> {
        let kind = header.text("tokenizer.ggml.model")?;
        if kind != "gpt2" {
            return Err(ModelError::Tokenizer { found: kind.to_owned(), expected: KNOWN });
        }
        let rule = match header.entries.get("tokenizer.ggml.pre") {
            None => "(none)",
            Some(_) => header.text("tokenizer.ggml.pre")?,
        };
        let (pieces, ignore_merges) = pre_tokenizer(rule)?;
        let tokens = header.texts("tokenizer.ggml.tokens")?;
        let kinds = kinds(header, tokens.len())?;
        let mut vocabulary = Vocab::default();
        for (id, token) in tokens.iter().enumerate() {
            vocabulary.insert((*token).to_owned(), number(id));
        }
        let mut merges = Vec::new();
        for merge in header.texts("tokenizer.ggml.merges")? {
            let (left, right) =
                merge.split_once(' ').ok_or_else(|| failed(format!("merge `{merge}` is no pair")))?;
            merges.push((left.to_owned(), right.to_owned()));
        }
        let model = BPE::builder()
            .vocab_and_merges(vocabulary, merges)
            .ignore_merges(ignore_merges)
            .build()
            .map_err(|error| failed(error.to_string()))?;
        let mut library = Library::new(model);
        library.with_pre_tokenizer(Some(pieces));
        let added = |wanted: u64| {
            tokens
                .iter()
                .zip(&kinds)
                .filter(move |(_, kind)| **kind == wanted)
                .map(move |(token, _)| AddedToken::from(*token, wanted == CONTROL).normalized(false))
        };
        library
            .add_special_tokens(added(CONTROL).collect::<Vec<_>>())
            .map_err(|error| failed(error.to_string()))?;
        library
            .add_tokens(added(USER_DEFINED).collect::<Vec<_>>())
            .map_err(|error| failed(error.to_string()))?;
        let control: Vec<bool> = kinds.iter().map(|kind| *kind == CONTROL).collect();
        let literal = kinds.iter().map(|kind| *kind == CONTROL || *kind == USER_DEFINED);
        let bytes = tokens.iter().zip(literal).map(|(token, literal)| bytes_of(token, literal)).collect();
        let id = |key: &str| -> Result<Option<u32>> {
            let id = header.optional_size(key)?.filter(|id| *id < tokens.len());
            Ok(id.map(number))
        };
        let mut ends: Vec<u32> = tokens
            .iter()
            .enumerate()
            .filter(|(index, token)| control[*index] && ENDS.contains(*token))
            .map(|(index, _)| number(index))
            .collect();
        ends.extend(id("tokenizer.ggml.eos_token_id")?);
        ends.extend(id("tokenizer.ggml.eot_token_id")?);
        ends.sort_unstable();
        ends.dedup();
        let names: Vec<String> = tokens
            .iter()
            .zip(&control)
            .filter(|(token, control)| **control && token.chars().count() > 1)
            .map(|(token, _)| (*token).to_owned())
            .collect();
        Ok(Self {
            library,
            bytes,
            control,
            names,
            ends,
            begin: id("tokenizer.ggml.bos_token_id")?,
            adds_begin: header
                .optional_bool("tokenizer.ggml.add_bos_token")
                .unwrap_or(rule != "smollm" && rule != "gpt-2" && rule != "qwen2"),
        })
    }

    /// Tokens of a text; names of control tokens in it become those tokens.
    ///
    /// # Errors
    /// [`ModelError::Tokenizing`] where the pre-tokeniser gives up on the text.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>> {
        let encoding = self.library.encode_fast(text, false).map_err(|error| failed(error.to_string()))?;
        Ok(encoding.get_ids().to_vec())
    }

    /// Tokens of a text as it stands: the name of a control token in it stays text.
    ///
    /// # Errors
    /// As [`Self::encode`].
    pub fn encode_literally(&self, text: &str) -> Result<Vec<u32>> {
        let mut tokens = Vec::new();
        let mut rest = text;
        while let Some((start, name)) = self.next_name(rest) {
            // A name without its first letter is no name, so the library sees two plain texts.
            let cut = start + name.chars().next().map_or(1, char::len_utf8);
            tokens.extend(self.encode(&rest[..cut])?);
            rest = &rest[cut..];
        }
        tokens.extend(self.encode(rest)?);
        Ok(tokens)
    }

    /// The first control token's name in a text.
    pub(crate) fn next_name<'a>(&'a self, text: &str) -> Option<(usize, &'a str)> {
        self.names
            .iter()
            .filter_map(|name| text.find(name.as_str()).map(|start| (start, name.as_str())))
            .min_by_key(|(start, name)| (*start, std::cmp::Reverse(name.len())))
    }

    /// Names of the control tokens.
    pub(crate) fn control_names(&self) -> &[String] {
        &self.names
    }

    /// Text of tokens without control tokens; bytes that are no UTF-8 become U+FFFD.
    pub fn decode(&self, tokens: &[u32]) -> String {
        let mut stream = TextStream::default();
        let mut text = String::new();
        for token in tokens {
            text.push_str(&stream.push(self.text_bytes(*token)));
        }
        text.push_str(&stream.finish());
        text
    }

    /// The token's own text, also of a control token; a part of a character becomes U+FFFD.
    pub fn token_text(&self, token: u32) -> String {
        String::from_utf8_lossy(self.token_bytes(token)).into_owned()
    }

    /// The token's bytes, of a control token its name; none for an unknown id.
    pub fn token_bytes(&self, token: u32) -> &[u8] {
        self.bytes.get(token as usize).map_or(&[], |bytes| bytes)
    }

    /// Bytes that a token adds to a text: none for a control token.
    pub(crate) fn text_bytes(&self, token: u32) -> &[u8] {
        if self.control.get(token as usize).copied().unwrap_or(true) { &[] } else { self.token_bytes(token) }
    }

    /// Whether the token ends a turn or a text.
    pub fn is_end(&self, token: u32) -> bool {
        self.ends.binary_search(&token).is_ok()
    }

    /// Tokens that end a turn or a text.
    pub fn end_tokens(&self) -> &[u32] {
        &self.ends
    }

    /// The token that begins a text, where the model wants one before plain prompts.
    pub fn begin_token(&self) -> Option<u32> {
        self.begin.filter(|_| self.adds_begin)
    }

    /// Name of the token that begins a text, for templates.
    pub(crate) fn begin_name(&self) -> String {
        self.begin.map(|token| self.token_text(token)).unwrap_or_default()
    }

    /// Name of a token that ends a text, for templates.
    pub(crate) fn end_name(&self) -> String {
        self.ends.last().map(|token| self.token_text(*token)).unwrap_or_default()
    }

    /// Number of tokens.
    pub fn vocabulary(&self) -> usize {
        self.bytes.len()
    }
}

/// Bytes to text as they come: a character that is split over tokens waits for its end.
#[derive(Debug, Default)]
pub struct TextStream {
    waiting: Vec<u8>,
}

impl TextStream {
    /// Adds bytes and returns the text that is complete.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.waiting.extend_from_slice(bytes);
        let mut text = String::new();
        let mut used = 0;
        for chunk in self.waiting.utf8_chunks() {
            text.push_str(chunk.valid());
            used += chunk.valid().len();
            let invalid = chunk.invalid();
            if invalid.is_empty() {
                continue;
            }
            let is_last = used + invalid.len() == self.waiting.len();
            if is_last && may_continue(invalid) {
                break;
            }
            text.push(char::REPLACEMENT_CHARACTER);
            used += invalid.len();
        }
        self.waiting.drain(..used);
        text
    }

    /// What is left: U+FFFD for a character that never ended.
    pub fn finish(&mut self) -> String {
        let rest = String::from_utf8_lossy(&self.waiting).into_owned();
        self.waiting.clear();
        rest
    }
}

fn may_continue(bytes: &[u8]) -> bool {
    let needed = match bytes.first() {
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => return false,
    };
    bytes.len() < needed
}

fn pre_tokenizer(rule: &str) -> Result<(PreTokenizerWrapper, bool)> {
    let split = |pattern: &str| {
        Split::new(SplitPattern::Regex(pattern.to_owned()), SplitDelimiterBehavior::Isolated, false)
            .map(PreTokenizerWrapper::from)
            .map_err(|error| failed(error.to_string()))
    };
    let bytes = || PreTokenizerWrapper::from(ByteLevel::new(false, false, false));
    let (pieces, ignore_merges) = match rule {
        "gpt-2" => (vec![split(GPT2)?, bytes()], false),
        "smollm" => (vec![Digits::new(true).into(), split(GPT2)?, bytes()], false),
        "llama-bpe" | "llama3" | "llama-v3" => (vec![split(LLAMA3)?, bytes()], true),
        "qwen2" => (vec![split(QWEN2)?, bytes()], false),
        _ => {
            return Err(ModelError::Tokenizer {
                found: format!("gpt2 with pre-tokeniser {rule}"),
                expected: KNOWN,
            });
        }
    };
    Ok((Sequence::new(pieces).into(), ignore_merges))
}

fn kinds(header: &Header, count: usize) -> Result<Vec<u64>> {
    let wrong = || ModelError::Metadata {
        key: "tokenizer.ggml.token_type".to_owned(),
        expected: "a list of one number for each token",
    };
    if !header.entries.contains_key("tokenizer.ggml.token_type") {
        return Ok(vec![1; count]);
    }
    let values = header.array("tokenizer.ggml.token_type")?;
    if values.len() != count {
        return Err(wrong());
    }
    values.iter().map(|value| Value::as_u64(value).ok_or_else(wrong)).collect()
}

/// The bytes that stand behind GPT-2's printable stand-ins.
fn bytes_of(token: &str, literal: bool) -> Box<[u8]> {
    if literal {
        return token.as_bytes().into();
    }
    let mut bytes = Vec::with_capacity(token.len());
    for character in token.chars() {
        match byte_of(character) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes.into()
}

/// GPT-2 writes printable Latin-1 as itself and the other 68 bytes, in order, as U+0100 and following.
fn byte_of(character: char) -> Option<u8> {
    let code = u32::from(character);
    let byte = match code {
        0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff => code,
        0x100..=0x120 => code - 0x100,
        0x121..=0x142 => code - 0x121 + 0x7f,
        0x143 => 0xad,
        _ => return None,
    };
    u8::try_from(byte).ok()
}

#[expect(clippy::cast_possible_truncation, reason = "a vocabulary holds far fewer than 2^32 tokens")]
fn number(id: usize) -> u32 {
    id as u32
}

fn failed(what: String) -> ModelError {
    ModelError::Tokenizing { what }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn stand_ins_cover_every_byte_once() {
        let mut bytes: Vec<u8> = (0..=0x143).filter_map(char::from_u32).filter_map(byte_of).collect();
        bytes.sort_unstable();
        assert_eq!(bytes, (0..=255).collect::<Vec<u8>>());
        assert_eq!(byte_of('Ġ'), Some(b' '));
        assert_eq!(byte_of('Ċ'), Some(b'\n'));
    }

    #[test]
    fn a_split_character_waits_for_its_end() {
        let mut stream = TextStream::default();
        let crab = "🦀".as_bytes();
        assert_eq!(stream.push(b"a"), "a");
        assert_eq!(stream.push(&crab[..1]), "");
        assert_eq!(stream.push(&crab[1..3]), "");
        assert_eq!(stream.push(&crab[3..]), "🦀");
        assert_eq!(stream.push(&crab[..2]), "");
        assert_eq!(stream.push(b"b"), "\u{fffd}b");
        assert_eq!(stream.push(&[0xff, 0xe2]), "\u{fffd}");
        assert_eq!(stream.finish(), "\u{fffd}");
        assert_eq!(stream.finish(), "");
    }

    proptest! {
        #[test]
        fn any_cut_of_any_bytes_gives_the_same_text(bytes: Vec<u8>, cuts in proptest::collection::vec(0_usize..64, 0..6)) {
            let mut stream = TextStream::default();
            let mut text = String::new();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.push(bytes.len());
            cuts.sort_unstable();
            let mut start = 0;
            for cut in cuts {
                text.push_str(&stream.push(&bytes[start..cut]));
                start = cut;
            }
            text.push_str(&stream.finish());
            prop_assert_eq!(text, String::from_utf8_lossy(&bytes).into_owned());
        }
    }
}
