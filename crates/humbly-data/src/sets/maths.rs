//! Any set of mathematics problems, one answer each: verl's form, or rows with a problem and its answer.

use humbly_text::normalize::fold_whitespace;
use serde_json::Value;

use crate::load::Questions;
use crate::registry::DataSet;
use crate::row::{Fault, Row, scalar, shortened};
use crate::sets::{gsm8k, verl};

const PROBLEMS: &[&str] = &["problem", "question", "prompt"];
const ANSWERS: &[&str] = &["answer", "final_answer", "expected_answer", "ground_truth"];
const IDS: &[&str] = &["id", "unique_id", "problem_id", "question_id", "uid"];

pub(crate) const SET: DataSet = DataSet {
    name: "maths",
    title: "Mathematics problems in verl's form, or with a problem and an answer",
    purpose: "synthesis of training sets",
    expects: "`prompt` and `reward_model.ground_truth` as verl has them, or `problem` (`question`) and `answer` \
              (`final_answer`, `expected_answer`, `ground_truth`), one answer a row",
    left_out: "copies: all rows of one problem but the first",
    read,
    ..DataSet::PLAIN
};

fn read(row: Row<'_>, out: &mut Questions<'_>) -> Result<(), Fault> {
    let (problem, answer, id) = match verl::asked(row)? {
        Some(asked) => {
            let answer =
                asked.truth.value("ground_truth").ok_or_else(|| missing("reward_model.ground_truth"))?;
            let index = asked.index.map(|index| format!("{}-{index}", out.stem()));
            (asked.question, one_answer("reward_model.ground_truth", answer)?, asked.id.or(index))
        }
        None => plain(row)?,
    };
    if is_not_a_number(&problem) {
        return Err(Fault::new(
            "the problem is `NaN`, expected text: the cell was empty where it was written",
        ));
    }
    if !out.is_new(&fold_whitespace(&problem)) {
        out.leave_out("copy of an earlier row");
        return Ok(());
    }
    let mut question = out.question(id.as_deref(), &problem);
    if let Some(source) = row.scalar("data_source")? {
        question.dataset = source;
    }
    question.references = vec![answer];
    question.answerable = Some(true);
    out.push(question)
}

fn plain(row: Row<'_>) -> Result<(String, String, Option<String>), Fault> {
    let problem = match row.value("prompt") {
        Some(Value::Array(_)) if row.value("problem").or(row.value("question")).is_none() => {
            verl::without_instruction(verl::last_user_turn(row)?)
        }
        _ => row.text_of(PROBLEMS)?.trim(),
    };
    let (name, value) = ANSWERS
        .iter()
        .find_map(|name| row.value(name).map(|value| (*name, value)))
        .ok_or_else(|| missing(&ANSWERS.join("` or `")))?;
    let answer = one_answer(name, value)?;
    let answer = if answer.contains("####") { gsm8k::final_answer(&answer)? } else { answer };
    let id = IDS.iter().find_map(|name| row.value(name).and_then(scalar));
    Ok((problem.to_owned(), answer, id.filter(|id| !id.trim().is_empty())))
}

fn missing(names: &str) -> Fault {
    Fault::new(format!("no `{names}`, expected the answer of the problem"))
}

/// A text or number; a list of one and `{"target": …}`, as trainers write them.
fn one_answer(name: &str, value: &Value) -> Result<String, Fault> {
    const EXPECTED: &str = "one answer as text or a number";
    let answer = match value {
        Value::Array(items) => match items.as_slice() {
            [one] => return one_answer(name, one),
            several => {
                return Err(Fault::new(format!(
                    "`{name}` is a list of {} answers, expected {EXPECTED}",
                    several.len()
                )));
            }
        },
        Value::Object(fields) => match fields.get("target") {
            Some(target) => return one_answer(&format!("{name}.target"), target),
            None => return Err(Fault::found(name, value, EXPECTED)),
        },
        one => scalar(one).map(|text| text.trim().to_owned()),
    };
    match answer {
        Some(answer) if answer.is_empty() => {
            Err(Fault::new(format!("`{name}` is empty, expected {EXPECTED}")))
        }
        Some(answer) if is_not_a_number(&answer) => {
            Err(Fault::new(format!("`{name}` is `{}`, expected {EXPECTED}", shortened(&answer))))
        }
        Some(answer) => Ok(answer),
        None => Err(Fault::found(name, value, EXPECTED)),
    }
}

/// What data-frame libraries write into an empty cell, and infinities.
fn is_not_a_number(text: &str) -> bool {
    ["nan", "inf", "infinity", "+inf", "-inf", "-infinity"]
        .iter()
        .any(|word| text.trim().eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use crate::{Loaded, load_all};

    use super::SET;

    fn loaded(lines: &str) -> Loaded {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.jsonl");
        std::fs::write(&path, lines).unwrap();
        load_all(&SET, &path).unwrap()
    }

    #[test]
    fn every_form_gives_a_problem_and_its_answer() {
        let found = loaded(concat!(
            r#"{"problem": "1+1?", "answer": "2", "unique_id": "a"}"#,
            "\n",
            r#"{"question": "2+2?", "answer": "so #### 4"}"#,
            "\n",
            r#"{"prompt": "3+3?", "ground_truth": 6.0}"#,
            "\n",
            r#"{"data_source": "math_dapo", "prompt": [{"role": "user", "content": "4+4?"}], "reward_model": {"style": "rule", "ground_truth": "8"}, "extra_info": {"index": "i7"}}"#,
            "\n",
            r#"{"data_source": "nq", "prompt": [{"role": "user", "content": "5+5?"}], "reward_model": {"ground_truth": {"target": ["10"]}}, "extra_info": {"question_id": "q5"}}"#,
            "\n",
            r#"{"problem": "6+6?", "answer": ["12"], "id": 3}"#,
        ));
        assert_eq!(found.report.problems, []);
        let rows: Vec<(&str, &str, &str)> = found
            .questions
            .iter()
            .map(|q| (q.id.as_str(), q.question.as_str(), q.references[0].as_str()))
            .collect();
        assert_eq!(
            rows,
            [
                ("a", "1+1?", "2"),
                ("mine-1", "2+2?", "4"),
                ("mine-2", "3+3?", "6"),
                ("mine-i7", "4+4?", "8"),
                ("q5", "5+5?", "10"),
                ("3", "6+6?", "12"),
            ]
        );
        assert_eq!(found.questions[3].dataset, "math_dapo");
    }

    #[test]
    fn each_bad_row_says_what_was_found_and_expected() {
        let found = loaded(concat!(
            r#"{"problem": "1?"}"#,
            "\n",
            r#"{"problem": "  ", "answer": 1}"#,
            "\n",
            r#"{"problem": "2?", "answer": ["1", "2"]}"#,
            "\n",
            r#"{"problem": "3?", "answer": NaN}"#,
            "\n",
            r#"{"problem": "4?", "answer": "NaN"}"#,
            "\n",
            r#"{"problem": "5?", "answer": "5", "id": "x"}"#,
            "\n",
            r#"{"problem": "6?", "answer": "6", "id": "x"}"#,
            "\n",
            r#"{"problem": " 5? ", "answer": "5", "id": "y"}"#,
            "\n",
            r#"{"problem": "NaN", "answer": "5"}"#,
            "\n",
            r#"{"problem": "7?", "answer": {"a": 1}}"#,
            "\n",
            r#"{"answer": "5"}"#,
            "\n",
            r#"{"prompt": [{"role": "user", "content": "8?"}], "reward_model": {"style": "rule"}}"#,
        ));
        let messages: Vec<&str> =
            found.report.problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "no `answer` or `final_answer` or `expected_answer` or `ground_truth`, expected the answer of the problem",
                "`problem` is empty, expected text",
                "`answer` is a list of 2 answers, expected one answer as text or a number",
                "NaN stands in the row, expected JSON: a number or null",
                "`answer` is `NaN`, expected one answer as text or a number",
                "the id `x` stands twice, expected one row for each id",
                "the problem is `NaN`, expected text: the cell was empty where it was written",
                "`answer` is an object, expected one answer as text or a number",
                "no `problem` or `question` or `prompt`, expected text",
                "no `reward_model.ground_truth`, expected the answer of the problem",
            ]
        );
        assert_eq!(found.questions.len(), 1);
        assert_eq!(found.report.left_out["copy of an earlier row"], 1);
        assert_eq!(found.report.problems[3].line, Some(4));
    }
}
