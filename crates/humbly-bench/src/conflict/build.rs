//! From questions to a suite: ask, keep what is believed, set evidence against it.

use futures::StreamExt;
use futures::stream;
use humbly_judge::LexicalJudge;
use humbly_llm::ChatClient;

use super::choice::order;
use super::elicit::ElicitError;
use super::{
    ConflictQuestion, ControlledParams, ElicitParams, FailedQuestion, Level, PromptError, Prompts, Suite,
    build_controlled, elicit_belief,
};

/// So many failures at the beginning, and no reply: nobody is there.
const HOPELESS: usize = 8;

/// How a controlled suite is built.
#[derive(Debug, Clone)]
pub struct BuildParams {
    /// Name of the suite.
    pub name: String,
    /// Model as the user named it, for the suite file.
    pub model: String,
    /// How beliefs are asked for.
    pub elicit: ElicitParams,
    /// How tasks are built.
    pub controlled: ControlledParams,
    /// Questions asked at a time.
    pub concurrency: usize,
    /// Enough believed questions; all are asked where it is `None`.
    pub enough: Option<usize>,
}

/// How far the asking is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuildProgress {
    /// Questions asked.
    pub asked: usize,
    /// Questions there are.
    pub questions: usize,
    /// Beliefs of level 3.
    pub agreed: usize,
    /// Failed calls.
    pub failed: usize,
}

/// Asks the questions in an order drawn from the seed and builds the tasks of those that are believed.
///
/// A question whose call fails is listed as failed and has no level. A failure that would meet every further call (a
/// refused key, an unknown model) ends the asking, and so do eight failures at the beginning without a reply.
///
/// # Errors
/// [`PromptError`] where a prompt of the user's cannot be used.
pub async fn build_suite(
    client: &dyn ChatClient,
    questions: &[ConflictQuestion],
    prompts: &Prompts,
    params: &BuildParams,
    progress: &mut (dyn FnMut(BuildProgress) + Send),
) -> Result<Suite, PromptError> {
    let judge = LexicalJudge::new();
    let order = order(questions.len(), params.controlled.seed, "", "questions");
    let mut suite = Suite {
        choice_by: params.elicit.choice_by,
        prompts: prompts.hashes().clone(),
        ..Suite::new(&params.name, &params.model, params.controlled.seed)
    };
    let asked = order.iter().filter_map(|index| questions.get(*index)).map(|question| {
        let judge = &judge;
        async move { (question, elicit_belief(client, question, prompts, &params.elicit, judge).await) }
    });
    let mut replies = stream::iter(asked).buffered(params.concurrency.max(1));
    let mut agreed = 0;
    while let Some((question, outcome)) = replies.next().await {
        suite.asked += 1;
        match outcome {
            Ok(belief) => {
                if belief.level == Level::Agreed {
                    suite.tasks.extend(build_controlled(question, &belief, agreed, &params.controlled));
                    agreed += 1;
                }
                suite.beliefs.push(belief);
            }
            Err(ElicitError::Prompt(error)) => return Err(error),
            Err(ElicitError::Chat(error)) => {
                suite.failed.push(FailedQuestion {
                    id: question.id.clone(),
                    code: error.code().to_owned(),
                    message: error.to_string(),
                });
                if error.meets_every_call() || suite.beliefs.is_empty() && suite.failed.len() >= HOPELESS {
                    break;
                }
            }
        }
        let asked = suite.beliefs.len() + suite.failed.len();
        progress(BuildProgress { asked, questions: questions.len(), agreed, failed: suite.failed.len() });
        if params.enough.is_some_and(|enough| agreed >= enough) {
            break;
        }
    }
    Ok(suite)
}
