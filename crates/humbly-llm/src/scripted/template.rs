//! Texts of a rule with places for what its patterns captured.

use std::collections::BTreeMap;

/// A text cut at its places once, when the script is read.
#[derive(Debug, Clone)]
pub(super) struct Template {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone)]
enum Piece {
    Literal(String),
    Place(String),
}

/// What the places of a template stand for.
pub(super) type Values<'a> = BTreeMap<String, &'a str>;

impl Template {
    /// Cuts `text`; the error names a place that `known` does not hold.
    pub(super) fn new(text: &str, known: &[String]) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            let (before, from) = rest.split_at(start);
            if let Some(before) = before.strip_suffix('$') {
                literal.push_str(before);
                literal.push_str("${");
                rest = from.get(2..).unwrap_or_default();
                continue;
            }
            literal.push_str(before);
            let Some((name, after)) = from.get(2..).unwrap_or_default().split_once('}') else {
                return Err("`${` without `}`; write `$${` for the characters themselves".to_owned());
            };
            if !known.iter().any(|known| known == name) {
                return Err(format!(
                    "the reply uses `${{{name}}}`: expected one of {}; write `$${{` for the characters \
                     themselves",
                    known.join(", ")
                ));
            }
            pieces.push(Piece::Literal(std::mem::take(&mut literal)));
            pieces.push(Piece::Place(name.to_owned()));
            rest = after;
        }
        literal.push_str(rest);
        pieces.push(Piece::Literal(literal));
        Ok(Self { pieces })
    }

    pub(super) fn has_places(&self) -> bool {
        self.pieces.len() > 1
    }

    /// A place whose group took no part in the match is empty.
    pub(super) fn fill(&self, values: &Values<'_>) -> String {
        self.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Literal(text) => text.as_str(),
                Piece::Place(name) => values.get(name).copied().unwrap_or_default(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn known() -> Vec<String> {
        vec!["1".to_owned(), "name".to_owned()]
    }

    #[test]
    fn places_are_filled_and_escapes_kept() {
        let template = Template::new("a ${1} $5 $${x} ${name}", &known()).unwrap();
        let values = Values::from([("1".to_owned(), "one"), ("name".to_owned(), "N")]);
        assert_eq!(template.fill(&values), "a one $5 ${x} N");
    }

    #[test]
    fn an_unknown_or_open_place_is_refused() {
        assert!(Template::new("${2}", &known()).unwrap_err().contains("expected one of 1, name"));
        assert!(Template::new("${1", &known()).unwrap_err().contains("without `}`"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in r"[\$\{\}a1é ]{0,40}") {
            if let Ok(template) = Template::new(&text, &known()) {
                template.fill(&Values::new());
            }
        }

        #[test]
        fn a_text_without_places_stays(text in r"[^\$]{0,40}") {
            prop_assert_eq!(Template::new(&text, &known()).unwrap().fill(&Values::new()), text);
        }
    }
}
