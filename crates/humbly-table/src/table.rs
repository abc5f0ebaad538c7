//! A table of the columns that were asked for.

use humbly_types::Problem;

use crate::cell::{Cell, NoNumber};
use crate::names::unknown_column;

/// So many bad cells of a column are listed; the rest is counted.
const MOST_PROBLEMS: usize = 20;

/// Columns of equal length, with the place of each row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    path: String,
    names: Vec<String>,
    columns: Vec<Vec<Cell>>,
    places: Places,
    problems: Vec<Problem>,
}

/// Where rows stand.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum Places {
    /// In these lines of a text file.
    Lines(Vec<u64>),
    /// Rows are counted from 1 (Parquet, Arrow, a JSON array).
    #[default]
    Counted,
}

/// One column with a type: a value for each row, and the cells that are none.
#[derive(Debug, Clone, PartialEq)]
pub struct Column<T> {
    /// A value for each row; `None` where it is missing or has a problem.
    pub values: Vec<Option<T>>,
    /// Cells that hold something else, the first 20 one by one.
    pub problems: Vec<Problem>,
}

impl Table {
    pub(crate) fn new(path: &str, names: &[&str], places: Places) -> Self {
        Self {
            path: path.to_owned(),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            columns: vec![Vec::new(); names.len()],
            places,
            problems: Vec::new(),
        }
    }

    pub(crate) fn push_row(&mut self, cells: impl IntoIterator<Item = Cell>, line: Option<u64>) {
        let mut cells = cells.into_iter();
        for column in &mut self.columns {
            column.push(cells.next().unwrap_or_default());
        }
        if let (Places::Lines(lines), Some(line)) = (&mut self.places, line) {
            lines.push(line);
        }
    }

    pub(crate) fn extend_column(&mut self, index: usize, cells: Vec<Cell>) {
        if let Some(column) = self.columns.get_mut(index) {
            column.extend(cells);
        }
    }

    pub(crate) fn push_problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// Path as the user named it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The columns that were kept, in the order in which they were asked for.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Rows that could not be read: the rest is in the table.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The line (from 1) of a row of a text file; for Parquet, Arrow and a JSON array the row, from 1.
    pub fn line(&self, row: usize) -> u64 {
        match &self.places {
            Places::Lines(lines) => lines.get(row).copied().unwrap_or(0),
            Places::Counted => row as u64 + 1,
        }
    }

    /// A problem with a row: its line, or its number where the file has no lines.
    pub fn problem_at(&self, row: usize, message: impl Into<String>) -> Problem {
        let problem = Problem::new(self.path.as_str(), message);
        match &self.places {
            Places::Lines(_) => problem.line(self.line(row)),
            Places::Counted => problem.record(format!("row {}", row + 1)),
        }
    }

    /// The cells of a column as they are.
    ///
    /// # Errors
    /// A [`Problem`] where the column was not read.
    pub fn cells(&self, name: &str) -> Result<&[Cell], Problem> {
        self.names
            .iter()
            .position(|known| known == name)
            .and_then(|index| self.columns.get(index))
            .map(Vec::as_slice)
            .ok_or_else(|| unknown_column(&self.path, name, &self.names))
    }

    /// A column of finite numbers. A cell that is none (a word, NaN, an infinite number) is `None` with a
    /// problem; a missing one is `None` without.
    ///
    /// # Errors
    /// A [`Problem`] where the column does not exist, or holds cells and not one number.
    ///
    /// # Examples
    /// ```
    /// let table = humbly_table::read_bytes("a.csv", b"q,ok\n0.5,1\nnan,0\n,1\n".to_vec(), &["q"])?;
    /// let column = table.column_f64("q")?;
    /// assert_eq!(column.values, [Some(0.5), None, None]);
    /// assert_eq!(column.problems[0].line, Some(3));
    /// # Ok::<(), humbly_types::Problem>(())
    /// ```
    pub fn column_f64(&self, name: &str) -> Result<Column<f64>, Problem> {
        let cells = self.cells(name)?;
        let mut values = Vec::with_capacity(cells.len());
        let mut bad = Bad::default();
        for (row, cell) in cells.iter().enumerate() {
            values.push(cell.number().unwrap_or_else(|found| {
                bad.add(row, found);
                None
            }));
        }
        if let (Some((row, found)), true) = (bad.first.first(), values.iter().all(Option::is_none)) {
            return Err(self
                .problem_at(*row, format!("`{name}` holds {found} and no number at all, expected numbers"))
                .hint("name a column of numbers"));
        }
        Ok(Column { values, problems: self.bad_cells(name, "a number", bad) })
    }

    /// A column of truth values: 0 and 1, true and false, C and I. A cell with other text is a problem of its
    /// own, and the others count.
    ///
    /// # Errors
    /// A [`Problem`] where the column does not exist, holds no truth value at all, or for the first cell that
    /// is another number: a correctness of 0.95 means that the wrong column was named, not that a cell is bad.
    pub fn column_bool(&self, name: &str) -> Result<Column<bool>, Problem> {
        let cells = self.cells(name)?;
        let mut values = Vec::with_capacity(cells.len());
        let mut bad = Bad::default();
        for (row, cell) in cells.iter().enumerate() {
            match cell.flag() {
                Ok(value) => values.push(value),
                Err(found @ NoNumber::Other(_)) => {
                    return Err(self
                        .problem_at(row, format!("`{name}` is {found} in row {}, expected 0 or 1", row + 1))
                        .hint(self.swap_hint(name, cells)));
                }
                Err(found) => {
                    bad.add(row, found);
                    values.push(None);
                }
            }
        }
        if let (Some((row, found)), true) = (bad.first.first(), values.iter().all(Option::is_none)) {
            return Err(self
                .problem_at(
                    *row,
                    format!("`{name}` holds {found} and no truth value at all, expected 0 or 1"),
                )
                .hint(self.swap_hint(name, cells)));
        }
        Ok(Column { values, problems: self.bad_cells(name, "0 or 1", bad) })
    }

    /// A column of text, numbers as they are written.
    ///
    /// # Errors
    /// A [`Problem`] where the column does not exist.
    pub fn column_text(&self, name: &str) -> Result<Vec<Option<String>>, Problem> {
        Ok(self.cells(name)?.iter().map(Cell::text).collect())
    }

    /// What to do about a truth column that holds fractions.
    fn swap_hint(&self, name: &str, cells: &[Cell]) -> String {
        let are_probabilities = cells.iter().all(|cell| {
            cell.number().is_ok_and(|value| value.is_none_or(|value| (0.0..=1.0).contains(&value)))
        });
        let flags = self.names.iter().zip(&self.columns).find(|(other, column)| {
            other.as_str() != name
                && column.iter().all(|cell| cell.flag().is_ok())
                && column.iter().any(|cell| *cell != Cell::Missing)
        });
        match flags {
            Some((other, _)) if are_probabilities => {
                format!("`{other}` holds only 0 and 1: the two columns may be swapped")
            }
            _ => format!("`{name}` says whether an answer was correct: 0, 1, true or false"),
        }
    }

    fn bad_cells(&self, name: &str, expected: &str, bad: Bad) -> Vec<Problem> {
        let listed = bad.first.len();
        let mut problems: Vec<Problem> = bad
            .first
            .into_iter()
            .map(|(row, found)| {
                self.problem_at(row, format!("`{name}` is {found} in row {}, expected {expected}", row + 1))
                    .hint("the row counts as undefined; leave the cell empty where there is no value")
            })
            .collect();
        if bad.count > listed {
            problems.push(Problem::new(
                self.path.as_str(),
                format!("{} more cells of `{name}` are not {expected}", bad.count - listed),
            ));
        }
        problems
    }
}

#[derive(Default)]
struct Bad {
    first: Vec<(usize, NoNumber)>,
    count: usize,
}

impl Bad {
    fn add(&mut self, row: usize, found: NoNumber) {
        self.count += 1;
        if self.first.len() < MOST_PROBLEMS {
            self.first.push((row, found));
        }
    }
}
