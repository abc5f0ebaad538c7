//! The rows of a set, as trainers read them.

use humbly_rewards::{ItemLabel, Protocol};
use humbly_table::{VerlExtra, VerlRow, VerlTruth, VerlTurn};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::{Original, Plan, Selection};

/// A row with its split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SynthRow {
    /// Whether it belongs to validation.
    pub is_validation: bool,
    /// What kind of question it is.
    pub label: ItemLabel,
    /// The row.
    pub row: VerlRow,
}

/// Makes the rows, training first, each split shuffled.
///
/// A variant is called after its original and its kind, and has no reference: an insufficient one has no answer, and
/// of a hard one nobody has found it. Both splits have the shares of the set.
pub fn rows(plan: &Plan, originals: &[Original], selection: &Selection) -> Vec<SynthRow> {
    let mut groups: [Vec<(String, &Original, &str, ItemLabel)>; 3] = Default::default();
    let [kept, insufficient, hard] = &mut groups;
    for original in selection.kept.iter().filter_map(|position| originals.get(*position)) {
        kept.push((original.id.clone(), original, &original.problem, ItemLabel::Answerable));
    }
    for choice in &selection.variants {
        let Some(original) = originals.get(choice.original) else { continue };
        let group = if choice.kind == crate::Kind::Hard { &mut *hard } else { &mut *insufficient };
        let id = format!("{}#{}", original.id, choice.kind);
        group.push((id, original, &choice.problem, choice.kind.label()));
    }
    let validation = plan.validation_of(groups.each_ref().map(Vec::len));
    let (mut train, mut held_out) = (Vec::new(), Vec::new());
    for (group, count) in groups.into_iter().zip(validation) {
        for (position, row) in group.into_iter().enumerate() {
            if position < count { held_out.push(row) } else { train.push(row) }
        }
    }
    let mut random = ChaCha8Rng::seed_from_u64(plan.seed.wrapping_add(1));
    let mut rows = Vec::new();
    for (is_validation, mut split) in [(false, train), (true, held_out)] {
        split.shuffle(&mut random);
        for (index, (id, original, problem, label)) in (0_i64..).zip(split) {
            let references =
                if label == ItemLabel::Answerable { vec![original.answer.clone()] } else { Vec::new() };
            let row = VerlRow {
                data_source: original.dataset.clone(),
                prompt: vec![VerlTurn {
                    role: "user".to_owned(),
                    content: Protocol::boxed().instruction(problem),
                }],
                ability: "math".to_owned(),
                reward_model: VerlTruth::rule(references),
                extra_info: VerlExtra {
                    index,
                    split: if is_validation { "validation" } else { "train" }.to_owned(),
                    question_id: id,
                    question: problem.to_owned(),
                    label: Some(label.name().to_owned()),
                },
            };
            rows.push(SynthRow { is_validation, label, row });
        }
    }
    rows
}
