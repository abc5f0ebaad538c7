//! Writes a report on synthetic data: `cargo run -p humbly-report --example demo_report -- FILE.html [unlabelled]`.

mod synthetic;

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;

use humbly_report::{ReportOptions, ReportWriter};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "demo-report.html".to_owned());
    let is_labelled = arguments.next().is_none();
    let demo = synthetic::demo(is_labelled);
    let options =
        ReportOptions { title: "Three agents on conflicting sources".to_owned(), ..Default::default() };
    let mut writer = ReportWriter::new(BufWriter::new(File::create(path)?), &demo.report, &options)?;
    for (row, (trajectory, turns)) in demo.report.trajectories.iter().zip(&demo.trajectories) {
        writer.trajectory(trajectory, row, turns)?;
    }
    writer.finish()?;
    Ok(())
}
