//! Which tables and figures were asked for.

use anyhow::Context;
use humbly_report::tables::Item;

/// All of them, or those of the two lists.
pub(super) fn chosen(tables: Option<&str>, figures: Option<&str>) -> anyhow::Result<Vec<Item>> {
    if tables.is_none() && figures.is_none() {
        return Ok(Item::ALL.to_vec());
    }
    let mut items = Vec::new();
    for (kind, list) in [("table", tables), ("figure", figures)] {
        for number in
            list.map(numbers).transpose().with_context(|| format!("--{kind}"))?.into_iter().flatten()
        {
            let item: Item = format!("{kind}{number}").parse()?;
            if !items.contains(&item) {
                items.push(item);
            }
        }
    }
    items.sort_unstable();
    Ok(items)
}

/// Numbers and ranges: `1,3-5`.
fn numbers(list: &str) -> anyhow::Result<Vec<u8>> {
    let mut numbers = Vec::new();
    for part in list.split(',').map(str::trim) {
        let wrong = || format!("`{part}` in `{list}` is no number or range, expected e.g. 1,3-5");
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        let low: u8 = low.trim().parse().with_context(wrong)?;
        let high: u8 = high.trim().parse().with_context(wrong)?;
        anyhow::ensure!(low <= high, wrong());
        numbers.extend(low..=high);
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges() {
        assert_eq!(chosen(None, None).unwrap().len(), 11);
        let items = chosen(Some("4, 1"), Some("3-5")).unwrap();
        assert_eq!(items.len(), 5);
        assert_eq!(items.first(), Some(&Item::Table(1)));
        for wrong in ["2", "x", "5-3", "", "300"] {
            assert!(chosen(Some(wrong), None).is_err(), "{wrong}");
        }
    }
}
