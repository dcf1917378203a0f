//! The three-node beam by finite volumes.
//!
//! Ghiringhelli, Masarati and Mantegazza (2000), as in MBDyn. Two sections at `ξ = ±1/√3` cut the beam into three
//! volumes, each lumped on its node; strains are collocated at the sections, and the loads of the sections are in
//! equilibrium with those on the nodes exactly. The stiffness matrix is not symmetric.
//!
//! Orientations are interpolated relative to the middle node, so that they depend on the nodes alone and not
//! on their history:
//!
//! ```text
//! rᵢ = g(R₂ᵀ Rᵢ)    r = N₁ r₁ + N₃ r₃    R = R₂ R(r) R_b    κ = R_bᵀ G(r)ᵀ r,ₛ − κ₀
//! p = Σ Nᵢ xᵢ       l = p,ₛ              ε = Rᵀ l − (Rᵀ l)₀
//! ```

use mbsbench_problem::Scalar;
use nalgebra::{Matrix3, Matrix6, Vector3};

use super::motion::{Pose, blocks, identity};
use super::so3::{inverse_tangent, parameters, rotation, skew, tangent, tangent_derivative};
use super::{Beam, Wrench};

/// Derivatives of the loads on the nodes (rows) by small displacements and rotations of the nodes (columns).
pub(super) type Stiffness<S> = [[Matrix6<S>; 3]; 3];

/// The constant data of a beam.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Element<S> {
    /// Numbers of the nodes.
    pub nodes: [usize; 3],
    /// Section axes in the frame of the middle node.
    frame: Matrix3<S>,
    /// Stiffnesses for `ε`, N.
    tensile: Vector3<S>,
    /// Stiffnesses for `κ`, N m².
    bending: Vector3<S>,
    sections: [Section<S>; 2],
}

/// One of the two sections.
#[derive(Debug, Clone, PartialEq)]
struct Section<S> {
    /// Shape functions `Nᵢ`.
    shape: [S; 3],
    /// Derivatives of the shape functions by arc length, 1/m.
    slopes: [S; 3],
    /// `ds/dξ`, m.
    stretch: S,
    /// `Rᵀ l` in the unstrained beam.
    strain: Vector3<S>,
    /// Curvature of the unstrained beam, 1/m.
    curvature: Vector3<S>,
}

/// Orientations of the ends relative to the middle.
struct Ends<S> {
    /// `r₁`, `r₃`.
    turns: [Vector3<S>; 2],
    middle: Matrix3<S>,
}

/// The current state of a section.
struct State<S> {
    /// `p`, m.
    position: Vector3<S>,
    /// `l`.
    tangent: Vector3<S>,
    /// `r`.
    turn: Vector3<S>,
    /// `r,ₛ`, 1/m.
    turn_slope: Vector3<S>,
    /// `R`.
    axes: Matrix3<S>,
    /// `ε`.
    strain: Vector3<S>,
    /// `κ`, 1/m.
    curvature: Vector3<S>,
}

impl<S: Scalar> Element<S> {
    /// Returns the beam between nodes in their rest poses.
    pub fn new(beam: &Beam, rest: &[Pose<S>]) -> Self {
        let section = &beam.section;
        let poses = beam.nodes.map(|node| rest[node]);
        let third = S::ratio(1.0, 3.0).sqrt();
        let mut element = Self {
            nodes: beam.nodes,
            frame: beam.frame.matrix().map(S::from),
            tensile: section.tensile.map(S::from),
            bending: section.bending.map(S::from),
            sections: [-third, third].map(|xi| Section::at(xi, &poses)),
        };
        let ends = Ends::new(&poses);
        let [first, second] = [0, 1].map(|s| element.state(s, &poses, &ends));
        for (section, state) in element.sections.iter_mut().zip([first, second]) {
            (section.strain, section.curvature) = (state.strain, state.curvature);
        }
        element
    }

    /// Returns the current state of section `s`.
    fn state(&self, s: usize, poses: &[Pose<S>; 3], ends: &Ends<S>) -> State<S> {
        let section = &self.sections[s];
        let combined = |weights: &[S; 3]| poses[0].x * weights[0] + poses[1].x * weights[1] + poses[2].x * weights[2];
        let turned = |weights: &[S; 3]| ends.turns[0] * weights[0] + ends.turns[1] * weights[2];
        let (turn, turn_slope) = (turned(&section.shape), turned(&section.slopes));
        let axes = ends.middle * rotation(&turn) * self.frame;
        let direction = combined(&section.slopes);
        State {
            position: combined(&section.shape),
            tangent: direction,
            turn,
            turn_slope,
            axes,
            strain: axes.tr_mul(&direction) - section.strain,
            curvature: self.frame.tr_mul(&(tangent(&-turn) * turn_slope)) - section.curvature,
        }
    }

    /// Loads of a section in section axes.
    fn load(&self, state: &State<S>) -> Wrench<S> {
        Wrench {
            force: self.tensile.component_mul(&state.strain),
            moment: self.bending.component_mul(&state.curvature),
        }
    }

    /// Collects the poses of the nodes.
    fn poses(&self, poses: impl Fn(usize) -> Pose<S>) -> [Pose<S>; 3] {
        self.nodes.map(poses)
    }

    /// Loads of both sections, in section axes.
    pub fn section_loads(&self, poses: impl Fn(usize) -> Pose<S>) -> [Wrench<S>; 2] {
        let poses = self.poses(poses);
        let ends = Ends::new(&poses);
        [0, 1].map(|s| self.load(&self.state(s, &poses, &ends)))
    }

    /// Strain energy, J, with the sections as quadrature points.
    pub fn energy(&self, poses: impl Fn(usize) -> Pose<S>) -> S {
        let poses = self.poses(poses);
        let ends = Ends::new(&poses);
        let of_section = |s: usize| {
            let state = self.state(s, &poses, &ends);
            let Wrench { force, moment } = self.load(&state);
            (force.dot(&state.strain) + moment.dot(&state.curvature)) * self.sections[s].stretch * 0.5
        };
        of_section(0) + of_section(1)
    }

    /// Loads on the three nodes.
    pub fn loads(&self, poses: impl Fn(usize) -> Pose<S>) -> [Wrench<S>; 3] {
        let poses = self.poses(poses);
        let ends = Ends::new(&poses);
        let mut loads = [Wrench::zero(); 3];
        for s in 0..2 {
            let state = self.state(s, &poses, &ends);
            let Wrench { force, moment } = self.load(&state);
            let (force, moment) = (state.axes * force, state.axes * moment);
            let about = |pose: &Pose<S>| moment + (state.position - pose.x).cross(&force);
            loads[s] += Wrench { force, moment: about(&poses[s]) };
            loads[s + 1] += Wrench { force: -force, moment: -about(&poses[s + 1]) };
        }
        loads
    }

    /// Derivatives of the [`loads`](Self::loads).
    pub fn stiffness(&self, poses: impl Fn(usize) -> Pose<S>) -> Stiffness<S> {
        let poses = self.poses(poses);
        let ends = Ends::new(&poses);
        // δrⱼ = Hⱼ (δθⱼ − δθ₂)
        let by_ends = [0, 1].map(|j| inverse_tangent(&ends.turns[j]) * ends.middle.transpose());
        let mut stiffness = [[Matrix6::from_element(S::zero()); 3]; 3];
        for s in 0..2 {
            let state = self.state(s, &poses, &ends);
            let derivatives = self.section_derivatives(s, &state, &ends, &by_ends);
            for (row, sign) in [(s, 1.0), (s + 1, -1.0)] {
                let arm = state.position - poses[row].x;
                for (i, block) in stiffness[row].iter_mut().enumerate() {
                    *block += derivatives.about(&arm, i, i == row, &self.sections[s]) * S::from(sign);
                }
            }
        }
        stiffness
    }

    /// Derivatives of the loads of section `s` in the ground frame.
    fn section_derivatives(
        &self,
        s: usize,
        state: &State<S>,
        ends: &Ends<S>,
        by_ends: &[Matrix3<S>; 2],
    ) -> SectionDerivatives<S> {
        let Section { shape, slopes, .. } = &self.sections[s];
        let load = self.load(state);
        let (force, moment) = (state.axes * load.force, state.axes * load.moment);
        let scaled = |stiffness: &Vector3<S>| Matrix3::from_fn(|i, j| state.axes[(i, j)] * stiffness[j]);
        let by_tangent = scaled(&self.tensile) * state.axes.transpose();
        let middle_turned = ends.middle * tangent(&state.turn);
        let backward = tangent(&-state.turn);
        // G(r)ᵀ = G(−r)
        let by_turn = -tangent_derivative(&-state.turn, &state.turn_slope);
        let moment_by_curvature = scaled(&self.bending) * self.frame.transpose();
        let weights = [(shape[0], slopes[0]), (shape[2], slopes[2])];
        let turns = [0, 1].map(|j| middle_turned * by_ends[j] * weights[j].0);
        let curvatures = [0, 1].map(|j| {
            let (shape, slope) = weights[j];
            moment_by_curvature * ((by_turn * shape + backward * slope) * by_ends[j])
        });
        SectionDerivatives {
            force_cross: skew(&force),
            moment_cross: skew(&moment),
            by_tangent,
            by_section_turn: by_tangent * skew(&state.tangent) - skew(&force),
            turns: [turns[0], identity::<S>() - turns[0] - turns[1], turns[1]],
            curvatures: [curvatures[0], -curvatures[0] - curvatures[1], curvatures[1]],
        }
    }
}

/// Derivatives of the force `f = R F` and moment `m = R M` of a section by displacements and rotations of the nodes.
struct SectionDerivatives<S> {
    force_cross: Matrix3<S>,
    moment_cross: Matrix3<S>,
    /// `∂f/∂l = R diag R ᵀ`.
    by_tangent: Matrix3<S>,
    /// `∂f/∂θ` by a rotation of the section.
    by_section_turn: Matrix3<S>,
    /// Rotation of the section by rotations of the nodes.
    turns: [Matrix3<S>; 3],
    /// `R ∂M/∂κ ∂κ/∂θᵢ`.
    curvatures: [Matrix3<S>; 3],
}

impl<S: Scalar> SectionDerivatives<S> {
    /// Derivatives of force and moment about a node by node `i`; `arm` starts at the node, and `itself` is true if
    /// node `i` is that node.
    #[inline]
    fn about(&self, arm: &Vector3<S>, i: usize, itself: bool, section: &Section<S>) -> Matrix6<S> {
        let arm = skew(arm);
        let moved = section.shape[i] - if itself { 1.0 } else { 0.0 };
        let by_displacement = self.by_tangent * section.slopes[i];
        let by_turn = self.by_section_turn * self.turns[i];
        blocks([
            [by_displacement, by_turn],
            [
                arm * by_displacement - self.force_cross * moved,
                arm * by_turn - self.moment_cross * self.turns[i] + self.curvatures[i],
            ],
        ])
    }
}

impl<S: Scalar> Section<S> {
    /// The section at `xi`, without its strains at rest.
    fn at(xi: S, rest: &[Pose<S>; 3]) -> Self {
        let shape = [xi * (xi - 1.0) * 0.5, -xi * xi + 1.0, xi * (xi + 1.0) * 0.5];
        let by_xi = [xi - 0.5, -xi * 2.0, xi + 0.5];
        let tangent = rest[0].x * by_xi[0] + rest[1].x * by_xi[1] + rest[2].x * by_xi[2];
        let stretch = tangent.dot(&tangent).sqrt();
        let none = Vector3::from_element(S::zero());
        Self { shape, slopes: by_xi.map(|slope| slope / stretch), stretch, strain: none, curvature: none }
    }
}

impl<S: Scalar> Ends<S> {
    fn new(poses: &[Pose<S>; 3]) -> Self {
        let middle = poses[1].r;
        let relative = |pose: &Pose<S>| parameters(&middle.tr_mul(&pose.r));
        Self { turns: [relative(&poses[0]), relative(&poses[2])], middle }
    }
}
