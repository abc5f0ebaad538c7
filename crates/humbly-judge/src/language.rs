//! Whether the rules cover the language of a text: English, and texts too short to have one.

use humbly_text::language::looks_english;

/// Bytes of a text that are looked at.
const SAMPLE: usize = 4_000;
/// Function words of English that settle it.
const ENOUGH_ENGLISH: usize = 6;

const ENGLISH: &[&str] = &[
    "the", "of", "and", "to", "is", "that", "it", "was", "for", "on", "are", "with", "as", "this", "be",
    "have", "from", "or", "by", "not", "but", "what", "which", "there", "we", "i", "let", "you", "an", "at",
    "has", "does", "did",
];

/// Function words of other languages in Latin script that are no English words.
const OTHER: &[&str] = &[
    "der", "das", "und", "ist", "nicht", "ein", "eine", "einen", "dem", "den", "des", "auf", "mit", "für",
    "von", "zu", "zur", "zum", "im", "wurde", "wird", "dass", "dazu", "steht", "leider", "nichts", "keine",
    "kein", "sich", "auch", "aber", "ich", "sie", "wir", "es", "oder", "aus", "bei", "nach", "über", "le",
    "les", "des", "du", "est", "et", "une", "dans", "pour", "que", "qui", "pas", "ne", "sur", "avec", "il",
    "elle", "je", "nous", "sont", "mais", "ou", "aux", "el", "los", "las", "del", "y", "en", "por", "una",
    "un", "es", "con", "para", "se", "lo", "pero", "más", "fue", "como", "su", "al", "di", "che", "non",
    "per", "della", "il", "gli", "sono", "ma", "nel", "nella", "è", "o", "os", "da", "não", "há", "nos",
    "sobre", "uma", "em", "dos", "foi", "mas", "het", "een", "van", "niet", "op", "dat", "zijn", "te",
    "voor", "maar", "och", "att", "som", "det", "inte", "av", "på", "för", "med", "är", "nie", "jest", "się",
    "na", "w", "z", "ve", "bir", "bu", "için",
];

/// Whether English rules may judge `text`: one of two counts of short words calls it English.
///
/// Short English sentences full of names have few such words, and some of them (`in`, `is`) are words of
/// other languages too.
pub(crate) fn is_covered(text: &str) -> bool {
    looks_english(text) || counts_as_english(text)
}

fn counts_as_english(text: &str) -> bool {
    let (mut english, mut other, mut words) = (0_usize, 0_usize, 0_usize);
    let (mut latin, mut foreign) = (0_usize, 0_usize);
    let mut end = text.len().min(SAMPLE);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let sample = text.get(..end).unwrap_or_default();
    for word in sample.split(|character: char| !character.is_alphanumeric() && character != '\'') {
        let Some(first) = word.chars().next() else { continue };
        if !first.is_alphabetic() {
            continue;
        }
        if first.is_ascii() || u32::from(first) < 0x0250 {
            latin += 1;
            words += 1;
            let lower = word.to_lowercase();
            english += usize::from(ENGLISH.contains(&lower.as_str()));
            other += usize::from(OTHER.contains(&lower.as_str()));
            if english >= ENOUGH_ENGLISH && english > 2 * other && latin > foreign {
                return true;
            }
        } else if u32::from(first) > 0x0370 {
            // Scripts without spaces: a run of characters counts as so many words.
            foreign += if u32::from(first) >= 0x0E00 { word.chars().count().div_ceil(2) } else { 1 };
        }
    }
    if foreign > latin {
        return foreign < 4;
    }
    !(words >= 4 && other >= 2 && other > english)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_in_other_languages_are_not_covered() {
        for text in [
            "Dazu steht in den Unterlagen leider nichts.",
            "Les sources ne sont pas d'accord sur la date.",
            "Las fuentes no coinciden en la fecha de nacimiento.",
            "资料中没有提到具体的日期,因此无法确定。",
            "Источники расходятся в том, когда он родился.",
            "Não há informação sobre isso nos documentos.",
        ] {
            assert!(!is_covered(text), "{text}");
        }
    }

    #[test]
    fn english_and_short_answers_are_covered() {
        for text in [
            "",
            "42",
            "李白",
            "München",
            "Gabriel García Márquez",
            "Los Angeles",
            "The sources disagree.",
            "El Niño",
            "Москва",
        ] {
            assert!(is_covered(text), "{text}");
        }
    }
}
