//! Tables, plots and the one-file HTML report.
