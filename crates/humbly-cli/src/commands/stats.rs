//! `humbly stats`.
use crate::args::StatsCommand;
use crate::exit::Status;
pub(crate) fn run(_: StatsCommand) -> anyhow::Result<Status> { anyhow::bail!("not here yet") }
