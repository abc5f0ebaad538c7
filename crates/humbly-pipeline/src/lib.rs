//! Logs to scores: find, read, join, judge, score.
