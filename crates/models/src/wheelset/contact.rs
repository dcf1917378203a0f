//! One wheel on its rail: contact point, constraint, creep and creep forces.

use mbsbench_problem::Scalar;

use super::Wheelset;

/// Position and motion of the wheelset.
pub(super) struct Motion<S> {
    /// Displacement `x` across the track.
    pub across: S,
    /// Yaw and roll.
    pub yaw: S,
    /// Sine and cosine of the yaw.
    pub turned: [S; 2],
    /// Sine and cosine of the roll.
    pub rolled: [S; 2],
    /// Velocities `(x', y', z', θ', φ')`.
    pub velocity: [S; 5],
    /// Angular velocity about the axle, rad/s.
    pub spin: S,
}

/// A contact at `ξ` along the axle and `ψ` around it.
pub(super) struct Contact<S> {
    /// One on the left, minus one on the right.
    side: f64,
    xi: S,
    /// Sine and cosine of `ψ`.
    around: [S; 2],
    /// Radius of the wheel and its slope.
    wheel: [S; 2],
    /// Slope and curvature of the rail.
    rail: [S; 2],
    /// Sine and cosine of the contact angle.
    pub(super) angle: [S; 2],
}

impl<S: Scalar> Contact<S> {
    pub(super) fn new(set: &Wheelset, side: f64, [psi, xi]: [S; 2], motion: &Motion<S>) -> Self {
        let ([st, ct], [sp, cp]) = (motion.turned, motion.rolled);
        let (spsi, cpsi) = psi.sin_cos();
        let cone = set.cone_angle.tan();
        let radius = (-(xi * xi.signum()) + set.half_gauge) * cone + set.radius;
        let slope = xi.signum() * -cone;
        let place = motion.across + xi * ct * cp + (ct * sp * cpsi - st * spsi) * radius;
        let sign = place.signum();
        let from_top = place * sign - (set.half_gauge + set.rail_radius * set.cone_angle.sin());
        let height = (-(from_top * from_top) + set.rail_radius * set.rail_radius).sqrt();
        let curvature = -(height * height * height).recip() * set.rail_radius * set.rail_radius;
        let rail = [-(from_top * sign / height), curvature];
        let tangent = ((slope * cp - sp * cpsi) * ct + spsi * st) / ((slope * sp + cpsi * cp) * -side);
        let cosine = (tangent * tangent + 1.0).sqrt().recip();
        Self { side, xi, around: [spsi, cpsi], wheel: [radius, slope], rail, angle: [tangent * cosine, cosine] }
    }

    /// Residuals that are zero if wheel and rail touch.
    pub(super) fn touching(&self, motion: &Motion<S>) -> [S; 2] {
        let ([st, ct], [sp, cp], [spsi, cpsi]) = (motion.turned, motion.rolled, self.around);
        let ([_, slope], [rail, _]) = (self.wheel, self.rail);
        [
            rail * (slope * sp + cp * cpsi) + slope * ct * cp - ct * sp * cpsi + st * spsi,
            slope * st * cp - st * sp * cpsi - ct * spsi,
        ]
    }

    /// The gradient of the constraint by the coordinates.
    pub(super) fn gradient(&self, motion: &Motion<S>) -> [S; 5] {
        let ([st, ct], [sp, cp], [spsi, cpsi]) = (motion.turned, motion.rolled, self.around);
        let ([radius, _], [rail, _], xi) = (self.wheel, self.rail, self.xi);
        [
            rail,
            S::from(-1.0),
            S::zero(),
            rail * (-(radius * (ct * spsi + cpsi * sp * st)) - cp * st * xi),
            -(cpsi * radius * sp) - cp * xi + rail * (cp * cpsi * ct * radius - ct * sp * xi),
        ]
    }

    /// Creep forces across the track, upwards and along it, N, for a normal force.
    pub(super) fn creep_force(&self, set: &Wheelset, normal: S, motion: &Motion<S>) -> [S; 3] {
        let ([sp, cp], [spsi, cpsi]) = (motion.rolled, self.around);
        let ([radius, slope], [rail, curvature], [sd, cd]) = (self.wheel, self.rail, self.angle);
        let (st, ct) = (motion.yaw / cd).sin_cos();
        let (side, xi, spin) = (self.side, self.xi, motion.spin);
        let [vx, vy, vz, v_yaw, v_roll] = motion.velocity;
        // velocity of the material point in contact, and of the contact along the rail
        let arm = xi * sp - radius * cp * cpsi;
        let w = [
            -(spin * radius * (st * cpsi + ct * sp * spsi)) + vx
                - v_yaw * (radius * (st * sp * cpsi + ct * spsi) + xi * st * cp)
                - v_roll * ct * arm,
            spin * radius * cp * spsi + vy + v_roll * (xi * cp + radius * sp * cpsi),
            -(spin * radius * (ct * cpsi - st * sp * spsi)) + vz + set.speed
                - v_yaw * (xi * ct * cp + radius * (ct * sp * cpsi - st * spsi))
                + v_roll * st * arm,
        ];
        let along = [w[0] - vx * 2.0, w[1] - vy * 2.0, w[2] - vz * 2.0 - 2.0 * set.speed];
        let rolling = along.iter().fold(S::zero(), |sum, &w| sum + w * w).sqrt() * 0.5;
        let creep = [(st * w[0] + ct * w[2]) / rolling, (ct * cd * w[0] + sd * w[1] * side - st * cd * w[2]) / rolling];
        let turning = (sd * spin * -side + cd * v_yaw) / rolling;
        let of_wheel = (radius * (slope * slope + 1.0).sqrt() * 2.0).recip();
        let of_rail = -curvature / ((rail * rail + 1.0).powf(1.5) * 2.0);
        let size = normal * normal.signum();
        let hertz = set.shear_modulus * set.ellipse_factor.sqrt() * std::f64::consts::PI * 2.0;
        let cube = size * (3.0 * (1.0 - set.poisson_ratio) * set.ellipse_ratio) / ((of_wheel + of_rail) * hertz);
        let square = cube.cbrt() * cube.cbrt();
        let limit = normal * set.friction;
        let stiffness = square * set.shear_modulus;
        let lateral = stiffness * creep[1] * set.kalker_22 + cube * turning * (set.shear_modulus * set.kalker_23);
        let mut longitudinal = -(limit * (stiffness * creep[0] * set.kalker_11 / limit).tanh());
        let mut across = -(limit * (lateral / limit).tanh());
        let total = (longitudinal * longitudinal + across * across).sqrt();
        let most = size * set.friction;
        if total.re() > most.re() {
            let scale = most / total;
            (longitudinal, across) = (longitudinal * scale, across * scale);
        }
        [st * longitudinal + ct * cd * across, sd * across * side, ct * longitudinal - st * cd * across]
    }

    /// Moments of a force at the contact about the axes of yaw, of roll and of the axle, Nm.
    pub(super) fn moments(&self, [along_x, along_y, along_z]: [S; 3], motion: &Motion<S>) -> [S; 3] {
        let ([st, ct], [sp, cp], [spsi, cpsi]) = (motion.turned, motion.rolled, self.around);
        let ([radius, _], xi) = (self.wheel, self.xi);
        [
            -((xi * st + radius * spsi * ct * cp) * along_x) - radius * spsi * sp * along_y
                + (-(xi * ct) + radius * spsi * st * cp) * along_z,
            -((xi * ct * sp - radius * cpsi * ct * cp) * along_x)
                + (xi * cp + radius * cpsi * sp) * along_y
                + (xi * st * sp - radius * cpsi * st * cp) * along_z,
            (radius * spsi * cp) * along_y
                - radius * (cpsi * st + spsi * ct * sp) * along_x
                - radius * (cpsi * ct - spsi * st * sp) * along_z,
        ]
    }
}
