//! Stop strings in a text that grows.

/// Holds back text that may be the beginning of a stop string.
#[derive(Debug)]
pub(crate) struct StopFilter {
    stops: Vec<String>,
    held: String,
}

impl StopFilter {
    /// Empty stop strings, which would stop everything, are left out.
    pub(crate) fn new(stops: &[String]) -> Self {
        Self { stops: stops.iter().filter(|stop| !stop.is_empty()).cloned().collect(), held: String::new() }
    }

    /// Adds text; returns what is sure to stay and the stop string that was found.
    pub(crate) fn push(&mut self, text: &str) -> (String, Option<String>) {
        self.held.push_str(text);
        let first = self
            .stops
            .iter()
            .filter_map(|stop| self.held.find(stop.as_str()).map(|start| (start, stop)))
            .min_by_key(|(start, stop)| (*start, std::cmp::Reverse(stop.len())));
        if let Some((start, stop)) = first {
            let stop = stop.clone();
            let kept = self.held[..start].to_owned();
            self.held.clear();
            return (kept, Some(stop));
        }
        let waiting = self.stops.iter().map(|stop| overlap(&self.held, stop)).max().unwrap_or(0);
        let sure = self.held.len() - waiting;
        let kept = self.held[..sure].to_owned();
        self.held.drain(..sure);
        (kept, None)
    }

    /// What was held back, once no more text comes.
    pub(crate) fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

/// Length of the longest end of `text` that begins `stop`.
fn overlap(text: &str, stop: &str) -> usize {
    stop.char_indices()
        .map(|(length, _)| length)
        .skip(1)
        .filter(|length| text.ends_with(&stop[..*length]))
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn run(stops: &[&str], pieces: &[&str]) -> (String, Option<String>) {
        let mut filter = StopFilter::new(&stops.iter().map(|stop| (*stop).to_owned()).collect::<Vec<_>>());
        let mut text = String::new();
        for piece in pieces {
            let (kept, stop) = filter.push(piece);
            text.push_str(&kept);
            if stop.is_some() {
                return (text, stop);
            }
        }
        text.push_str(&filter.finish());
        (text, None)
    }

    #[test]
    fn a_stop_string_over_several_pieces_is_cut() {
        assert_eq!(
            run(&["</answer>"], &["42 <", "/ans", "wer> more"]),
            ("42 ".to_owned(), Some("</answer>".to_owned()))
        );
        assert_eq!(run(&["\n\n"], &["a\n", "b\n", "\nc"]), ("a\nb".to_owned(), Some("\n\n".to_owned())));
        assert_eq!(run(&["ab", "b"], &["xab"]), ("x".to_owned(), Some("ab".to_owned())));
    }

    #[test]
    fn text_that_only_began_like_a_stop_string_stays() {
        assert_eq!(run(&["END"], &["E", "N", "Q EN"]), ("ENQ EN".to_owned(), None));
        assert_eq!(run(&[""], &["abc"]), ("abc".to_owned(), None));
        assert_eq!(run(&["日本語"], &["日", "本", "x"]), ("日本x".to_owned(), None));
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(text in "[ab<>]{0,24}", stop in "[ab<>]{1,4}", cut in 0_usize..24) {
            let cut = cut.min(text.len());
            let (found, stopped) = run(&[&stop], &[&text[..cut], &text[cut..]]);
            if let Some(start) = text.find(&stop) {
                prop_assert_eq!(found, &text[..start]);
                prop_assert_eq!(stopped, Some(stop));
            } else {
                prop_assert_eq!(found, text);
                prop_assert_eq!(stopped, None);
            }
        }
    }
}
