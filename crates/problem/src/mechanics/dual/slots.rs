//! Derivatives that a model provides entry by entry.

use crate::mechanics::Partials;
use crate::{Derivatives, MechanicalModel, Scalar, Structure};

/// The places in sparse memory of the entries of a model's [partial derivatives](MechanicalModel::partials), in the
/// model's order. Entries outside the structure, which are zero, have no place.
pub(super) struct Slots {
    constraints: Vec<usize>,
    curvature: Vec<usize>,
    mass: Vec<usize>,
}

impl Slots {
    /// The places for a model, which is evaluated at `q`; `None` if it leaves derivatives to dual numbers.
    pub(super) fn of<S: Scalar>(model: &impl MechanicalModel, structure: &Structure, q: &[S]) -> Option<Self> {
        let record = |kind, slot: &dyn Fn([usize; 3]) -> Option<usize>| {
            let mut slots = Vec::new();
            let mut each = |at, _| slots.push(slot(at).unwrap_or(usize::MAX));
            model.partials(kind, S::zero(), q, &mut each).then_some(slots)
        };
        Some(Self {
            constraints: record(Partials::Constraints, &|[c, j, _]| structure.jacobian.slot(c, j))?,
            curvature: record(Partials::Curvature, &|[c, i, j]| {
                let p = structure.curvature.binary_search(&(i, j)).ok()?;
                Some(structure.pair_starts[p] + structure.pair_rows[p].binary_search(&c).ok()?)
            })?,
            mass: record(Partials::Mass, &|[k, i, j]| {
                let number = structure.mass.binary_search(&k).ok()?;
                Some(structure.mass_starts[number] + structure.mass_entries[number].binary_search(&(i, j)).ok()?)
            })?,
        })
    }

    /// Writes the entries of `J`, column by column.
    pub(super) fn write_jacobian<S: Scalar>(&self, model: &impl MechanicalModel, t: S, q: &[S], entries: &mut [S]) {
        write(model, Partials::Constraints, (t, q), &self.constraints, entries);
    }

    /// Writes the second derivatives of Φ, except those in time.
    pub(super) fn write_curvature<S: Scalar>(
        &self,
        model: &impl MechanicalModel,
        (t, q): (S, &[S]),
        derivatives: &mut Derivatives<S>,
    ) {
        if derivatives.is_sparse() {
            return write(model, Partials::Curvature, (t, q), &self.curvature, &mut derivatives.second);
        }
        let Derivatives { structure, second, .. } = derivatives;
        model.partials(Partials::Curvature, t, q, &mut |[c, i, j], value| {
            if let Ok(p) = structure.curvature.binary_search(&(i, j)) {
                second[p * structure.jacobian.rows() + c] = value;
            }
        });
    }

    /// Writes `∂M/∂q`.
    pub(super) fn write_mass<S: Scalar>(
        &self,
        model: &impl MechanicalModel,
        q: &[S],
        derivatives: &mut Derivatives<S>,
    ) {
        let at = (S::zero(), q);
        if derivatives.is_sparse() {
            return write(model, Partials::Mass, at, &self.mass, &mut derivatives.mass_values);
        }
        let Derivatives { structure, mass, .. } = derivatives;
        model.partials(Partials::Mass, at.0, q, &mut |[k, i, j], value| {
            if let Ok(number) = structure.mass.binary_search(&k) {
                mass[number].1[(i, j)] = value;
            }
        });
    }
}

fn write<S: Scalar>(
    model: &impl MechanicalModel,
    kind: Partials,
    (t, q): (S, &[S]),
    slots: &[usize],
    values: &mut [S],
) {
    let mut slots = slots.iter();
    model.partials(kind, t, q, &mut |_, value| {
        if let Some(entry) = slots.next().and_then(|&slot| values.get_mut(slot)) {
            *entry = value;
        }
    });
}
