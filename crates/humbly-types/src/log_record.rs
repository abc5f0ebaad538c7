//! A trajectory of any log as one record, kept whole: read back, it is scored as it was.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    CallRecord, FinalAnswer, Record, References, Role, Step, Stop, ToolResult, Trajectory, Truncation,
    TurnRecord,
};

/// What a log said beyond the fields of [`Record`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogRecord {
    /// Name of the format that it was read from.
    pub format: String,
    /// Version of the format or harness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format_version: Option<String>,
    /// Id of the run that the log names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Version of the agent or harness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    /// The final answer with its origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_answer: Option<FinalAnswer>,
    /// How it ended.
    pub stop: Stop,
    /// Whether a limit cut it.
    pub truncated: Truncation,
    /// Whether the format records turns at all.
    pub has_turns: bool,
    /// The steps of the episode with their places in the log; what came before it is left out.
    pub steps: Vec<Step>,
    /// Sub-agents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Record>,
}

impl Record {
    /// The record of a trajectory: [`Record::log`] holds it whole, the other fields what they can.
    ///
    /// Warnings of the reader and the steps before the episode are left out.
    ///
    /// # Examples
    /// ```
    /// use humbly_types::{Record, Role, Step, Trajectory};
    /// let mut log = Trajectory::new("own", &"log.jsonl".into(), "a");
    /// log.set_log(vec![Step { role: Role::Assistant, turn: Some(0), visible: "Lima.".into(), ..Step::default() }]);
    /// let mut record = Record::of_trajectory(&log);
    /// assert_eq!(record.turns[0].text, "Lima.");
    /// let whole = record.log.take().unwrap();
    /// let back = whole.into_trajectory(record, "own", &"run.sqlite".into());
    /// assert_eq!(back.steps(), log.steps());
    /// ```
    pub fn of_trajectory(trajectory: &Trajectory) -> Self {
        let log = LogRecord {
            format: trajectory.format.to_owned(),
            format_version: trajectory.format_version.clone(),
            run_id: trajectory.run_id.clone(),
            agent_version: trajectory.agent_version.clone(),
            final_answer: trajectory.final_answer.clone(),
            stop: trajectory.stop.clone(),
            truncated: trajectory.truncated,
            has_turns: trajectory.has_turns,
            steps: trajectory.steps().to_vec(),
            children: trajectory.children.iter().map(Self::of_trajectory).collect(),
        };
        Self {
            task_id: trajectory.sample_id.clone(),
            model: trajectory.model.clone(),
            agent: trajectory.agent.clone(),
            dataset: trajectory.dataset.clone(),
            condition: trajectory.condition.clone(),
            question: trajectory.question.clone(),
            references: trajectory.references.for_correctness().to_vec(),
            turns: turns(trajectory.steps()),
            final_answer: trajectory.final_answer.as_ref().map(|answer| answer.text.clone()),
            stop: Some(trajectory.stop.kind.code().to_owned()),
            usage: Some(trajectory.usage),
            cost_usd: trajectory.cost_usd,
            answer_log_probability: trajectory.answer_log_probability,
            log: Some(Box::new(log)),
            ..Self::new(trajectory.id.clone())
        }
    }
}

impl LogRecord {
    /// The trajectory, with the other fields of its record, in the file where that record stands now.
    ///
    /// Its steps keep the places that they have in the log.
    pub fn into_trajectory(self, record: Record, format: &'static str, path: &Arc<str>) -> Trajectory {
        let children = self.children.into_iter().filter_map(|mut child| {
            let log = child.log.take()?;
            Some(log.into_trajectory(child, format, path))
        });
        let mut trajectory = Trajectory::new(format, path, record.id);
        trajectory.format_version = self.format_version;
        trajectory.run_id = self.run_id;
        trajectory.sample_id = record.task_id;
        trajectory.model = record.model;
        trajectory.agent = record.agent;
        trajectory.agent_version = self.agent_version;
        trajectory.dataset = record.dataset;
        trajectory.condition = record.condition;
        trajectory.question = record.question;
        trajectory.references = References::new(record.references);
        trajectory.final_answer = self.final_answer;
        trajectory.stop = self.stop;
        trajectory.truncated = self.truncated;
        trajectory.usage = record.usage.unwrap_or_default();
        trajectory.cost_usd = record.cost_usd;
        trajectory.answer_log_probability = record.answer_log_probability;
        trajectory.has_turns = self.has_turns;
        trajectory.children = children.collect();
        trajectory.set_log(self.steps);
        trajectory
    }
}

/// Turns with their calls and results, as far as a turn record can say it.
fn turns(steps: &[Step]) -> Vec<TurnRecord> {
    let results: HashMap<&str, &ToolResult> = steps
        .iter()
        .flat_map(|step| &step.results)
        .filter_map(|result| Some((result.call_id.as_deref()?, result)))
        .collect();
    let mut turns: Vec<TurnRecord> = Vec::new();
    let mut prompt: Option<String> = None;
    for step in steps {
        if step.is_prompt() {
            prompt = Some(step.visible.clone());
        }
        if step.role != Role::Assistant || step.turn.is_none() {
            continue;
        }
        let reasoning: Vec<&str> = step.readable_reasoning().collect();
        let calls = step.calls.iter().map(|call| {
            let result = results.get(call.id.as_str());
            CallRecord {
                id: Some(call.id.clone()),
                name: call.name.clone(),
                arguments: serde_json::from_str(&call.arguments)
                    .unwrap_or_else(|_| serde_json::Value::String(call.arguments.clone())),
                result: result.map(|result| result.text.clone()),
                is_error: result.and_then(|result| result.is_error),
            }
        });
        turns.push(TurnRecord {
            // The first prompt is the question.
            user: prompt.take().filter(|_| !turns.is_empty()),
            reasoning: (!reasoning.is_empty()).then(|| reasoning.join("\n\n")),
            text: step.visible.clone(),
            calls: calls.collect(),
        });
    }
    turns
}
