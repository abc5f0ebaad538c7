//! A tiny llama that the tests write themselves, as GGUF bytes.

use std::collections::BTreeMap;
use std::io::Cursor;

use candle_core::quantized::gguf_file::{self, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

pub(crate) const HIDDEN: usize = 64;
pub(crate) const FEED_FORWARD: usize = 96;
pub(crate) const HEADS: usize = 4;
pub(crate) const KEY_HEADS: usize = 2;
pub(crate) const LAYERS: usize = 2;
pub(crate) const CONTEXT: usize = 48;

pub(crate) const TEMPLATE: &str = "{% for message in messages %}<s>{{ message.role }}\n{{ message['content'] }}</s>\n\
     {% endfor %}{% if add_generation_prompt %}<s>assistant\n{% endif %}";

/// What a test may change before the file is written.
pub(crate) struct TinyModel {
    pub(crate) entries: BTreeMap<String, Value>,
    pub(crate) tensors: BTreeMap<String, (Vec<usize>, GgmlDType)>,
}

impl TinyModel {
    pub(crate) fn new() -> Self {
        let number = |value: usize| Value::U32(u32::try_from(value).unwrap());
        let text = |value: &str| Value::String(value.to_owned());
        let texts = |values: Vec<String>| Value::Array(values.into_iter().map(Value::String).collect());
        let (tokens, kinds) = vocabulary();
        let entries = [
            ("general.architecture", text("llama")),
            ("general.name", text("tiny")),
            ("llama.block_count", number(LAYERS)),
            ("llama.context_length", number(CONTEXT)),
            ("llama.embedding_length", number(HIDDEN)),
            ("llama.feed_forward_length", number(FEED_FORWARD)),
            ("llama.attention.head_count", number(HEADS)),
            ("llama.attention.head_count_kv", number(KEY_HEADS)),
            ("llama.attention.layer_norm_rms_epsilon", Value::F32(1e-5)),
            ("llama.rope.freq_base", Value::F32(10_000.0)),
            ("llama.rope.dimension_count", number(HIDDEN / HEADS)),
            ("tokenizer.ggml.model", text("gpt2")),
            ("tokenizer.ggml.pre", text("smollm")),
            ("tokenizer.ggml.tokens", texts(tokens)),
            ("tokenizer.ggml.token_type", Value::Array(kinds.into_iter().map(Value::I32).collect())),
            ("tokenizer.ggml.merges", texts(vec!["h e".into(), "l l".into(), "he ll".into(), "Ġ w".into()])),
            ("tokenizer.ggml.bos_token_id", number(0)),
            ("tokenizer.ggml.eos_token_id", number(1)),
            ("tokenizer.chat_template", text(TEMPLATE)),
        ];
        let entries = entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let mut model = Self { entries, tensors: BTreeMap::new() };
        let width = HIDDEN / HEADS * KEY_HEADS;
        let vocabulary = vocabulary().0.len();
        model.tensor("token_embd.weight", &[vocabulary, HIDDEN], GgmlDType::Q8_0);
        model.tensor("output_norm.weight", &[HIDDEN], GgmlDType::F32);
        for layer in 0..LAYERS {
            let shapes: [(&str, &[usize], GgmlDType); 9] = [
                ("attn_norm", &[HIDDEN], GgmlDType::F32),
                ("attn_q", &[HIDDEN, HIDDEN], GgmlDType::Q4_1),
                ("attn_k", &[width, HIDDEN], GgmlDType::Q4_0),
                ("attn_v", &[width, HIDDEN], GgmlDType::Q5_1),
                ("attn_output", &[HIDDEN, HIDDEN], GgmlDType::F16),
                ("ffn_norm", &[HIDDEN], GgmlDType::F32),
                ("ffn_gate", &[FEED_FORWARD, HIDDEN], GgmlDType::Q4_1),
                ("ffn_up", &[FEED_FORWARD, HIDDEN], GgmlDType::Q5_0),
                ("ffn_down", &[HIDDEN, FEED_FORWARD], GgmlDType::F32),
            ];
            for (part, shape, kind) in shapes {
                model.tensor(&format!("blk.{layer}.{part}.weight"), shape, kind);
            }
        }
        model
    }

    pub(crate) fn tensor(&mut self, name: &str, shape: &[usize], kind: GgmlDType) {
        self.tensors.insert(name.to_owned(), (shape.to_vec(), kind));
    }

    pub(crate) fn text(&mut self, key: &str, value: &str) {
        self.entries.insert(key.to_owned(), Value::String(value.to_owned()));
    }

    pub(crate) fn write(&self) -> Vec<u8> {
        let mut random = ChaCha8Rng::seed_from_u64(11);
        let tensors: Vec<(&str, QTensor)> = self
            .tensors
            .iter()
            .map(|(name, (shape, kind))| {
                let count: usize = shape.iter().product();
                let norm = name.contains("norm");
                let values: Vec<f32> = (0..count)
                    .map(|_| {
                        let unit =
                            f32::from(u16::try_from(random.next_u32() >> 16).unwrap()) / 65_536.0 - 0.5;
                        if norm { 1.0 + 0.2 * unit } else { 0.6 * unit }
                    })
                    .collect();
                let tensor = Tensor::from_vec(values, shape.as_slice(), &Device::Cpu).unwrap();
                (name.as_str(), QTensor::quantize(&tensor, *kind).unwrap())
            })
            .collect();
        let tensors: Vec<(&str, &QTensor)> = tensors.iter().map(|(name, tensor)| (*name, tensor)).collect();
        let entries: Vec<(&str, &Value)> =
            self.entries.iter().map(|(key, value)| (key.as_str(), value)).collect();
        let mut bytes = Cursor::new(Vec::new());
        gguf_file::write(&mut bytes, &entries, &tensors).unwrap();
        bytes.into_inner()
    }
}

/// Two control tokens, one token for every byte, four merged ones.
fn vocabulary() -> (Vec<String>, Vec<i32>) {
    let mut tokens = vec!["<s>".to_owned(), "</s>".to_owned()];
    let mut kinds = vec![3, 3];
    let printable: Vec<u32> = (0x21..=0x7e).chain(0xa1..=0xac).chain(0xae..=0xff).collect();
    let stand_ins = (0..256 - printable.len()).map(|index| 0x100 + u32::try_from(index).unwrap());
    for code in printable.iter().copied().chain(stand_ins) {
        tokens.push(char::from_u32(code).unwrap().to_string());
        kinds.push(1);
    }
    for merged in ["he", "ll", "hell", "Ġw"] {
        tokens.push(merged.to_owned());
        kinds.push(1);
    }
    (tokens, kinds)
}
