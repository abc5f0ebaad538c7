//! Table cells: a measured number with what it rests on, a verdict, or the chip that says undefined.

use humbly_types::{Measured, Undefined, Verdict};
use maud::{Markup, html};

use crate::number::{basis, count};
use crate::redact::Redactor;

/// The mark of everything undefined: hatched, with the reason's code; the words are its title.
pub(crate) fn undefined(undefined: &Undefined, redactor: &Redactor) -> Markup {
    html! {
        span.undef title=(words(undefined, redactor)) {
            "undefined" span.why { (code(undefined.reason.code())) }
        }
    }
}

/// A code that may break after its underscores.
fn code(code: &str) -> Markup {
    html! {
        @for (index, word) in code.split('_').enumerate() {
            @if index > 0 { "_" wbr; }
            (word)
        }
    }
}

/// The reason in words, with its detail.
pub(crate) fn words(undefined: &Undefined, redactor: &Redactor) -> String {
    match &undefined.detail {
        Some(detail) => format!("{}: {}", undefined.reason.text(), redactor.text(detail)),
        None => undefined.reason.text().to_owned(),
    }
}

/// A value with interval and n beneath it, or the chip.
pub(crate) fn measured(number: &Measured, format: fn(f64) -> String, redactor: &Redactor) -> Markup {
    html! {
        @match (number.value(), number.undefined_because()) {
            (Some(value), _) => {
                span.num { (format(value)) }
                span.sub {
                    @if let Some(interval) = &number.interval {
                        (format(interval.low)) " to " (format(interval.high)) " · "
                    }
                    (basis(number))
                }
            },
            (None, Some(reason)) => {
                (undefined(reason, redactor))
                @if number.n > 0 { span.sub { "n " (count(number.n)) } }
            },
            (None, None) => { (not_recorded()) },
        }
        @if let Some(note) = &number.note { span.sub.note { (redactor.text(note)) } }
    }
}

/// A value without n, for a column whose n stands elsewhere.
pub(crate) fn bare(number: &Measured, format: fn(f64) -> String, redactor: &Redactor) -> Markup {
    html! {
        @match (number.value(), number.undefined_because()) {
            (Some(value), _) => { span.num { (format(value)) } },
            (None, Some(reason)) => { (undefined(reason, redactor)) },
            (None, None) => { (not_recorded()) },
        }
    }
}

/// Yes, no, or the chip.
pub(crate) fn verdict(verdict: &Verdict, redactor: &Redactor) -> Markup {
    html! {
        @match (verdict.value, &verdict.undefined) {
            (Some(true), _) => { span.v.yes { "yes" } },
            (Some(false), _) => { span.v.no { "no" } },
            (None, Some(reason)) => { (undefined(reason, redactor)) },
            (None, None) => { (not_recorded()) },
        }
    }
}

/// A text that may be missing: missing is said, not left blank.
pub(crate) fn optional(text: Option<&str>, redactor: &Redactor) -> Markup {
    match text {
        Some(text) => html! { bdi { (redactor.text(text)) } },
        None => not_recorded(),
    }
}

/// What stands where the log says nothing.
pub(crate) fn not_recorded() -> Markup {
    html! { span.missing { "not recorded" } }
}

#[cfg(test)]
mod tests {
    use humbly_types::{Interval, IntervalMethod, Reason};

    use super::*;
    use crate::number::rate;

    #[test]
    fn a_value_shows_interval_and_counts() {
        let interval = Interval {
            low: 0.301,
            high: 0.954,
            level: 0.95,
            method: IntervalMethod::Wilson,
            resamples: None,
            seed: None,
            clusters: None,
        };
        let number = Measured::proportion(3, 4).with_interval(interval);
        insta::assert_snapshot!(
            measured(&number, rate, &Redactor::new(true)).into_string(),
            @r#"<span class="num">0.75</span><span class="sub">0.30 to 0.95 · 3/4</span>"#
        );
    }

    #[test]
    fn undefined_is_a_chip_with_its_reason_and_never_a_number() {
        let number = Measured::undefined(Undefined::with_detail(Reason::NoLabels, "<b>"));
        insta::assert_snapshot!(
            measured(&number, rate, &Redactor::new(true)).into_string(),
            @r#"<span class="undef" title="no labels: give --tasks: &lt;b&gt;">undefined<span class="why">no_<wbr>labels</span></span>"#
        );
    }

    #[test]
    fn a_missing_text_is_said() {
        assert!(optional(None, &Redactor::new(true)).into_string().contains("not recorded"));
    }
}
