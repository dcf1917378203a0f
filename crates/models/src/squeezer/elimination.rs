//! Accelerations of the squeezer in its joint angles by an elimination along its loops, which all close at E.
//!
//! The two chains from A follow the plate's point E, so that plate and chains move with the plate's angle γ alone.
//! They and the crank with its rod pull at each other at E with a force that gives E the same acceleration on either
//! side. No system has more than two equations, and the multipliers are the forces at E.

use mbsbench_problem::Scalar;

use super::angles::Pair;
use super::{Squeezer, SqueezerAngles};
use crate::plane::{cross, difference, dot, sum};

/// The smallest sine of the angle between an arm and its link for which E determines their positions. The errors of
/// their accelerations grow with its inverse, and those of their loads on the plate with the square of its inverse.
const LEAST_SINE: f64 = 0.1;

/// The smallest determinant of a symmetric 2 × 2 matrix, in units of its squared trace, that is inverted here.
const LEAST_DETERMINANT: f64 = 1e-6;

/// An arm and the link on its end, from a pin on the ground to E.
///
/// In the angles `φ₁ = α` and `φ₂ = α + ψ` of the two against the ground, a [pair](SqueezerAngles) moves by
///
/// ```text
/// M φ'' = Q + Pᵀ f,   E'' = P φ'' + b
/// M = ( J₁ + m₂ ℓ²  k ; k  J₂ ),   Q = k' (−φ₂'² ; φ₁'²),   P = (r̂₁  r̂₂),   b = −φ₁'² r₁ − φ₂'² r₂
/// ```
///
/// `r₁` leads from the ground to the pin between the two, `r₂` from there to E, `r̂` is `r` rotated by a right angle
/// to the left, and `f` is a force on the pair at E.
struct Chain<S> {
    /// Numbers of the angles `α` and `ψ`.
    angles: [usize; 2],
    /// Vectors `r₁` and `r₂`, m.
    reaches: [[S; 2]; 2],
    masses: Symmetric<S>,
    /// Moments `Q`, N m.
    moments: [S; 2],
    /// Acceleration `b`, m/s².
    bias: [S; 2],
}

/// A chain whose end follows the plate: `φ'' = s γ'' + a`.
struct Follower<S> {
    chain: Chain<S>,
    /// Rows of `P⁻¹`, 1/m.
    inverse: [[S; 2]; 2],
    /// Ratios `s`.
    ratios: [S; 2],
    /// Accelerations `a`, 1/s².
    rest: [S; 2],
}

/// The plate, or the plate with the chains that follow it: `I γ'' = D + r̂ · f`, `E'' = r̂ γ'' + b`.
struct Carrier<S> {
    /// Inertia `I`, kg m².
    inertia: S,
    /// Moment `D`, N m.
    moment: S,
    /// The vector `r` from B to E, rotated: `r̂`, m.
    lever: [S; 2],
    /// Acceleration `b = −γ'² r`, m/s².
    bias: [S; 2],
}

/// Response of E to a force: `E'' = C f + e`.
struct Mobility<S> {
    /// Compliance `C`, 1/kg.
    compliance: Symmetric<S>,
    /// Acceleration `e` without a force, m/s².
    free: [S; 2],
}

/// A symmetric 2 × 2 matrix.
struct Symmetric<S> {
    diagonal: [S; 2],
    mixed: S,
}

impl<S: Scalar> Symmetric<S> {
    #[inline(always)]
    fn times(&self, [x, y]: [S; 2]) -> [S; 2] {
        [self.diagonal[0] * x + self.mixed * y, self.mixed * x + self.diagonal[1] * y]
    }

    /// Returns the inverse of a positive definite matrix, or `None` if the matrix is nearly singular or not finite.
    #[inline(always)]
    fn inverse(&self) -> Option<Self> {
        let [first, second] = self.diagonal;
        let determinant = first * second - self.mixed * self.mixed;
        let trace = (first + second).value();
        let is_regular = determinant.value() > LEAST_DETERMINANT * trace * trace;
        is_regular.then(|| {
            let scale = determinant.recip();
            Self { diagonal: [second * scale, first * scale], mixed: -(self.mixed * scale) }
        })
    }
}

impl<S: Scalar> Chain<S> {
    /// Returns the chain of a pair at a state; `reaches` returns `r₁` and `r₂` for the sine and cosine of `φ₁` and
    /// `φ₂`.
    #[inline(always)]
    fn new(pair: &Pair<S>, q: &[S; 7], v: &[S; 7], reaches: impl FnOnce([(S, S); 2]) -> [[S; 2]; 2]) -> Self {
        let [alpha, psi] = pair.angles;
        let [arm, link] = [q[alpha], q[alpha] + q[psi]].map(|angle| angle.sin_cos());
        // ψ = φ₂ − φ₁
        let (k, slope) = pair.coupling_at((link.0 * arm.1 - link.1 * arm.0, link.1 * arm.1 + link.0 * arm.0));
        let squares = [v[alpha], v[alpha] + v[psi]].map(|rate| rate * rate);
        let reaches = reaches([arm, link]);
        Self {
            angles: pair.angles,
            masses: Symmetric { diagonal: [pair.arm, pair.link], mixed: k },
            moments: [-(slope * squares[1]), slope * squares[0]],
            bias: std::array::from_fn(|x| -(squares[0] * reaches[0][x] + squares[1] * reaches[1][x])),
            reaches,
        }
    }

    /// Returns `Pᵀ f`, N m.
    #[inline(always)]
    fn moments_of(&self, force: [S; 2]) -> [S; 2] {
        self.reaches.map(|reach| cross(reach, force))
    }

    /// Mobility of the free end of a chain: `C = P M⁻¹ Pᵀ`, `e = P M⁻¹ Q + b`. Needs `M⁻¹`.
    #[inline(always)]
    fn mobility(&self, inverse: &Symmetric<S>) -> Mobility<S> {
        let along_x = self.reaches.map(|[_, y]| -y);
        let along_y = self.reaches.map(|[x, _]| x);
        let [by_x, by_y] = [along_x, along_y].map(|moments| inverse.times(moments));
        let compliance = Symmetric { diagonal: [dot(along_x, by_x), dot(along_y, by_y)], mixed: dot(along_x, by_y) };
        Mobility { compliance, free: sum([dot(by_x, self.moments), dot(by_y, self.moments)], self.bias) }
    }

    /// Writes the accelerations of the two angles for `φ''`.
    #[inline(always)]
    fn write(&self, [arm, link]: [S; 2], accelerations: &mut [S; 7]) {
        let [alpha, psi] = self.angles;
        accelerations[alpha] = arm;
        accelerations[psi] = link - arm;
    }

    /// Returns `M φ'' − Q`, N m.
    #[inline(always)]
    fn missing(&self, accelerations: [S; 2]) -> [S; 2] {
        difference(self.masses.times(accelerations), self.moments)
    }

    /// Returns the chain with its end on the plate, or `None` if arm and link are nearly in line.
    #[inline(always)]
    fn following(self, plate: &Carrier<S>) -> Option<Follower<S>> {
        let [arm, link] = self.reaches;
        let determinant = cross(arm, link);
        let product = (dot(arm, arm) * dot(link, link)).value();
        let is_bent = determinant.value().powi(2) > LEAST_SINE * LEAST_SINE * product;
        is_bent.then(|| {
            let scale = determinant.recip();
            let inverse = [link.map(|x| x * scale), arm.map(|x| -(x * scale))];
            let bias = difference(plate.bias, self.bias);
            Follower {
                ratios: inverse.map(|row| dot(row, plate.lever)),
                rest: inverse.map(|row| dot(row, bias)),
                inverse,
                chain: self,
            }
        })
    }
}

impl<S: Scalar> Follower<S> {
    /// Returns `φ''`, 1/s².
    #[inline(always)]
    fn accelerations(&self, gamma: S) -> [S; 2] {
        [0, 1].map(|i| self.ratios[i] * gamma + self.rest[i])
    }

    /// Returns the force on the chain's end (N) that causes these accelerations, `P⁻ᵀ (M φ'' − Q)`.
    #[inline(always)]
    fn force(&self, accelerations: [S; 2]) -> [S; 2] {
        let [first, second] = self.chain.missing(accelerations);
        [0, 1].map(|x| self.inverse[0][x] * first + self.inverse[1][x] * second)
    }
}

impl<S: Scalar> Carrier<S> {
    /// Adds a following chain, with the inertia `sᵀ M s` and the moment `sᵀ (Q − M a)`.
    #[inline(always)]
    fn take(&mut self, follower: &Follower<S>) {
        let Follower { chain, ratios, rest, .. } = follower;
        self.inertia += dot(*ratios, chain.masses.times(*ratios));
        self.moment -= dot(*ratios, chain.missing(*rest));
    }

    /// Mobility of E: `C = r̂ r̂ᵀ / I`, `e = r̂ D / I + b`. Needs `1 / I`.
    #[inline(always)]
    fn mobility(&self, inverse: S) -> Mobility<S> {
        let [x, y] = self.lever;
        let [by_x, by_y] = self.lever.map(|x| x * inverse);
        let compliance = Symmetric { diagonal: [x * by_x, y * by_y], mixed: x * by_y };
        Mobility { compliance, free: sum([by_x * self.moment, by_y * self.moment], self.bias) }
    }
}

impl<S: Scalar> Mobility<S> {
    /// Returns the force (N) with which `other` has to pull at this one to keep them together, or `None` if a force
    /// in some direction hardly moves either of them.
    #[inline(always)]
    fn force_from(&self, other: &Self) -> Option<[S; 2]> {
        let compliance = Symmetric {
            diagonal: sum(self.compliance.diagonal, other.compliance.diagonal),
            mixed: self.compliance.mixed + other.compliance.mixed,
        };
        Some(compliance.inverse()?.times(difference(other.free, self.free)))
    }
}

/// Vector from the first to the second pin of a link, at an angle from `+x` with the given sine and cosine.
fn along<S: Scalar>((sin, cos): (S, S), length: f64) -> [S; 2] {
    [cos * length, sin * length]
}

/// Vector from the first to the second pin of a link, at an angle from `−y` with the given sine and cosine.
fn across<S: Scalar>((sin, cos): (S, S), length: f64) -> [S; 2] {
    [sin * length, -(cos * length)]
}

impl SqueezerAngles {
    /// Returns the chains O-F-E, A-G-E and A-H-E.
    #[inline(always)]
    fn chains<S: Scalar>(&self, q: &[S; 7], v: &[S; 7]) -> [Chain<S>; 3] {
        let Squeezer { of, ef, ge, ag, he, ah, torque, .. } = &self.0;
        let [crank, upper, lower] = self.pairs();
        let mut crank = Chain::new(&crank, q, v, |[arm, link]| [along(arm, of.length), along(link, -ef.length)]);
        crank.moments[0] += *torque;
        let upper = Chain::new(&upper, q, v, |[arm, link]| [along(arm, ag.length), across(link, ge.length)]);
        let lower = Chain::new(&lower, q, v, |[arm, link]| [across(arm, ah.length), along(link, he.length)]);
        [crank, upper, lower]
    }

    /// Returns the plate alone at γ with the rate γ' (rad/s).
    #[inline(always)]
    fn plate<S: Scalar>(&self, gamma: S, rate: S) -> Carrier<S> {
        let gamma = gamma.sin_cos();
        let length = self.0.ebd.length;
        let square = rate * rate;
        Carrier {
            inertia: self.0.ebd.inertia_about_b(),
            moment: self.spring_moment(gamma),
            lever: along(gamma, length),
            bias: across(gamma, length).map(|x| -(square * x)),
        }
    }

    /// Returns the accelerations and, loop by loop, the multipliers, or `None` at a state at which one of the
    /// matrices is nearly singular.
    #[inline]
    pub(super) fn eliminate<S: Scalar>(&self, q: &[S; 7], v: &[S; 7]) -> Option<([S; 7], [[S; 2]; 3])> {
        let [crank, upper, lower] = self.chains(q, v);
        let mut plate = self.plate(q[2], v[2]);
        let (upper, lower) = (upper.following(&plate)?, lower.following(&plate)?);
        plate.take(&upper);
        plate.take(&lower);

        let (inverse_masses, inverse_inertia) = (crank.masses.inverse()?, plate.inertia.recip());
        let on_rod = crank.mobility(&inverse_masses).force_from(&plate.mobility(inverse_inertia))?;
        let gamma = (plate.moment - dot(plate.lever, on_rod)) * inverse_inertia;
        let [of_upper, of_lower] = [&upper, &lower].map(|chain| chain.accelerations(gamma));
        let mut accelerations = [gamma; 7];
        crank.write(inverse_masses.times(sum(crank.moments, crank.moments_of(on_rod))), &mut accelerations);
        upper.chain.write(of_upper, &mut accelerations);
        lower.chain.write(of_lower, &mut accelerations);

        // The constraints pull at the rod; their reactions act on the plate, on the upper and on the lower chain.
        let (on_upper, on_lower) = (upper.force(of_upper), lower.force(of_lower));
        let by_plate = sum(on_rod, sum(on_upper, on_lower));
        Some((accelerations, [by_plate, on_upper.map(|x| -x), on_lower.map(|x| -x)]))
    }
}
