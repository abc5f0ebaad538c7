//! What a run will ask for and cost, said before it begins.

use anyhow::bail;
use humbly_bench::experiment::{Estimate, ModelEstimate, Range};
use humbly_llm::Price;

use crate::clients::Clients;
use crate::output;

/// Says it; refuses a limit on cost that cannot be kept.
pub(crate) fn check_and_show(estimate: &Estimate, clients: &Clients) -> anyhow::Result<()> {
    for model in estimate.models.iter().filter(|model| model.samples > 0) {
        let price = clients.price(&model.model);
        output::note(&line(model, price, clients.prices_as_of()));
        let Some(limit) = clients.max_cost() else { continue };
        let Some(price) = price else {
            bail!(
                "no price for `{}`, so --max-cost {limit} cannot be kept; hint: give its price by --prices FILE",
                model.model
            );
        };
        let (low, _) = cost(model, price);
        if low > limit {
            output::note(&format!(
                "the least estimate is above --max-cost: the run will stop at {limit} USD"
            ));
        }
    }
    Ok(())
}

fn line(model: &ModelEstimate, price: Option<Price>, as_of: &str) -> String {
    let cost = match price {
        None => format!("cost undefined: no price for `{}`", model.model),
        Some(price) if price.is_free() => "no cost: it runs on this machine".to_owned(),
        Some(price) => {
            let (low, high) = cost(model, price);
            let dollars = |amount: f64| format!("${amount:.2}");
            let amount = if (high - low).abs() < 0.005 {
                dollars(high)
            } else {
                format!("{} to {}", dollars(low), dollars(high))
            };
            format!("{amount} (prices of {as_of}: check them)")
        }
    };
    let replies = match model.assumed_output {
        Some(tokens) => format!("replies taken as {tokens} tokens"),
        None => "replies at their limit".to_owned(),
    };
    format!(
        "estimate: {}: {} samples, about {} calls, {} tokens in and {} out ({} prompts measured, {replies}), {cost}",
        model.model,
        grouped(model.samples),
        range(model.calls),
        range(model.input),
        range(model.output),
        grouped(model.measured),
    )
}

/// Least and most, in US dollars.
fn cost(model: &ModelEstimate, price: Price) -> (f64, f64) {
    let of = |input: u64, output: u64| (input as f64 * price.input + output as f64 * price.output) / 1e6;
    (of(model.input.low, model.output.low), of(model.input.high, model.output.high))
}

fn range(range: Range) -> String {
    if range.low == range.high {
        grouped(range.low)
    } else {
        format!("{} to {}", grouped(range.low), grouped(range.high))
    }
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> ModelEstimate {
        ModelEstimate {
            model: "openai:x".to_owned(),
            samples: 10,
            measured: 10,
            calls: Range { low: 10, high: 500 },
            input: Range { low: 1_000_000, high: 2_000_000 },
            output: Range { low: 5_120, high: 256_000 },
            assumed_output: Some(512),
        }
    }

    #[test]
    fn an_unknown_price_is_said_and_is_no_zero() {
        let text = line(&model(), None, "2025-12");
        assert!(text.ends_with("cost undefined: no price for `openai:x`"), "{text}");
        assert!(!text.contains('$'), "{text}");
    }

    #[test]
    fn a_known_price_has_both_ends_and_its_date() {
        let price = Price { input: 1.0, cached_input: None, cache_write: None, output: 10.0 };
        let text = line(&model(), Some(price), "2025-12");
        assert!(text.contains("10 to 500 calls") && text.contains("1,000,000 to 2,000,000 tokens"), "{text}");
        assert!(text.ends_with("$1.05 to $4.56 (prices of 2025-12: check them)"), "{text}");
    }
}
