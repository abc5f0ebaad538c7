//! The agent: what stays the same over all tasks of a run.

use std::sync::Arc;

use humbly_llm::ChatClient;
use minijinja::{Value, context};

use crate::conversation::Conversation;
use crate::options::{CONFIDENCE_WORDS, ConfidenceForm, ConfidenceScale};
use crate::protocol::{direct, guided, native, plain, tagged};
use crate::run::Run;
use crate::toolbox::{Observation, Toolbox};
use crate::{
    AgentError, AgentOptions, AgentTask, Fence, Passage, Prompts, Protocol, Result, Scenario, Tool, ToolKind,
};

/// Longest title or source of a passage, in characters.
const TITLE_LIMIT: usize = 200;

/// An agent over a model.
///
/// One agent serves many tasks, also at the same time: it holds nothing that a run changes.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use futures::future::BoxFuture;
/// use humbly_agent::{Agent, AgentOptions, AgentTask, Prompts, RunOutcome};
/// use humbly_llm::{ChatClient, ChatReply, ChatRequest};
///
/// struct Paris;
/// impl ChatClient for Paris {
///     fn chat<'a>(&'a self, _: &'a ChatRequest) -> BoxFuture<'a, humbly_llm::Result<ChatReply>> {
///         Box::pin(async { Ok(ChatReply { text: "Paris.".into(), ..ChatReply::default() }) })
///     }
/// }
///
/// let agent = Agent::new(Arc::new(Paris), Vec::new(), Prompts::built_in()?, AgentOptions::default())?;
/// let task = AgentTask { id: "1".into(), question: "Capital of France?".into(), ..AgentTask::default() };
/// let run = futures::executor::block_on(agent.run(&task))?;
/// assert_eq!(run.outcome, RunOutcome::Answered);
/// assert_eq!(run.record.turns[0].text, "Paris.");
/// # Ok::<(), humbly_agent::AgentError>(())
/// ```
pub struct Agent {
    pub(crate) client: Arc<dyn ChatClient>,
    pub(crate) tools: Toolbox,
    pub(crate) prompts: Prompts,
    pub(crate) options: AgentOptions,
    pub(crate) fence: Fence,
    pub(crate) system: String,
    pub(crate) confidence: String,
}

impl Agent {
    /// An agent with these tools, prompts and settings.
    ///
    /// # Errors
    /// [`AgentError::Setting`], [`AgentError::DuplicateTool`], and [`AgentError::Prompt`] for a template that
    /// cannot be filled in: all that this protocol needs are tried here.
    pub fn new(
        client: Arc<dyn ChatClient>,
        tools: Vec<Arc<dyn Tool>>,
        prompts: Prompts,
        options: AgentOptions,
    ) -> Result<Self> {
        options.check()?;
        let tools = Toolbox::new(tools)?;
        let fence = Fence::new(tools.tags());
        let mut agent =
            Self { client, tools, prompts, options, fence, system: String::new(), confidence: String::new() };
        agent.confidence = agent.confidence_prompt()?;
        agent.system = agent.system_prompt()?;
        agent.try_prompts()?;
        Ok(agent)
    }

    /// Settings of this agent.
    pub fn options(&self) -> &AgentOptions {
        &self.options
    }

    /// Prompts of this agent.
    pub fn prompts(&self) -> &Prompts {
        &self.prompts
    }

    /// Names of the tools with their kinds, for the file of a run.
    pub fn tools(&self) -> impl Iterator<Item = (&str, ToolKind)> {
        self.tools.entries().iter().map(|entry| (entry.spec.name.as_str(), entry.kind))
    }

    /// Plans, acts and observes until the task is answered, a limit is reached or a call fails.
    ///
    /// A failed call of the model or of a tool is part of the [`Run`], which is always whole.
    ///
    /// # Errors
    /// [`AgentError::Prompt`] where a template of the user's cannot be filled in for this task.
    pub async fn run(&self, task: &AgentTask) -> Result<Run> {
        match self.options.protocol {
            Protocol::Native => native::run(self, task).await,
            Protocol::Tagged => tagged::run(self, task).await,
            Protocol::Plain => plain::run(self, task).await,
            Protocol::Guided => guided::run(self, task).await,
            Protocol::Direct => direct::run(self, task).await,
        }
    }

    /// The task as the model reads it: question and fenced passages, with `instruct` also what to do with them.
    pub(crate) fn task_prompt(&self, task: &AgentTask, instruct: bool) -> Result<String> {
        let passages: Vec<Value> = task.passages.iter().map(|passage| self.passage(passage)).collect();
        self.prompts.fill(
            "task",
            context! {
                question => self.fence.data(&task.question, usize::MAX),
                candidates => task.candidates.iter().map(|text| self.fence.line(text, TITLE_LIMIT)).collect::<Vec<_>>(),
                passages,
                scenario => task.scenario.code(),
                instruct,
            },
        )
    }

    pub(crate) fn passage(&self, passage: &Passage) -> Value {
        let line = |text: &Option<String>| text.as_deref().map(|text| self.fence.line(text, TITLE_LIMIT));
        context! {
            title => line(&passage.title),
            source => line(&passage.source),
            text => self.fence.data(&passage.text, self.options.observation_limit),
        }
    }

    /// An observation inside its fence.
    pub(crate) fn observation_prompt(&self, tool: &str, observation: &Observation) -> Result<String> {
        let kind = observation.kind.filter(|_| !observation.is_error).map(ToolKind::code);
        self.prompts.fill(
            "observation",
            context! { tool, kind => kind.unwrap_or("notice"), text => observation.text.as_str() },
        )
    }

    /// Calls a tool.
    pub(crate) async fn call(&self, name: &str, arguments: &str) -> Observation {
        self.tools.call(name, arguments, &self.fence, self.options.observation_limit).await
    }

    fn confidence_prompt(&self) -> Result<String> {
        let Some(scale) = self.options.ask_confidence else { return Ok(String::new()) };
        let (low, high, example) = match scale {
            ConfidenceScale::Unit => ("0", "1", "0.7"),
            ConfidenceScale::Percent => ("0", "100", "70"),
            ConfidenceScale::Words => ("", "", "likely"),
        };
        let protocol_tags = self.options.protocol == Protocol::Tagged;
        let tagged = match self.options.confidence_form {
            Some(form) => form == ConfidenceForm::Tag,
            None => protocol_tags,
        };
        let words = if scale == ConfidenceScale::Words { CONFIDENCE_WORDS.join(", ") } else { String::new() };
        self.prompts.fill(
            "confidence",
            context! {
                low, high, example, tagged, words, protocol_tags,
                every_turn => self.options.confidence_every_turn,
            },
        )
    }

    fn system_prompt(&self) -> Result<String> {
        let name = match self.options.protocol {
            Protocol::Native => "native_system",
            Protocol::Tagged => "tagged_system",
            Protocol::Plain | Protocol::Guided => "plain_system",
            // The template is the whole prompt.
            Protocol::Direct => return Ok(String::new()),
        };
        let tools: Vec<Value> = self
            .tools
            .entries()
            .iter()
            .map(|entry| {
                context! {
                    name => entry.spec.name.as_str(),
                    description => entry.spec.description.as_str(),
                    kind => entry.kind.code(),
                    tag => entry.form.tag.as_str(),
                    argument => entry.form.argument.as_str(),
                }
            })
            .collect();
        let clauses: Vec<Value> =
            self.options.clauses.iter().map(|clause| Value::from(clause.text.as_str())).collect();
        self.prompts.fill(
            name,
            context! {
                tools,
                clauses,
                confidence => self.confidence.as_str(),
                max_turns => self.options.max_turns,
            },
        )
    }

    /// Fills in every template that a run of this protocol can need, so that a mistake shows before it.
    fn try_prompts(&self) -> Result<()> {
        let passage = Passage { title: Some("t".into()), text: "x".into(), source: None };
        for scenario in [Scenario::ClosedBook, Scenario::Rag, Scenario::Pck] {
            let passages = if scenario == Scenario::ClosedBook { Vec::new() } else { vec![passage.clone()] };
            let task = AgentTask { question: "q".into(), passages, scenario, ..AgentTask::default() };
            self.task_prompt(&task, true)?;
            match self.options.protocol {
                Protocol::Plain => plain::try_prompts(self, &task)?,
                Protocol::Guided => guided::try_prompts(self, &task)?,
                Protocol::Direct => direct::try_prompts(self, &task)?,
                Protocol::Native | Protocol::Tagged => {}
            }
        }
        for entry in self.tools.entries() {
            let observation = Observation { text: "x".into(), is_error: false, kind: Some(entry.kind) };
            self.observation_prompt(&entry.spec.name, &observation)?;
        }
        for name in ["reminder", "reminder_native"] {
            self.prompts.fill(name, context! {})?;
        }
        let reminder = self.prompts.sources().get("reminder");
        if reminder.is_some_and(|text| self.fence.neutralise(text) != text.as_str()) {
            return Err(AgentError::Setting {
                setting: "prompt `reminder`",
                found: "a text with tags of the protocol".into(),
                expected: "words only: a tag in it would be read as an action".into(),
            });
        }
        Ok(())
    }

    /// A conversation that begins with the system prompt.
    pub(crate) fn conversation<'a>(&'a self, task: &'a AgentTask, first: String) -> Conversation<'a> {
        self.conversation_after(task, Vec::new(), first)
    }

    /// The same with worked examples between the system prompt and the task.
    pub(crate) fn conversation_after<'a>(
        &'a self,
        task: &'a AgentTask,
        examples: Vec<humbly_llm::ChatMessage>,
        first: String,
    ) -> Conversation<'a> {
        let mut messages = Vec::with_capacity(examples.len() + 2);
        if !self.system.is_empty() {
            messages.push(humbly_llm::ChatMessage::system(self.system.clone()));
        }
        messages.extend(examples);
        messages.push(humbly_llm::ChatMessage::user(first));
        Conversation::new(self, task, messages)
    }
}
