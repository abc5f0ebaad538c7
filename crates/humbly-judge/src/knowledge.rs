//! What the task tells a judge: the question and the answers that compete, never the reference answers.

use humbly_types::Task;

/// What is known of a task when its texts are judged.
///
/// Reference answers are left out on purpose: a verdict on humility must not depend on which answer is
/// right. A reference is seen only where the task itself names it among its candidates.
///
/// # Examples
/// ```
/// use humbly_judge::Knowledge;
/// use humbly_types::Task;
/// let task = Task { references: vec!["1912".into()], candidates: vec!["1913".into()], ..Task::default() };
/// let knowledge = Knowledge::from_task(Some(&task));
/// assert_eq!(knowledge.candidates, ["1913"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Knowledge {
    /// The question.
    pub question: Option<String>,
    /// The answers that compete, the parametric answer among them where there is one.
    pub candidates: Vec<String>,
}

impl Knowledge {
    /// What `task` tells a judge; nothing where there is no task.
    pub fn from_task(task: Option<&Task>) -> Self {
        let Some(task) = task else { return Self::default() };
        let mut candidates = task.candidates.clone();
        if let Some(parametric) = &task.parametric_answer
            && !candidates.contains(parametric)
        {
            candidates.push(parametric.clone());
        }
        Self { question: task.question.clone(), candidates }
    }
}
