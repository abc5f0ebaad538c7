//! Trajectories and verdicts to Identify, Solve, Escalate, diagnostics, calibration and attribution.
