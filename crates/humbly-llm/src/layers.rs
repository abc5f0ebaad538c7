//! Layers: each is a client around a client, knows nothing of the others and is tested alone.
//!
//! [`Stack`] puts them in the order that a run needs: cache, meter, deadline of the run, retry, limit of
//! calls in flight, deadline of one call, provider.

mod adaptive_limit;
mod cached;
mod deadlines;
mod metered;
mod recording;
mod replay;
mod retry;
mod stack;

pub use adaptive_limit::{AdaptiveLimit, LimitParams};
pub use cached::Cached;
pub use deadlines::Deadlines;
pub use metered::{Meter, MeterTotals, Metered};
pub use recording::Recording;
pub use replay::Replay;
pub use retry::{Retry, RetryParams};
pub use stack::{Progress, Stack, StackParams};

#[cfg(test)]
mod testing;
