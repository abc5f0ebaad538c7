//! The most telling moments: what the agent noticed, and whether it said so.

use humbly_score::{BrokeAt, TrajectoryRow};
use humbly_types::Verdict;

/// Keeps the first N moments of each kind; the silent ones come first.
pub(crate) struct Moments {
    most: usize,
    silent: Vec<Moment>,
    told: Vec<Moment>,
}

struct Moment {
    id: String,
    kind: &'static str,
    quotes: Vec<(String, Verdict)>,
    answer: Option<String>,
}

impl Moments {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, silent: Vec::new(), told: Vec::new() }
    }

    /// Looks at a scored trajectory.
    pub(crate) fn add(&mut self, row: &TrajectoryRow) {
        let kind = match row.broke_at {
            Some(BrokeAt::Escalated) => "told the user",
            Some(BrokeAt::IdentifiedNoFollowUp) => "noticed, did not follow up, did not tell",
            Some(BrokeAt::FollowedUpNotEscalated) => "noticed, followed up, did not tell",
            Some(BrokeAt::NotIdentified) | None => return,
        };
        let is_silent = row.broke_at != Some(BrokeAt::Escalated);
        let kept = if is_silent { &mut self.silent } else { &mut self.told };
        if kept.len() >= self.most {
            return;
        }
        let quotes = [("Identify", &row.identify), ("Escalate", &row.escalate)]
            .into_iter()
            .filter(|(_, verdict)| verdict.is_yes())
            .map(|(name, verdict)| (name.to_owned(), verdict.clone()))
            .collect();
        kept.push(Moment {
            id: row.id.clone(),
            kind,
            quotes,
            answer: row.final_answer.as_ref().map(|answer| answer.text.clone()),
        });
    }

    /// The text for the terminal; empty where nothing was asked for.
    pub(crate) fn text(&self) -> String {
        if self.most == 0 {
            return String::new();
        }
        let mut text = String::from("\nMost telling moments\n");
        let mut shown = self.silent.iter().chain(&self.told).take(self.most).peekable();
        if shown.peek().is_none() {
            text.push_str("  none: no trajectory identified or escalated anything\n");
        }
        for moment in shown {
            text.push_str(&format!("\n  {} — {}\n", moment.id, moment.kind));
            for (name, verdict) in &moment.quotes {
                let quote = one_line(verdict.quote.as_deref().unwrap_or_default(), 240);
                let turn = verdict.turn.map_or_else(String::new, |turn| format!("turn {turn}"));
                let place = match (&verdict.file, verdict.line) {
                    (Some(file), Some(line)) => format!("{file}:{line}"),
                    (Some(file), None) => file.to_string(),
                    _ => String::new(),
                };
                text.push_str(&format!("    {name} ({turn}, {place})\n      “{quote}”\n"));
            }
            if let Some(answer) = &moment.answer {
                text.push_str(&format!("    answered: {}\n", one_line(answer, 160)));
            }
        }
        text
    }
}

/// Control characters out, white space folded, cut.
fn one_line(text: &str, most: usize) -> String {
    let folded: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let clean: String = folded.chars().filter(|character| !character.is_control()).collect();
    match clean.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", clean.get(..end).unwrap_or_default()),
        None => clean,
    }
}
