//! Settings on the questions that all of them got wrong.

use humbly_stats::calibration::{Setting, mcip_common};
use indexmap::{IndexMap, IndexSet};

use super::cells::{Answers, NO_SOURCE};
use super::{StudyCell, StudyComparison, StudyParams, ToolUse};

pub(super) fn comparisons(
    answers: &[Answers<'_>],
    cells: &[StudyCell],
    params: &StudyParams,
) -> humbly_stats::Result<Vec<StudyComparison>> {
    type Key<'a> = (&'a str, Option<&'a str>, &'a str);
    let mut groups: IndexMap<Key<'_>, Vec<(&Answers<'_>, &StudyCell)>> = IndexMap::new();
    for (of, cell) in answers.iter().zip(cells) {
        let key = (cell.dataset.as_str(), cell.corpus.as_deref(), cell.base_model.as_str());
        groups.entry(key).or_default().push((of, cell));
    }
    let mut found = Vec::new();
    for ((dataset, corpus, base_model), members) in groups {
        let sources: IndexSet<&String> = members.iter().flat_map(|(of, _)| of.sources.keys()).collect();
        for source in sources.into_iter().filter(|source| *source != NO_SOURCE) {
            let has_it = || members.iter().filter(|(of, _)| of.sources.contains_key(source));
            let not_used: Vec<String> = has_it()
                .filter(|(_, cell)| cell.tool_use == ToolUse::NotUsed)
                .map(|(_, cell)| cell.setting.clone())
                .collect();
            let settings: Vec<Setting<'_, String>> = has_it()
                .filter(|(_, cell)| cell.tool_use != ToolUse::NotUsed)
                .filter_map(|(of, cell)| {
                    let stated = of.sources.get(source)?;
                    Some(Setting {
                        name: &cell.setting,
                        ids: &stated.questions,
                        confidences: &stated.confidences,
                        outcomes: &stated.outcomes,
                    })
                })
                .collect();
            if settings.len() < 2 && not_used.is_empty() {
                continue;
            }
            let common = if settings.len() < 2 { &[][..] } else { &settings[..] };
            found.push(StudyComparison {
                dataset: dataset.to_owned(),
                corpus: corpus.map(str::to_owned),
                tool_type: members.iter().find_map(|(_, cell)| cell.tool_type),
                base_model: base_model.to_owned(),
                source: source.clone(),
                not_used,
                common: mcip_common(common, &params.bootstrap)?,
            });
        }
    }
    Ok(found)
}
