//! The initial state of a mechanism, and which constraints are left out of its equations.

use mbsbench_problem::OutOfRange;

use super::{Compiled, JointSeen};
use crate::assembly::{self, Linearised};
use crate::definition::{Mechanism, Start};
use crate::dependence::{self, MOST_LEFT_OUT, Refused, Units};
use crate::flat::Parts;
use crate::space::Space;
use crate::system::{Frames, System};

/// The joint that a row of the relations belongs to.
pub(crate) fn joint_of_row<'j, X: Space>(
    joints: &'j [JointSeen],
    system: &System<X>,
    row: usize,
) -> Option<&'j JointSeen> {
    let relation = system.relation_of_row(row)?;
    joints.iter().find(|joint| joint.relations.contains(&relation))
}

pub(super) fn too_many(most: usize) -> OutOfRange {
    let found = format!("more than {most} constraints follow from others");
    let accepted = format!(
        "joints of which at most {most} constraints follow from others; the limit is {MOST_LEFT_OUT}, and less if \
         loops have many constraints"
    );
    OutOfRange::clause("joints", found, accepted)
}

/// The refusal of a joint that the equations would lose, with `row` among all rows of the relations.
pub(super) fn lost<X: Space>(joints: &[JointSeen], system: &System<X>, q: &[f64], row: usize, by: f64) -> OutOfRange {
    let point = system.relation_of_row(row).and_then(|k| system.relations[k].points().next().copied());
    let at = point.map_or_else(String::new, |point| {
        let at = Frames::<f64, X>::new(q).point(&point);
        // rounding is not a position
        let at = at[..X::DIMENSION].iter().map(|x| format!("{}", (x * 1e6).round() / 1e6 + 0.0));
        format!(" at ({})", at.collect::<Vec<_>>().join(", "))
    });
    let (path, name) = joint_of_row(joints, system, row)
        .map_or_else(Default::default, |joint| (joint.path.clone(), joint.name.clone()));
    let found = format!(
        "`{name}`{at} follows from the other joints in the initial position only: they allow positions nearby in \
         which it is open by {by:.1e}"
    );
    OutOfRange::clause(
        path,
        found,
        "an initial position that is not singular: one with a body turned by 0.001 rad, for example",
    )
}

/// Assembles the initial state.
pub(super) fn assemble<X: Space>(
    compiled: &mut Compiled<X>,
    mechanism: &Mechanism,
    parts: &Parts,
) -> Result<(), OutOfRange> {
    let Compiled { system, initial: [q, v], joints, .. } = compiled;
    let own = X::OWN * system.bodies.len();
    let weights: Vec<f64> =
        parts.bodies.iter().flat_map(|body| vec![if body.what.held { 1e6 } else { 1.0 }; X::COORDINATES]).collect();
    // what rounding makes of coordinates of this size
    let size = q.iter().fold(1e-3, |size: f64, x| size.max(x.abs()));
    let of_row = |row: usize, system: &System<X>| {
        let joint = row.checked_sub(own).and_then(|row| joint_of_row(joints, system, row));
        joint.map_or_else(
            || ("bodies".to_owned(), "Euler parameters".to_owned()),
            |joint| (joint.path.clone(), joint.name.clone()),
        )
    };
    if dependence::surplus(system) > MOST_LEFT_OUT {
        return Err(too_many(MOST_LEFT_OUT));
    }
    let is_assembled = mechanism.start == Start::Assembled;
    let most = if is_assembled { 1e-10 * size } else { 1e-8 * size };
    let mut linearised = Linearised::new(system);
    let closed = if is_assembled {
        assembly::close(&mut linearised, q, &weights, most)
    } else {
        assembly::open(&mut linearised, q, most)
    };
    closed.map_err(|(row, by)| {
        let (path, name) = of_row(row, system);
        let (found, accepted) = if is_assembled {
            let accepted = "lengths with which all joints close, and an initial `position`, `angle` or `distance` of bodies \
                            that is near to a closed position";
            (format!("no position near the initial one closes `{name}`, which stays open by {by:.3e}"), accepted)
        } else {
            let found = format!("`{name}` is open by {by:.3e} in the initial position");
            (found, "an initial position that closes it, or `start: assembled`")
        };
        OutOfRange::clause(path, found, accepted)
    })?;
    let sizes @ [length, _] = system.sizes(q);
    let per_body = (0..X::COORDINATES).map(|k| if k < X::DIMENSION { length } else { 1.0 });
    let units = Units {
        rows: std::iter::repeat_n(1.0, own).chain(system.row_units(sizes)).collect(),
        coordinates: per_body.cycle().take(q.len()).collect(),
    };
    let redundant = dependence::redundant(&mut linearised, q, own, &units).map_err(|refused| match refused {
        Refused::TooMany(most) => too_many(most),
        Refused::Lost { row, by } => lost(joints, system, q, row - own, by),
    })?;
    drop(linearised);
    system.redundant = redundant.into_iter().map(|row| row - own).collect();
    let before = v.clone();
    let (row, left) = assembly::allow(system, q, v, &weights);
    let speed = before.iter().chain(v.iter()).fold(1e-3, |size: f64, x| size.max(x.abs()));
    let moved = v.iter().zip(&before).fold(0.0, |most: f64, (v, before)| most.max((v - before).abs()));
    if left > 1e-8 * speed {
        let (path, name) = of_row(row, system);
        return Err(OutOfRange::clause(
            path,
            format!("the initial velocities open `{name}` at a speed of {left:.3e}"),
            "velocities that all joints allow",
        ));
    }
    if !is_assembled && moved > 1e-8 * speed {
        let accepted = "velocities that all joints allow, or `start: assembled`";
        return Err(OutOfRange::clause(
            "start",
            format!("the joints change the initial velocities by {moved:.3e}"),
            accepted,
        ));
    }
    Ok(())
}
