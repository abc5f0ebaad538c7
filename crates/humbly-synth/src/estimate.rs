//! What a set will ask for, before it begins: some prompts are measured, the rest is arithmetic.

use humbly_llm::{ChatRequest, estimated_tokens};

use crate::{Kind, KindsAsked, Original, Plan, Prompts, Result, Synth};

/// Originals whose prompts are measured.
const MEASURED: usize = 32;
/// Tokens of a variant whose length nothing limits, and of a verdict.
const ASSUMED_REWRITE: u64 = 512;
const ASSUMED_VERDICT: u64 = 64;

/// Calls and tokens of rewriter and validator, each from its least to its most.
///
/// The least is one attempt for each variant that is wanted; the most is every attempt for each of them, each examined
/// in full. Variants that are discarded are made up for by further originals, which no estimate can foresee.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Items: variants wanted, twice where both kinds are asked for.
    pub items: u64,
    /// Prompts that were measured.
    pub measured: u64,
    /// The rewriter.
    pub rewriter: CallEstimate,
    /// The validator.
    pub validator: CallEstimate,
}

/// Least and most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallEstimate {
    /// Calls.
    pub calls: (u64, u64),
    /// Prompt tokens.
    pub input: (u64, u64),
    /// Completion tokens.
    pub output: (u64, u64),
    /// The length assumed of a reply, where the settings limit none.
    pub assumed_output: Option<u64>,
}

impl Synth<'_> {
    /// What is to be asked for if nothing is there yet.
    ///
    /// # Errors
    /// [`crate::SynthError::Prompt`].
    pub fn estimate(&self) -> Result<Estimate> {
        estimate(
            self.plan,
            self.originals,
            self.prompts,
            self.rewriter.max_tokens.map(u64::from),
            self.validator.max_tokens.map(u64::from),
        )
    }
}

fn estimate(
    plan: &Plan,
    originals: &[Original],
    prompts: &Prompts,
    longest_rewrite: Option<u64>,
    longest_verdict: Option<u64>,
) -> Result<Estimate> {
    let tokens = |text: String| {
        estimated_tokens(&ChatRequest {
            messages: vec![humbly_llm::ChatMessage::user(text)],
            ..ChatRequest::default()
        })
    };
    let (mut rewriting, mut validating, mut comparing, mut measured) = (0, 0, 0, 0);
    for original in originals.iter().take(MEASURED) {
        let problem = &original.problem;
        let both = Kind::ALL.map(|kind| prompts.rewrite(kind, problem));
        for text in both {
            rewriting += tokens(text?);
        }
        validating += tokens(prompts.validate(problem)?);
        comparing += tokens(prompts.compare(problem, problem)?);
        measured += 1;
    }
    let mean = |sum: u64, n: u64| sum.checked_div(n).unwrap_or(0);
    let variants: u64 = Kind::ALL.into_iter().map(|kind| plan.wanted(kind) as u64).sum();
    let items = match plan.kinds {
        KindsAsked::One => variants,
        KindsAsked::Both => variants * 2,
    };
    let most = items * u64::from(plan.tries);
    let checks = 1 + u64::from(plan.compares);
    let examined = mean(validating, measured) + if plan.compares { mean(comparing, measured) } else { 0 };
    let rewrite = mean(rewriting, measured * 2);
    let rewritten = longest_rewrite.unwrap_or(ASSUMED_REWRITE);
    let verdict = longest_verdict.unwrap_or(ASSUMED_VERDICT).min(ASSUMED_VERDICT);
    Ok(Estimate {
        items,
        measured,
        rewriter: CallEstimate {
            calls: (items, most),
            input: (items * rewrite, most * rewrite),
            output: (items * rewritten, most * rewritten),
            assumed_output: longest_rewrite.is_none().then_some(ASSUMED_REWRITE),
        },
        validator: CallEstimate {
            calls: (items * checks, most * checks),
            input: (items * examined, most * examined),
            output: (items * checks * verdict, most * checks * verdict),
            assumed_output: Some(verdict),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_go_from_one_attempt_to_all() {
        let original = Original {
            id: "a".to_owned(),
            dataset: "d".to_owned(),
            problem: "What is 1 + 1?".to_owned(),
            answer: "2".to_owned(),
        };
        let plan = Plan::default();
        let found = estimate(&plan, &[original], &Prompts::built_in().unwrap(), Some(1000), None).unwrap();
        assert_eq!((found.items, found.measured), (1650, 1));
        assert_eq!(found.rewriter.calls, (1650, 8250));
        assert_eq!(found.validator.calls, (3300, 16500));
        assert_eq!(found.rewriter.output, (1_650_000, 8_250_000));
        assert_eq!((found.rewriter.assumed_output, found.validator.assumed_output), (None, Some(64)));
        assert!(found.rewriter.input.0 > 1650 * 200);
        let alone = Plan { compares: false, kinds: KindsAsked::Both, ..plan };
        let found = estimate(&alone, &[], &Prompts::built_in().unwrap(), None, None).unwrap();
        assert_eq!((found.items, found.validator.calls), (3300, (3300, 16500)));
    }
}
