//! Dots with whiskers: one line a group.

use humbly_types::Measured;
use maud::{Markup, html};

use super::frame::{Scale, WIDTH, fit, px, svg, x_axis};
use crate::number::{basis, rate};

/// One line of the plot.
#[derive(Debug, Clone, Copy)]
pub struct IntervalRow<'a> {
    /// Letter of the group.
    pub key: &'a str,
    /// Its name.
    pub label: &'a str,
    /// The number.
    pub measured: &'a Measured,
}

/// The plot.
#[derive(Debug, Clone, Copy)]
pub struct IntervalPlot<'a> {
    /// What is measured.
    pub title: &'a str,
    /// Ends of the axis.
    pub domain: (f64, f64),
    /// The lines, from the top.
    pub rows: &'a [IntervalRow<'a>],
}

/// Draws each value as a dot with its interval; an undefined one as a hatched line with its reason.
pub fn intervals(plot: IntervalPlot<'_>) -> Markup {
    const ROW: f64 = 40.0;
    let scale = Scale { domain: plot.domain, range: (6.0, WIDTH - 6.0) };
    let bottom = ROW * plot.rows.len() as f64 + 2.0;
    let description = plot.rows.iter().map(described).collect::<Vec<_>>().join("; ");
    let body = html! {
        (x_axis(scale, 0.0, bottom, ""))
        @for (index, row) in plot.rows.iter().enumerate() {
            (line(*row, scale, ROW * index as f64))
        }
    };
    svg(plot.title, &description, bottom + 22.0, &body)
}

fn line(row: IntervalRow<'_>, scale: Scale, top: f64) -> Markup {
    let middle = top + 27.0;
    let head = format!("{}  {}", row.key, row.label);
    html! {
        @if let Some(value) = row.measured.value() {
            text.label x="0" y=(px(top + 14.0)) { (fit(&head, 40)) }
            text.value x=(px(WIDTH)) y=(px(top + 14.0)) text-anchor="end" {
                (rate(value)) tspan.tick dx="5" { (basis(row.measured)) }
            }
            line.rail x1=(px(scale.range.0)) x2=(px(scale.range.1)) y1=(px(middle)) y2=(px(middle)) {}
            @if let Some(interval) = &row.measured.interval {
                line.whisker x1=(px(scale.at(interval.low))) x2=(px(scale.at(interval.high))) y1=(px(middle)) y2=(px(middle)) {}
                @for end in [interval.low, interval.high] {
                    line.whisker x1=(px(scale.at(end))) x2=(px(scale.at(end))) y1=(px(middle - 4.0)) y2=(px(middle + 4.0)) {}
                }
            }
            circle.dot cx=(px(scale.at(value))) cy=(px(middle)) r="4.5" { title { (described(&row)) } }
        } @else {
            @let reason = row.measured.undefined_reason().map_or("not recorded", humbly_types::Reason::code);
            @let width = 6.2 * (reason.len() + 11) as f64 + 10.0;
            text.label x="0" y=(px(top + 14.0)) { (fit(&head, 50)) }
            rect.undefined x=(px(scale.range.0)) y=(px(middle - 6.0)) width=(px(scale.range.1 - scale.range.0)) height="14" rx="3" {}
            rect.pill x=(px((WIDTH - width) / 2.0)) y=(px(middle - 7.0)) width=(px(width)) height="16" rx="3" {}
            text.tick x=(px(WIDTH / 2.0)) y=(px(middle + 5.0)) text-anchor="middle" { "undefined: " (reason) }
        }
    }
}

fn described(row: &IntervalRow<'_>) -> String {
    match (row.measured.value(), &row.measured.interval) {
        (Some(value), Some(interval)) => format!(
            "{}: {}, {} to {}, {}",
            row.label,
            rate(value),
            rate(interval.low),
            rate(interval.high),
            basis(row.measured)
        ),
        (Some(value), None) => format!("{}: {}, {}", row.label, rate(value), basis(row.measured)),
        (None, _) => {
            let reason = row.measured.undefined_reason().map_or("not recorded", humbly_types::Reason::text);
            format!("{}: undefined, {reason}", row.label)
        }
    }
}

#[cfg(test)]
mod tests {
    use humbly_types::{Interval, IntervalMethod, Reason, Undefined};

    use super::*;

    #[test]
    fn dot_and_whisker_land_on_the_scale() {
        let interval = Interval {
            low: 0.25,
            high: 1.0,
            level: 0.95,
            method: IntervalMethod::Wilson,
            resamples: None,
            seed: None,
            clusters: None,
        };
        let measured = Measured::proportion(1, 2).with_interval(interval);
        let rows = [IntervalRow { key: "A", label: "agent", measured: &measured }];
        let html = intervals(IntervalPlot { title: "Solve", domain: (0.0, 1.0), rows: &rows }).into_string();
        assert!(html.contains(r#"class="dot" cx="180" cy="27""#), "{html}");
        assert!(html.contains(r#"class="whisker" x1="93" x2="354" y1="27""#), "{html}");
    }

    #[test]
    fn undefined_is_hatched_and_has_no_dot() {
        let measured = Measured::undefined(Undefined::new(Reason::NoneIdentified));
        let rows = [IntervalRow { key: "A", label: "agent", measured: &measured }];
        let html = intervals(IntervalPlot { title: "Solve", domain: (0.0, 1.0), rows: &rows }).into_string();
        assert!(!html.contains("circle"), "{html}");
        assert!(html.contains("undefined: none_identified"), "{html}");
    }
}
