//! Literals as Python prints them: `{'topic': 'Art', 'urls': ['…']}`.

use serde_json::{Map, Number, Value};

/// Deeper nesting is refused: it would need more stack than there may be.
const DEEPEST: usize = 64;

/// Reads a dict, list, tuple, string, number, `True`, `False` or `None`.
///
/// The error says at which byte what was expected. Keys must be strings, a key that stands twice counts as in
/// Python (the last one). Prefixed strings (`b'…'`) and expressions are no literals of data sets and refused.
pub(crate) fn python_literal(text: &str) -> Result<Value, String> {
    let mut parser = Parser { text, position: 0 };
    let value = parser.value(0)?;
    parser.space();
    match parser.peek() {
        None => Ok(value),
        Some(_) => Err(parser.expected("the end")),
    }
}

struct Parser<'a> {
    text: &'a str,
    position: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn rest(&self) -> &str {
        self.text.get(self.position..).unwrap_or_default()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.position += character.len_utf8();
        Some(character)
    }

    fn space(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.next();
        }
    }

    fn takes(&mut self, wanted: char) -> bool {
        self.space();
        let is_there = self.peek() == Some(wanted);
        if is_there {
            self.next();
        }
        is_there
    }

    fn expected(&self, what: &str) -> String {
        match self.peek() {
            Some(found) => format!("`{}` at byte {}, expected {what}", found.escape_debug(), self.position),
            None => format!("the literal ends at byte {}, expected {what}", self.position),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > DEEPEST {
            return Err(format!("nested more than {DEEPEST} deep at byte {}", self.position));
        }
        self.space();
        match self.peek() {
            Some('{') => self.dict(depth),
            Some('[') => self.list('[', ']', depth),
            Some('(') => self.list('(', ')', depth),
            Some('\'' | '"') => self.string().map(Value::String),
            Some(first) if first.is_ascii_digit() || matches!(first, '-' | '+' | '.') => self.number(),
            _ => self.word(),
        }
    }

    fn dict(&mut self, depth: usize) -> Result<Value, String> {
        self.next();
        let mut fields = Map::new();
        loop {
            if self.takes('}') {
                return Ok(Value::Object(fields));
            }
            self.space();
            let Some('\'' | '"') = self.peek() else { return Err(self.expected("a quoted key or `}`")) };
            let key = self.string()?;
            if !self.takes(':') {
                return Err(self.expected("`:`"));
            }
            let value = self.value(depth + 1)?;
            fields.insert(key, value);
            if !self.takes(',') && self.peek() != Some('}') {
                return Err(self.expected("`,` or `}`"));
            }
        }
    }

    fn list(&mut self, open: char, close: char, depth: usize) -> Result<Value, String> {
        self.takes(open);
        let mut items = Vec::new();
        loop {
            if self.takes(close) {
                return Ok(Value::Array(items));
            }
            items.push(self.value(depth + 1)?);
            if !self.takes(',') && self.peek() != Some(close) {
                return Err(self.expected(&format!("`,` or `{close}`")));
            }
        }
    }

    fn string(&mut self) -> Result<String, String> {
        let quote = self.next();
        let mut content = String::new();
        loop {
            match self.next() {
                None => return Err(self.expected("a closing quote")),
                found if found == quote => return Ok(content),
                Some('\\') => self.escape(&mut content)?,
                Some(other) => content.push(other),
            }
        }
    }

    fn escape(&mut self, content: &mut String) -> Result<(), String> {
        let Some(kind) = self.next() else { return Err(self.expected("an escaped character")) };
        let plain = match kind {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '\\' | '\'' | '"' => kind,
            '\n' => return Ok(()),
            'x' => return self.code(2, content),
            'u' => return self.code(4, content),
            'U' => return self.code(8, content),
            other => {
                // Python keeps the backslash of an escape that it does not know.
                content.push('\\');
                other
            }
        };
        content.push(plain);
        Ok(())
    }

    fn code(&mut self, digits: usize, content: &mut String) -> Result<(), String> {
        let character = self
            .rest()
            .get(..digits)
            .filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|code| u32::from_str_radix(code, 16).ok())
            .and_then(char::from_u32);
        let Some(character) = character else {
            return Err(self.expected(&format!("{digits} hexadecimal digits of a character")));
        };
        self.position += digits;
        content.push(character);
        Ok(())
    }

    fn number(&mut self) -> Result<Value, String> {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_')))
            .unwrap_or(rest.len());
        let text = rest.get(..end).unwrap_or_default().replace('_', "");
        let number = match text.parse::<i64>() {
            Ok(whole) => Some(Number::from(whole)),
            Err(_) => text.parse::<f64>().ok().and_then(Number::from_f64),
        };
        let number = number.ok_or_else(|| self.expected("a finite number"))?;
        self.position += end;
        Ok(Value::Number(number))
    }

    fn word(&mut self) -> Result<Value, String> {
        for (word, value) in
            [("True", Value::Bool(true)), ("False", Value::Bool(false)), ("None", Value::Null)]
        {
            let rest = self.rest();
            let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
            if rest.strip_prefix(word).is_some_and(ends) {
                self.position += word.len();
                return Ok(value);
            }
        }
        Err(self.expected("a literal"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn literals_are_read_as_python_reads_them() {
        let text = r#"{'topic': 'TV "shows"', "it's": ("a", ), 'urls': ['x\ny', 'caf\xe9\u4e2d'], 'n': [-3, 1.5, 1_000], 'f': True, 'z': None,}"#;
        assert_eq!(
            python_literal(text).unwrap(),
            json!({"topic": "TV \"shows\"", "it's": ["a"], "urls": ["x\ny", "café中"], "n": [-3, 1.5, 1000], "f": true, "z": null})
        );
        assert_eq!(python_literal(r"'\d'").unwrap(), json!(r"\d"));
    }

    #[test]
    fn errors_say_where() {
        assert_eq!(python_literal("{'a': }").unwrap_err(), "`}` at byte 6, expected a literal");
        assert_eq!(python_literal("{'a' 1}").unwrap_err(), "`1` at byte 5, expected `:`");
        assert_eq!(python_literal("['a'").unwrap_err(), "the literal ends at byte 4, expected `,` or `]`");
        assert_eq!(python_literal("'a").unwrap_err(), "the literal ends at byte 2, expected a closing quote");
        assert_eq!(python_literal("[] x").unwrap_err(), "`x` at byte 3, expected the end");
        assert!(python_literal("Truely").is_err());
        assert!(python_literal("1e999").is_err());
        assert!(python_literal(r"'\ud800'").is_err());
    }

    #[test]
    fn deep_nesting_is_refused() {
        for open in ["[", "(", "{'a':"] {
            assert!(python_literal(&open.repeat(100_000)).unwrap_err().contains("nested more than 64 deep"));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in any::<String>()) {
            let _ = python_literal(&text);
        }

        #[test]
        fn pieces_of_literals_are_read(pieces in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", "(", ")", "'", "\"", "\\", "x", "u00e9", ":", ",", "None", "1", ".", "é", " ",
        ]), 0..24)) {
            let _ = python_literal(&pieces.concat());
        }
    }
}
