//! One upstream row, and what a loader may ask of it.

use serde_json::{Map, Value};

/// Why a row cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault(pub(crate) String);

impl Fault {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    fn missing(name: &str, expected: &str) -> Self {
        Self(format!("no `{name}`, expected {expected}"))
    }

    pub(crate) fn found(name: &str, value: &Value, expected: &str) -> Self {
        Self(format!("`{name}` is {}, expected {expected}", shown(value)))
    }
}

/// The fields of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    fields: &'a Map<String, Value>,
}

impl<'a> Row<'a> {
    pub(crate) fn new(fields: &'a Map<String, Value>) -> Self {
        Self { fields }
    }

    /// A field that is there and not null.
    pub(crate) fn value(self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// A text that is not empty.
    pub(crate) fn text(self, name: &str) -> Result<&'a str, Fault> {
        match self.value(name) {
            None => Err(Fault::missing(name, "text")),
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(text),
            Some(other) => Err(Fault::found(name, other, "text")),
        }
    }

    /// The first of these fields that is there.
    pub(crate) fn text_of(self, names: &[&str]) -> Result<&'a str, Fault> {
        match names.iter().find(|name| self.value(name).is_some()) {
            Some(name) => self.text(name),
            None => Err(Fault::missing(&names.join("` or `"), "text")),
        }
    }

    /// A text, number or truth value as text; `None` where it is absent or empty.
    pub(crate) fn scalar(self, name: &str) -> Result<Option<String>, Fault> {
        match self.value(name) {
            None => Ok(None),
            Some(value) => match scalar(value) {
                Some(text) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
                None => Err(Fault::found(name, value, "text or a number")),
            },
        }
    }

    /// As [`Row::scalar`], and it must be there.
    pub(crate) fn required_scalar(self, name: &str) -> Result<String, Fault> {
        match (self.scalar(name)?, self.fields.get(name)) {
            (Some(text), _) => Ok(text),
            (None, Some(Value::String(_))) => {
                Err(Fault::new(format!("`{name}` is empty, expected text or a number")))
            }
            (None, _) => Err(Fault::missing(name, "text or a number")),
        }
    }

    /// A list of texts or numbers, or one of them alone.
    pub(crate) fn texts(self, name: &str) -> Result<Vec<String>, Fault> {
        const EXPECTED: &str = "a list of texts";
        let value = self.value(name).ok_or_else(|| Fault::missing(name, EXPECTED))?;
        let texts: Option<Vec<String>> = match value {
            Value::Array(items) => items.iter().map(scalar).collect(),
            one => scalar(one).map(|text| vec![text]),
        };
        let texts = texts.ok_or_else(|| Fault::found(name, value, EXPECTED))?;
        Ok(texts.into_iter().filter(|text| !text.trim().is_empty()).collect())
    }

    /// As [`Row::texts`], at least one.
    pub(crate) fn some_texts(self, name: &str) -> Result<Vec<String>, Fault> {
        let texts = self.texts(name)?;
        if texts.is_empty() {
            return Err(Fault::new(format!("`{name}` is empty, expected at least one text")));
        }
        Ok(texts)
    }

    /// A truth value, also as Python and CSV write it; `None` where it is absent.
    pub(crate) fn flag(self, name: &str) -> Result<Option<bool>, Fault> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(Value::String(text)) if text.eq_ignore_ascii_case("true") => Ok(Some(true)),
            Some(Value::String(text)) if text.eq_ignore_ascii_case("false") => Ok(Some(false)),
            Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
            Some(other) => Err(Fault::found(name, other, "true or false")),
        }
    }

    /// A list.
    pub(crate) fn list(self, name: &str) -> Result<&'a [Value], Fault> {
        match self.value(name) {
            None => Err(Fault::missing(name, "a list")),
            Some(Value::Array(items)) => Ok(items),
            Some(other) => Err(Fault::found(name, other, "a list")),
        }
    }

    /// An object inside the row; `None` where it is absent.
    pub(crate) fn object(self, name: &str) -> Result<Option<Row<'a>>, Fault> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Object(fields)) => Ok(Some(Row::new(fields))),
            Some(other) => Err(Fault::found(name, other, "an object")),
        }
    }
}

/// Text, number or truth value as text.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(plain_number(number)),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// `91.0` is 91: a float column holds whole numbers.
fn plain_number(number: &serde_json::Number) -> String {
    let text = number.to_string();
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// A value for a message, shortened.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.trim().is_empty() => "empty".to_owned(),
        Value::String(text) => format!("`{}`", shortened(text)),
        other => format!("`{other}`"),
    }
}

/// The first 60 characters.
pub(crate) fn shortened(text: &str) -> String {
    let mut characters = text.chars();
    let head: String = characters.by_ref().take(60).collect();
    if characters.next().is_some() { head + "…" } else { head }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_fault_says_what_was_found_and_expected() {
        let value =
            json!({"a": 3, "b": " ", "c": null, "d": [1, "x"], "e": {"f": 1}, "g": "True", "h": 91.0});
        let row = Row::new(value.as_object().unwrap());
        assert_eq!(row.text("a").unwrap_err().0, "`a` is `3`, expected text");
        assert_eq!(row.text("b").unwrap_err().0, "`b` is empty, expected text");
        assert_eq!(row.text("c").unwrap_err().0, "no `c`, expected text");
        assert_eq!(row.text_of(&["y", "z"]).unwrap_err().0, "no `y` or `z`, expected text");
        assert_eq!(row.texts("d").unwrap(), ["1", "x"]);
        assert_eq!(row.texts("e").unwrap_err().0, "`e` is an object, expected a list of texts");
        assert_eq!(row.flag("g").unwrap(), Some(true));
        assert_eq!(row.flag("d").unwrap_err().0, "`d` is a list of 2, expected true or false");
        assert_eq!(row.scalar("h").unwrap().as_deref(), Some("91"));
    }
}
