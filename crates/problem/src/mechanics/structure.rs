//! Which terms a model has, and of what they have derivatives, found from its arithmetic.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::traced::{Trace, Traced, trace};
use super::{Dimensions, MechanicalModel};
use crate::Scalar;
use crate::linalg::{Entries, Pattern, groups};

/// Unknowns from which on matrices with a pattern are the faster ones: steps on the rod chain take 0.85 (`lms2`), 0.71 (RADAU5) and
/// 0.97 (DOPRI5) of the time with 50 unknowns, and 0.97, 0.88 and 1.27 with 40. Andrews' squeezer in bodies, with 41, takes 1.8.
const LEAST_SPARSE: usize = 48;
/// The largest share of entries of the matrix of the index-3 equations of which that is so.
const MOST_ENTRIES: f64 = 0.2;

/// What memory the matrices of a mechanism are kept in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Matrices {
    /// With a pattern where there are 48 unknowns or more and at most a fifth of all entries: where that was measured to be faster.
    #[default]
    Automatic,
    /// With all entries.
    Dense,
    /// With a pattern.
    Sparse,
}

impl Matrices {
    /// Whether nothing is chosen; runs are not named by it then.
    pub fn is_automatic(&self) -> bool {
        *self == Self::Automatic
    }

    /// Whether so many unknowns can be worth a pattern.
    pub(crate) fn may_be_sparse(self, unknowns: usize) -> bool {
        self == Self::Sparse || self == Self::Automatic && unknowns >= LEAST_SPARSE
    }
}

/// Which entries mass, constraints and their derivatives can have other than zero; read off the arithmetic, not off values.
///
/// It is found once, and so are the columns of `J` that are constant: constraints and masses have to be smooth, with the same
/// arithmetic at every state. Forces may take branches (contact); where their arithmetic depends on values, each is taken to depend
/// on every coordinate.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Structure {
    /// Coordinates on which the mass matrix depends.
    pub mass: Vec<usize>,
    /// Pairs `i ≤ j` in which Φ has second derivatives; the number of coordinates stands for time.
    pub curvature: Vec<(usize, usize)>,
    /// Coordinates among those pairs; the other columns of `J` are constant.
    pub curved: Vec<usize>,
    /// Whether Φ depends on time.
    pub rheonomic: bool,
    /// Entries of `J`, `n_c × n`.
    pub jacobian: Arc<Pattern>,
    /// Entries of all that is `n × n`: of `M`, `∂D/∂q`, `∂D/∂v`, `∂(M x)/∂q` and `∂(Jᵀ λ)/∂q`.
    pub dynamics: Arc<Pattern>,
    /// Of each coordinate of [`mass`](Self::mass), the entries of `M` that depend on it, row by row.
    pub(super) mass_entries: Vec<Vec<(usize, usize)>>,
    /// How many of these there are of the coordinates before each, and of all.
    pub(super) mass_starts: Vec<usize>,
    /// Numbers of coordinates of [`mass`](Self::mass) of which no entry depends on two, in groups.
    pub(super) mass_groups: Vec<Vec<usize>>,
    /// Of each pair of [`curvature`](Self::curvature), the constraints that have that second derivative.
    pub(super) pair_rows: Vec<Vec<usize>>,
    /// How many second derivatives there are of the pairs before each, and of all.
    pub(super) pair_starts: Vec<usize>,
    /// Where `∂²/∂q_i ∂q_j` of each pair stands among the entries of [`dynamics`](Self::dynamics), on both sides of the diagonal.
    pub(super) pair_slots: Vec<[usize; 2]>,
    /// Where `∂(M x)_i/∂q_k` stands among them, for each entry `(i, j)` of [`mass_entries`](Self::mass_entries).
    pub(super) inertia_slots: Vec<Vec<usize>>,
    /// Numbers of pairs of which no constraint depends on two, in groups; those with time are among themselves.
    pub(super) pair_groups: Vec<Vec<usize>>,
    /// Curved columns of `J` that have no row in common, in groups.
    pub(super) column_groups: Vec<Vec<usize>>,
    /// `∂D/∂q` and `∂D/∂v`.
    pub(super) forces: [Block; 2],
    /// See [`jacobian_columns`](Self::jacobian_columns).
    pub(super) columns: usize,
    /// What matrices are to be kept in.
    pub(super) matrices: Matrices,
}

/// Entries of a matrix of derivatives, and which of its columns are found together.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Block {
    pub(super) pattern: Pattern,
    /// Where they are among the entries of [`Structure::dynamics`].
    pub(super) slots: Vec<usize>,
    pub(super) groups: Vec<Vec<usize>>,
}

impl Structure {
    /// Whether forces depend on velocities, or on what their arithmetic branches by.
    pub fn forces_depend_on_velocity(&self) -> bool {
        self.forces[1].pattern.entries() > 0
    }

    /// Evaluations of all terms that difference quotients would take for their derivatives in positions and in
    /// velocities, with columns that have no row in common formed together. Derivatives in multipliers are known: they are
    /// `J`.
    pub fn jacobian_columns(&self) -> usize {
        self.columns
    }

    /// Whether matrices with a pattern are [worth it](Self::is_sparse) and there are factors of them in that scalar: only in double
    /// precision are there any.
    pub fn is_sparse_in<S: Scalar>(&self) -> bool {
        TypeId::of::<S>() == TypeId::of::<f64>() && self.is_sparse()
    }

    /// Whether matrices with a pattern are worth it: where there are many unknowns and few entries; or as is [asked](Matrices).
    pub fn is_sparse(&self) -> bool {
        let unknowns = self.dynamics.rows() + self.jacobian.rows();
        let entries = self.dynamics.entries() + 2 * self.jacobian.entries();
        let is_thin = entries as f64 <= MOST_ENTRIES * (unknowns * unknowns) as f64;
        self.matrices.may_be_sparse(unknowns) && (is_thin || self.matrices == Matrices::Sparse)
    }
}

/// A matrix that keeps what is written into it, and nothing else.
#[derive(Default)]
struct Written(BTreeMap<(usize, usize), Traced>);

impl Index<(usize, usize)> for Written {
    type Output = Traced;

    fn index(&self, at: (usize, usize)) -> &Traced {
        self.0.get(&at).unwrap_or(&Traced::ZERO)
    }
}

impl IndexMut<(usize, usize)> for Written {
    fn index_mut(&mut self, at: (usize, usize)) -> &mut Traced {
        self.0.entry(at).or_insert(Traced::ZERO)
    }
}

impl Entries<Traced> for Written {
    fn clear(&mut self) {
        self.0.clear();
    }
}

/// Numbers of which no two are alike, so that nothing cancels by chance.
pub(super) fn numbers(count: usize, start: f64) -> Vec<f64> {
    (0..count).map(|i| (start + i as f64).sqrt()).collect()
}

/// The structure of `model`.
pub(super) fn find(model: &impl MechanicalModel) -> Structure {
    let Dimensions { coordinates: n, velocities, holonomic: m, .. } = model.dimensions();
    // time stands behind the coordinates
    let coordinates = numbers(n + 1, 0.3);

    let mut places = Vec::new();
    let masses = trace(&coordinates, false, &mut |x| {
        let mut mass = Written::default();
        model.mass(&x[..n], &mut mass);
        let (at, values): (Vec<_>, Vec<_>) = mass.0.into_iter().unzip();
        places = at;
        values
    });
    let constraints = trace(&coordinates, true, &mut |x| {
        let mut phi = vec![Traced::ZERO; m];
        model.holonomic_constraints(x[n], &x[..n], &mut phi);
        phi
    });
    let motion = [numbers(n, 0.3), numbers(velocities + 1, 1.7)].concat();
    let forces = trace(&motion, false, &mut |x| {
        let mut forces = vec![Traced::ZERO; velocities];
        model.forces(x[n + velocities], &x[..n], &x[n..n + velocities], &mut forces);
        forces
    });
    of_traces((n, velocities, m), places, &masses, &constraints, &forces)
}

/// The structure that traces show, whatever model they are of: compiled once, and not for each model.
fn of_traces(
    (n, velocities, m): (usize, usize, usize),
    places: Vec<(usize, usize)>,
    masses: &Trace,
    constraints: &Trace,
    forces: &Trace,
) -> Structure {
    let mut by_coordinate: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for (&at, coordinates) in places.iter().zip(&masses.first) {
        coordinates.iter().for_each(|&k| by_coordinate.entry(k).or_default().push(at));
    }
    let (mass, mass_entries): (Vec<usize>, Vec<Vec<(usize, usize)>>) = by_coordinate.into_iter().unzip();
    let numbered: Vec<Vec<usize>> =
        mass_entries.iter().map(|entries| entries.iter().map(|&(i, j)| i * n + j).collect()).collect();
    let mass_groups = groups_of_entries(&numbered);

    let columns = |c: usize| constraints.first[c].iter().filter(|&&j| j < n).map(move |&j| (c, j));
    let jacobian = Pattern::new((m, n), (0..m).flat_map(columns));
    let rheonomic = constraints.first.iter().any(|of| of.contains(&n));
    let mut rows_of: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (c, pairs) in constraints.second.iter().enumerate() {
        pairs.iter().for_each(|&pair| rows_of.entry(pair).or_default().push(c));
    }
    let (curvature, pair_rows): (Vec<(usize, usize)>, Vec<Vec<usize>>) = rows_of.into_iter().unzip();
    let mut curved: Vec<usize> = curvature.iter().flat_map(|&(i, j)| [i, j]).filter(|&k| k < n).collect();
    curved.sort_unstable();
    curved.dedup();
    let touched = |&(i, j): &(usize, usize)| -> Vec<usize> {
        [i, j].iter().filter(|&&k| k < n).flat_map(|&k| jacobian.column(k)).copied().collect()
    };
    let touched: Vec<Vec<usize>> = curvature.iter().map(touched).collect();
    let numbers_where = |with_time: usize| {
        let count = move |&(i, j): &(usize, usize)| usize::from(i == n) + usize::from(j == n);
        let chosen = curvature.iter().enumerate().filter(move |&(_, pair)| count(pair) == with_time);
        chosen.map(|(p, _)| (p, &touched[p][..]))
    };
    let pair_groups: Vec<Vec<usize>> = (0..3).flat_map(|with_time| groups(m, numbers_where(with_time))).collect();
    let column_groups = jacobian.groups(&curved);

    let forces = force_patterns(forces, n, velocities);
    let pairs = curvature.iter().filter(|&&(_, j)| j < n).flat_map(|&(i, j)| [(i, j), (j, i)]);
    let inertia = mass.iter().zip(&mass_entries).flat_map(|(&k, entries)| entries.iter().map(move |&(i, _)| (i, k)));
    let inertial: Vec<(usize, usize)> = pairs.chain(inertia).collect();
    let all = places.into_iter().chain(forces.iter().flat_map(Pattern::iter)).chain(inertial.iter().copied());
    let dynamics = Pattern::new((n, n), all);
    let below = jacobian.iter().map(|(c, j)| (n + c, j));
    let by_position = Pattern::new((n + m, n), forces[0].iter().chain(inertial).chain(below));
    let columns = [&by_position, &forces[1]].map(columns_apart).iter().sum();
    let all: Vec<usize> = (0..n).collect();
    let forces = forces.map(|pattern| {
        let slots = pattern.iter().filter_map(|(i, j)| dynamics.slot(i, j)).collect();
        Block { slots, groups: pattern.groups(&all), pattern }
    });
    let (pair_starts, mass_starts) = (starts(&pair_rows), starts(&mass_entries));
    let slot = |i, j| dynamics.slot(i, j).unwrap_or_default();
    let pair_slots = curvature.iter().map(|&(i, j)| if j < n { [slot(i, j), slot(j, i)] } else { [0; 2] }).collect();
    let rows_at = |(&k, entries): (&usize, &Vec<(usize, usize)>)| entries.iter().map(|&(i, _)| slot(i, k)).collect();
    let inertia_slots = mass.iter().zip(&mass_entries).map(rows_at).collect();
    Structure {
        pair_starts,
        mass_starts,
        pair_slots,
        inertia_slots,
        mass,
        curvature,
        curved,
        rheonomic,
        jacobian: Arc::new(jacobian),
        dynamics: Arc::new(dynamics),
        mass_entries,
        mass_groups,
        pair_rows,
        pair_groups,
        column_groups,
        forces,
        columns,
        matrices: Matrices::default(),
    }
}

/// How many columns are left when those without a row in common are taken together, and empty ones left out.
fn columns_apart(pattern: &Pattern) -> usize {
    let filled: Vec<usize> = (0..pattern.columns()).filter(|&j| !pattern.column(j).is_empty()).collect();
    pattern.groups(&filled).len()
}

/// How many items there are in the lists before each, and in all.
fn starts<T>(lists: &[Vec<T>]) -> Vec<usize> {
    let lengths = lists.iter().scan(0, |all, list| {
        *all += list.len();
        Some(*all)
    });
    std::iter::once(0).chain(lengths).collect()
}

/// Groups of lists that have no number in common.
fn groups_of_entries(lists: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut known: Vec<usize> = lists.concat();
    known.sort_unstable();
    known.dedup();
    let short: Vec<Vec<usize>> =
        lists.iter().map(|list| list.iter().filter_map(|entry| known.binary_search(entry).ok()).collect()).collect();
    groups(known.len(), short.iter().map(Vec::as_slice).enumerate())
}

/// Entries of `∂D/∂q` and of `∂D/∂v`: all, where the arithmetic depends on values.
fn force_patterns(forces: &Trace, coordinates: usize, n: usize) -> [Pattern; 2] {
    if forces.branched {
        return [Pattern::full(n, n), Pattern::full(n, n)];
    }
    [0, coordinates].map(|begin| {
        let entries =
            forces.first.iter().enumerate().flat_map(|(i, of)| {
                of.iter().filter(move |&&j| j >= begin && j < begin + n).map(move |&j| (i, j - begin))
            });
        Pattern::new((n, n), entries)
    })
}
