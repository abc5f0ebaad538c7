//! Which tables and figures were asked for.

use anyhow::Context;
use humbly_report::tables::Item;

/// Prefix of the calibration study's tables: `car1-4`, and `car` alone for all of them.
const CALIBRATION: &str = "car";

/// Those of the two lists; without lists the paper's where `has_conflicts`, the study's where `has_calibration`.
pub(super) fn chosen(
    tables: Option<&str>,
    figures: Option<&str>,
    has_conflicts: bool,
    has_calibration: bool,
) -> anyhow::Result<Vec<Item>> {
    let mut items = Vec::new();
    if tables.is_none() && figures.is_none() {
        if has_conflicts || !has_calibration {
            items.extend(Item::ALL);
        }
        if has_calibration {
            items.extend(Item::CALIBRATION);
        }
        return Ok(items);
    }
    for (kind, list) in [("table", tables), ("figure", figures)] {
        for code in list
            .map(|list| codes(kind, list))
            .transpose()
            .with_context(|| format!("--{kind}"))?
            .into_iter()
            .flatten()
        {
            let item: Item = code.parse()?;
            if !items.contains(&item) {
                items.push(item);
            }
        }
    }
    items.sort_unstable();
    Ok(items)
}

/// Numbers and ranges, `1,3-5`, those behind a prefix of another family: `car1,car5-7`.
fn codes(kind: &str, list: &str) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for part in list.split(',').map(str::trim) {
        let wrong = || format!("`{part}` in `{list}` is no number or range, expected e.g. 1,3-5 or car1-4");
        let lower = part.to_ascii_lowercase();
        let (family, range) = match lower.strip_prefix(CALIBRATION).filter(|_| kind == "table") {
            Some("") => (CALIBRATION, "1-9"),
            Some(range) => (CALIBRATION, range),
            None => (kind, lower.as_str()),
        };
        let (low, high) = range.split_once('-').unwrap_or((range, range));
        let low: u8 = low.trim().parse().with_context(wrong)?;
        let high: u8 = high.trim().trim_start_matches(CALIBRATION).parse().with_context(wrong)?;
        anyhow::ensure!(low <= high, wrong());
        found.extend((low..=high).map(|number| format!("{family}{number}")));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tables: Option<&str>, figures: Option<&str>) -> anyhow::Result<Vec<Item>> {
        chosen(tables, figures, true, false)
    }

    #[test]
    fn lists_and_ranges() {
        assert_eq!(of(None, None).unwrap().len(), 11);
        let items = of(Some("4, 1"), Some("3-5")).unwrap();
        assert_eq!(items.len(), 5);
        assert_eq!(items.first(), Some(&Item::Table(1)));
        for wrong in ["2", "x", "5-3", "", "300", "car0", "car10", "car5-3", "carx"] {
            assert!(of(Some(wrong), None).is_err(), "{wrong}");
        }
        assert!(of(None, Some("car1")).is_err());
    }

    #[test]
    fn the_tables_of_the_study_have_a_prefix() {
        let items = of(Some("car1,car7-8, 1"), None).unwrap();
        let [table, one, seven, eight] = items.as_slice() else { panic!("{items:?}") };
        assert_eq!(*table, Item::Table(1));
        assert_eq!([*one, *seven, *eight], [1, 7, 8].map(Item::Calibration));
        assert_eq!(of(Some("car"), None).unwrap(), Item::CALIBRATION);
    }

    #[test]
    fn without_lists_the_inputs_say_what_is_shown() {
        let count = |conflicts, calibration| chosen(None, None, conflicts, calibration).unwrap().len();
        assert_eq!(
            (count(true, false), count(false, true), count(true, true), count(false, false)),
            (11, 9, 20, 11)
        );
    }
}
