//! Tail areas and quantiles of the normal and Student's t distributions, and empirical percentiles.

use std::f64::consts::SQRT_2;

use statrs::distribution::{Continuous, ContinuousCDF, StudentsT};
use statrs::function::{beta::checked_beta_reg, erf};

/// Two-sided normal tail area beyond `|z|`.
pub(crate) fn normal_two_sided(z: f64) -> f64 {
    erf::erfc(z.abs() / SQRT_2)
}

/// The `z` with `level` of the normal mass within `±z`.
pub(crate) fn normal_critical(level: f64) -> f64 {
    SQRT_2 * erf::erfc_inv(1.0 - level)
}

/// Two-sided tail area of Student's t beyond `|t|`; `None` where it does not exist.
pub(crate) fn student_two_sided(t: f64, freedom: f64) -> Option<f64> {
    checked_beta_reg(freedom / 2.0, 0.5, freedom / (freedom + t * t)).ok().filter(|area| area.is_finite())
}

/// The `t` with `level` of the mass within `±t`.
pub(crate) fn student_critical(level: f64, freedom: f64) -> Option<f64> {
    let distribution = StudentsT::new(0.0, 1.0, freedom).ok()?;
    let mut t = distribution.inverse_cdf(f64::midpoint(1.0, level));
    // The library's inverse is good to about 1e-8: two Newton steps on the tail area finish it.
    for _ in 0..2 {
        t += (student_two_sided(t, freedom)? - (1.0 - level)) / (2.0 * distribution.pdf(t));
    }
    t.is_finite().then_some(t)
}

/// The `share` quantile by linear interpolation between order statistics (`NumPy`'s default, Hyndman and Fan's
/// type 7). Reorders `values`; `None` when there are none.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a position within the slice")]
pub(crate) fn percentile(values: &mut [f64], share: f64) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    let position = share.clamp(0.0, 1.0) * last as f64;
    let below = position.floor() as usize;
    let (_, &mut low, above) = values.select_nth_unstable_by(below, f64::total_cmp);
    let high = above.iter().copied().min_by(f64::total_cmp).unwrap_or(low);
    Some(low + (high - low) * (position - below as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_abs_diff_eq;

    #[test]
    fn critical_values_are_those_of_scipy() {
        // scipy.stats.norm.ppf(0.975), scipy.stats.t.ppf(0.975, [1, 4, 6.228879269141673, 30])
        assert_abs_diff_eq!(normal_critical(0.95), 1.959_963_984_540_054, epsilon = 1e-12);
        for (freedom, expected) in
            [(1.0, 12.706_204_736_174_7), (4.0, 2.776_445_105_197_793), (30.0, 2.042_272_456_301_237)]
        {
            assert_abs_diff_eq!(student_critical(0.95, freedom).unwrap(), expected, epsilon = 1e-9);
        }
    }

    #[test]
    fn percentile_interpolates_between_order_statistics() {
        let mut values = [4.0, 1.0, 3.0, 2.0];
        assert_abs_diff_eq!(percentile(&mut values, 0.25).unwrap(), 1.75, epsilon = 1e-15);
        assert_abs_diff_eq!(percentile(&mut values, 1.0).unwrap(), 4.0, epsilon = 1e-15);
        assert_eq!(percentile(&mut [], 0.5), None);
    }
}
