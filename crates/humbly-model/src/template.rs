//! The chat template that the model's file brings.
//!
//! Contents are data: a message that spells the name of a control token gets the
//! letters of that name as text and never the token, so that retrieved text cannot
//! end a turn or begin another.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Value};
use minijinja::{Environment, Error, ErrorKind};
use serde::{Deserialize, Serialize};

use crate::error::{ModelError, Result};
use crate::tokenizer::Tokenizer;

/// Steps after which a template counts as endless.
const FUEL: u64 = 5_000_000;

/// One message of a chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// `system`, `user`, `assistant` or another role that the template knows.
    pub role: String,
    /// Its text.
    pub content: String,
}

impl Message {
    /// A message.
    pub fn new(role: impl Into<String>, content: impl Into<String>) -> Self {
        Self { role: role.into(), content: content.into() }
    }
}

/// A chat and what its template may ask for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chat {
    /// The messages.
    pub messages: Vec<Message>,
    /// Tools in OpenAI's form, for templates that know them.
    pub tools: Vec<serde_json::Value>,
    /// Today's date as year, month, day, for templates that print it; nothing here reads a clock.
    pub date: Option<(i32, u32, u32)>,
    /// Begins the assistant's next turn instead of a new one: its text so far.
    pub prefill: Option<String>,
}

impl From<Vec<Message>> for Chat {
    fn from(messages: Vec<Message>) -> Self {
        Self { messages, ..Self::default() }
    }
}

/// A parsed chat template.
#[derive(Debug)]
pub(crate) struct ChatTemplate {
    environment: Environment<'static>,
    /// Whether the template mentions tools at all.
    pub(crate) knows_tools: bool,
}

impl ChatTemplate {
    pub(crate) fn parse(source: &str) -> Result<Self> {
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.map_err(ModelError::ChatTemplate)?);
        environment.set_fuel(Some(FUEL));
        environment.set_recursion_limit(100);
        environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_function(
            "raise_exception",
            |message: String| -> std::result::Result<String, Error> {
                Err(Error::new(ErrorKind::InvalidOperation, message))
            },
        );
        environment.add_filter("tojson", to_json);
        environment.add_template_owned("chat", source.to_owned()).map_err(ModelError::ChatTemplate)?;
        Ok(Self { environment, knows_tools: source.contains("tools") })
    }

    /// Tokens of a chat up to where the assistant writes.
    pub(crate) fn tokens(&self, chat: &Chat, tokenizer: &Tokenizer) -> Result<Vec<u32>> {
        let (text, guard) = self.render(chat, tokenizer)?;
        let mut tokens = Vec::new();
        for (index, piece) in text.split(guard).enumerate() {
            if index % 2 == 0 {
                tokens.extend(tokenizer.encode(piece)?);
                continue;
            }
            let name = piece.parse::<usize>().ok().and_then(|index| tokenizer.control_names().get(index));
            tokens.extend(tokenizer.encode_literally(name.map_or(piece, String::as_str))?);
        }
        Ok(tokens)
    }

    /// The text with each control name of a content replaced by its number between two guard signs.
    fn render(&self, chat: &Chat, tokenizer: &Tokenizer) -> Result<(String, char)> {
        let mut environment = self.environment.clone();
        let date = chat.date;
        environment.add_function("strftime_now", move |format: String| date_text(date, &format));
        let prefill = chat.prefill.as_deref().unwrap_or("");
        let contents = || chat.messages.iter().map(|message| message.content.as_str()).chain([prefill]);
        let guard = ('\u{e000}'..='\u{f8ff}')
            .find(|sign| contents().all(|content| !content.contains(*sign)))
            .ok_or_else(|| ModelError::Tokenizing {
                what: "the messages use every private sign".to_owned(),
            })?;
        let shield = |content: &str| shielded(content, tokenizer, guard);
        let messages: Vec<Message> = chat
            .messages
            .iter()
            .map(|message| Message::new(&*message.role, shield(&message.content)))
            .collect();
        let mut context = serde_json::json!({
            "messages": messages,
            "add_generation_prompt": true,
            "bos_token": tokenizer.begin_name(),
            "eos_token": tokenizer.end_name(),
        });
        if !chat.tools.is_empty() {
            context["tools"] = chat.tools.clone().into();
        }
        let template = environment.get_template("chat").map_err(ModelError::ChatTemplate)?;
        let mut text =
            template.render(minijinja::value::Serde(&context)).map_err(ModelError::ChatTemplate)?;
        text.push_str(&shield(prefill));
        Ok((text, guard))
    }
}

fn shielded(content: &str, tokenizer: &Tokenizer, guard: char) -> String {
    let mut result = String::with_capacity(content.len());
    let mut rest = content;
    while let Some((start, name)) = tokenizer.next_name(rest) {
        let number = tokenizer.control_names().iter().position(|known| known == name).unwrap_or(0);
        result.push_str(&rest[..start]);
        result.push_str(&format!("{guard}{number}{guard}"));
        rest = &rest[start + name.len()..];
    }
    result.push_str(rest);
    result
}

/// Python's `json.dumps` as templates use it: `indent` and nothing escaped for HTML.
#[expect(clippy::needless_pass_by_value, reason = "the signature of a filter")]
fn to_json(value: &Value, options: Kwargs) -> std::result::Result<Value, Error> {
    let indent: Option<usize> = options.get("indent")?;
    let _: Option<bool> = options.get("ensure_ascii")?;
    let _: Option<bool> = options.get("sort_keys")?;
    let _: Option<Value> = options.get("separators")?;
    options.assert_all_used()?;
    let failed = |error: serde_json::Error| Error::new(ErrorKind::BadSerialization, error.to_string());
    let json = serde_json::to_value(value).map_err(failed)?;
    let text = match indent {
        Some(_) => serde_json::to_string_pretty(&json).map_err(failed)?,
        None => spaced(&json),
    };
    Ok(Value::from_safe_string(text))
}

/// One line with a space after `,` and `:`, as Python writes it.
fn spaced(value: &serde_json::Value) -> String {
    use serde_json::Value as Json;
    match value {
        Json::Array(values) => format!("[{}]", values.iter().map(spaced).collect::<Vec<_>>().join(", ")),
        Json::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(key, value)| format!("{}: {}", Json::from(key.as_str()), spaced(value)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        other => other.to_string(),
    }
}

fn date_text(date: Option<(i32, u32, u32)>, format: &str) -> std::result::Result<String, Error> {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let refuse = |what: String| Error::new(ErrorKind::InvalidOperation, what);
    let (year, month, day) =
        date.ok_or_else(|| refuse("the template asks for a date and none was given".to_owned()))?;
    let name = month.checked_sub(1).and_then(|month| MONTHS.get(month as usize));
    let name = name.ok_or_else(|| refuse(format!("month {month} is not from 1 to 12")))?;
    let mut text = String::new();
    let mut signs = format.chars();
    while let Some(sign) = signs.next() {
        if sign != '%' {
            text.push(sign);
            continue;
        }
        match signs.next() {
            Some('Y') => text.push_str(&year.to_string()),
            Some('m') => text.push_str(&format!("{month:02}")),
            Some('d') => text.push_str(&format!("{day:02}")),
            Some('B') => text.push_str(name),
            Some('b') => text.push_str(&name[..3]),
            Some('%') => text.push('%'),
            other => return Err(refuse(format!("the date format `%{}` is not known", other.unwrap_or(' ')))),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_come_from_the_caller() {
        assert_eq!(date_text(Some((2026, 3, 9)), "%d %b %Y, %B, %m%%").unwrap(), "09 Mar 2026, March, 03%");
        assert!(date_text(None, "%Y").is_err());
        assert!(date_text(Some((2026, 13, 1)), "%Y").is_err());
        assert!(date_text(Some((2026, 1, 1)), "%Q").is_err());
    }

    #[test]
    fn json_is_spaced_as_python_writes_it() {
        let value = serde_json::json!({"a": [1, "x\"y"], "b": {}});
        assert_eq!(spaced(&value), r#"{"a": [1, "x\"y"], "b": {}}"#);
    }
}
