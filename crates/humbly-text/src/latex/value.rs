//! Value of an expression, with variables at fixed sample points.

use super::tokens::Token;

/// Deeper nesting is left without a value.
const DEEPEST: usize = 40;

const GREEK: [&str; 14] = [
    "alpha", "beta", "gamma", "delta", "theta", "lambda", "mu", "omega", "phi", "rho", "sigma", "tau",
    "epsilon", "ell",
];

/// Value of `tokens` at sample point `sample`, or `None` where they are no plain expression.
pub(super) fn value(tokens: &[Token], sample: u32) -> Option<f64> {
    let mut parser = Parser { tokens, at: 0, sample };
    let value = parser.sum(0)?;
    (parser.at == tokens.len() && !value.is_nan()).then_some(value)
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    sample: u32,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn takes(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn takes_operator(&mut self, operator: char) -> bool {
        self.takes(&Token::Operator(operator))
    }

    fn sum(&mut self, depth: usize) -> Option<f64> {
        if depth > DEEPEST {
            return None;
        }
        let mut total = self.product(depth)?;
        loop {
            if self.takes_operator('+') {
                total += self.product(depth)?;
            } else if self.takes_operator('-') {
                total -= self.product(depth)?;
            } else {
                return Some(total);
            }
        }
    }

    fn product(&mut self, depth: usize) -> Option<f64> {
        let mut negative = false;
        while let Some(Token::Operator(sign @ ('+' | '-'))) = self.peek() {
            negative ^= *sign == '-';
            self.at += 1;
        }
        let first_is_whole = self.whole_number();
        let mut total = self.power(depth)?;
        if let Some(whole) = first_is_whole
            && let Some(part) = self.mixed_part()
        {
            total = whole + part;
        }
        loop {
            if self.takes_operator('*') {
                total *= self.signed(depth)?;
            } else if self.takes_operator('/') {
                total /= self.signed(depth)?;
            } else {
                match self.peek() {
                    Some(Token::Letter(_) | Token::Open('(' | '{' | '[')) => total *= self.power(depth)?,
                    Some(Token::Command(name)) if is_factor(name) => total *= self.power(depth)?,
                    _ => return Some(if negative { -total } else { total }),
                }
            }
        }
    }

    fn signed(&mut self, depth: usize) -> Option<f64> {
        if self.takes_operator('-') { Some(-self.power(depth)?) } else { self.power(depth) }
    }

    fn whole_number(&self) -> Option<f64> {
        match self.peek() {
            Some(Token::Number(value)) if value.fract() == 0.0 => Some(*value),
            _ => None,
        }
    }

    /// `\frac{4}{5}` or `4/5` right behind a whole number: a mixed number, not a product.
    fn mixed_part(&mut self) -> Option<f64> {
        let (numerator, denominator, length) = match self.tokens.get(self.at..)? {
            [Token::Command(name), Token::Number(a), Token::Number(b), ..] if name == "frac" => (a, b, 3),
            [Token::Number(a), Token::Operator('/'), Token::Number(b), ..] => (a, b, 3),
            _ => return None,
        };
        (numerator.fract() == 0.0 && denominator.fract() == 0.0 && *denominator != 0.0).then(|| {
            self.at += length;
            numerator / denominator
        })
    }

    fn power(&mut self, depth: usize) -> Option<f64> {
        let base = self.atom(depth + 1)?;
        if self.takes_operator('!') {
            return None;
        }
        if !self.takes_operator('^') {
            return Some(base);
        }
        let negative = self.takes_operator('-');
        let exponent = self.atom(depth + 1)?;
        let value = base.powf(if negative { -exponent } else { exponent });
        (!value.is_nan()).then_some(value)
    }

    fn atom(&mut self, depth: usize) -> Option<f64> {
        if depth > DEEPEST {
            return None;
        }
        let token = self.peek()?.clone();
        self.at += 1;
        match token {
            Token::Number(value) => (self.peek() != Some(&Token::Operator('_'))).then_some(value),
            Token::Letter(letter) => {
                let index = if self.takes_operator('_') { self.index()? } else { 0.0 };
                Some(self.variable(f64::from(u32::from(letter)) + 1_000.0 * index))
            }
            Token::Open(open @ ('(' | '[' | '{')) => {
                let value = self.sum(depth + 1)?;
                let close = match open {
                    '(' => ')',
                    '[' => ']',
                    _ => '}',
                };
                self.takes(&Token::Close(close)).then_some(value)
            }
            Token::Operator('|') => {
                let value = self.sum(depth + 1)?;
                self.takes_operator('|').then_some(value.abs())
            }
            Token::Command(name) => self.command(&name, depth),
            _ => None,
        }
    }

    fn index(&mut self) -> Option<f64> {
        let token = self.peek()?.clone();
        self.at += 1;
        match token {
            Token::Number(value) => Some(value + 1.0),
            Token::Letter(letter) => Some(f64::from(u32::from(letter)) + 0.5),
            _ => None,
        }
    }

    fn command(&mut self, name: &str, depth: usize) -> Option<f64> {
        match name {
            "pi" => Some(std::f64::consts::PI),
            "infty" => Some(f64::INFINITY),
            "frac" => {
                let numerator = self.atom(depth + 1)?;
                let denominator = self.atom(depth + 1)?;
                (denominator != 0.0).then(|| numerator / denominator)
            }
            "sqrt" => {
                let root = if self.takes(&Token::Open('[')) {
                    let root = self.sum(depth + 1)?;
                    if !self.takes(&Token::Close(']')) {
                        return None;
                    }
                    root
                } else {
                    2.0
                };
                let radicand = self.atom(depth + 1)?;
                let value = if (root - 2.0).abs() < 1e-12 {
                    radicand.sqrt()
                } else if (root - 3.0).abs() < 1e-12 {
                    radicand.cbrt()
                } else {
                    radicand.powf(1.0 / root)
                };
                (!value.is_nan()).then_some(value)
            }
            "sin" | "cos" | "tan" | "cot" | "sec" | "csc" | "ln" | "log" | "exp" => {
                self.function(name, depth)
            }
            _ => {
                let index = GREEK.iter().position(|letter| *letter == name)?;
                Some(self.variable(5_000.0 + index as f64))
            }
        }
    }

    fn function(&mut self, name: &str, depth: usize) -> Option<f64> {
        let exponent = if self.takes_operator('^') { self.atom(depth + 1)? } else { 1.0 };
        let base = if self.takes_operator('_') { self.atom(depth + 1)? } else { 10.0 };
        let mut argument = self.power(depth + 1)?;
        while let Some(Token::Letter(_)) = self.peek() {
            argument *= self.power(depth + 1)?;
        }
        let value = match name {
            "sin" => argument.sin(),
            "cos" => argument.cos(),
            "tan" => argument.tan(),
            "cot" => argument.tan().recip(),
            "sec" => argument.cos().recip(),
            "csc" => argument.sin().recip(),
            "exp" => argument.exp(),
            "ln" => argument.ln(),
            _ => argument.ln() / base.ln(),
        };
        Some(value.powf(exponent)).filter(|value| !value.is_nan())
    }

    /// A value between 0.3 and 1.3 that differs from variable to variable and sample to sample.
    fn variable(&self, key: f64) -> f64 {
        (key * 0.754_877_666_246_693 + f64::from(self.sample) * 0.569_840_290_998_053).fract() + 0.3
    }
}

fn is_factor(name: &str) -> bool {
    matches!(
        name,
        "pi" | "frac" | "sqrt" | "sin" | "cos" | "tan" | "cot" | "sec" | "csc" | "ln" | "log" | "exp"
    ) || GREEK.contains(&name)
}
