//! A model judge against labels: what `humbly validate` asks.

use futures::StreamExt;
use futures::stream;
use humbly_judge::{LabelledRow, ValidateReport, VerdictKind, agreement_of_verdicts};
use humbly_llm::Outlook;
use humbly_stats::intervals::BootstrapParams;
use humbly_types::Verdict;

use crate::{Bill, ModelJudge, ModelJudgeError, RawReply, Result, Rubric};

/// Judges labelled rows, at most `concurrency` at a time, and compares with their labels.
///
/// Rows without a verdict are counted by reason and left out of every number, as with the lexical judge.
///
/// # Errors
/// [`ModelJudgeError::Stopped`] where asking on is pointless ([`Outlook`]); [`ModelJudgeError::Judge`].
pub async fn judge_labelled_rows(
    judge: &ModelJudge,
    rows: &[LabelledRow],
    verdict: VerdictKind,
    concurrency: usize,
    params: &BootstrapParams,
) -> Result<(ValidateReport, Vec<RawReply>)> {
    let rubric = match verdict {
        VerdictKind::Identify => Rubric::Identify,
        VerdictKind::Escalate => judge.settings().escalate.rubric(),
        VerdictKind::Refusal => Rubric::Refusal,
    };
    let asked = stream::iter(rows).map(|row| async move {
        match verdict {
            VerdictKind::Identify => judge.identify_text(&row.text).await,
            VerdictKind::Escalate => judge.escalate(&row.text).await,
            VerdictKind::Refusal => judge.refusal(&row.text).await,
        }
    });
    let mut running = std::pin::pin!(asked.buffered(concurrency.max(1)));
    let rule = judge.prompt(rubric).ok().map(crate::Prompt::rule);
    let (mut verdicts, mut raw): (Vec<Verdict>, Vec<RawReply>) = (Vec::new(), Vec::new());
    let mut outlook = Outlook::default();
    while let Some(asked) = running.next().await {
        match asked.raw.iter().find_map(|reply| reply.failed.as_ref()) {
            Some(failure) if outlook.failed(&failure.code, &failure.detail) => {
                return Err(ModelJudgeError::Stopped {
                    code: failure.code.clone(),
                    detail: outlook.given_up().map(ToString::to_string).unwrap_or_default(),
                    judged: verdicts.len(),
                });
            }
            Some(_) => {}
            None => outlook.replied(),
        }
        verdicts.push(asked.reading.unwrap_or_else(|undefined| judge.unknown(undefined, rule.clone())));
        raw.extend(asked.raw);
    }
    let report = agreement_of_verdicts(judge.name(), rows, &verdicts, verdict, params)?;
    Ok((report, raw))
}

impl Bill {
    /// One line for a person.
    pub fn line(&self) -> String {
        let cost = match self.cost_usd {
            Some(cost) if self.without_cost == 0 => format!("{cost:.4} USD"),
            Some(cost) => format!("{cost:.4} USD and {} replies without a known price", self.without_cost),
            None => "cost unknown".to_owned(),
        };
        format!("{} asks, {} replies unusable, {} failed · {cost}", self.asks, self.unusable, self.failed)
    }
}
