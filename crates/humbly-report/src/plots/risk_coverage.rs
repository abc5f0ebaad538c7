//! Risk–coverage: the share of wrong answers among the most confident ones.

use maud::{Markup, html};

use super::frame::{Scale, WIDTH, px, svg, x_axis, y_axis};
use crate::number::rate;

/// One point of the curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoveragePoint {
    /// Share of answers kept.
    pub coverage: f64,
    /// Share of wrong ones among them.
    pub risk: f64,
}

/// Draws the curve through its points, and the risk of answering everything as a dashed line.
pub fn risk_coverage(title: &str, points: &[CoveragePoint]) -> Markup {
    const BOTTOM: f64 = 246.0;
    /// More points than the plot has pixels add nothing.
    const MOST: usize = 300;
    let x_scale = Scale { domain: (0.0, 1.0), range: (38.0, WIDTH - 10.0) };
    let y_scale = Scale { domain: (0.0, 1.0), range: (BOTTOM, 26.0) };
    let step = points.len().div_ceil(MOST).max(1);
    let last = points.last().copied();
    let drawn: Vec<CoveragePoint> = points.iter().copied().step_by(step).chain(last).collect();
    let at =
        |point: &CoveragePoint| format!("{},{}", px(x_scale.at(point.coverage)), px(y_scale.at(point.risk)));
    let path = drawn.iter().map(at).collect::<Vec<_>>().join(" ");
    let description = match (points.first(), last) {
        (Some(first), Some(last)) => format!(
            "risk {} at coverage {}, risk {} at coverage {}",
            rate(first.risk),
            rate(first.coverage),
            rate(last.risk),
            rate(last.coverage)
        ),
        _ => "no points".to_owned(),
    };
    let body = html! {
        (x_axis(x_scale, 26.0, BOTTOM, "coverage: share of answers kept"))
        (y_axis(y_scale, 38.0, WIDTH - 10.0, "risk: share of those that are wrong"))
        @if let Some(last) = last {
            line.diagonal x1=(px(x_scale.at(0.0))) x2=(px(x_scale.at(1.0))) y1=(px(y_scale.at(last.risk))) y2=(px(y_scale.at(last.risk))) {}
        }
        polyline.curve points=(path) {}
        @if points.len() <= 25 {
            @for point in points {
                circle.dot cx=(px(x_scale.at(point.coverage))) cy=(px(y_scale.at(point.risk))) r="3" {
                    title { "coverage " (rate(point.coverage)) ", risk " (rate(point.risk)) }
                }
            }
        }
    };
    svg(title, &description, BOTTOM + 40.0, &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_runs_through_its_points() {
        let points = [CoveragePoint { coverage: 0.5, risk: 0.0 }, CoveragePoint { coverage: 1.0, risk: 0.5 }];
        let html = risk_coverage("t", &points).into_string();
        assert!(html.contains(r#"points="194,246 350,136 350,136""#), "{html}");
    }

    #[test]
    fn many_points_stay_few() {
        let points: Vec<CoveragePoint> =
            (1..=100_000).map(|n| CoveragePoint { coverage: f64::from(n) / 1e5, risk: 0.5 }).collect();
        assert!(risk_coverage("t", &points).into_string().len() < 12_000);
        assert!(risk_coverage("t", &[]).into_string().contains("no points"));
    }
}
