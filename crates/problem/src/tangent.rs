//! Derivatives of the right-hand sides of mechanisms with many bodies, and systems with them.
//!
//! `∂f/∂y` of `f = (v ; a(t, q, v))` is full, since the acceleration of every body depends on all others. The
//! matrices from which it follows are sparse.

use std::sync::Arc;

use crate::linalg::saddle::{BLOCKS, LOWER, UPPER};
use crate::linalg::{Blocks, Matrix, Singular, SparseSaddle};
use crate::{BranchSystem, Branches, Scalar, Structure};

/// The quantities at a state from which `∂f/∂y` follows.
#[derive(Debug, Clone)]
pub enum Tangent<S = f64> {
    /// The matrices of a mechanism with constraints, or in coordinates of its bodies.
    Matrices(TangentMatrices<S>),
    /// The joints of a tree.
    Tree(Branches),
}

/// The matrices that determine `∂f/∂y` at a state: the derivatives of
///
/// ```text
/// r₁ = M a − D − Jᵀ λ = 0,   r₂ = J a + bias = 0
/// ```
///
/// in positions and velocities at held `a` and `λ`, together with `M` and `J`.
#[derive(Debug, Clone)]
pub struct TangentMatrices<S = f64> {
    structure: Arc<Structure>,
    /// `M`, `n × n`.
    pub mass: Matrix<S>,
    /// `J`, `n_c × n`.
    pub jacobian: Matrix<S>,
    /// `∂r₁/∂q` and `∂r₁/∂v`, `n × n`.
    pub dynamics: [Matrix<S>; 2],
    /// `∂r₂/∂q` and `∂r₂/∂v`, `n_c × n`.
    pub constraints: [Matrix<S>; 2],
}

impl<S: Scalar> TangentMatrices<S> {
    /// Memory for a system with the given structure.
    pub fn new(structure: Arc<Structure>) -> Self {
        let square = || Matrix::new(&structure.dynamics, true);
        let wide = || Matrix::new(&structure.jacobian, true);
        Self {
            mass: square(),
            jacobian: wide(),
            dynamics: [square(), square()],
            constraints: [wide(), wide()],
            structure,
        }
    }

    fn copy_from(&mut self, other: &Self) {
        let Self { mass, jacobian, dynamics: [a, b], constraints: [c, d], .. } = self;
        let [of_a, of_b] = &other.dynamics;
        let [of_c, of_d] = &other.constraints;
        let pairs = [(mass, &other.mass), (jacobian, &other.jacobian), (a, of_a), (b, of_b), (c, of_c), (d, of_d)];
        pairs.into_iter().for_each(|(to, from)| to.values_mut().copy_from_slice(from.values()));
    }
}

/// Solves systems with `1 − c ∂f/∂y`.
#[derive(Debug, Clone)]
pub enum TangentSystem {
    /// From matrices.
    Matrices(Box<MatrixSystem>),
    /// From the joints of a tree.
    Tree(Box<BranchSystem>),
}

impl TangentSystem {
    /// Memory for systems with the structure of `tangent`.
    pub fn new(tangent: &Tangent) -> Self {
        match tangent {
            Tangent::Matrices(matrices) => Self::Matrices(Box::new(MatrixSystem::new(matrices))),
            Tangent::Tree(tree) => Self::Tree(Box::new(BranchSystem::new(tree))),
        }
    }

    /// Factorizes `1 − c ∂f/∂y` for a tangent of the same kind.
    ///
    /// # Errors
    /// Fails with [`Singular`] if the matrix is singular.
    pub fn factorize(&mut self, c: f64, tangent: &Tangent) -> Result<(), Singular> {
        match (self, tangent) {
            (Self::Matrices(system), Tangent::Matrices(matrices)) => system.factorize(c, matrices),
            (Self::Tree(system), Tangent::Tree(tree)) => system.factorize(c, tree),
            _ => Err(Singular),
        }
    }

    /// Solves with the factors; `x` holds the right-hand side on entry and the solution on return.
    pub fn solve(&mut self, x: &mut [f64]) {
        match self {
            Self::Matrices(system) => system.solve(x),
            Self::Tree(system) => system.solve(x),
        }
    }

    /// `product = ∂f/∂y x`; overwrites the factors.
    ///
    /// # Errors
    /// Fails with [`Singular`] if the matrix is singular.
    pub fn multiply(&mut self, tangent: &Tangent, x: &[f64], product: &mut [f64]) -> Result<(), Singular> {
        self.factorize(0.0, tangent)?;
        let (position, velocity) = x.split_at(x.len() / 2);
        let accelerations = match self {
            Self::Matrices(system) => {
                system.accelerate(position, velocity);
                &system.blocks.x[..velocity.len()]
            }
            Self::Tree(system) => {
                system.accelerate(|j| [position[j], velocity[j], 0.0]);
                &system.accelerations
            }
        };
        product[..velocity.len()].copy_from_slice(velocity);
        product[velocity.len()..].copy_from_slice(accelerations);
        Ok(())
    }

    /// Number of operations so far.
    pub fn flops(&self) -> u64 {
        match self {
            Self::Matrices(system) => system.blocks.flops,
            Self::Tree(system) => system.flops,
        }
    }
}

/// Solves systems with `1 − c ∂f/∂y`, by
///
/// ```text
/// ( M + c² ∂r₁/∂q + c ∂r₁/∂v   −Jᵀ ) (a')     ( ∂r₁/∂q s + ∂r₁/∂v x_v )
/// ( J + c² ∂r₂/∂q + c ∂r₂/∂v    0  ) (λ') = − ( ∂r₂/∂q s + ∂r₂/∂v x_v ),   s = x_q + c x_v
/// ```
///
/// where `x = (x_q ; x_v)` is the right-hand side and `(s + c² a' ; x_v + c a')` the solution.
#[derive(Debug, Clone)]
pub struct MatrixSystem {
    /// The matrices of the last factorization.
    tangent: TangentMatrices,
    blocks: Blocks,
    c: f64,
}

impl MatrixSystem {
    /// Memory for systems with the structure of `tangent`.
    fn new(tangent: &TangentMatrices) -> Self {
        Self {
            tangent: tangent.clone(),
            blocks: SparseSaddle::new(&tangent.structure.dynamics, &tangent.structure.jacobian).0,
            c: 0.0,
        }
    }

    /// Factorizes `1 − c ∂f/∂y`.
    ///
    /// # Errors
    /// Fails with [`Singular`] if the matrix is singular.
    fn factorize(&mut self, c: f64, tangent: &TangentMatrices) -> Result<(), Singular> {
        self.c = c;
        self.tangent.copy_from(tangent);
        self.blocks.clear();
        let own = [&tangent.mass, &tangent.jacobian];
        for (place, (own, [by_position, by_velocity])) in
            [BLOCKS, LOWER].into_iter().zip(own.into_iter().zip([&tangent.dynamics, &tangent.constraints]))
        {
            self.blocks.add(place, 1.0, own);
            self.blocks.add(place, c * c, by_position);
            self.blocks.add(place, c, by_velocity);
        }
        self.blocks.add(UPPER, -1.0, &tangent.jacobian);
        self.blocks.factorize()
    }

    /// Solves with the factors; `x` holds the right-hand side on entry and the solution on return.
    fn solve(&mut self, x: &mut [f64]) {
        let c = self.c;
        let (position, velocity) = x.split_at_mut(x.len() / 2);
        for (position, &velocity) in position.iter_mut().zip(&*velocity) {
            *position += c * velocity;
        }
        self.accelerate(position, velocity);
        for ((position, velocity), &a) in position.iter_mut().zip(velocity).zip(&self.blocks.x) {
            *position += c * c * a;
            *velocity += c * a;
        }
    }

    /// Computes `a'` for displacements of positions and velocities.
    fn accelerate(&mut self, position: &[f64], velocity: &[f64]) {
        let Self { tangent, blocks, .. } = self;
        blocks.x.fill(0.0);
        let (dynamics, constraints) = blocks.x.split_at_mut(velocity.len());
        for (rows, [by_position, by_velocity]) in [(dynamics, &tangent.dynamics), (constraints, &tangent.constraints)] {
            by_position.add_product(-1.0, position, rows);
            by_velocity.add_product(-1.0, velocity, rows);
        }
        blocks.solve();
    }
}
