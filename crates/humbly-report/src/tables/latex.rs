//! Tables as LaTeX: `booktabs`, nothing else; intervals and n stand beneath their value.

use super::model::{PaperItem, PaperTable, Source, TableCell};
use super::report::PaperReport;
use super::text::{basis, in_unit, is_significant, published};
use crate::PageTable;

/// Columns of values that fit a page.
const MOST_COLUMNS: usize = 8;
/// A longer cell is broken into lines by LaTeX.
const LONG_CELL: usize = 40;
const NEEDS: &str = "% Needs \\usepackage{booktabs}; compiles with pdfLaTeX, XeLaTeX and LuaLaTeX.\n";

/// All items as LaTeX; what is not determined is a comment.
///
/// # Examples
/// ```
/// use humbly_report::tables::{Item, Material, latex, paper_report};
/// let text = latex(&paper_report(&Material::default(), &[Item::Table(1)], false));
/// assert!(text.contains("% Table 1 is not determined: "));
/// ```
pub fn latex(report: &PaperReport) -> String {
    let mut text = String::from(NEEDS);
    for item in &report.items {
        match item {
            PaperItem::Determined(table) => text.push_str(&table_latex(table)),
            PaperItem::NotDetermined { item, reason } => {
                text.push_str(&format!("\n% {item} is not determined: {}\n", reason.replace('\n', " ")));
            }
        }
    }
    text
}

/// Tables of text cells as LaTeX: what was measured as comments above, the first line of a cell larger than the others.
///
/// `label` names the tables: `tab:humbly-LABEL-1` and so on.
///
/// # Examples
/// ```
/// use humbly_report::{PageTable, tables::latex_of_text};
/// let (header, rows) = (["model".to_owned(), "ACC".to_owned()], [vec!["m_1".to_owned(), "0.4\n2/5".to_owned()]]);
/// let table = PageTable { heading: "Accuracy", header: &header, rows: &rows };
/// let text = latex_of_text(&["built 5 of 9".to_owned()], &[table], "ua");
/// assert!(text.contains("% built 5 of 9\n") && text.contains(r"m\_1") && text.contains(r"\label{tab:humbly-ua-1}"));
/// ```
pub fn latex_of_text(facts: &[String], tables: &[PageTable<'_>], label: &str) -> String {
    let mut text = String::from(NEEDS);
    for fact in facts {
        text.push_str(&format!("% {}\n", fact.replace(char::is_control, " ")));
    }
    for (place, table) in tables.iter().enumerate() {
        text.push_str("\n\\begin{table}[t]\n\\centering\\small\n");
        let columns: Vec<usize> = (1..table.header.len()).collect();
        for (part, columns) in columns.chunks(MOST_COLUMNS).enumerate() {
            if part > 0 {
                text.push_str("\n\\medskip\n\n");
            }
            text.push_str(&text_part(table, columns));
        }
        text.push_str(&format!(
            "\\caption{{{}.}}\n\\label{{tab:humbly-{label}-{}}}\n\\end{{table}}\n",
            escape(table.heading),
            place + 1
        ));
    }
    text
}

/// The first column and these.
fn text_part(table: &PageTable<'_>, columns: &[usize]) -> String {
    let cell = |row: &[String], column: usize| row.get(column).cloned().unwrap_or_default();
    let is_long = |column: usize| {
        let longest = |text: String| text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        table.rows.iter().any(|row| longest(cell(row, column)) > LONG_CELL)
    };
    let form: String =
        columns.iter().map(|&column| if is_long(column) { "p{0.25\\linewidth}" } else { "c" }).collect();
    let mut text = format!("\\begin{{tabular}}{{l{form}}}\n\\toprule\n{}", escape(&cell(table.header, 0)));
    for &column in columns {
        text.push_str(&format!(" & {}", escape(&cell(table.header, column))));
    }
    text.push_str(" \\\\\n\\midrule\n");
    for row in table.rows {
        text.push_str(&name(&cell(row, 0), Source::Runs));
        for &column in columns {
            text.push_str(&format!(" & {}", text_cell(&cell(row, column))));
        }
        text.push_str(" \\\\\n");
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
    text
}

fn text_cell(cell: &str) -> String {
    let lines: Vec<String> = cell
        .lines()
        .enumerate()
        .map(|(place, line)| {
            let line = match line.strip_prefix('[') {
                // After a line break a bracket would be read as its length.
                Some(rest) => format!("{{[}}{}", escape(rest)),
                None => escape(line),
            };
            if place == 0 { line } else { format!("{{\\tiny {line}}}") }
        })
        .collect();
    if lines.is_empty() { String::new() } else { stacked("c", &lines) }
}

fn table_latex(table: &PaperTable) -> String {
    let mut text = String::from("\n\\begin{table}[t]\n\\centering\\small\n");
    for (index, part) in table.parts(MOST_COLUMNS).iter().enumerate() {
        if index > 0 {
            text.push_str("\n\\medskip\n\n");
        }
        text.push_str(&part_latex(part));
    }
    let sentence = |note: &String| {
        let mut characters = note.chars();
        let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
        format!("{}.", escape(&format!("{first}{}", characters.as_str())))
    };
    let notes: Vec<String> = table.notes.iter().map(sentence).collect();
    text.push_str(&format!(
        "\\caption{{{}. {}}}\n\\label{{tab:humbly-{}}}\n\\end{{table}}\n",
        escape(table.item.title()),
        notes.join(" "),
        table.item.code()
    ));
    text
}

fn part_latex(part: &PaperTable) -> String {
    let columns: Vec<String> = part.groups.iter().map(|group| "c".repeat(group.columns.len())).collect();
    let mut text = format!("\\begin{{tabular}}{{l{}}}\n\\toprule\n", columns.join(""));
    let mut rules = String::new();
    let mut at = 2;
    for group in &part.groups {
        let width = group.columns.len();
        text.push_str(&format!(" & \\multicolumn{{{width}}}{{c}}{{{}}}", escape(&group.name)));
        rules.push_str(&format!("\\cmidrule(lr){{{at}-{}}}", at + width - 1));
        at += width;
    }
    text.push_str(&format!(" \\\\\n{rules}\n{}", escape(&part.stub)));
    for (_, column) in part.columns() {
        text.push_str(&format!(" & {}", escape(column)));
    }
    text.push_str(" \\\\\n\\midrule\n");
    let mut before = Source::Runs;
    for row in &part.rows {
        if row.source != before {
            text.push_str("\\midrule\n");
            before = row.source;
        }
        text.push_str(&name(&row.name, row.source));
        for cell in &row.cells {
            text.push_str(" & ");
            text.push_str(&cell_latex(cell));
        }
        text.push_str(" \\\\\n");
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
    text
}

/// A name in lines of its parts, so that the first column stays narrow.
fn name(name: &str, source: Source) -> String {
    let mut lines: Vec<String> = name.split(" · ").map(escape).collect();
    if source == Source::Paper {
        lines.push("{\\scriptsize paper}".to_owned());
    }
    stacked("l", &lines)
}

fn stacked(align: &str, lines: &[String]) -> String {
    match lines {
        [one] => one.clone(),
        lines => format!("\\begin{{tabular}}[t]{{@{{}}{align}@{{}}}}{}\\end{{tabular}}", lines.join("\\\\")),
    }
}

fn cell_latex(cell: &TableCell) -> String {
    let mark = if is_significant(cell) { "$^{*}$" } else { "" };
    match cell {
        TableCell::Count { value } => value.to_string(),
        TableCell::NotRun => "{\\scriptsize not run}".to_owned(),
        TableCell::ToolNotUsed => "{\\scriptsize tool not used}".to_owned(),
        TableCell::Published(number) => format!("{}{mark}", escape(&published(number))),
        TableCell::Measured { unit, number, .. } => {
            let Some(value) = number.value() else {
                let reason = number.undefined_because().map_or("unknown", |why| why.reason.text());
                let lines = ["undefined".to_owned(), format!("{{\\tiny {}}}", escape(reason))];
                return stacked("c", &lines);
            };
            let mut lines = vec![format!("{}{mark}", escape(&in_unit(value, *unit)))];
            if let Some(interval) = &number.interval {
                lines.push(format!(
                    "{{\\tiny {{[}}{}, {}{{]}}}}",
                    escape(&in_unit(interval.low, *unit)),
                    escape(&in_unit(interval.high, *unit))
                ));
            }
            lines.push(format!("{{\\tiny {}}}", escape(&basis(number))));
            stacked("c", &lines)
        }
    }
}

/// Text for LaTeX: nothing in a name can be a command.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\textbackslash{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(character);
            }
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("$<$"),
            '>' => out.push_str("$>$"),
            '|' => out.push_str("$|$"),
            '"' => out.push_str("''"),
            '`' => out.push_str("\\textasciigrave{}"),
            'κ' => out.push_str("$\\kappa$"),
            '−' => out.push_str("$-$"),
            '±' => out.push_str("$\\pm$"),
            '·' => out.push_str("$\\cdot$"),
            '–' => out.push_str("--"),
            other if other.is_control() => out.push(' '),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_be_no_command() {
        assert_eq!(escape("a_b & 5 % \\input{x}"), "a\\_b \\& 5 \\% \\textbackslash{}input\\{x\\}");
        assert_eq!(escape("κ −1\n$"), "$\\kappa$ $-$1 \\$");
    }

    #[test]
    fn text_cells_keep_their_lines_and_wide_tables_are_cut() {
        let header: Vec<String> = (0..11).map(|column| format!("c{column}")).collect();
        let mut row: Vec<String> = vec!["0.5\n[0.1, 0.9]\n1/2".to_owned(); 11];
        row[0] = "a_b · c".to_owned();
        row[10] = "\\input{x} & ".repeat(10);
        let table = PageTable { heading: "50 %", header: &header, rows: &[row] };
        let text = latex_of_text(&["line\nbreak".to_owned()], &[table], "x");
        assert!(text.starts_with("% Needs") && text.contains("% line break\n"));
        assert_eq!(text.matches("\\begin{tabular}{l").count(), 2, "ten columns of values in two parts");
        assert!(text.contains("a\\_b\\\\c") && text.contains("\\caption{50 \\%.}"));
        assert!(text.contains("0.5\\\\{\\tiny {[}0.1, 0.9]}\\\\{\\tiny 1/2}"), "{text}");
        assert!(!text.contains("\\input") && text.contains("p{0.25\\linewidth}"), "{text}");
    }

    #[test]
    fn an_interval_at_the_start_of_a_line_is_no_optional_argument() {
        let number = humbly_types::Measured::proportion(1, 2);
        let text = cell_latex(&TableCell::percent(&number));
        assert!(text.contains("50.0") && text.contains("1/2") && !text.contains("\\\\["), "{text}");
    }
}
