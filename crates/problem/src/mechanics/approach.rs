//! The longest step in which two bodies cannot pass through each other.

/// Returns the longest step, s, from a gap between two bodies (m, negative if they overlap), its rate and its second
/// derivative, for bodies of which `small` (m) is a small part.
///
/// With a constant second derivative, a step ends not later than the bodies touch or, if they only come close, are
/// closest. While they touch, the gap changes by at most `small`: stages are then evaluated while the bodies overlap,
/// and the error control of a method sees the beginning and the end of the force. Infinite if the bodies do not
/// approach each other.
pub(super) fn longest_step([gap, rate, bend]: [f64; 3], small: f64) -> f64 {
    if gap.is_nan() || small <= 0.0 {
        return f64::INFINITY;
    }
    // the first root of `distance + rate t + bend t²/2`
    let falls_by = |distance: f64, [rate, bend]: [f64; 2]| {
        let root = 2.0 * distance / ((rate * rate - 2.0 * bend * distance).sqrt() - rate);
        if root > 0.0 { root } else { f64::INFINITY }
    };
    let touches = 1e-3 * small;
    let falls = 0.5 * rate * rate / bend;
    let nearest = if rate < 0.0 && bend > 0.0 && falls > touches { -rate / bend } else { f64::INFINITY };
    if gap <= touches {
        return falls_by(small, [rate, bend]).min(falls_by(small, [-rate, -bend])).min(nearest);
    }
    let touch = falls_by(gap, [rate, bend]);
    if touch.is_finite() || gap - falls > 10.0 * small { touch } else { nearest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_ends_where_bodies_touch() {
        assert_eq!(longest_step([1.0, -4.0, 0.0], 0.1), 0.25);
        assert_eq!(longest_step([2.0, 0.0, -4.0], 0.1), 1.0, "they start from rest");
        // a small part of a body is entered or left
        for motion in [[0.0001, -1.0, 0.0], [-1e-17, -1.0, 0.0], [-1.0, 1.0, 0.0]] {
            assert_eq!(longest_step(motion, 0.1), 0.1);
        }
    }

    #[test]
    fn a_step_ends_where_bodies_are_closest() {
        // lowest at t = 1, at a gap of 1/2 or overlapping by less than a small part of a body
        assert_eq!(longest_step([1.5, -2.0, 2.0], 0.1), 1.0);
        assert_eq!(longest_step([0.0001, -0.02, 0.02], 0.1), 1.0);
        assert_eq!(longest_step([1.5, -2.0, 2.0], 0.01), f64::INFINITY, "they are far from each other");
    }

    #[test]
    fn bodies_that_part_or_rest_do_not_limit_steps() {
        for motion in [[1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [-0.1, 0.0, 0.0], [1.0, 0.0, 0.0], [f64::NAN, -1.0, 0.0]] {
            assert_eq!(longest_step(motion, 0.1), f64::INFINITY, "{motion:?}");
        }
    }
}
