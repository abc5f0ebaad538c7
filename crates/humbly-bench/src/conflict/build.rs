//! From questions to a suite: ask, keep what is believed, set evidence against it.

use futures::StreamExt;
use futures::stream;
use humbly_judge::LexicalJudge;
use humbly_llm::{ChatClient, Outlook};

use super::choice::order;
use super::elicit::ElicitError;
use super::{
    ConflictQuestion, ControlledParams, ElicitParams, FailedQuestion, Level, PromptError, Prompts, Suite,
    build_controlled, elicit_belief,
};

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
/// A question whose call fails is listed as failed and has no level. The asking ends where it is pointless
/// ([`Outlook`]): a refused key, an unknown model, nobody who replies.
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
    let mut outlook = Outlook::default();
    let mut agreed = 0;
    while let Some((question, outcome)) = replies.next().await {
        suite.asked += 1;
        match outcome {
            Ok(belief) => {
                outlook.replied();
                if belief.level == Level::Agreed {
                    suite.tasks.extend(build_controlled(question, &belief, agreed, &params.controlled));
                    agreed += 1;
                }
                suite.beliefs.push(belief);
            }
            Err(ElicitError::Prompt(error)) => return Err(error),
            Err(ElicitError::Chat(error)) => {
                let failed = FailedQuestion {
                    id: question.id.clone(),
                    code: error.code().to_owned(),
                    message: error.to_string(),
                };
                let is_hopeless = outlook.failed(&failed.code, &failed.message);
                suite.failed.push(failed);
                if is_hopeless {
                    suite.given_up = outlook.given_up().map(ToString::to_string);
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
