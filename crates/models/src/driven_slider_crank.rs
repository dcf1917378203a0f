//! The slider crank of the test set for IVP solvers: the crank turns at a prescribed speed, the rod bends and
//! stretches.

use mbsbench_problem::linalg::Saddle;
use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    BenchmarkModel, Class, ConstrainedFormulation, Dimensions, Entries, MechanicalModel, Mechanics, MechanicsOf,
    Observable, Observation, Ode, Scalar, Terms, View, parameters,
};
use nalgebra::DMatrix;

use crate::drawing::{block, pin, rod, upright};
use crate::mechanism::{self, Coordinate};

parameters! {
    /// A rigid crank that turns with constant speed, a rod that bends in two sine modes and stretches with two nodes,
    /// and a slider; no gravity, no damping. `q = (φ₁, φ₂, x₃, q₁, …, q₄)`.
    ///
    /// ```text
    /// l₁ sin φ₁ + (l₂ + q₄) sin φ₂ = 0,   x₃ − l₁ cos φ₁ − (l₂ + q₄) cos φ₂ = 0,   φ₁ − Ωt = 0
    /// ```
    ///
    /// The slider crank of negrut2007, `flexible-slider-crank`, is another mechanism: its crank is driven by gravity,
    /// and its rod only bends.
    pub struct DrivenSliderCrank {
        /// The equations; the test set imposes the constraints on velocities.
        pub formulation: ConstrainedFormulation = ConstrainedFormulation::Index2,
        /// Initial velocities.
        pub start: DrivenStart = DrivenStart::Published,
        /// Mass of the rod.
        pub rod_mass: f64 [above 0.0, unit "kg"] = 0.151_104,
        /// Mass of the slider.
        pub slider_mass: f64 [above 0.0, unit "kg"] = 0.075_552,
        /// Length of the crank.
        pub crank_length: f64 [above 0.0, unit "m"] = 0.15,
        /// Length of the rod.
        pub rod_length: f64 [above 0.0, unit "m"] = 0.30,
        /// Inertia of the crank about its pin.
        pub crank_inertia: f64 [above 0.0, unit "kg m²"] = 0.002_727,
        /// Inertia of the undeformed rod about the crank pin.
        pub rod_inertia: f64 [above 0.0, unit "kg m²"] = 0.004_533_925_9,
        /// Young's modulus of the rod.
        pub young_modulus: f64 [above 0.0, unit "Pa"] = 2e11,
        /// Width of the rod.
        pub width: f64 [above 0.0, unit "m"] = 0.008,
        /// Height of the rod in the plane.
        pub height: f64 [above 0.0, unit "m"] = 0.008,
        /// Density of the rod.
        pub density: f64 [above 0.0, unit "kg/m³"] = 7870.0,
        /// Angular velocity Ω of the crank.
        pub speed: f64 [unit "rad/s"] = 150.0,
    }

    /// Initial velocities.
    #[derive(Copy, Default, Eq)]
    pub enum DrivenStart {
        /// As printed, with nine digits; they violate the velocity constraints by 1.2e-8 m/s.
        #[default]
        Published,
        /// The nearest velocities, in the metric of the mass matrix, that satisfy the constraints. A method that
        /// imposes velocity constraints finds them in its first step.
        Projected,
    }
}

/// Names of the coordinates.
const NAMES: [Coordinate; 7] = [
    ("phi1", "rad", "angle of the crank"),
    ("phi2", "rad", "angle of the rod"),
    ("x3", "m", "slider"),
    ("q1", "m", "first bending mode of the rod"),
    ("q2", "m", "second bending mode of the rod"),
    ("q3", "m", "elongation of the rod at its middle"),
    ("q4", "m", "elongation of the rod at its end"),
];

/// π with the digits of the source, from which its values were computed.
#[expect(clippy::approx_constant, reason = "it is that of the source")]
const PI: f64 = 3.141_592_7;

/// Integrals over the rod of shape functions and their products, including width and height.
struct Shapes {
    /// `M`, kg: diagonal, and the entry `(3, 4)`.
    mass: [f64; 4],
    coupled_mass: f64,
    /// `K`, N/m: diagonal, and the entry `(3, 4)`.
    stiffness: [f64; 4],
    coupled_stiffness: f64,
    /// `B₁₃`, `B₁₄` and `B₂₄` of the skew `B`, m³.
    skew: [f64; 3],
    /// `c₁` and `c₂`, m³; `c₁₂` and `c₂₁`, m⁴.
    c1: [f64; 4],
    c2: [f64; 4],
    c12: [f64; 4],
    c21: [f64; 4],
}

impl DrivenSliderCrank {
    fn shapes(&self) -> Shapes {
        let (section, length) = (self.width * self.height, self.rod_length);
        let volume = section * length;
        let (mass, stretch) = (self.density * volume, self.young_modulus * section / length);
        let slenderness = (self.height / length).powi(2);
        Shapes {
            mass: [0.5, 0.5, 8.0, 2.0].map(|entry| entry * mass),
            coupled_mass: mass,
            stiffness: [PI.powi(4) / 24.0 * slenderness, 2.0 * PI.powi(4) / 3.0 * slenderness, 16.0 / 3.0, 7.0 / 3.0]
                .map(|entry| entry * stretch),
            coupled_stiffness: -8.0 / 3.0 * stretch,
            skew: [-16.0 / PI.powi(3), 8.0 / PI.powi(3) - 1.0 / PI, 0.5 / PI].map(|entry| entry * volume),
            c1: [0.0, 0.0, 2.0 / 3.0 * volume, volume / 6.0],
            c2: [2.0 / PI * volume, 0.0, 0.0, 0.0],
            c12: [0.0, 0.0, length * volume / 3.0, length * volume / 6.0],
            c21: [length * volume / PI, -0.5 * length * volume / PI, 0.0, 0.0],
        }
    }
}

impl Shapes {
    /// Returns `M x` or `K x` from the diagonal and the coupling.
    fn apply<S: Scalar>(diagonal: [f64; 4], coupling: f64, x: &[S]) -> [S; 4] {
        let mut product: [S; 4] = std::array::from_fn(|i| x[i] * diagonal[i]);
        product[2] += x[3] * coupling;
        product[3] += x[2] * coupling;
        product
    }

    /// Returns `B x`.
    fn turn<S: Scalar>(&self, x: &[S]) -> [S; 4] {
        let [b13, b14, b24] = self.skew;
        [x[2] * b13 + x[3] * b14, x[3] * b24, -(x[0] * b13), -(x[0] * b14) - x[1] * b24]
    }
}

fn dot<S: Scalar>(coefficients: [f64; 4], x: &[S]) -> S {
    coefficients.into_iter().zip(x).fold(S::zero(), |sum, (c, &x)| sum + x * c)
}

impl MechanicalModel for DrivenSliderCrank {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(7, 3)
    }

    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        let shapes = self.shapes();
        let (l1, rho) = (self.crank_length, self.density);
        let (sin, cos) = (q[0] - q[1]).sin_cos();
        let bend = &q[3..];
        mass[(0, 0)] = S::from(self.crank_inertia + self.rod_mass * l1 * l1);
        let coupled = cos * (0.5 * l1 * self.rod_length * self.rod_mass)
            + (sin * dot(shapes.c2, bend) + cos * dot(shapes.c1, bend)) * (rho * l1);
        (mass[(0, 1)], mass[(1, 0)]) = (coupled, coupled);
        let of_bend = Shapes::apply(shapes.mass, shapes.coupled_mass, bend);
        let inertia = (0..4).fold(S::zero(), |sum, i| sum + of_bend[i] * bend[i]);
        mass[(1, 1)] = inertia + dot(shapes.c12, bend) * (2.0 * rho) + self.rod_inertia;
        mass[(2, 2)] = S::from(self.slider_mass);
        let turned = shapes.turn(bend);
        for i in 0..4 {
            let with_crank = (cos * shapes.c2[i] - sin * shapes.c1[i]) * (rho * l1);
            // B is skew: Bᵀ q = −B q
            let with_rod = (-turned[i] + shapes.c21[i]) * rho;
            (mass[(0, 3 + i)], mass[(3 + i, 0)]) = (with_crank, with_crank);
            (mass[(1, 3 + i)], mass[(3 + i, 1)]) = (with_rod, with_rod);
            mass[(3 + i, 3 + i)] = S::from(shapes.mass[i]);
        }
        (mass[(5, 6)], mass[(6, 5)]) = (S::from(shapes.coupled_mass), S::from(shapes.coupled_mass));
    }

    fn forces<S: Scalar>(&self, _t: S, q: &[S], v: &[S], forces: &mut [S]) {
        let shapes = self.shapes();
        let (l1, rho) = (self.crank_length, self.density);
        let (sin, cos) = (q[0] - q[1]).sin_cos();
        let (bend, rate) = (&q[3..], &v[3..]);
        let (w1, w2) = (v[0], v[1]);
        let (along, across) = (dot(shapes.c1, bend), dot(shapes.c2, bend));
        let (along_rate, across_rate) = (dot(shapes.c1, rate), dot(shapes.c2, rate));
        let rigid = 0.5 * l1 * self.rod_length * self.rod_mass;
        forces[0] = -(w2 * w2 * sin * rigid) + w2 * w2 * (cos * across - sin * along) * (rho * l1)
            - w2 * (cos * along_rate + sin * across_rate) * (2.0 * rho * l1);
        let of_bend = Shapes::apply(shapes.mass, shapes.coupled_mass, bend);
        let growth = (0..4).fold(S::zero(), |sum, i| sum + rate[i] * of_bend[i]);
        forces[1] = w1 * w1 * sin * rigid + w1 * w1 * (sin * along - cos * across) * (rho * l1)
            - w2 * dot(shapes.c12, rate) * (2.0 * rho)
            - w2 * growth * 2.0;
        forces[2] = S::zero();
        let elastic = Shapes::apply(shapes.stiffness, shapes.coupled_stiffness, bend);
        let turned = shapes.turn(rate);
        for i in 0..4 {
            let carried = w2 * w2 * shapes.c12[i] + w1 * w1 * (cos * shapes.c1[i] + sin * shapes.c2[i]) * l1;
            forces[3 + i] = w2 * w2 * of_bend[i] + (carried + w2 * turned[i] * 2.0) * rho - elastic[i];
        }
    }

    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        let ((s1, c1), (s2, c2)) = (q[0].sin_cos(), q[1].sin_cos());
        let rod = q[6] + self.rod_length;
        phi[0] = s1 * self.crank_length + rod * s2;
        phi[1] = q[2] - c1 * self.crank_length - rod * c2;
        phi[2] = q[0] - t * self.speed;
    }

    /// Kinetic energy and elastic energy of the rod, J; the drive of the crank does work.
    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let shapes = self.shapes();
        let mut mass = DMatrix::from_element(7, 7, S::zero());
        self.mass(q, &mut mass);
        let kinetic =
            (0..7).fold(S::zero(), |sum, i| (0..7).fold(sum, |sum, j| sum + v[i] * mass[(i, j)] * v[j])) * 0.5;
        let elastic = Shapes::apply(shapes.stiffness, shapes.coupled_stiffness, &q[3..]);
        kinetic + (0..4).fold(S::zero(), |sum, i| sum + elastic[i] * q[3 + i]) * 0.5
    }
}

impl DrivenSliderCrank {
    /// The initial state as the test set prints it.
    fn published<S: Scalar>() -> Vec<S> {
        let q = [0.0, 0.0, 0.450_016_933, 0.0, 0.0, 1.033_398_63e-5, 1.693_279_69e-5];
        let v =
            [150.0, -74.995_767, -2.689_386_72e-6, 0.444_896_105, 4.634_343_11e-3, -1.785_910_76e-6, -2.689_386_72e-6];
        q.into_iter().chain(v).map(S::from).collect()
    }

    /// The state `(q ; v)` at time zero.
    fn motion<S: Scalar>(&self) -> Vec<S> {
        let mut motion = Self::published();
        if self.start == DrivenStart::Projected {
            self.project(&mut motion);
        }
        motion
    }

    /// Moves velocities at time zero to the nearest that satisfy the constraints: `M Δv = Jᵀ μ`,
    /// `J (v + Δv) + Φ_t = 0`.
    fn project<S: Scalar>(&self, motion: &mut [S]) {
        let (q, v) = motion.split_at_mut(7);
        let mut mechanics = MechanicsOf::<_, S>::new(self);
        let structure = mechanics.structure();
        let (mut terms, mut system) =
            (Terms::of(&structure, false), Saddle::new(&structure.dynamics, &structure.jacobian, false));
        mechanics.terms(S::zero(), q, v, &mut terms);
        let blocks = [1.0, 0.0, 0.0].map(|factor| (S::from(factor), &terms.mass));
        system.put(blocks, S::from(1.0), &terms.jacobian);
        let mut change = [S::zero(); 10];
        for (change, &rate) in change[7..].iter_mut().zip(&terms.constraint_rates) {
            *change = -rate;
        }
        system.factorize().expect("the constraints are independent at the start");
        system.solve(&mut change);
        v.iter_mut().zip(change).for_each(|(v, change)| *v += change);
    }
}

impl BenchmarkModel for DrivenSliderCrank {
    const NAME: &'static str = "driven-slider-crank";
    const SUMMARY: &'static str = "slider crank driven at constant speed, with a rod that bends and stretches";
    const SOURCE: &'static str = "Test Set for IVP Solvers (CWI, Bari), problem slider crank; B. Simeon (1996)";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        self.formulation.ode(self)
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        self.formulation.initial_state(self, self.motion())
    }

    fn observables(&self) -> Vec<Observable> {
        mechanism::observables(self, &NAMES)
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        mechanism::observation(self)
    }

    fn classes(&self) -> Vec<Class> {
        self.formulation.classes(self)
    }

    /// The rod is drawn with its deformation, which is too small to be seen.
    fn views(&self, state: &[f64]) -> Vec<View> {
        let ((crank_sin, crank_cos), (sin, cos)) = (state[0].sin_cos(), state[1].sin_cos());
        let (length, [first, second, stretch]) = (self.crank_length, [state[3], state[4], state[6]]);
        let joint = [length * crank_cos, length * crank_sin];
        let bent = (0..=20).map(|k| {
            let share = f64::from(k) / 20.0;
            let along = share * (self.rod_length + stretch);
            let across = first * (PI * share).sin() + second * (2.0 * PI * share).sin();
            [joint[0] + along * cos - across * sin, joint[1] + along * sin + across * cos]
        });
        let parts = [
            ("crank", rod([[0.0; 2], joint])),
            ("rod", Shape::Line(bent.collect())),
            ("slider", block([state[2], 0.0], 0.3 * length, 0.2 * length)),
        ];
        vec![upright(["x", "y"], pin([0.0; 2], 0.3 * length).chain(parts).collect())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::testing::forces_of_energy;
    use approx::assert_relative_eq;
    use mbsbench_problem::ConstraintWatch;

    /// The printed equations are consistent: all forces follow from the mass matrix and the potential.
    #[test]
    fn forces_follow_from_the_energy() {
        let crank = DrivenSliderCrank::default();
        let q = [0.7, -0.3, 0.4, 2e-3, -1e-3, 4e-4, -3e-4];
        let v = [150.0, -60.0, 3.0, 0.7, -0.4, 0.3, 0.2];
        let mut forces = [0.0; 7];
        crank.forces(0.0, &q, &v, &mut forces);
        for (given, derived) in forces.iter().zip(forces_of_energy(&crank, &q, &v)) {
            assert_relative_eq!(*given, derived, epsilon = 1e-9, max_relative = 1e-12);
        }
    }

    /// The printed velocities violate the constraints by 1.2e-8.
    #[test]
    fn the_projected_start_satisfies_the_constraints() {
        for (start, least, most) in [(DrivenStart::Published, 1.1e-8, 1.3e-8), (DrivenStart::Projected, 0.0, 1e-14)] {
            let crank = DrivenSliderCrank { start, ..DrivenSliderCrank::default() };
            let motion = crank.motion::<f64>();
            let mut watch = ConstraintWatch::new(&crank, 0.0);
            watch.evaluate(0.0, &motion[..7], &motion[7..]);
            assert!(watch.constraint() < 1e-9, "{:e}", watch.constraint());
            assert!((least..most).contains(&watch.surface()), "{:e}", watch.surface());
        }
    }
}
