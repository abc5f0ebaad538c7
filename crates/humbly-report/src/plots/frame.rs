//! What the plots share: scales, the SVG element with its title, axes, text that fits.

use maud::{Markup, html};

/// Width of every plot.
pub(crate) const WIDTH: f64 = 360.0;

/// Maps values to positions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// Values at both ends.
    pub domain: (f64, f64),
    /// Positions at both ends.
    pub range: (f64, f64),
}

impl Scale {
    /// Position of a value; values outside the domain lie at its end.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let (low, high) = self.domain;
        let share = if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 };
        self.range.0 + share * (self.range.1 - self.range.0)
    }

    /// Five ticks over the domain.
    pub(crate) fn ticks(&self) -> impl Iterator<Item = f64> + use<> {
        let (low, high) = self.domain;
        (0..=4).map(move |step| low + (high - low) * f64::from(step) / 4.0)
    }
}

/// A position as SVG writes it: one decimal, without a needless zero.
pub(crate) fn px(position: f64) -> String {
    let text = format!("{position:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// A tick's label: two decimals at most.
pub(crate) fn tick(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.replace('-', "−") }
}

/// A label of at most `most` characters: of its parts between dots the longest give way, in their middle.
pub(crate) fn fit(label: &str, most: usize) -> String {
    const DOT: &str = " · ";
    let mut parts: Vec<Vec<char>> = label.split(DOT).map(|part| part.chars().collect()).collect();
    let room = most.saturating_sub(3 * (parts.len() - 1));
    let longest = fair_share(&parts.iter().map(Vec::len).collect::<Vec<_>>(), room);
    for part in parts.iter_mut().filter(|part| part.len() > longest) {
        let tail = longest.saturating_sub(1) / 2;
        let head = longest.saturating_sub(1) - tail;
        let end = part.split_off(part.len() - tail);
        part.truncate(head);
        part.push('…');
        part.extend(end);
    }
    parts.iter().map(|part| part.iter().collect::<String>()).collect::<Vec<_>>().join(DOT)
}

/// The greatest length, at least 3, to which all lengths must be cut so that their sum has room.
fn fair_share(lengths: &[usize], room: usize) -> usize {
    let mut lengths = lengths.to_vec();
    lengths.sort_unstable();
    let mut left = room;
    for (index, &length) in lengths.iter().enumerate() {
        let share = left / (lengths.len() - index);
        if length > share {
            return share.max(3);
        }
        left -= length;
    }
    usize::MAX
}

/// The SVG element, named and described for those who do not see it.
pub(crate) fn svg(title: &str, description: &str, height: f64, body: &Markup) -> Markup {
    html! {
        svg.plot role="img" viewBox=(format!("0 0 {} {}", px(WIDTH), px(height))) {
            title { (title) }
            desc { (description) }
            (body)
        }
    }
}

/// A vertical grid with its labels beneath.
pub(crate) fn x_axis(scale: Scale, top: f64, bottom: f64, label: &str) -> Markup {
    let last = scale.domain.1;
    html! {
        @for value in scale.ticks() {
            line.grid x1=(px(scale.at(value))) x2=(px(scale.at(value))) y1=(px(top)) y2=(px(bottom)) {}
            text.tick x=(px(scale.at(value))) y=(px(bottom + 17.0))
                text-anchor=(if (value - scale.domain.0).abs() < 1e-12 { "start" } else if (value - last).abs() < 1e-12 { "end" } else { "middle" }) {
                (tick(value))
            }
        }
        @if !label.is_empty() {
            text.axis x=(px(f64::midpoint(scale.range.0, scale.range.1))) y=(px(bottom + 34.0)) text-anchor="middle" { (label) }
        }
    }
}

/// A horizontal grid with its labels to the left, and the axis' name on top.
pub(crate) fn y_axis(scale: Scale, left: f64, right: f64, label: &str) -> Markup {
    html! {
        @for value in scale.ticks() {
            line.grid x1=(px(left)) x2=(px(right)) y1=(px(scale.at(value))) y2=(px(scale.at(value))) {}
            text.tick x=(px(left - 5.0)) y=(px(scale.at(value) + 4.0)) text-anchor="end" { (tick(value)) }
        }
        text.axis x="0" y=(px(scale.range.0.min(scale.range.1) - 10.0)) { (label) }
    }
}

/// The hatch by which every plot shows what is undefined: put it once into a page, before the plots.
pub fn hatch() -> Markup {
    html! {
        svg.defs aria-hidden="true" width="0" height="0" {
            defs {
                pattern #hatch width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                    rect.hatch-ground width="6" height="6" {}
                    line.hatch-line x1="0" x2="0" y1="0" y2="6" {}
                }
                pattern #dots width="5" height="5" patternUnits="userSpaceOnUse" {
                    rect.dots-ground width="5" height="5" {}
                    circle.dots-dot cx="2.5" cy="2.5" r="1.1" {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_maps_and_clamps() {
        let scale = Scale { domain: (0.0, 1.0), range: (10.0, 110.0) };
        assert_eq!(px(scale.at(0.25)), "35");
        assert_eq!(px(scale.at(7.0)), "110");
        let flat = Scale { domain: (2.0, 2.0), range: (0.0, 10.0) };
        assert_eq!(px(flat.at(2.0)), "5");
    }

    #[test]
    fn ticks_are_short_and_signed() {
        assert_eq!(tick(0.0), "0");
        assert_eq!(tick(-0.5), "−0.5");
        assert_eq!(tick(0.75), "0.75");
        assert_eq!(tick(10.0), "10");
    }

    #[test]
    fn a_long_label_gives_way_in_the_middle_of_its_longest_part() {
        assert_eq!(fit("ab · cd", 7), "ab · cd");
        assert_eq!(fit("an-agent-of-long-name-7 · wiki · default", 30), "an-age…name-7 · wiki · default");
        assert_eq!(fit("äöüäöü", 5), "äö…öü");
        assert_eq!(fit("abcdef · abcdef · abcdef", 1), "a…f · a…f · a…f");
        assert_eq!(fit("", 4), "");
    }
}
