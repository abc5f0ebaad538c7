//! Trajectories, tasks and verdicts.
