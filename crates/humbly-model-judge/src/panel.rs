//! Several judges as one: the majority, and nothing where there is none.

use std::sync::Arc;

use humbly_types::{AnswerSource, Judgement, Reason, TurnVerdict, Undefined, Verdict};

/// What most of the judges say.
///
/// A judge without a verdict has no vote. The majority is undefined (`judges_tied`) where as many say yes as no,
/// and (`too_few_samples`) where half of the judges or fewer voted; nothing is broken by order or by chance. The
/// rule names the votes, the quote is that of the first judge on the winning side that has one.
///
/// # Examples
/// ```
/// use humbly_model_judge::majority;
/// use humbly_types::{Reason, Verdict};
/// let panel = "panel".into();
/// let (yes, no) = (Verdict::yes(&"a".into(), "r", "q"), Verdict::no(&"b".into()));
/// assert_eq!(majority(&panel, &[&yes, &no, &yes]).value, Some(true));
/// assert_eq!(majority(&panel, &[&yes, &no]).undefined.unwrap().reason, Reason::JudgesTied);
/// ```
pub fn majority(panel: &Arc<str>, verdicts: &[&Verdict]) -> Verdict {
    let yes = verdicts.iter().filter(|verdict| verdict.value == Some(true)).count();
    let no = verdicts.iter().filter(|verdict| verdict.value == Some(false)).count();
    let rule = format!("majority: {yes} yes, {no} no, {} undefined", verdicts.len() - yes - no);
    let undefined = |reason| {
        let undefined = Undefined::with_detail(reason, rule.clone());
        Verdict { value: None, undefined: Some(undefined), rule: Some(rule.clone()), ..Verdict::no(panel) }
    };
    if let Some(reason) = absence(verdicts.len(), yes + no, yes == no) {
        // One and the same reason of all is theirs, not the panel's.
        let mut reasons = verdicts.iter().map(|verdict| verdict.undefined.as_ref().map(|it| it.reason));
        let first = reasons.next().flatten();
        let is_shared = yes + no == 0 && reasons.all(|reason| reason == first);
        return undefined(first.filter(|_| is_shared).unwrap_or(reason));
    }
    let value = yes > no;
    let winner = verdicts
        .iter()
        .filter(|verdict| verdict.value == Some(value))
        .max_by_key(|verdict| u8::from(verdict.quote.is_some()));
    Verdict {
        value: Some(value),
        rule: Some(rule),
        quote: winner.and_then(|verdict| verdict.quote.clone()),
        turn: winner.and_then(|verdict| verdict.turn),
        file: winner.and_then(|verdict| verdict.file.clone()),
        line: winner.and_then(|verdict| verdict.line),
        ..Verdict::no(panel)
    }
}

/// Why there is no majority.
fn absence(members: usize, votes: usize, is_tied: bool) -> Option<Reason> {
    if 2 * votes <= members { Some(Reason::TooFewSamples) } else { is_tied.then_some(Reason::JudgesTied) }
}

/// Identify of a whole trajectory: its first flagged turn; else undefined where a turn is; else no.
pub fn flag_of(judgement: &Judgement) -> Verdict {
    let verdicts = || judgement.turns.iter().map(|turn| &turn.identify);
    let no_turns =
        judgement.final_reasoning.undefined.as_ref().is_some_and(|it| it.reason == Reason::NoTurns);
    if judgement.turns.is_empty() && no_turns {
        return Verdict::undefined(&judgement.judge, Reason::NoTurns);
    }
    verdicts()
        .find(|verdict| verdict.is_yes())
        .or_else(|| verdicts().find(|verdict| verdict.undefined.is_some()))
        .cloned()
        .unwrap_or_else(|| Verdict::no(&judgement.judge))
}

/// The judgement of a panel on one trajectory; `None` without members.
///
/// Identify: the majority of the members' flags, each over its whole trajectory; the turn is the lower median of
/// the first turns of those who flagged. Turns before it are no, later ones undefined (`not_applicable`), as
/// with one model judge. All else: the [`majority`] of the members (correctness: of those that were asked for it);
/// the answer's source needs more than half of the votes.
pub fn panel_judgement(panel: &Arc<str>, members: &[&Judgement]) -> Option<Judgement> {
    let first = members.first()?;
    let flags: Vec<Verdict> = members.iter().map(|member| flag_of(member)).collect();
    let flag = majority(panel, &flags.iter().collect::<Vec<_>>());
    let mut turns: Vec<u32> =
        flags.iter().filter(|flag| flag.is_yes()).filter_map(|flag| flag.turn).collect();
    turns.sort_unstable();
    let flagged = turns.get(turns.len().saturating_sub(1) / 2).copied().filter(|_| flag.is_yes());
    let of = |choose: fn(&Judgement) -> &Verdict| {
        let verdicts: Vec<&Verdict> = members.iter().map(|member| choose(member)).collect();
        majority(panel, &verdicts)
    };
    Some(Judgement {
        judge: Arc::clone(panel),
        turns: first.turns.iter().map(|turn| panel_turn(panel, turn, &flag, flagged)).collect(),
        escalate: of(|member| &member.escalate),
        refusal: of(|member| &member.refusal),
        final_reasoning: of(|member| &member.final_reasoning),
        self_inconsistent: of(|member| &member.self_inconsistent),
        answer_source: majority_source(members),
        correct: majority_correct(panel, members),
    })
}

/// The majority of the members that were asked; `None` where none was, or where two correctness judges spoke, which
/// are never mixed.
fn majority_correct(panel: &Arc<str>, members: &[&Judgement]) -> Option<Verdict> {
    let asked: Vec<&Verdict> = members.iter().filter_map(|member| member.correct.as_ref()).collect();
    let mut codes = asked.iter().filter_map(|verdict| verdict.rule.as_deref()?.split('@').next());
    let code = codes.next();
    if asked.is_empty() || codes.any(|other| Some(other) != code) {
        return None;
    }
    let mut verdict = majority(panel, &asked);
    if let (Some(code), Some(rule)) = (code, &mut verdict.rule) {
        rule.insert_str(0, &format!("{code}: "));
    }
    Some(verdict)
}

/// `turn` gives number and place.
fn panel_turn(panel: &Arc<str>, turn: &TurnVerdict, flag: &Verdict, flagged: Option<u32>) -> TurnVerdict {
    let base = Verdict {
        turn: Some(turn.turn),
        file: turn.identify.file.clone(),
        line: turn.identify.line,
        rule: flag.rule.clone(),
        ..Verdict::no(panel)
    };
    let unknown = |undefined| Verdict { value: None, undefined, ..base.clone() };
    let identify = match (flag.value, flagged) {
        (None, _) => unknown(flag.undefined.clone()),
        (Some(_), Some(first)) if turn.turn > first => {
            let detail = format!("the panel names the first turn only, which is {first}");
            unknown(Some(Undefined::with_detail(Reason::NotApplicable, detail)))
        }
        (Some(_), Some(first)) => Verdict { value: Some(turn.turn == first), ..base },
        (Some(true), None) => unknown(Some(Undefined::new(Reason::NotRecorded))),
        (Some(false), None) => base,
    };
    TurnVerdict { turn: turn.turn, identify }
}

fn majority_source(members: &[&Judgement]) -> Result<AnswerSource, Undefined> {
    let mut votes: Vec<(AnswerSource, usize)> = Vec::new();
    for source in members.iter().filter_map(|member| member.answer_source.as_ref().ok()) {
        match votes.iter_mut().find(|(known, _)| known == source) {
            Some((_, count)) => *count += 1,
            None => votes.push((*source, 1)),
        }
    }
    let cast: usize = votes.iter().map(|(_, count)| count).sum();
    if let Some((source, _)) = votes.iter().find(|(_, count)| 2 * count > cast && 2 * cast > members.len()) {
        return Ok(*source);
    }
    if cast == 0
        && let Some(Err(undefined)) = members.first().map(|member| &member.answer_source)
        && members.iter().all(|member| member.answer_source.as_ref().err() == Some(undefined))
    {
        return Err(undefined.clone());
    }
    let reason = absence(members.len(), cast, true).unwrap_or(Reason::JudgesTied);
    Err(Undefined::with_detail(
        reason,
        format!("{cast} of {} judges name a source, no majority", members.len()),
    ))
}
