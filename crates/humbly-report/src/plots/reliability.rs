//! Reliability diagram: accuracy against stated confidence, with counts beneath.

use humbly_types::Measured;
use maud::{Markup, html};

use super::frame::{Scale, WIDTH, px, svg, x_axis, y_axis};
use crate::number::{count, rate};

/// One bin.
#[derive(Debug, Clone, Copy)]
pub struct ReliabilityBin<'a> {
    /// Lower edge.
    pub low: f64,
    /// Upper edge.
    pub high: f64,
    /// Samples.
    pub n: u64,
    /// Mean confidence, `None` in an empty bin.
    pub confidence: Option<f64>,
    /// Accuracy, undefined in an empty bin.
    pub accuracy: &'a Measured,
}

/// Draws the gap to the diagonal for each bin, whiskers for its interval, bars for its count.
pub fn reliability(title: &str, bins: &[ReliabilityBin<'_>]) -> Markup {
    const BOTTOM: f64 = 246.0;
    const BASE: f64 = 340.0;
    let x_scale = Scale { domain: (0.0, 1.0), range: (38.0, WIDTH - 10.0) };
    let y_scale = Scale { domain: (0.0, 1.0), range: (BOTTOM, 26.0) };
    let most = bins.iter().map(|bin| bin.n).max().unwrap_or(0).max(1);
    let n_scale = Scale { domain: (0.0, most as f64), range: (BASE, 300.0) };
    let body = html! {
        (x_axis(x_scale, 26.0, BOTTOM, "stated confidence"))
        (y_axis(y_scale, 38.0, WIDTH - 10.0, "accuracy"))
        line.diagonal x1=(px(x_scale.at(0.0))) y1=(px(y_scale.at(0.0))) x2=(px(x_scale.at(1.0))) y2=(px(y_scale.at(1.0))) {}
        @for bin in bins {
            @if let (Some(confidence), Some(accuracy)) = (bin.confidence, bin.accuracy.value()) {
                @let cx = px(x_scale.at(confidence));
                line.gap x1=(cx) x2=(cx) y1=(px(y_scale.at(confidence))) y2=(px(y_scale.at(accuracy))) {}
                @if let Some(interval) = &bin.accuracy.interval {
                    line.whisker x1=(cx) x2=(cx) y1=(px(y_scale.at(interval.low))) y2=(px(y_scale.at(interval.high))) {}
                }
                circle.dot cx=(cx) cy=(px(y_scale.at(accuracy))) r="4.5" { title { (described(bin)) } }
            }
            (counts(bin, x_scale, n_scale, BASE))
        }
        text.axis x="0" y="290" { "answers" }
        line.rail x1=(px(x_scale.range.0)) x2=(px(x_scale.range.1)) y1=(px(BASE)) y2=(px(BASE)) {}
    };
    let description = bins.iter().map(described).collect::<Vec<_>>().join("; ");
    svg(title, &description, BASE + 6.0, &body)
}

fn counts(bin: &ReliabilityBin<'_>, x_scale: Scale, n_scale: Scale, base: f64) -> Markup {
    let (left, right) = (x_scale.at(bin.low) + 1.5, x_scale.at(bin.high) - 1.5);
    let top = n_scale.at(bin.n as f64);
    html! {
        @if bin.n > 0 {
            rect.bar.soft x=(px(left)) width=(px((right - left).max(0.0))) y=(px(top)) height=(px(base - top)) {}
        }
        text.tick x=(px(f64::midpoint(left, right))) y=(px(top - 3.0)) text-anchor="middle" { (count(bin.n)) }
    }
}

fn described(bin: &ReliabilityBin<'_>) -> String {
    let edges = format!("confidence {} to {}", rate(bin.low), rate(bin.high));
    match (bin.confidence, bin.accuracy.value()) {
        (Some(confidence), Some(accuracy)) => {
            format!("{edges}: mean {}, accuracy {}, n {}", rate(confidence), rate(accuracy), bin.n)
        }
        _ => format!("{edges}: empty"),
    }
}

#[cfg(test)]
mod tests {
    use humbly_types::{Reason, Undefined};

    use super::*;

    #[test]
    fn a_bin_is_a_dot_with_a_count_and_an_empty_one_only_a_count() {
        let (quarter, none) =
            (Measured::proportion(1, 4), Measured::undefined(Undefined::new(Reason::NoSamples)));
        let bins = [
            ReliabilityBin { low: 0.0, high: 0.5, n: 0, confidence: None, accuracy: &none },
            ReliabilityBin { low: 0.5, high: 1.0, n: 4, confidence: Some(0.75), accuracy: &quarter },
        ];
        let html = reliability("t", &bins).into_string();
        assert_eq!(html.matches("<circle").count(), 1);
        assert!(html.contains(r#"cx="272" cy="191""#), "{html}");
        assert!(html.contains("confidence 0.00 to 0.50: empty"), "{html}");
        assert!(html.contains(r#"class="bar soft" x="195.5" width="153" y="300" height="40""#), "{html}");
    }
}
