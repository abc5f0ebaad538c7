//! A funnel: how many of those before reach each stage.

use maud::{Markup, html};

use super::frame::{Scale, WIDTH, px, svg};
use crate::number::count;

/// One stage of a funnel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// Its name.
    pub label: String,
    /// How many reached it.
    pub n: u64,
    /// How many of the stage before did not; `None` for the first.
    pub lost: Option<u64>,
    /// How many of the stage before are undefined here: neither reached nor lost.
    pub undefined: u64,
}

/// Draws the stages from top to bottom, bars in proportion to the first stage.
pub fn funnel(title: &str, stages: &[Stage]) -> Markup {
    const ROW: f64 = 62.0;
    let most = stages.iter().map(|stage| stage.n).max().unwrap_or(0).max(1);
    let scale = Scale { domain: (0.0, most as f64), range: (0.0, WIDTH) };
    let description =
        stages.iter().map(|stage| format!("{}: {}", stage.label, stage.n)).collect::<Vec<_>>().join("; ");
    let body = html! {
        @for (index, stage) in stages.iter().enumerate() {
            @let top = ROW * index as f64;
            @let bar = top + 20.0;
            text.label x="0" y=(px(top + 13.0)) { (stage.label) }
            text.value x=(px(WIDTH)) y=(px(top + 13.0)) text-anchor="end" { (share(stage.n, most)) }
            rect.track x="0" y=(px(bar)) width=(px(WIDTH)) height="16" rx="3" {}
            rect.bar x="0" y=(px(bar)) width=(px(scale.at(stage.n as f64))) height="16" rx="3" {}
            @if stage.undefined > 0 {
                rect.undefined x=(px(scale.at(stage.n as f64))) y=(px(bar)) height="16"
                    width=(px(scale.at((stage.n + stage.undefined) as f64) - scale.at(stage.n as f64))) {}
            }
            @if let Some(lost) = stage.lost {
                text.tick x="0" y=(px(bar + 30.0)) {
                    "lost here: " (count(lost))
                    @if stage.undefined > 0 { " · undefined: " (count(stage.undefined)) }
                }
            }
        }
    };
    svg(title, &description, ROW * stages.len() as f64, &body)
}

/// `12 of 40`.
fn share(n: u64, most: u64) -> String {
    if n == most { count(n) } else { format!("{} of {}", count(n), count(most)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(n: u64, lost: Option<u64>, undefined: u64) -> Stage {
        Stage { label: format!("stage of {n}"), n, lost, undefined }
    }

    #[test]
    fn bars_are_in_proportion_and_undefined_is_hatched() {
        let html = funnel("Funnel", &[stage(40, None, 0), stage(10, Some(26), 4)]).into_string();
        assert!(html.contains(r#"class="bar" x="0" y="20" width="360""#), "{html}");
        assert!(html.contains(r#"class="bar" x="0" y="82" width="90""#), "{html}");
        assert!(html.contains(r#"class="undefined" x="90" y="82" height="16" width="36""#), "{html}");
        assert!(html.contains("lost here: 26 · undefined: 4"), "{html}");
    }

    #[test]
    fn no_tasks_draw_no_bar() {
        assert!(funnel("Funnel", &[stage(0, None, 0)]).into_string().contains(r#"width="0""#));
    }
}
