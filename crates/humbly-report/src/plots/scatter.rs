//! Two measured numbers against each other, with both intervals.

use humbly_types::Measured;
use maud::{Markup, html};

use super::frame::{Scale, WIDTH, px, svg, x_axis, y_axis};
use crate::number::rate;

/// One point.
#[derive(Debug, Clone, Copy)]
pub struct ScatterPoint<'a> {
    /// Letter drawn beside it.
    pub key: &'a str,
    /// Its name.
    pub label: &'a str,
    /// Across.
    pub x: &'a Measured,
    /// Up.
    pub y: &'a Measured,
}

/// The plot; both axes run from 0 to 1.
#[derive(Debug, Clone, Copy)]
pub struct Scatter<'a> {
    /// What is shown.
    pub title: &'a str,
    /// Name of the axis across.
    pub x_label: &'a str,
    /// Name of the axis up.
    pub y_label: &'a str,
    /// The points.
    pub points: &'a [ScatterPoint<'a>],
}

/// Draws all points of which both numbers are defined and names the others beneath.
pub fn scatter(plot: Scatter<'_>) -> Markup {
    const BOTTOM: f64 = 266.0;
    let x_scale = Scale { domain: (0.0, 1.0), range: (38.0, WIDTH - 10.0) };
    let y_scale = Scale { domain: (0.0, 1.0), range: (BOTTOM, 26.0) };
    let drawn: Vec<(&ScatterPoint<'_>, f64, f64)> =
        plot.points.iter().filter_map(|point| Some((point, point.x.value()?, point.y.value()?))).collect();
    let description = drawn
        .iter()
        .map(|(point, x, y)| {
            format!("{}: {} {}, {} {}", point.label, plot.x_label, rate(*x), plot.y_label, rate(*y))
        })
        .collect::<Vec<_>>()
        .join("; ");
    let body = html! {
        (x_axis(x_scale, 26.0, BOTTOM, plot.x_label))
        (y_axis(y_scale, 38.0, WIDTH - 10.0, plot.y_label))
        @for (point, x, y) in &drawn {
            @let (cx, cy) = (x_scale.at(*x), y_scale.at(*y));
            @if let Some(interval) = &point.x.interval {
                line.whisker.thin x1=(px(x_scale.at(interval.low))) x2=(px(x_scale.at(interval.high))) y1=(px(cy)) y2=(px(cy)) {}
            }
            @if let Some(interval) = &point.y.interval {
                line.whisker.thin x1=(px(cx)) x2=(px(cx)) y1=(px(y_scale.at(interval.low))) y2=(px(y_scale.at(interval.high))) {}
            }
        }
        @for (point, x, y) in &drawn {
            @let (cx, cy) = (x_scale.at(*x), y_scale.at(*y));
            circle.dot cx=(px(cx)) cy=(px(cy)) r="9" {
                title { (point.label) ": " (plot.x_label) " " (rate(*x)) ", " (plot.y_label) " " (rate(*y)) }
            }
            text.in-dot x=(px(cx)) y=(px(cy + 4.0)) text-anchor="middle" { (point.key) }
        }
    };
    html! {
        (svg(plot.title, &description, BOTTOM + 40.0, &body))
        @if drawn.len() < plot.points.len() {
            p.undrawn {
                "Not drawn, undefined:"
                @for point in plot.points.iter().filter(|point| point.x.value().is_none() || point.y.value().is_none()) {
                    " " b { (point.key) }
                    @if let Some(reason) = point.x.undefined_reason().or(point.y.undefined_reason()) {
                        " (" (reason.text()) ")"
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use humbly_types::{Reason, Undefined};

    use super::*;

    #[test]
    fn points_land_and_undefined_ones_are_named() {
        let (half, quarter) = (Measured::proportion(1, 2), Measured::proportion(1, 4));
        let none = Measured::undefined(Undefined::new(Reason::NoWrongAnswers));
        let points = [
            ScatterPoint { key: "A", label: "one", x: &half, y: &quarter },
            ScatterPoint { key: "B", label: "two", x: &half, y: &none },
        ];
        let html = scatter(Scatter { title: "t", x_label: "accuracy", y_label: "Solve", points: &points })
            .into_string();
        assert_eq!(html.matches("<circle").count(), 1);
        assert!(html.contains(r#"cx="194" cy="206""#), "{html}");
        assert!(html.contains("<b>B</b> (no wrong answers)"), "{html}");
    }
}
