//! One reader for each agent log format.
