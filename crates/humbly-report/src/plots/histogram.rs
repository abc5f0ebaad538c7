//! Tenths of a trajectory: two counts side by side.

use maud::{Markup, html};

use super::frame::{Scale, WIDTH, px, svg};
use crate::number::count;

/// A histogram over tenths.
#[derive(Debug, Clone, Copy)]
pub struct Histogram<'a> {
    /// What is shown.
    pub title: &'a str,
    /// First mentions, one a trajectory.
    pub first: &'a [u64; 10],
    /// All mentions.
    pub all: &'a [u64; 10],
}

/// Draws `first` filled and `all` as an outline with dots, counts above.
pub fn histogram(plot: Histogram<'_>) -> Markup {
    const BASE: f64 = 190.0;
    let most = plot.all.iter().chain(plot.first).copied().max().unwrap_or(0).max(1);
    let scale = Scale { domain: (0.0, most as f64), range: (BASE, 24.0) };
    let tenth = WIDTH / 10.0;
    let body = html! {
        @for (index, (&first, &all)) in plot.first.iter().zip(plot.all).enumerate() {
            @let left = tenth * index as f64;
            @for (n, x, class) in [(first, left + 3.0, "bar"), (all, left + 18.0, "outline")] {
                @let top = scale.at(n as f64);
                @if n > 0 {
                    rect class=(class) x=(px(x)) y=(px(top)) width="14" height=(px(BASE - top)) {}
                    text.tick.small x=(px(x + 7.0)) y=(px(top - 4.0)) text-anchor="middle" { (count(n)) }
                }
            }
            text.tick x=(px(left + tenth / 2.0)) y=(px(BASE + 15.0)) text-anchor="middle" { (10 * (index + 1)) }
        }
        line.rail x1="0" x2=(px(WIDTH)) y1=(px(BASE)) y2=(px(BASE)) {}
        text.axis x=(px(WIDTH / 2.0)) y=(px(BASE + 32.0)) text-anchor="middle" { "position in the trajectory, up to …%" }
    };
    let listed = |counts: &[u64; 10]| counts.map(|n| n.to_string()).join(", ");
    let description = format!("first: {}; all: {}", listed(plot.first), listed(plot.all));
    svg(plot.title, &description, BASE + 38.0, &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_stand_in_their_tenth() {
        let (mut first, mut all) = ([0; 10], [0; 10]);
        first[9] = 2;
        all[9] = 4;
        let html = histogram(Histogram { title: "t", first: &first, all: &all }).into_string();
        assert!(html.contains(r#"class="bar" x="327" y="107" width="14" height="83""#), "{html}");
        assert!(html.contains(r#"class="outline" x="342" y="24" width="14" height="166""#), "{html}");
        assert_eq!(html.matches("<rect").count(), 2);
    }
}
