//! The `humbly` command.

fn main() {}
