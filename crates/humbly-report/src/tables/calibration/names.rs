//! Names of rows, notes that several tables share.

use humbly_score::ToolType;
use humbly_score::calibration_study::{CalibrationStudy, Distribution, StudyCell, ToolUse};

/// The tool of a cell's data set: by name where some setting was offered it, else by type.
pub(super) fn tool(study: &CalibrationStudy, cell: &StudyCell) -> String {
    let of_set = || study.cells.iter().filter(|one| one.dataset == cell.dataset);
    let named = std::iter::once(cell).chain(of_set()).map(|one| &one.tools).find(|tools| !tools.is_empty());
    named.map_or_else(|| cell.tool_type.map_or("no tool", ToolType::code).to_owned(), |tools| tools.join("+"))
}

/// Model and setting, the corpus where the setting has one of its own.
pub(super) fn setting(cell: &StudyCell) -> String {
    let corpus = cell.corpus.as_ref().map(|corpus| format!(" · {corpus}")).unwrap_or_default();
    format!("{} · {}{corpus}", cell.model, cell.setting)
}

/// Behind a row whose setting hardly called its tools.
pub(super) fn use_mark(cell: &StudyCell) -> &'static str {
    if cell.tool_use == ToolUse::NotUsed { " · tool not used" } else { "" }
}

/// Where a confidence comes from, in words.
pub(super) fn source(source: &str) -> String {
    match source {
        "none" => "no confidence".to_owned(),
        "tag" => "confidence in a tag".to_owned(),
        "number" => "confidence as a number".to_owned(),
        "words" => "confidence in words".to_owned(),
        "log_probability" => "log-probability".to_owned(),
        "agreement" => "agreement of samples".to_owned(),
        other => other.to_owned(),
    }
}

/// A data set as a heading.
pub(super) fn dataset(cell: &StudyCell) -> String {
    match cell.distribution {
        Some(Distribution::In) => format!("{} (ID)", cell.dataset),
        Some(Distribution::Out) => format!("{} (OOD)", cell.dataset),
        None => cell.dataset.clone(),
    }
}

/// What every table of numbers must say.
pub(super) fn counted(study: &CalibrationStudy) -> Vec<String> {
    let abstained: u64 = study.cells.iter().map(|cell| cell.abstained).sum();
    let with: u64 = study.cells.iter().map(|cell| cell.abstained_with_confidence).sum();
    let mut notes = vec![format!(
        "ECE: {}; each source of confidence is a row of its own; an abstention is not right and has no part in the calibration ({abstained} \
         abstained, {with} of them with a confidence)",
        study.binning
    )];
    for cell in &study.cells {
        let of = || format!("{} on {}", setting(cell), cell.dataset);
        for source_cell in &cell.sources {
            if !source_cell.left_out.is_empty() {
                let counts: Vec<String> =
                    source_cell.left_out.iter().map(|(reason, n)| format!("{reason} {n}")).collect();
                notes.push(format!(
                    "{}, {}: left out {}",
                    of(),
                    source(&source_cell.source),
                    counts.join(", ")
                ));
            }
        }
        if !cell.without_label.is_empty() {
            let counts: Vec<String> =
                cell.without_label.iter().map(|(reason, n)| format!("{reason} {n}")).collect();
            notes.push(format!("{}: in no number {}", of(), counts.join(", ")));
        }
        notes.extend(cell.notes.iter().map(|note| format!("{}: {note}", of())));
    }
    notes
}
