//! Judges that ask a model: prompts, strict reading of replies, panels, annotation sheets.
//!
//! A judge returns the types of the lexical judge, so that scores and reports need not know which one
//! spoke. The judged text is data: it stands inside a boundary that does not occur in it, and only the
//! judge's own reply is read. A reply that cannot be read is asked for again, at most twice; then the
//! verdict is undefined with its reason, and every raw reply is kept.

mod agreement;
mod ask;
mod bill;
mod correctness;
mod error;
mod family;
mod fence;
mod judge;
mod labelled;
mod panel;
mod prompts;
mod reply;
mod rubric;
mod run;
mod settings;
mod sheet;
mod source;
mod trajectory;
mod windows;

pub use agreement::{AgreementRow, Coefficients, Rating, agreement_table, ratings_of};
pub use ask::{Asked, RawReply};
pub use bill::{Bill, Failure};
pub use correctness::CorrectnessRubric;
pub use error::{ModelJudgeError, Result};
pub use family::{Family, FamilyMatch, families, family_match};
pub use fence::Fence;
pub use judge::ModelJudge;
pub use labelled::judge_labelled_rows;
pub use panel::{flag_of, majority, panel_judgement};
pub use prompts::{Prompt, Prompts};
pub use reply::{Flagged, Labels, Read, ReplyForm, Unusable, read_flag, read_label};
pub use rubric::Rubric;
pub use run::{RunItem, judge_run};
pub use settings::{EscalateRubric, JudgeSettings, RubricSettings};
pub use sheet::{
    Annotations, Drawn, FilledRow, HumanAgreement, JudgeAgainstPeople, KeyItem, KeyRow, Kind, PairOfPeople,
    SheetItem, SheetParams, SheetReport, SheetRow, draw_sheet, has_uncertainty_cue, read_filled, read_key,
    sheet_report, write_csv, write_jsonl, write_key,
};
pub use trajectory::JudgedByModel;
