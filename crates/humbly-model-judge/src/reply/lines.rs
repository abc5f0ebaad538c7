//! Lines `key: value`.

use super::{Labels, Read, Unusable};

pub(super) fn read(text: &str, labels: Labels) -> Result<Read, Unusable> {
    let unusable = || Unusable::form(text, format!("one line `{}: ` with a label", labels.key));
    let mut values = text.lines().filter_map(|line| value_of(line, labels.key));
    let (Some(value), None) = (values.next(), values.next()) else { return Err(unusable()) };
    let label = labels.position_or_truth(value).ok_or_else(unusable)?;
    let mut confidences = text.lines().filter_map(|line| value_of(line, "confidence"));
    let confidence = match (confidences.next(), confidences.next()) {
        (Some(value), None) => confidence(value),
        _ => None,
    };
    Ok(Read { label, confidence })
}

fn value_of<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (name, value) = line.split_once(':')?;
    let bare = |text: &'a str| text.trim_matches([' ', '\t', '*', '_', '`', '-', '"', '.', '\r']);
    bare(name).eq_ignore_ascii_case(key).then(|| bare(value))
}

/// Percent where it says so; else a probability. Anything else is no confidence.
fn confidence(text: &str) -> Option<f64> {
    let (number, scale) = match text.strip_suffix('%') {
        Some(percent) => (percent.trim(), 100.0),
        None => (text, 1.0),
    };
    number.parse::<f64>().ok().map(|number| number / scale).filter(|share| (0.0..=1.0).contains(share))
}
