//! Derivatives of the accelerations of a tree of joints, and systems with them, in a number of operations proportional
//! to the number of joints.

use nalgebra::ComplexField;

use crate::linalg::Singular;

/// A motion or a wrench: six components about the origin, in the axes of the ground.
pub type Motion6<T = f64> = [T; 6];
/// A linear map of motions, by rows.
type Map<T = f64> = [Motion6<T>; 6];

/// Real and complex numbers of a system.
pub trait Number: ComplexField<RealField = f64> + Copy {}
impl<T: ComplexField<RealField = f64> + Copy> Number for T {}

/// A joint with one velocity, and the body that it carries. All quantities belong to one state.
///
/// The body has the twist `V = V_p + s v` and the spatial acceleration `A = A_p + s v' + V_p × s v`, where `p` is the
/// parent, and the joint carries the wrench `F` of the body and of all bodies behind it (R. Featherstone, Rigid Body
/// Dynamics Algorithms, Springer 2008, chapter 5). All moments are about the origin, so that nothing has to be carried
/// along arms. Small changes are those that an observer moving with the body sees: with the displacement `ξ` of the
/// body they are `η = δV − ξ × V`, `α = δA − ξ × A` and `φ = δF − ξ ×* F`. The columns `s`, the inertia, and the
/// balance of forces then do not change:
///
/// ```text
/// ξ = ξ_p + s δq
/// η = η_p + s δv + (V_p × s) δq
/// α = α_p − s v × η_p + s δv' + (V_p × s) δv + (A × s) δq
/// φ = K ξ + D η + I α + Σ (φ_c + s_c δq_c ×* F_c)        over the children c
/// 0 = sᵀ φ + k δq + d δv
/// ```
#[derive(Debug, Clone, Default)]
pub struct Branch {
    /// Number of the parent's joint; `None` for the ground.
    pub parent: Option<usize>,
    /// `s`.
    pub column: Motion6,
    /// `V_p × s`.
    pub by_velocity: Motion6,
    /// `A × s`.
    pub by_acceleration: Motion6,
    /// The map `−s v ×`.
    pub turning: Map,
    /// `s ×* F`.
    pub reaction: Motion6,
    /// `k` and `d`, derivatives of a force in the joint.
    pub joint: [f64; 2],
}

/// The joints by the number of their velocity, at a state with accelerations.
#[derive(Debug, Clone)]
pub struct Branches {
    /// The joints.
    pub joints: Vec<Branch>,
    /// `K`, `D` and `I` of the body of each joint itself.
    pub bodies: Vec<[Map; 3]>,
    /// Their numbers, each after its parent.
    pub order: Vec<usize>,
    /// The accelerations `v'`.
    pub accelerations: Vec<f64>,
    /// `D − M v'`, zero for the accelerations of the motion.
    pub forces: Vec<f64>,
    /// Sums of the magnitudes of the terms of these forces.
    pub sizes: Vec<f64>,
}

impl Branches {
    /// Memory for joints with their numbers, each after its parent.
    pub fn new(order: Vec<usize>) -> Self {
        let zeros = vec![0.0; order.len()];
        let joints = vec![Branch::default(); order.len()];
        let bodies = vec![[[[0.0; 6]; 6]; 3]; order.len()];
        Self { joints, bodies, order, accelerations: zeros.clone(), forces: zeros.clone(), sizes: zeros }
    }
}

/// Inverse dynamics of a tree of joints with their derivatives, in a number of operations proportional to the number of
/// joints.
pub trait Recursion {
    /// Memory for the joints.
    fn branches(&self) -> Branches;

    /// Writes the joints at positions `q` and velocities `v`, with the accelerations in `tree` if `is_given`, and
    /// otherwise with those of the motion.
    fn write(&mut self, t: f64, q: &[f64], v: &[f64], is_given: bool, tree: &mut Branches);
}

/// Solves systems with the derivatives of the forces on a tree: with `1 − c ∂f/∂y`, see
/// [`TangentSystem`](crate::TangentSystem), or with the derivative of `M v' − D` along a displacement of everything.
///
/// From the tips inwards, the balance of each joint yields its acceleration as a function of the motion of the parent,
/// as in the articulated-body algorithm, with `δq = x_q + c_q a'`, `δv = x_v + c_v a'` and `δv' = c_a a'`.
#[derive(Debug, Clone)]
pub struct BranchSystem<T: Number = f64> {
    tree: Branches,
    /// `K`, `D` and `I` of each body with all bodies behind it.
    whole: Vec<[Map<T>; 3]>,
    eliminated: Vec<Eliminated<T>>,
    /// Wrenches without those of changes on the way inwards; `ξ`, `η` and `α` on the way outwards.
    wrenches: Vec<Motion6<T>>,
    motions: Vec<[Motion6<T>; 3]>,
    /// `a'`; on the way inwards, those while the parent does not move.
    pub accelerations: Vec<T>,
    /// `c_q`, `c_v` and `c_a`.
    changes: [T; 3],
    /// Approximate number of operations so far.
    pub flops: u64,
}

/// Approximate number of operations for a joint in a factorization, and in a solution.
const OF_JOINT: [u64; 2] = [1400, 550];

/// A joint's acceleration is `(r − k·ξ_p − d·η_p − m·α_p)/pivot`.
#[derive(Debug, Clone, Copy)]
struct Eliminated<T> {
    /// `k`, `d` and `m`.
    rows: [Motion6<T>; 3],
    /// The wrench that an acceleration of one requires, over the pivot.
    wrench: Motion6<T>,
    pivot: T,
}

fn real<T: Number>(x: f64) -> T {
    T::from_real(x)
}

fn dot<T: Number>(x: &Motion6, y: &Motion6<T>) -> T {
    (0..6).fold(T::zero(), |sum, i| sum + y[i].scale(x[i]))
}

fn add<T: Number>(sum: &mut Motion6<T>, factor: T, x: &Motion6) {
    (0..6).for_each(|i| sum[i] += factor.scale(x[i]));
}

/// `sum += map x`.
fn add_image<T: Number>(sum: &mut Motion6<T>, map: &Map<T>, x: &Motion6<T>) {
    for (sum, row) in sum.iter_mut().zip(map) {
        *sum = (0..6).fold(*sum, |sum, j| sum + row[j] * x[j]);
    }
}

/// `mapᵀ x`.
fn combined<T: Number>(map: &Map<T>, x: &Motion6) -> Motion6<T> {
    let mut sum = [T::zero(); 6];
    for (row, &x) in map.iter().zip(x) {
        (0..6).for_each(|j| sum[j] += row[j].scale(x));
    }
    sum
}

impl Branch {
    /// The changes `ξ`, `η` and `α` by the joint alone.
    fn moved<T: Number>(&self, [q, v, a]: [T; 3]) -> [Motion6<T>; 3] {
        let mut moved = [[T::zero(); 6]; 3];
        let [position, velocity, acceleration] = &mut moved;
        add(position, q, &self.column);
        add(velocity, v, &self.column);
        add(velocity, q, &self.by_velocity);
        add(acceleration, a, &self.column);
        add(acceleration, v, &self.by_velocity);
        add(acceleration, q, &self.by_acceleration);
        moved
    }

    /// The wrench that the body with all bodies behind it requires for these changes.
    fn wrench<T: Number>(&self, whole: &[Map<T>; 3], [q, v, a]: [T; 3]) -> Motion6<T> {
        let mut wrench = [T::zero(); 6];
        whole.iter().zip(&self.moved([q, v, a])).for_each(|(map, x)| add_image(&mut wrench, map, x));
        add(&mut wrench, q, &self.reaction);
        wrench
    }
}

impl<T: Number> BranchSystem<T> {
    /// Memory for systems of a tree.
    pub fn new(tree: &Branches) -> Self {
        let (n, zero) = (tree.joints.len(), [T::zero(); 6]);
        let nothing = Eliminated { rows: [zero; 3], wrench: zero, pivot: T::one() };
        Self {
            tree: tree.clone(),
            whole: vec![[[zero; 6]; 3]; n],
            eliminated: vec![nothing; n],
            wrenches: vec![zero; n],
            motions: vec![[zero; 3]; n],
            accelerations: vec![T::zero(); n],
            changes: [T::zero(); 3],
            flops: 0,
        }
    }

    /// Factorizes `1 − c ∂f/∂y`.
    ///
    /// # Errors
    /// Fails with [`Singular`] if a joint has no inertia.
    pub fn factorize(&mut self, c: T, tree: &Branches) -> Result<(), Singular> {
        self.factorize_changes([c * c, c, T::one()], tree)
    }

    /// Factorizes the derivative of `M v' − D` along `a'`, with which positions, velocities and accelerations change
    /// by these factors.
    ///
    /// # Errors
    /// Fails with [`Singular`] if nothing resists the change of a joint.
    pub fn factorize_changes(&mut self, changes: [T; 3], tree: &Branches) -> Result<(), Singular> {
        self.changes = changes;
        self.flops += OF_JOINT[0] * tree.order.len() as u64;
        self.tree.joints.clone_from_slice(&tree.joints);
        let Self { whole, eliminated, .. } = self;
        for (whole, body) in whole.iter_mut().zip(&tree.bodies) {
            *whole = body.map(|map| map.map(|row| row.map(real)));
        }
        for &j in tree.order.iter().rev() {
            let (joint, of_joint) = (&tree.joints[j], whole[j]);
            let wrench = joint.wrench(&of_joint, changes);
            let [k, d] = joint.joint;
            let pivot = dot(&joint.column, &wrench) + changes[0].scale(k) + changes[1].scale(d);
            if !pivot.is_finite() || pivot == T::zero() {
                return Err(Singular);
            }
            let mut rows = of_joint.map(|map| combined(&map, &joint.column));
            for i in 0..6 {
                rows[1] = std::array::from_fn(|k| rows[1][k] + rows[2][i].scale(joint.turning[i][k]));
            }
            let wrench = wrench.map(|x| x / pivot);
            eliminated[j] = Eliminated { rows, wrench, pivot };
            let Some(parent) = joint.parent else { continue };
            for ((sum, map), row) in whole[parent].iter_mut().zip(&of_joint).zip(&rows) {
                for i in 0..6 {
                    (0..6).for_each(|k| sum[i][k] += map[i][k] - wrench[i] * row[k]);
                }
            }
            for (sum, map) in whole[parent][1].iter_mut().zip(&of_joint[2]) {
                for (i, &factor) in map.iter().enumerate() {
                    add(sum, factor, &joint.turning[i]);
                }
            }
        }
        Ok(())
    }

    /// Computes the accelerations for displacements `x_q` and `x_v`, and for a force, in each joint.
    pub fn accelerate(&mut self, right_hand_side: impl Fn(usize) -> [T; 3]) {
        let Self { tree: Branches { joints, order, .. }, whole, eliminated, wrenches, motions, .. } = self;
        let (accelerations, [by_position, by_velocity, by_acceleration]) = (&mut self.accelerations, self.changes);
        self.flops += OF_JOINT[1] * order.len() as u64;
        wrenches.fill([T::zero(); 6]);
        for &j in order.iter().rev() {
            let (joint, Eliminated { wrench: unit, pivot, .. }) = (&joints[j], &eliminated[j]);
            let [position, velocity, force] = right_hand_side(j);
            let mut wrench = joint.wrench(&whole[j], [position, velocity, T::zero()]);
            (0..6).for_each(|i| wrench[i] += wrenches[j][i]);
            let [k, d] = joint.joint;
            let missing = force - (dot(&joint.column, &wrench) + position.scale(k) + velocity.scale(d));
            accelerations[j] = missing / *pivot;
            if let Some(parent) = joint.parent {
                (0..6).for_each(|i| wrenches[parent][i] += wrench[i] + unit[i] * missing);
            }
        }
        for &j in &*order {
            let (joint, Eliminated { rows, pivot, .. }) = (&joints[j], &eliminated[j]);
            let of_parent = joint.parent.map_or([[T::zero(); 6]; 3], |parent| motions[parent]);
            let products = rows.iter().zip(&of_parent);
            let held = products.fold(T::zero(), |sum, (x, y)| (0..6).fold(sum, |sum, i| sum + x[i] * y[i]));
            accelerations[j] -= held / *pivot;
            let (a, [position, velocity, _]) = (accelerations[j], right_hand_side(j));
            let changed = [position + by_position * a, velocity + by_velocity * a, by_acceleration * a];
            let mut moved = joint.moved(changed);
            for (moved, of_parent) in moved.iter_mut().zip(&of_parent) {
                (0..6).for_each(|i| moved[i] += of_parent[i]);
            }
            for (moved, row) in moved[2].iter_mut().zip(&joint.turning) {
                *moved += dot(row, &of_parent[1]);
            }
            motions[j] = moved;
        }
    }

    /// Solves with the factors; `x`, positions before velocities, holds the right-hand side on entry and the solution
    /// on return.
    pub fn solve(&mut self, x: &mut [T]) {
        let [square, c, _] = self.changes;
        let (position, velocity) = x.split_at_mut(x.len() / 2);
        position.iter_mut().zip(&*velocity).for_each(|(position, &velocity)| *position += c * velocity);
        self.accelerate(|j| [position[j], velocity[j], T::zero()]);
        for ((position, velocity), &a) in position.iter_mut().zip(velocity).zip(&self.accelerations) {
            *position += square * a;
            *velocity += c * a;
        }
    }
}

impl BranchSystem {
    /// Solves with the factors; `x` holds forces in the joints on entry and the solution on return.
    pub fn solve_forces(&mut self, x: &mut [f64]) {
        self.accelerate(|j| [0.0, 0.0, x[j]]);
        x.copy_from_slice(&self.accelerations);
    }

    /// Adds `factor · M x` at the state of `tree` to `sum`.
    pub fn add_inertia(&mut self, tree: &Branches, factor: f64, x: &[f64], sum: &mut [f64]) {
        for &j in &tree.order {
            let Branch { parent, column, .. } = &tree.joints[j];
            let mut acceleration = parent.map_or([0.0; 6], |parent| self.motions[parent][2]);
            add(&mut acceleration, x[j], column);
            self.motions[j][2] = acceleration;
        }
        self.wrenches.fill([0.0; 6]);
        for &j in tree.order.iter().rev() {
            let (Branch { parent, column, .. }, [_, _, mass]) = (&tree.joints[j], &tree.bodies[j]);
            let mut wrench = self.wrenches[j];
            add_image(&mut wrench, mass, &self.motions[j][2]);
            sum[j] += factor * dot(column, &wrench);
            parent.iter().for_each(|&parent| add(&mut self.wrenches[parent], 1.0, &wrench));
        }
    }
}
