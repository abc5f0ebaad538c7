//! Columns from CSV, JSONL, Parquet and Arrow streams.
