//! Two measured numbers against each other, with both intervals.

use humbly_stats::logistic::{CurvePoint, LogisticCurve};
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
    /// A curve through them, with its band.
    pub curve: Option<&'a LogisticCurve>,
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
        @if let Some(curve) = plot.curve {
            (fitted(curve, x_scale, y_scale))
        }
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

/// The band first, the curve over it.
fn fitted(curve: &LogisticCurve, x_scale: Scale, y_scale: Scale) -> Markup {
    let at = |x: f64, y: f64| format!("{},{}", px(x_scale.at(x)), px(y_scale.at(y)));
    let ends = |of: fn(&CurvePoint) -> Option<f64>| -> Vec<String> {
        curve.points.iter().filter_map(|point| Some(at(point.x, of(point)?))).collect()
    };
    let (low, mut high) = (ends(|point| point.low), ends(|point| point.high));
    high.reverse();
    let line: Vec<String> = curve.points.iter().map(|point| at(point.x, point.rate)).collect();
    html! {
        @if !low.is_empty() {
            polygon.band points=(low.into_iter().chain(high).collect::<Vec<_>>().join(" ")) {}
        }
        @if !line.is_empty() { polyline.curve points=(line.join(" ")) {} }
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
        let html = scatter(Scatter {
            title: "t",
            x_label: "accuracy",
            y_label: "Solve",
            points: &points,
            curve: None,
        })
        .into_string();
        assert_eq!(html.matches("<circle").count(), 1);
        assert!(html.contains(r#"cx="194" cy="206""#), "{html}");
        assert!(html.contains("<b>B</b> (no wrong answers)"), "{html}");
    }

    #[test]
    fn a_curve_has_its_band_and_one_without_a_fit_has_nothing() {
        use humbly_stats::logistic::{Cell, LogisticCurveParams, logistic_curve};
        let cells = [(0.1, 0.5), (0.4, 0.4), (0.8, 0.2)].map(|(x, rate)| Cell { x, rate, weight: 20.0 });
        let params = LogisticCurveParams::seeded(1);
        let drawn = |cells: &[Cell]| {
            let curve = logistic_curve(cells, &[0.0, 1.0], &params).unwrap();
            let plot = Scatter { title: "t", x_label: "x", y_label: "y", points: &[], curve: Some(&curve) };
            scatter(plot).into_string()
        };
        let html = drawn(&cells);
        assert!(html.contains("polyline") && html.contains("polygon"), "{html}");
        assert!(!drawn(&cells[..1]).contains("poly"));
    }
}
