//! The structure of a model: its terms and their dependence on coordinates, found from its arithmetic.

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

/// Number of unknowns from which sparse matrices are faster. Steps on the rod chain take 0.85 (`lms2`), 0.71 (RADAU5)
/// and 0.97 (DOPRI5) of the time of dense matrices with 50 unknowns, and 0.97, 0.88 and 1.27 with 40. Andrews'
/// squeezer in body coordinates, with 41 unknowns, takes 1.8.
const LEAST_SPARSE: usize = 48;
/// Largest fraction of non-zero entries in the matrix of the index-3 equations for which sparse matrices are faster.
const MOST_ENTRIES: f64 = 0.2;

/// The kind of memory for the matrices of a mechanism.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Matrices {
    /// Sparse if there are at least 48 unknowns and at most a fifth of all entries are non-zero, the range in which
    /// sparse matrices were measured to be faster; otherwise dense.
    #[default]
    Automatic,
    /// Dense: all entries are stored.
    Dense,
    /// Sparse: only the entries of a pattern are stored.
    Sparse,
}

impl Matrices {
    /// True if sparse matrices can be worthwhile for this number of unknowns.
    pub fn may_be_sparse(self, unknowns: usize) -> bool {
        self == Self::Sparse || self == Self::Automatic && unknowns >= LEAST_SPARSE
    }
}

/// The entries of mass, constraints and their derivatives that can be non-zero. They are found from the arithmetic, not
/// from values. If positions are not vectors, its coordinates are those of displacements.
///
/// The structure is found once, and so are the constant columns of `J`. Constraints and masses must therefore be
/// smooth, with the same arithmetic at every state. Forces may branch (contact); if their arithmetic depends on
/// values, each force is assumed to depend on every coordinate.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Structure {
    /// Coordinates on which the mass matrix depends.
    pub mass: Vec<usize>,
    /// Pairs `i ≤ j` of coordinates in which Φ has second derivatives; the number of coordinates stands for time.
    pub curvature: Vec<(usize, usize)>,
    /// Coordinates that occur in those pairs; the other columns of `J` are constant.
    pub curved: Vec<usize>,
    /// True if Φ depends on time.
    pub rheonomic: bool,
    /// Entries of `J`, `n_c × n`.
    pub jacobian: Arc<Pattern>,
    /// Entries of all `n × n` matrices: `M`, `∂D/∂q`, `∂D/∂v`, `∂(M x)/∂q` and `∂(Jᵀ λ)/∂q`.
    pub dynamics: Arc<Pattern>,
    /// For each coordinate of [`mass`](Self::mass), the entries of `M` that depend on it, row by row.
    pub(super) mass_entries: Vec<Vec<(usize, usize)>>,
    /// For each coordinate, the number of these entries for all coordinates before it, and at the end the total.
    pub(super) mass_starts: Vec<usize>,
    /// Groups of indices into [`mass`](Self::mass) such that no entry depends on two coordinates of a group.
    pub(super) mass_groups: Vec<Vec<usize>>,
    /// For each pair of [`curvature`](Self::curvature), the constraints that have that second derivative.
    pub(super) pair_rows: Vec<Vec<usize>>,
    /// For each pair, the number of second derivatives for all pairs before it, and at the end the total.
    pub(super) pair_starts: Vec<usize>,
    /// For each pair, the indices of `∂²/∂q_i ∂q_j` among the entries of [`dynamics`](Self::dynamics), on both sides
    /// of the diagonal.
    pub(super) pair_slots: Vec<[usize; 2]>,
    /// For each entry `(i, j)` of [`mass_entries`](Self::mass_entries), the index of `∂(M x)_i/∂q_k` among the
    /// entries of [`dynamics`](Self::dynamics).
    pub(super) inertia_slots: Vec<Vec<usize>>,
    /// Groups of indices of pairs such that no constraint depends on two pairs of a group. Pairs with time have
    /// groups of their own.
    pub(super) pair_groups: Vec<Vec<usize>>,
    /// Groups of curved columns of `J` that have no row in common; of all columns, if coordinates are displacements.
    pub(super) column_groups: Vec<Vec<usize>>,
    /// `∂D/∂q` and `∂D/∂v`.
    pub(super) forces: [Block; 2],
    /// Number of evaluations of all terms that difference quotients would take for the derivatives in positions and
    /// in velocities, if columns without a common row are formed together. Derivatives in multipliers need none,
    /// since they are `J`.
    pub jacobian_columns: usize,
    /// The requested kind of memory.
    pub(super) matrices: Matrices,
}

/// Entries of a matrix of derivatives, and groups of columns that are computed together.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Block {
    pub(super) pattern: Pattern,
    /// Indices of the entries among those of [`Structure::dynamics`].
    pub(super) slots: Vec<usize>,
    pub(super) groups: Vec<Vec<usize>>,
}

impl Block {
    /// The entries of some columns: row and column, index among the entries of [`Structure::dynamics`], and row.
    pub(super) fn places<'b>(
        &'b self,
        columns: &'b [usize],
    ) -> impl Iterator<Item = ((usize, usize), usize, usize)> + 'b {
        columns.iter().flat_map(|&j| {
            let slots = &self.slots[self.pattern.start(j)..];
            self.pattern.column(j).iter().zip(slots).map(move |(&i, &slot)| ((i, j), slot, i))
        })
    }
}

impl Structure {
    /// True if forces depend on velocities, or their arithmetic branches.
    pub fn forces_depend_on_velocity(&self) -> bool {
        self.forces[1].pattern.entries() > 0
    }

    /// True if sparse matrices are [worthwhile](Self::is_sparse) and the scalar is double precision, the only one
    /// with sparse factorizations.
    pub fn is_sparse_in<S: Scalar>(&self) -> bool {
        TypeId::of::<S>() == TypeId::of::<f64>() && self.is_sparse()
    }

    /// True if sparse matrices are worthwhile, because there are many unknowns and few entries, or if they are
    /// [requested](Matrices).
    pub fn is_sparse(&self) -> bool {
        let unknowns = self.dynamics.rows() + self.jacobian.rows();
        let entries = self.dynamics.entries() + 2 * self.jacobian.entries();
        let is_thin = entries as f64 <= MOST_ENTRIES * (unknowns * unknowns) as f64;
        self.matrices.may_be_sparse(unknowns) && (is_thin || self.matrices == Matrices::Sparse)
    }
}

/// A matrix that stores only the entries written to it.
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

/// Numbers of which no two are equal, so that nothing cancels by chance.
pub(super) fn numbers(count: usize, start: f64) -> Vec<f64> {
    (0..count).map(|i| (start + i as f64).sqrt()).collect()
}

/// Finds the structure of `model`. If displacements are not `added` to its positions, the coordinates of the structure
/// are those of displacements.
pub(super) fn find(model: &impl MechanicalModel, added: bool) -> Structure {
    let Dimensions { coordinates: n, velocities, holonomic: m, .. } = model.dimensions();
    // time follows the coordinates
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
    if added {
        return of_traces((n, m), places, &masses, &constraints, &forces);
    }
    let moved = trace(&numbers(velocities, 1.7), true, &mut |delta| {
        let start: Vec<Traced> = coordinates[..n].iter().map(|&value| Traced::from(value)).collect();
        let mut moved = start.clone();
        model.retract(&start, delta, &mut moved);
        moved
    });
    let [masses, constraints, forces] = [masses, constraints, forces].map(|trace| trace.along(&moved, velocities));
    let structure = of_traces((velocities, m), places, &masses, &constraints, &forces);
    let column_groups = structure.jacobian.groups(&(0..velocities).collect::<Vec<_>>());
    Structure { column_groups, ..structure }
}

/// The structure that follows from traces. Separate from the model type, so that it is compiled only once.
fn of_traces(
    (n, m): (usize, usize),
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

    let forces = force_patterns(forces, n);
    let pairs = curvature.iter().filter(|&&(_, j)| j < n).flat_map(|&(i, j)| [(i, j), (j, i)]);
    let inertia = mass.iter().zip(&mass_entries).flat_map(|(&k, entries)| entries.iter().map(move |&(i, _)| (i, k)));
    let inertial: Vec<(usize, usize)> = pairs.chain(inertia).collect();
    let all = places.into_iter().chain(forces.iter().flat_map(Pattern::iter)).chain(inertial.iter().copied());
    let dynamics = Pattern::new((n, n), all);
    let below = jacobian.iter().map(|(c, j)| (n + c, j));
    let by_position = Pattern::new((n + m, n), forces[0].iter().chain(inertial).chain(below));
    let jacobian_columns = [&by_position, &forces[1]].map(columns_apart).iter().sum();
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
        jacobian_columns,
        matrices: Matrices::default(),
    }
}

/// The number of groups when non-empty columns without a common row are combined.
fn columns_apart(pattern: &Pattern) -> usize {
    let filled: Vec<usize> = (0..pattern.columns()).filter(|&j| !pattern.column(j).is_empty()).collect();
    pattern.groups(&filled).len()
}

/// For each list, the number of items in all lists before it, and at the end the total.
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

/// Entries of `∂D/∂q` and of `∂D/∂v`; all entries if the arithmetic depends on values.
fn force_patterns(forces: &Trace, n: usize) -> [Pattern; 2] {
    if forces.branched {
        return [Pattern::full(n, n), Pattern::full(n, n)];
    }
    [0, n].map(|begin| {
        let entries =
            forces.first.iter().enumerate().flat_map(|(i, of)| {
                of.iter().filter(move |&&j| j >= begin && j < begin + n).map(move |&j| (i, j - begin))
            });
        Pattern::new((n, n), entries)
    })
}
