//! Where the chain broke: one stacked bar a group.

use maud::{Markup, html};

use super::frame::{Scale, WIDTH, fit, px, svg};
use crate::number::count;

/// One bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainRow {
    /// Its name.
    pub label: String,
    /// Counts in the order of the legend.
    pub counts: [u64; 4],
    /// How many are undefined.
    pub undefined: u64,
}

/// Draws one bar for each row; the four parts differ in fill and in texture, and carry their count.
pub fn chain(title: &str, parts: [&str; 4], rows: &[ChainRow]) -> Markup {
    const ROW: f64 = 46.0;
    let description = rows
        .iter()
        .map(|row| {
            let named: Vec<String> =
                parts.iter().zip(row.counts).map(|(part, n)| format!("{part} {n}")).collect();
            format!("{}: {}, undefined {}", row.label, named.join(", "), row.undefined)
        })
        .collect::<Vec<_>>()
        .join("; ");
    let body = html! {
        @for (index, row) in rows.iter().enumerate() {
            @let top = ROW * index as f64;
            @let total = row.counts.iter().sum::<u64>() + row.undefined;
            text.label x="0" y=(px(top + 13.0)) { (fit(&row.label, 48)) }
            text.value x=(px(WIDTH)) y=(px(top + 13.0)) text-anchor="end" { (count(total)) }
            @for segment in segments(row, total) {
                rect class=(segment.class) x=(px(segment.from)) y=(px(top + 19.0)) height="18"
                    width=(px(segment.to - segment.from)) {
                    title { (parts.get(segment.part).copied().unwrap_or("undefined")) ": " (count(segment.n)) }
                }
                @if segment.to - segment.from > 9.0 * segment.n.to_string().len() as f64 + 6.0 {
                    @if matches!(segment.part, 1 | 2 | 4) {
                        rect.pill x=(px(f64::midpoint(segment.from, segment.to) - 4.5 * segment.n.to_string().len() as f64 - 2.0))
                            y=(px(top + 21.0)) height="14" rx="3" width=(px(9.0 * segment.n.to_string().len() as f64 + 4.0)) {}
                    }
                    text class=(format!("in-bar p{}", segment.part)) text-anchor="middle"
                        x=(px(f64::midpoint(segment.from, segment.to))) y=(px(top + 32.0)) { (count(segment.n)) }
                }
            }
        }
    };
    svg(title, &description, ROW * rows.len() as f64, &body)
}

struct Segment {
    part: usize,
    class: String,
    n: u64,
    from: f64,
    to: f64,
}

fn segments(row: &ChainRow, total: u64) -> Vec<Segment> {
    let scale = Scale { domain: (0.0, total.max(1) as f64), range: (0.0, WIDTH) };
    let mut before = 0;
    let counts = row.counts.iter().copied().chain([row.undefined]);
    counts
        .enumerate()
        .filter_map(|(part, n)| {
            let from = scale.at(before as f64);
            before += n;
            let class = if part == 4 { "undefined".to_owned() } else { format!("part p{part}") };
            (n > 0).then(|| Segment { part, class, n, from, to: scale.at(before as f64) })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_each_other_and_fill_the_bar() {
        let row = ChainRow { label: "A".into(), counts: [6, 0, 3, 2], undefined: 1 };
        let segments = segments(&row, 12);
        let ends: Vec<(usize, f64, f64)> = segments.iter().map(|s| (s.part, s.from, s.to)).collect();
        assert_eq!(ends, [(0, 0.0, 180.0), (2, 180.0, 270.0), (3, 270.0, 330.0), (4, 330.0, 360.0)]);
    }

    #[test]
    fn the_counts_are_described() {
        let row = ChainRow { label: "A".into(), counts: [6, 0, 3, 2], undefined: 1 };
        let html = chain("Chain", ["a", "b", "c", "d"], &[row]).into_string();
        assert!(html.contains("A: a 6, b 0, c 3, d 2, undefined 1"), "{html}");
    }
}
