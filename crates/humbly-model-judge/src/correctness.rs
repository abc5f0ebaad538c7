//! The two correctness judges. They are never mixed: the rule of a verdict says which one spoke.

use humbly_text::think;
use humbly_types::{Reason, Undefined, Verdict};
use serde::{Deserialize, Serialize};

use crate::{Asked, ModelJudge, Rubric};

/// Which correctness judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CorrectnessRubric {
    /// Prediction and references, never the question; asks for all references (EH).
    Eh,
    /// Question, prediction and references; asks for any of them, yes or no and nothing else (UA).
    Ua,
}

impl CorrectnessRubric {
    /// The rubric that is asked.
    pub fn rubric(self) -> Rubric {
        match self {
            Self::Eh => Rubric::CorrectnessEh,
            Self::Ua => Rubric::CorrectnessUa,
        }
    }
}

impl ModelJudge {
    /// Whether `prediction` is right by `references`. Think blocks are taken out of the prediction.
    ///
    /// `question` is read by [`CorrectnessRubric::Ua`] alone; the other judge is never given it.
    ///
    /// # Undefined
    /// `no_reference`; `not_recorded` where `ua` has no question; and as every question asked of a model.
    /// An empty prediction is wrong without asking.
    ///
    /// # Source
    /// EH §2.2 and Fig. 6; UA App. B.3.
    ///
    /// # Examples
    /// ```
    /// use std::sync::Arc;
    /// use humbly_llm::{ChatReply, ScriptedClient};
    /// use humbly_model_judge::{CorrectnessRubric, JudgeSettings, ModelJudge, Prompts};
    /// let client = ScriptedClient::from_fn(|request| {
    ///     assert!(!request.messages[1].content.contains("When?"));
    ///     Ok(ChatReply { text: "INCORRECT".into(), ..ChatReply::default() })
    /// });
    /// let judge = ModelJudge::new(Arc::new(client), JudgeSettings::new("m"), Prompts::built_in()?)?;
    /// let asked = judge.correctness(CorrectnessRubric::Eh, Some("When?"), "1912", &["1912", "1913"]);
    /// let verdict = futures::executor::block_on(asked).reading.unwrap();
    /// assert_eq!(verdict.value, Some(false));
    /// assert!(verdict.rule.unwrap().starts_with("correctness-eh@"));
    /// # Ok::<(), humbly_model_judge::ModelJudgeError>(())
    /// ```
    pub async fn correctness<S: AsRef<str>>(
        &self,
        which: CorrectnessRubric,
        question: Option<&str>,
        prediction: &str,
        references: &[S],
    ) -> Asked<Verdict> {
        if references.is_empty() {
            return Asked::settled(Err(Undefined::new(Reason::NoReference)));
        }
        let rubric = which.rubric();
        let visible = think::visible(prediction);
        if visible.trim().is_empty() {
            let rule = self.prompt(rubric).map_or_else(|_| rubric.code().to_owned(), crate::Prompt::rule);
            return Asked::settled(Ok(self.verdict(false, format!("{rule} (empty prediction)"))));
        }
        let numbered = references
            .iter()
            .enumerate()
            .map(|(index, reference)| (format!("reference answer {}", index + 1), reference.as_ref()))
            .collect();
        let mut texts =
            vec![("references", numbered), ("prediction", vec![("predicted answer".to_owned(), &*visible)])];
        if which == CorrectnessRubric::Ua {
            let Some(question) = question else {
                let detail = format!("{rubric} needs the question");
                return Asked::settled(Err(Undefined::with_detail(Reason::NotRecorded, detail)));
            };
            texts.push(("question", vec![("question".to_owned(), question)]));
        }
        let (asked, rule) = self.label(rubric, &texts).await;
        asked.map(|label| self.verdict(label == 0, rule))
    }
}
