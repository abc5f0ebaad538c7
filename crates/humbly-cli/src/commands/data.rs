//! `humbly data`.
use crate::args::DataCommand;
use crate::exit::Status;
pub(crate) fn run(_: DataCommand) -> anyhow::Result<Status> {
    anyhow::bail!("not here yet")
}
