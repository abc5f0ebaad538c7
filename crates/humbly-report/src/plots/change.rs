//! Changes in two numbers at once: a cross of zero lines, one quadrant shaded.

use humbly_types::Measured;
use maud::{Markup, html};

use super::frame::{Scale, WIDTH, px, svg};

/// One measured change.
#[derive(Debug, Clone, Copy)]
pub struct ChangePoint<'a> {
    /// Letter drawn beside it.
    pub key: &'a str,
    /// Its name.
    pub label: &'a str,
    /// Change across, as a difference of rates.
    pub x: &'a Measured,
    /// Change up.
    pub y: &'a Measured,
}

/// A published change, in percentage points.
#[derive(Debug, Clone, Copy)]
pub struct PublishedPoint<'a> {
    /// Its name.
    pub label: &'a str,
    /// Across.
    pub x: f64,
    /// Up.
    pub y: f64,
}

/// The plot, in percentage points.
#[derive(Debug, Clone, Copy)]
pub struct Changes<'a> {
    /// What is shown.
    pub title: &'a str,
    /// Name of the axis across.
    pub x_label: &'a str,
    /// Name of the axis up.
    pub y_label: &'a str,
    /// What the upper left quadrant means.
    pub quadrant: &'a str,
    /// Points of ours.
    pub points: &'a [ChangePoint<'a>],
    /// Points of the paper, drawn as rings.
    pub published: &'a [PublishedPoint<'a>],
}

/// Draws all points of which both changes are defined and names the others beneath.
pub fn changes(plot: Changes<'_>) -> Markup {
    const TOP: f64 = 26.0;
    const BOTTOM: f64 = 300.0;
    const LEFT: f64 = 40.0;
    let drawn: Vec<(&ChangePoint<'_>, f64, f64)> = plot
        .points
        .iter()
        .filter_map(|point| Some((point, 100.0 * point.x.value()?, 100.0 * point.y.value()?)))
        .collect();
    let reach = drawn
        .iter()
        .flat_map(|(_, x, y)| [x.abs(), y.abs()])
        .chain(plot.published.iter().flat_map(|point| [point.x.abs(), point.y.abs()]))
        .fold(10.0_f64, f64::max);
    let reach = (1.1 * reach / 10.0).ceil() * 10.0;
    let x_scale = Scale { domain: (-reach, reach), range: (LEFT, WIDTH - 10.0) };
    let y_scale = Scale { domain: (-reach, reach), range: (BOTTOM, TOP) };
    let (zero_x, zero_y) = (x_scale.at(0.0), y_scale.at(0.0));
    let points = |value: f64| format!("{value:+.0}").replace('-', "−").replace("+0", "0").replace("−0", "0");
    let described = drawn
        .iter()
        .map(|(point, x, y)| format!("{}: {} {x:+.1}, {} {y:+.1}", point.label, plot.x_label, plot.y_label))
        .collect::<Vec<_>>()
        .join("; ");
    let body = html! {
        rect.quadrant x=(px(LEFT)) y=(px(TOP)) width=(px(zero_x - LEFT)) height=(px(zero_y - TOP)) {}
        text.tick x=(px(LEFT + 6.0)) y=(px(TOP + 15.0)) { (plot.quadrant) }
        @for value in [-reach, -reach / 2.0, 0.0, reach / 2.0, reach] {
            line.grid x1=(px(x_scale.at(value))) x2=(px(x_scale.at(value))) y1=(px(TOP)) y2=(px(BOTTOM)) {}
            line.grid x1=(px(LEFT)) x2=(px(WIDTH - 10.0)) y1=(px(y_scale.at(value))) y2=(px(y_scale.at(value))) {}
            text.tick x=(px(x_scale.at(value))) y=(px(BOTTOM + 17.0)) text-anchor="middle" { (points(value)) }
            text.tick x=(px(LEFT - 5.0)) y=(px(y_scale.at(value) + 4.0)) text-anchor="end" { (points(value)) }
        }
        line.zero x1=(px(zero_x)) x2=(px(zero_x)) y1=(px(TOP)) y2=(px(BOTTOM)) {}
        line.zero x1=(px(LEFT)) x2=(px(WIDTH - 10.0)) y1=(px(zero_y)) y2=(px(zero_y)) {}
        text.axis x=(px(f64::midpoint(LEFT, WIDTH - 10.0))) y=(px(BOTTOM + 34.0)) text-anchor="middle" { (plot.x_label) }
        text.axis x="0" y=(px(TOP - 10.0)) { (plot.y_label) }
        @for point in plot.published {
            circle.ring cx=(px(x_scale.at(point.x))) cy=(px(y_scale.at(point.y))) r="5" {
                title { "paper, " (point.label) }
            }
        }
        @for (point, x, y) in &drawn {
            @let (cx, cy) = (x_scale.at(*x), y_scale.at(*y));
            @if let Some(interval) = &point.x.interval {
                line.whisker.thin x1=(px(x_scale.at(100.0 * interval.low))) x2=(px(x_scale.at(100.0 * interval.high))) y1=(px(cy)) y2=(px(cy)) {}
            }
            @if let Some(interval) = &point.y.interval {
                line.whisker.thin x1=(px(cx)) x2=(px(cx)) y1=(px(y_scale.at(100.0 * interval.low))) y2=(px(y_scale.at(100.0 * interval.high))) {}
            }
        }
        @for (point, x, y) in &drawn {
            @let (cx, cy) = (x_scale.at(*x), y_scale.at(*y));
            circle.dot cx=(px(cx)) cy=(px(cy)) r="9" { title { (point.label) } }
            text.in-dot x=(px(cx)) y=(px(cy + 4.0)) text-anchor="middle" { (point.key) }
        }
    };
    html! {
        (svg(plot.title, &described, BOTTOM + 40.0, &body))
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
    fn a_change_lands_in_its_quadrant_and_an_undefined_one_is_named() {
        let (less, more) = (Measured::new(-0.05, 9), Measured::new(0.1, 9));
        let none = Measured::undefined(Undefined::new(Reason::NoWrongAnswers));
        let points = [
            ChangePoint { key: "A", label: "a", x: &less, y: &more },
            ChangePoint { key: "B", label: "b", x: &less, y: &none },
        ];
        let html = changes(Changes {
            title: "t",
            x_label: "accuracy",
            y_label: "Escalate",
            quadrant: "humbler",
            points: &points,
            published: &[PublishedPoint { label: "p", x: 10.0, y: 0.0 }],
        })
        .into_string();
        // 20 points to both sides: the middle is at 195 and 163.
        assert!(html.contains(r#"class="dot" cx="156.2" cy="94.5""#), "{html}");
        assert!(html.contains(r#"class="ring" cx="272.5" cy="163""#), "{html}");
        assert!(html.contains("<b>B</b> (no wrong answers)"), "{html}");
    }
}
