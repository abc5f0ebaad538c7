//! Whether a text is English enough for rules made of English words.
//!
//! Counts frequent short words of some languages and scripts other than Latin. Code, numbers and names
//! speak no language: a text of nothing else counts as covered.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::markdown::code_regions;

/// Bytes looked at from each end of a long text.
const SAMPLE: usize = 4_096;
/// Fewer words than these are a name or a value, not a language.
const FEWEST_WORDS: usize = 5;
/// Fewer letters of other scripts than these are a name.
const FEWEST_FOREIGN_LETTERS: usize = 12;
/// After so many words a clear verdict is kept.
const CLEAR_WORDS: usize = 60;
/// Longest word of the file, in bytes, and some more.
const LONGEST_STOP_WORD: usize = 16;
/// Room for the languages of the file besides English.
const MOST_LANGUAGES: usize = 24;
/// So many words of prose without an English one in twenty are in another language.
const PROSE_WORDS: usize = 12;

/// Whether rules made for English apply to `text`.
///
/// Short texts, names, numbers and code count as covered. Looks at the first and last 4 kB, and at less
/// where the first words are clearly English.
///
/// # Examples
/// ```
/// # use humbly_text::language::looks_english;
/// assert!(looks_english("The index lists the section but not the rule itself [3]."));
/// assert!(looks_english("Saint Petersburg"));
/// assert!(!looks_english("Dazu steht in den Unterlagen leider nichts."));
/// assert!(!looks_english("文档中列出了该章节，但没有列出规则本身。"));
/// ```
pub fn looks_english(text: &str) -> bool {
    let counts = Counts::of(text);
    if counts.foreign_letters >= FEWEST_FOREIGN_LETTERS && counts.foreign_letters * 2 > counts.letters {
        return false;
    }
    if counts.words < FEWEST_WORDS {
        return true;
    }
    let strongest = counts.others.iter().copied().max().unwrap_or(0);
    if strongest >= 2 && strongest > counts.english {
        return false;
    }
    // A language that is not listed: words in lower case, none of them English.
    counts.lower_words < PROSE_WORDS || counts.english * 20 >= counts.lower_words
}

#[derive(Default)]
struct Counts {
    words: usize,
    lower_words: usize,
    english: usize,
    /// Hits of each other language, in the order of the file.
    others: [usize; MOST_LANGUAGES],
    letters: usize,
    /// Letters of other scripts than Latin; Greek letters of formulas are not counted.
    foreign_letters: usize,
}

impl Counts {
    fn of(text: &str) -> Self {
        let mut counts = Self::default();
        let head = text.floor_char_boundary(SAMPLE);
        let tail = text.ceil_char_boundary(text.len().saturating_sub(SAMPLE)).max(head);
        for sample in [&text[..head], &text[tail..]] {
            let mut start = 0;
            for region in code_regions(sample) {
                counts.add(&sample[start..region.range.start]);
                start = region.range.end;
            }
            counts.add(&sample[start..]);
            if counts.is_clearly_english() {
                break;
            }
        }
        counts
    }

    fn is_clearly_english(&self) -> bool {
        let strongest = self.others.iter().copied().max().unwrap_or(0);
        self.words >= CLEAR_WORDS
            && self.foreign_letters == 0
            && self.english > 3 * strongest.max(self.words / 20)
    }

    fn add(&mut self, prose: &str) {
        let mut lower = String::new();
        for (index, chunk) in prose.split_whitespace().enumerate() {
            if index % CLEAR_WORDS == 0 && self.is_clearly_english() {
                return;
            }
            if chunk.is_ascii() {
                self.add_ascii(chunk.as_bytes());
            } else {
                self.add_word(chunk.trim_matches(|c: char| !c.is_alphanumeric()), &mut lower);
            }
        }
    }

    /// The same as [`Self::add_word`], for most words and much faster.
    fn add_ascii(&mut self, chunk: &[u8]) {
        let Some(start) = chunk.iter().position(u8::is_ascii_alphanumeric) else { return };
        let end = chunk.iter().rposition(u8::is_ascii_alphanumeric).map_or(start, |last| last + 1);
        let word = &chunk[start..end];
        self.letters += word.len();
        if !word.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'\'' | b'-')) {
            return;
        }
        self.words += 1;
        self.lower_words += usize::from(word.len() > 1 && !word.iter().any(u8::is_ascii_uppercase));
        let mut lower = [0; LONGEST_STOP_WORD];
        if let Some(lower) = lower.get_mut(..word.len()) {
            lower.copy_from_slice(word);
            lower.make_ascii_lowercase();
            self.add_languages(lower);
        }
    }

    fn add_word(&mut self, word: &str, lower: &mut String) {
        self.add_letters(word);
        // Paths, identifiers, links and formulas.
        if word.is_empty() || word.contains(|c: char| !c.is_alphabetic() && !matches!(c, '\'' | '’' | '-'))
        {
            return;
        }
        self.words += 1;
        let is_lower = word.chars().all(|c| !c.is_uppercase());
        self.lower_words += usize::from(is_lower && word.chars().nth(1).is_some());
        lower.clear();
        lower.extend(word.chars().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }));
        self.add_languages(lower.as_bytes());
    }

    fn add_languages(&mut self, lower: &[u8]) {
        let Some(&languages) = STOP_WORDS.get(lower) else { return };
        self.english += usize::from(languages & 1 == 1);
        if languages > 1 {
            for (bit, hits) in self.others.iter_mut().enumerate() {
                *hits += usize::from(languages >> (bit + 1) & 1 == 1);
            }
        }
    }

    fn add_letters(&mut self, word: &str) {
        for c in word.chars().filter(|c| c.is_alphabetic()) {
            // Wide scripts say more with each letter.
            let weight = 1 + usize::from(c >= '\u{2e80}');
            self.letters += weight;
            self.foreign_letters += if is_foreign(c) { weight } else { 0 };
        }
    }
}

fn is_foreign(c: char) -> bool {
    // Latin with its extensions, and marks; Greek and mathematical letters stand in formulas.
    !matches!(c, '\0'..='\u{3ff}' | '\u{1e00}'..='\u{1fff}' | '\u{2100}'..='\u{214f}' | '\u{1d400}'..='\u{1d7ff}' | '\u{ff21}'..='\u{ff5a}')
}

/// Frequent words with a bit for each language that they belong to; English, the first, has bit 0.
static STOP_WORDS: LazyLock<HashMap<&'static [u8], u32>> = LazyLock::new(|| {
    let mut languages = HashMap::new();
    let lines = include_str!("../data/stop_words.txt").lines().filter(|line| !line.starts_with('#'));
    for (bit, (_, words)) in
        lines.filter_map(|line| line.split_once(':')).take(MOST_LANGUAGES + 1).enumerate()
    {
        for word in words.split_whitespace() {
            *languages.entry(word.as_bytes()).or_default() |= 1 << bit;
        }
    }
    languages
});

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn english_prose_is_covered() {
        for text in [
            "The search returned two sources that disagree.",
            "I could not find the date; one page says 1911, another 1914.",
            "Final answer: the treaty of Saint-Germain-en-Laye was signed by Karl Renner in 1919.",
            "Er wohnt in Berlin, says the first page, but the second page gives Hamburg as his home.",
        ] {
            assert!(looks_english(text), "{text}");
        }
    }

    #[test]
    fn names_numbers_and_code_are_covered() {
        for text in [
            "",
            "42",
            "Paris",
            "東京",
            "Владимир",
            "Paris, London, Berlin, Madrid, Rome, Vienna, Warsaw, Prague",
            "Karl-Heinz von der Heide",
            "```python\nfor eintrag in liste:\n    drucke(eintrag, und, der, die)\n```",
            "fn main() { let x = self.items.iter().map(|i| i.len()).sum::<usize>(); }",
            "1, 2, 3, 4, 5, 6, 7",
            r"\frac{\alpha}{\beta} = \gamma, α + β = γ",
        ] {
            assert!(looks_english(text), "{text}");
        }
    }

    #[test]
    fn other_languages_are_not_covered() {
        for text in [
            "Dazu steht in den Unterlagen leider nichts.",
            "Die Quellen widersprechen sich, aber ich halte die erste für richtig.",
            "Les deux sources ne sont pas d'accord sur la date de la bataille.",
            "No encontré la fecha en los documentos que consulté.",
            "Não há informações sobre isso nos documentos.",
            "Le due fonti non sono d'accordo sulla data della battaglia.",
            "De bronnen zijn het niet eens over de datum van de slag.",
            "Källorna är inte överens om datumet för slaget.",
            "Źródła nie są zgodne co do daty tej bitwy.",
            "Источники расходятся в дате сражения.",
            "两个来源的日期不一致，因此无法确定答案。",
            "情報源によって日付が異なります。",
            "المصادر تختلف حول تاريخ المعركة.",
            "Lähteet ovat eri mieltä taistelun päivämäärästä, joten en voi sanoa varmasti milloin se käytiin ja kuka voitti.",
        ] {
            assert!(!looks_english(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_judged(text in any::<String>()) {
            looks_english(&text);
            looks_english(&text.repeat(200));
        }
    }
}
