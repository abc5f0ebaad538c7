//! LaTeX and plain mathematics as tokens, without what only changes the look.

/// A token of a mathematical answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    /// A variable.
    Letter(char),
    /// A word of text, in lower case; often a unit.
    Word(String),
    /// A command without its backslash.
    Command(String),
    /// One of `+ - * / ^ _ = , | ! < > &` and `±`.
    Operator(char),
    Open(char),
    Close(char),
    /// `\\` in a matrix.
    Row,
}

/// Tokens of `text`.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut reader = Reader { rest: text, tokens: Vec::new(), depth: 0, single_digits: 0, saved: Vec::new() };
    while !reader.rest.is_empty() {
        reader.step();
    }
    drop_lone_braces(reader.tokens)
}

struct Reader<'a> {
    rest: &'a str,
    tokens: Vec<Token>,
    depth: usize,
    /// Arguments of `\frac` still to come: unbraced, each is a single digit.
    single_digits: u8,
    saved: Vec<u8>,
}

const FONTS: [&str; 11] = [
    "text",
    "mbox",
    "textbf",
    "textit",
    "textrm",
    "mathrm",
    "mathbf",
    "mathit",
    "operatorname",
    "mathsf",
    "hbox",
];

const LOOKS: [&str; 22] = [
    "left",
    "right",
    "big",
    "Big",
    "bigg",
    "Bigg",
    "bigl",
    "bigr",
    "Bigl",
    "Bigr",
    "displaystyle",
    "textstyle",
    "limits",
    "quad",
    "qquad",
    "rm",
    "bf",
    "it",
    "circ",
    "degree",
    "nolimits",
    "middle",
];

impl<'a> Reader<'a> {
    fn step(&mut self) {
        let Some(c) = self.rest.chars().next() else { return };
        match c {
            '\\' => self.command(),
            '0'..='9' | '.' => self.number(),
            _ if c.is_alphabetic() => self.letters(),
            _ => {
                self.rest = &self.rest[c.len_utf8()..];
                self.symbol(c);
            }
        }
    }

    fn push(&mut self, token: Token) {
        self.single_digits = self.single_digits.saturating_sub(1);
        self.tokens.push(token);
    }

    fn symbol(&mut self, c: char) {
        match c {
            '(' | '[' | '{' => {
                self.saved.push(self.single_digits.saturating_sub(1));
                self.single_digits = 0;
                self.depth += usize::from(c != '{');
                self.tokens.push(Token::Open(c));
            }
            ')' | ']' | '}' => {
                self.single_digits = self.saved.pop().unwrap_or(0);
                self.depth = self.depth.saturating_sub(usize::from(c != '}'));
                self.tokens.push(Token::Close(c));
            }
            '+' | '-' | '*' | '/' | '^' | '_' | '=' | ',' | '|' | '!' | '<' | '>' | '&' | '±' => {
                self.tokens.push(Token::Operator(c));
            }
            ';' => self.tokens.push(Token::Operator(',')),
            '×' | '·' | '⋅' => self.tokens.push(Token::Operator('*')),
            '÷' | '⁄' => self.tokens.push(Token::Operator('/')),
            '−' | '–' => self.tokens.push(Token::Operator('-')),
            '√' => self.tokens.push(Token::Command("sqrt".into())),
            '∞' => self.push(Token::Command("infty".into())),
            '∪' => self.tokens.push(Token::Command("cup".into())),
            '∈' => self.tokens.push(Token::Command("in".into())),
            // White space, `$`, `%`, `°`, `~` and the like do not change the value.
            _ => {}
        }
    }

    fn command(&mut self) {
        let after = &self.rest[1..];
        let length = after.bytes().take_while(u8::is_ascii_alphabetic).count();
        if length == 0 {
            let c = after.chars().next();
            self.rest = &after[c.map_or(0, char::len_utf8)..];
            match c {
                Some('{') => self.braces('⦃', '{'),
                Some('}') => self.braces('⦄', '}'),
                Some('\\') => self.tokens.push(Token::Row),
                _ => {}
            }
            return;
        }
        let name = &after[..length];
        self.rest = &after[length..];
        match name {
            "dfrac" | "tfrac" | "cfrac" | "frac" => {
                self.push(Token::Command("frac".into()));
                self.single_digits = 2;
            }
            "cdot" | "times" => self.tokens.push(Token::Operator('*')),
            "div" => self.tokens.push(Token::Operator('/')),
            "pm" => self.tokens.push(Token::Operator('±')),
            "lbrace" => self.braces('⦃', '{'),
            "rbrace" => self.braces('⦄', '}'),
            "begin" | "end" => {
                let environment = self.group().trim_end_matches('*').to_owned();
                self.tokens.push(Token::Command(format!("{name} {environment}")));
            }
            _ if FONTS.contains(&name) => {
                let words = self.group();
                self.words(words);
            }
            _ if LOOKS.contains(&name) => {
                if name.starts_with(['l', 'r', 'm']) && self.rest.starts_with('.') {
                    self.rest = &self.rest[1..];
                }
                // `^\circ` and `^{\circ}` are degrees.
                if matches!(name, "circ" | "degree") {
                    self.degrees();
                }
            }
            _ => self.push(Token::Command(name.to_owned())),
        }
    }

    /// Braces of a set; other characters than those of LaTeX groups keep the two apart.
    fn braces(&mut self, token: char, like: char) {
        self.symbol(like);
        self.depth = if like == '{' { self.depth + 1 } else { self.depth.saturating_sub(1) };
        if let Some(last) = self.tokens.last_mut() {
            *last = if like == '{' { Token::Open(token) } else { Token::Close(token) };
        }
    }

    fn degrees(&mut self) {
        let has_brace = self.tokens.last() == Some(&Token::Open('{'));
        let caret = self.tokens.len().checked_sub(1 + usize::from(has_brace));
        if caret.and_then(|at| self.tokens.get(at)) == Some(&Token::Operator('^')) {
            self.tokens.truncate(caret.unwrap_or(0));
            if has_brace {
                self.single_digits = self.saved.pop().unwrap_or(0);
                self.rest = self.rest.trim_start().strip_prefix('}').unwrap_or(self.rest);
            }
        }
    }

    /// Content of the braces that follow; all of the rest where they do not close.
    fn group(&mut self) -> &'a str {
        let Some(inner) = self.rest.trim_start().strip_prefix('{') else { return "" };
        let mut depth = 1_usize;
        let close = inner.bytes().position(|byte| {
            depth = match byte {
                b'{' => depth + 1,
                b'}' => depth - 1,
                _ => depth,
            };
            depth == 0
        });
        let (content, rest) = inner.split_at(close.unwrap_or(inner.len()));
        self.rest = rest.strip_prefix('}').unwrap_or(rest);
        content
    }

    fn words(&mut self, words: &str) {
        for word in words.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '.' | '~')) {
            self.word(word);
        }
    }

    fn word(&mut self, word: &str) {
        let lower = word.to_lowercase();
        match lower.as_str() {
            "" | "degree" | "degrees" | "percent" | "dollars" | "dollar" => {}
            "and" | "or" => self.tokens.push(Token::Operator(',')),
            _ => self.push(Token::Word(lower)),
        }
    }

    fn letters(&mut self) {
        let end = self.rest.find(|c: char| !c.is_alphabetic()).unwrap_or(self.rest.len());
        let (run, rest) = self.rest.split_at(end);
        self.rest = rest;
        match run {
            "pi" | "sqrt" | "sin" | "cos" | "tan" | "cot" | "sec" | "csc" | "ln" | "log" | "exp" => {
                self.push(Token::Command(run.into()));
            }
            "infinity" | "inf" => self.push(Token::Command("infty".into())),
            "π" => self.push(Token::Command("pi".into())),
            _ if is_word(run) => self.word(run),
            _ => run.chars().for_each(|c| self.push(Token::Letter(c))),
        }
    }

    fn number(&mut self) {
        let bytes = self.rest.as_bytes();
        if self.single_digits > 0 && bytes[0] != b'.' {
            let digit = f64::from(bytes[0] - b'0');
            self.rest = &self.rest[1..];
            self.push(Token::Number(digit));
            return;
        }
        let mut at = digits_at(bytes, 0);
        let mut digits = self.rest[..at].to_owned();
        if (1..=3).contains(&at) {
            while let Some(separator) = group_separator(&self.rest[at..], self.depth == 0) {
                digits.push_str(&self.rest[at + separator..at + separator + 3]);
                at += separator + 3;
            }
        }
        if bytes.get(at) == Some(&b'.') {
            let end = at + 1 + digits_at(bytes, at + 1);
            digits.push_str(&self.rest[at..end]);
            at = end;
        }
        self.rest = &self.rest[at..];
        // A lone full stop ends a sentence.
        if digits != "." {
            self.push(Token::Number(digits.trim_end_matches('.').parse().unwrap_or(f64::NAN)));
        }
    }
}

/// Two-letter runs that are units; other short runs are products of variables.
const SHORT_UNITS: [&str; 12] = ["cm", "mm", "km", "kg", "ft", "hr", "lb", "oz", "mi", "ml", "mg", "or"];

fn is_word(run: &str) -> bool {
    match run.chars().count() {
        0 | 1 => false,
        2 => SHORT_UNITS.contains(&run),
        3 => !matches!(run, "abc" | "xyz"),
        _ => true,
    }
}

fn digits_at(bytes: &[u8], from: usize) -> usize {
    bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count()
}

/// Length of a separator of thousands in front of exactly three digits. A plain comma inside brackets
/// parts the elements of a tuple.
fn group_separator(rest: &str, plain_comma: bool) -> Option<usize> {
    let mark = [",\\!", "{,}", "\\,", ","].iter().find(|mark| rest.starts_with(**mark))?;
    if *mark == "," && !plain_comma {
        return None;
    }
    let spaces =
        if *mark == ",\\!" { rest[mark.len()..].bytes().take_while(|&b| b == b' ').count() } else { 0 };
    let length = mark.len() + spaces;
    (digits_at(rest.as_bytes(), length) == 3).then_some(length)
}

/// `x^{2}` and `x^2` are the same.
fn drop_lone_braces(tokens: Vec<Token>) -> Vec<Token> {
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        if token == Token::Close('}') && kept.len() >= 2 && kept[kept.len() - 2] == Token::Open('{') {
            let inner = kept.pop();
            kept.pop();
            kept.extend(inner);
        } else {
            kept.push(token);
        }
    }
    kept
}
