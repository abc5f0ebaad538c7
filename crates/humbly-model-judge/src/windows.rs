//! Turns that do not fit one request: windows of whole turns, never a silent cut.

use crate::Fence;

/// A turn as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) turn: u32,
    pub(crate) text: String,
}

/// Consecutive turns that fit `longest` characters together; `Err` holds a turn that does not fit alone.
pub(crate) fn windows(turns: &[Shown], longest: usize) -> Vec<Result<&[Shown], &Shown>> {
    let mut found = Vec::new();
    let (mut start, mut length) = (0, 0);
    for (index, turn) in turns.iter().enumerate() {
        let own = turn.text.chars().count();
        let is_too_long = own > longest;
        if (is_too_long || length + own > longest) && start < index {
            found.extend(turns.get(start..index).map(Ok));
            (start, length) = (index, 0);
        }
        if is_too_long {
            found.push(Err(turn));
            start = index + 1;
        } else {
            length += own;
        }
    }
    if start < turns.len() {
        found.extend(turns.get(start..).map(Ok));
    }
    found
}

/// The turns with their numbers, each inside a fence of its own: a turn cannot write another one's number.
pub(crate) fn fenced(turns: &[Shown], fence: &Fence) -> String {
    let blocks: Vec<String> =
        turns.iter().map(|turn| fence.wrap(&format!("turn {}", turn.turn), &turn.text)).collect();
    blocks.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn turns(lengths: &[usize]) -> Vec<Shown> {
        let shown = |(turn, length): (u32, &usize)| Shown { turn, text: "x".repeat(*length) };
        (0..).zip(lengths).map(shown).collect()
    }

    fn layout(lengths: &[usize], longest: usize) -> Vec<Result<Vec<u32>, u32>> {
        windows(&turns(lengths), longest)
            .into_iter()
            .map(|window| {
                window.map(|turns| turns.iter().map(|turn| turn.turn).collect()).map_err(|turn| turn.turn)
            })
            .collect()
    }

    #[test]
    fn windows_hold_whole_turns_and_name_what_does_not_fit() {
        assert_eq!(layout(&[4, 4, 4], 100), [Ok(vec![0, 1, 2])]);
        assert_eq!(layout(&[4, 4, 4], 8), [Ok(vec![0, 1]), Ok(vec![2])]);
        assert_eq!(layout(&[4, 9, 4], 8), [Ok(vec![0]), Err(1), Ok(vec![2])]);
        assert_eq!(layout(&[9], 8), [Err(0)]);
        assert_eq!(layout(&[], 8), []);
    }

    proptest! {
        #[test]
        fn every_turn_is_shown_once_and_no_window_is_too_long(
            lengths in proptest::collection::vec(0_usize..20, 0..20), longest in 1_usize..30,
        ) {
            let turns = turns(&lengths);
            let mut seen = Vec::new();
            for window in windows(&turns, longest) {
                match window {
                    Ok(turns) => {
                        prop_assert!(!turns.is_empty());
                        prop_assert!(turns.iter().map(|turn| turn.text.len()).sum::<usize>() <= longest);
                        seen.extend(turns.iter().map(|turn| turn.turn));
                    }
                    Err(turn) => {
                        prop_assert!(turn.text.len() > longest);
                        seen.push(turn.turn);
                    }
                }
            }
            prop_assert_eq!(seen, (0_u32..).take(lengths.len()).collect::<Vec<_>>());
        }
    }
}
