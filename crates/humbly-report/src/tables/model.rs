//! A table of the EH paper as data: what the terminal, LaTeX, CSV, JSON and HTML are all written from.

use std::fmt;
use std::str::FromStr;

use humbly_score::Test;
use humbly_types::Measured;
use serde::{Serialize, Serializer};

/// A table or figure of the paper.
///
/// # Examples
/// ```
/// use humbly_report::tables::Item;
/// assert_eq!(Item::Table(4).to_string(), "Table 4");
/// assert_eq!("figure3".parse::<Item>(), Ok(Item::Figure(3)));
/// assert!("table2".parse::<Item>().is_err(), "the roster of the paper's agents is no result");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Item {
    /// A table.
    Table(u8),
    /// A figure.
    Figure(u8),
    /// A table of the calibration study: 1 to 4 are those of the CAR paper, 5 to 9 stand beside them.
    Calibration(u8),
}

impl Item {
    /// All that results determine: Tables 1 and 3 to 9, Figures 3 to 5.
    pub const ALL: [Self; 11] = [
        Self::Table(1),
        Self::Table(3),
        Self::Table(4),
        Self::Table(5),
        Self::Table(6),
        Self::Table(7),
        Self::Table(8),
        Self::Table(9),
        Self::Figure(3),
        Self::Figure(4),
        Self::Figure(5),
    ];

    /// The tables of the calibration study.
    pub const CALIBRATION: [Self; 9] = [
        Self::Calibration(1),
        Self::Calibration(2),
        Self::Calibration(3),
        Self::Calibration(4),
        Self::Calibration(5),
        Self::Calibration(6),
        Self::Calibration(7),
        Self::Calibration(8),
        Self::Calibration(9),
    ];

    /// A word without spaces: `table4`, `figure3`.
    pub fn code(self) -> String {
        match self {
            Self::Table(number) => format!("table{number}"),
            Self::Figure(number) => format!("figure{number}"),
            Self::Calibration(number) => format!("car{number}"),
        }
    }

    /// What it shows.
    pub fn title(self) -> &'static str {
        match self {
            Self::Table(1) => "Accuracy (%) by data set and split",
            Self::Table(3) => "Controlled conflict: questions by level of belief, tasks by scenario",
            Self::Table(4) => "Naturally occurring conflict: from questions to splits",
            Self::Table(5) => "Identify, Solve, Escalate (%)",
            Self::Table(6) => "Agreement of judges",
            Self::Table(7) => "Agreement of people, and of judges with people",
            Self::Table(8) => "Accuracy (%) under a clause in the prompt",
            Self::Table(9) => "Identify, Solve, Escalate (%) under a clause in the prompt",
            Self::Figure(3) => "Accuracy on conflict tasks against Identify, Solve and Escalate (%)",
            Self::Figure(4) => "Where answers are named, by tenth of the trajectory",
            Self::Figure(5) => "What a clause in the prompt changes (points)",
            Self::Calibration(1) => {
                "Accuracy (%) and mean confidence on wrong answers (MCIP), by tool and setting"
            }
            Self::Calibration(2) => "Calibration with evidence tools",
            Self::Calibration(3) => "Calibration with another corpus behind the search tool",
            Self::Calibration(4) => "Calibration with verification tools",
            Self::Calibration(5) => {
                "Beside ECE: debiased ECE, parts of the Brier score, selective accuracy, collapse"
            }
            Self::Calibration(6) => "Settings compared on the questions that all of them got wrong",
            Self::Calibration(7) => "Maps fitted on one half of the questions, judged on the other",
            Self::Calibration(8) => {
                "Confidence before and after tool calls and contradictions, by type of tool"
            }
            Self::Calibration(9) => "Reliability: confidence against accuracy, by bin",
            Self::Table(_) | Self::Figure(_) | Self::Calibration(_) => "",
        }
    }
}

impl fmt::Display for Item {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(number) => write!(formatter, "Table {number}"),
            Self::Figure(number) => write!(formatter, "Figure {number}"),
            Self::Calibration(number @ 1..=4) => write!(formatter, "CAR Table {number}"),
            Self::Calibration(number) => write!(formatter, "Calibration {number}"),
        }
    }
}

impl FromStr for Item {
    type Err = UnknownItem;

    fn from_str(text: &str) -> Result<Self, UnknownItem> {
        let found = text.trim().to_ascii_lowercase().replace([' ', '-', '_'], "");
        Self::ALL
            .into_iter()
            .chain(Self::CALIBRATION)
            .find(|item| item.code() == found)
            .ok_or_else(|| UnknownItem { text: text.to_owned() })
    }
}

impl Serialize for Item {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.code())
    }
}

/// A name that is no table or figure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is no table or figure that results determine, expected table1, table3 to table9, figure3 to figure5, car1 to car9"
)]
pub struct UnknownItem {
    /// As given.
    pub text: String,
}

/// A table or figure, or why the runs do not determine it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PaperItem {
    /// It is determined.
    Determined(PaperTable),
    /// It is not.
    NotDetermined {
        /// Which one.
        item: Item,
        /// What is missing, and where it comes from.
        reason: String,
    },
}

/// One table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaperTable {
    /// Which one.
    pub item: Item,
    /// What the rows are.
    pub stub: String,
    /// Columns, in groups of one heading.
    pub groups: Vec<ColumnGroup>,
    /// Rows; each has a cell for every column.
    pub rows: Vec<TableRow>,
    /// What a reader must know.
    pub notes: Vec<String>,
}

/// Columns under one heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnGroup {
    /// The heading.
    pub name: String,
    /// The columns.
    pub columns: Vec<String>,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableRow {
    /// Its name.
    pub name: String,
    /// Whose numbers these are.
    pub source: Source,
    /// The cells.
    pub cells: Vec<TableCell>,
}

/// Whose numbers a row holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Measured on the runs.
    Runs,
    /// Published in the paper.
    Paper,
}

/// In which unit a cell is shown; the JSON keeps rates as rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A rate, shown in percent.
    Percent,
    /// A difference of rates, shown in percentage points with its sign.
    Points,
    /// A coefficient, shown as it is.
    Coefficient,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TableCell {
    /// A count, known exactly.
    Count {
        /// The count.
        value: u64,
    },
    /// A measured number.
    Measured {
        /// How it is shown.
        unit: Unit,
        /// The number with n and interval, or why there is none.
        number: Box<Measured>,
        /// The test that belongs to it.
        #[serde(skip_serializing_if = "Option::is_none")]
        test: Option<Box<Test>>,
    },
    /// A published number.
    Published(PublishedNumber),
    /// The setting had tools and hardly called them: no comparison is drawn.
    ToolNotUsed,
    /// The runs (or the paper) do not have this combination.
    NotRun,
}

/// A number as the paper prints it, in its own unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PublishedNumber {
    /// The number; `null` where the paper prints a dash.
    pub value: Option<f64>,
    /// Digits behind the point.
    #[serde(skip)]
    pub digits: usize,
    /// Half of the width of its interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_width: Option<f64>,
    /// Whether the paper marks it as different from the control.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub significant: Option<bool>,
    /// Whether the paper writes this zero also where no case was there.
    pub may_be_no_case: bool,
}

impl TableCell {
    /// A rate.
    pub fn percent(number: &Measured) -> Self {
        Self::Measured { unit: Unit::Percent, number: Box::new(number.clone()), test: None }
    }

    /// A coefficient.
    pub fn coefficient(number: &Measured) -> Self {
        Self::Measured { unit: Unit::Coefficient, number: Box::new(number.clone()), test: None }
    }

    /// A published number with `digits` behind the point.
    pub fn published(value: Option<f64>, digits: usize) -> Self {
        Self::Published(PublishedNumber {
            value,
            digits,
            half_width: None,
            significant: None,
            may_be_no_case: false,
        })
    }
}

impl PaperTable {
    /// How many columns there are, the rows' names left out.
    pub fn width(&self) -> usize {
        self.groups.iter().map(|group| group.columns.len()).sum()
    }

    /// The columns with the headings of their groups.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &str)> {
        self.groups
            .iter()
            .flat_map(|group| group.columns.iter().map(|column| (group.name.as_str(), column.as_str())))
    }

    /// The table in parts of at most `most` columns, groups kept whole: wide ones do not fit a page.
    #[must_use]
    pub fn parts(&self, most: usize) -> Vec<Self> {
        let mut parts: Vec<Self> = Vec::new();
        let mut start = 0;
        for group in &self.groups {
            let width = group.columns.len();
            let fits = parts.last().is_some_and(|part| part.width() + width <= most);
            if !fits {
                let rows =
                    self.rows.iter().map(|row| TableRow { cells: Vec::new(), ..row.clone() }).collect();
                parts.push(Self { groups: Vec::new(), rows, notes: Vec::new(), ..self.clone() });
            }
            if let Some(part) = parts.last_mut() {
                part.groups.push(group.clone());
                for (to, from) in part.rows.iter_mut().zip(&self.rows) {
                    to.cells.extend(from.cells.iter().skip(start).take(width).cloned());
                }
            }
            start += width;
        }
        // A row that says nothing in this part is left out of it.
        for part in &mut parts {
            part.rows.retain(|row| row.cells.iter().any(|cell| *cell != TableCell::NotRun));
        }
        parts.retain(|part| !part.rows.is_empty());
        if let Some(last) = parts.last_mut() {
            last.notes.clone_from(&self.notes);
        }
        parts
    }
}
