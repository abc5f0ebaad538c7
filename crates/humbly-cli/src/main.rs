//! The `humbly` command.

fn main() -> std::process::ExitCode {
    humbly_cli::main_from(std::env::args_os()).into()
}
