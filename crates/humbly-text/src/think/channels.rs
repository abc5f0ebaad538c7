//! Channel markup of the Harmony format: `<|channel|>analysis<|message|>…<|end|>`.

/// One message of a channel; `name` is `None` for text outside any channel.
pub(super) struct Segment<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) text: &'a str,
    pub(super) is_closed: bool,
}

const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";
const ENDS: [&str; 5] = ["<|end|>", "<|return|>", "<|call|>", "<|start|>", CHANNEL];

/// `text` cut at its channel marks, or `None` where it has none.
pub(super) fn segments(text: &str) -> Option<Vec<Segment<'_>>> {
    memchr::memmem::find(text.as_bytes(), CHANNEL.as_bytes())?;
    let mut segments = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(CHANNEL) {
        segments.push(Segment { name: None, text: without_role(before), is_closed: true });
        let (name, body) = after.split_once(MESSAGE).unwrap_or((after, ""));
        let end = memchr::memmem::find_iter(body.as_bytes(), "<|")
            .find(|&at| ENDS.iter().any(|end| body[at..].starts_with(end)));
        let message = end.map_or(body, |at| &body[..at]);
        let name = name.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or(name);
        segments.push(Segment { name: Some(name), text: message, is_closed: end.is_some() });
        let tail = end.map_or("", |at| &body[at..]);
        rest = ENDS[..3].iter().find_map(|mark| tail.strip_prefix(mark)).unwrap_or(tail);
    }
    segments.push(Segment { name: None, text: without_role(rest), is_closed: true });
    Some(segments)
}

/// Drops `<|start|>assistant` in front of a channel.
fn without_role(text: &str) -> &str {
    text.split_once("<|start|>").map_or(text, |(before, _)| before)
}
