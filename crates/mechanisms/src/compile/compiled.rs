//! A mechanism ready to be solved: its equations and redundant constraints, its initial state, and its
//! joint coordinates.

use std::borrow::Cow;

use mbsbench_problem::OutOfRange;
use nalgebra::Vector3;

use super::gauge::{self, Gauge};
use super::joints::Joined;
use super::scope::Scope;
use super::starts;
use crate::assembly::{self, Linearised};
use crate::definition::{Body, Mechanism, Shape, Start};
use crate::dependence::{self, MOST_LEFT_OUT, Refused, Units};
use crate::expand::Part;
use crate::joint_space::{Candidate, JointSpace, Step};
use crate::placement::{Marker, Pose};
use crate::space::Space;
use crate::system::{Frames, System, Turning};

/// A body as observers and drawings see it.
#[derive(Debug, Clone)]
pub struct BodySeen {
    /// Name of the body.
    pub name: String,
    /// Shape of the body.
    pub shape: Option<Shape>,
    /// Centre and axes of the shape, relative to the centre of mass and in the axes of the body.
    pub middle: Marker,
    /// Markers by name.
    pub markers: Vec<(String, Marker)>,
    /// Points at which joints hold the body, m from the centre of mass; the one that attaches it comes first.
    pub held: Vec<Vector3<f64>>,
}

/// A joint as observers see it.
#[derive(Debug, Clone)]
pub struct JointSeen {
    /// Name of the joint.
    pub name: String,
    /// Path of the joint in the file.
    pub path: String,
    /// Numbers of the joint's relations.
    pub relations: std::ops::Range<usize>,
    /// Angle of the joint if it is a hinge in space.
    pub hinge: Option<Turning>,
    /// Openings of the joint, if poses show them.
    pub gauge: Option<Gauge>,
}

/// A mechanism ready to be solved.
#[derive(Debug, Clone)]
pub struct Compiled<X> {
    /// The equations.
    pub system: System<X>,
    /// The system with all rows of the joints as in the file, if the equations leave any out.
    pub as_written: Option<System<X>>,
    /// Initial coordinates and rates.
    pub initial: [Vec<f64>; 2],
    /// The bodies.
    pub bodies: Vec<BodySeen>,
    /// The joints.
    pub joints: Vec<JointSeen>,
    /// The equations in joint coordinates, if these are requested.
    pub joint_space: Option<JointSpace<X>>,
}

impl BodySeen {
    /// The markers without the frame itself.
    pub fn named_markers(&self) -> impl Iterator<Item = &(String, Marker)> {
        self.markers.iter().filter(|(name, _)| !name.is_empty())
    }
}

impl<X: Space> Compiled<X> {
    /// Converts the state `y` into absolute coordinates.
    pub fn absolute<'y>(&self, y: &'y [f64]) -> Cow<'y, [f64]> {
        self.joint_space.as_ref().map_or(Cow::Borrowed(y), |space| Cow::Owned(space.expanded(y)))
    }

    /// The equations in joint coordinates if only these have accelerations.
    pub fn only_joint_space(&self) -> Option<&JointSpace<X>> {
        self.joint_space.as_ref().filter(|space| space.is_only_form)
    }

    /// The system with all rows of the joints as in the file.
    pub fn written(&self) -> &System<X> {
        self.as_written.as_ref().unwrap_or(&self.system)
    }

    /// The joints that can be measured, each with the distance (m) and the angle (rad) by which it is open at
    /// absolute coordinates.
    pub fn openings(&self, t: f64, q: &[f64]) -> impl Iterator<Item = (&JointSeen, [f64; 2])> {
        let poses: Vec<Pose> = q.chunks(X::COORDINATES).map(gauge::pose::<X>).collect();
        self.joints.iter().filter_map(move |joint| Some((joint, joint.gauge.as_ref()?.opening(t, &poses))))
    }

    /// A joint whose constraints are satisfied by markers with the wrong rotation, such as a third of a turn, and the
    /// angle (rad) by which it is open initially.
    pub(super) fn turned(&self, q: &[f64]) -> Option<(&JointSeen, f64)> {
        self.openings(0.0, q).find(|(_, [_, turn])| *turn > 0.1).map(|(joint, [_, turn])| (joint, turn))
    }
}

impl<X: Space> Compiled<X> {
    /// The joint to which a row of the relations belongs.
    pub(crate) fn joint_of_row(&self, row: usize) -> Option<&JointSeen> {
        let relation = self.system.relation_of_row(row)?;
        self.joints.iter().find(|joint| joint.relations.contains(&relation))
    }

    /// Path and name of the joint to which a constraint belongs; constraints of bodies are numbered before
    /// those of joints.
    fn owner(&self, constraint: usize) -> (&str, &str) {
        let row = constraint.checked_sub(X::OWN * self.bodies.len());
        let joint = row.and_then(|row| self.joint_of_row(row));
        joint.map_or(("bodies", "Euler parameters"), |joint| (&joint.path, &joint.name))
    }

    /// The error for joints with redundant constraints that cannot be left out; it names the row among all rows
    /// of the relations.
    pub(super) fn refusal(&self, q: &[f64], refused: Refused) -> OutOfRange {
        let (row, by) = match refused {
            Refused::Lost { row, by } => (row, by),
            Refused::TooMany(most) => {
                let found = format!("more than {most} constraints are redundant");
                let accepted = format!(
                    "joints with at most {most} redundant constraints; the limit is {MOST_LEFT_OUT}, or less if loops \
                     have many constraints"
                );
                return OutOfRange::clause("joints", found, accepted);
            }
        };
        let point = self.system.relation_of_row(row).and_then(|k| self.system.relations[k].points().next());
        let at = point.map_or_else(String::new, |point| {
            let at = Frames::<f64, X>::new(q).point(point);
            // without roundoff
            let at = at[..X::DIMENSION].iter().map(|x| format!("{}", (x * 1e6).round() / 1e6 + 0.0));
            format!(" at ({})", at.collect::<Vec<_>>().join(", "))
        });
        let (path, name) = self.joint_of_row(row).map_or(("", ""), |joint| (&joint.path, &joint.name));
        let found = format!(
            "`{name}`{at} is redundant in the initial position only: the other joints allow nearby positions in which \
             it is open by {by:.1e}"
        );
        let accepted = "an initial position that is not singular, for example with a body turned by 0.001 rad";
        OutOfRange::clause(path, found, accepted)
    }
}

/// Assembles the initial state.
pub(super) fn assemble<X: Space>(
    compiled: &mut Compiled<X>,
    mechanism: &Mechanism,
    scope: &Scope<'_>,
) -> Result<(), OutOfRange> {
    let [mut q, mut v] = compiled.initial.clone();
    let system = &compiled.system;
    let own = X::OWN * system.bodies.len();
    let weight = |body: &Part<Body>| [if body.what.held { 1e6 } else { 1.0 }].repeat(X::COORDINATES);
    let weights: Vec<f64> = scope.parts.bodies.iter().flat_map(weight).collect();
    // roundoff of coordinates of this size
    let size = q.iter().fold(1e-3, |size: f64, x| size.max(x.abs()));
    if dependence::surplus(system) > MOST_LEFT_OUT {
        return Err(compiled.refusal(&q, Refused::TooMany(MOST_LEFT_OUT)));
    }
    let is_assembled = mechanism.start == Start::Assembled;
    let most = if is_assembled { 1e-10 * size } else { 1e-8 * size };
    let mut linearised = Linearised::new(system);
    let closed = if is_assembled {
        assembly::close(&mut |q| linearised.at(q), &mut q, &weights, most)
    } else {
        assembly::open(&mut linearised, &q, most)
    };
    let open = match closed {
        Ok(()) => compiled.turned(&q).map(|(joint, by)| (&*joint.path, &*joint.name, format!("{by:.3} rad"))),
        Err((row, by)) => {
            let (path, name) = compiled.owner(row);
            let size = row.checked_sub(own).and_then(|row| compiled.system.row_units([2.0, 1.0]).nth(row));
            Some((path, name, format!("{by:.3e}{}", if size == Some(2.0) { " m" } else { "" })))
        }
    };
    if let Some((path, name, by)) = open {
        let (found, accepted) = if is_assembled {
            let values = starts::other(scope, compiled, &weights, most).filter(|values| !values.is_empty());
            let accepted = values.map_or_else(
                || {
                    "lengths with which all joints can close, and initial values of `position`, `angle` or `distance` \
                     near a closed position"
                        .to_owned()
                },
                |values| format!("another start; all joints close from {}", values.join(", ")),
            );
            (format!("no position near the initial one closes `{name}`, which stays open by {by}"), accepted)
        } else {
            let found = format!("`{name}` is open by {by} in the initial position");
            (found, "an initial position that closes it, or `start: assembled`".to_owned())
        };
        return Err(OutOfRange::clause(path, found, accepted));
    }
    let sizes @ [length, _] = system.sizes(&q);
    let per_body = (0..X::COORDINATES).map(|k| if k < X::DIMENSION { length } else { 1.0 });
    let units = Units {
        rows: std::iter::repeat_n(1.0, own).chain(system.row_units(sizes)).collect(),
        coordinates: per_body.cycle().take(q.len()).collect(),
    };
    let redundant = dependence::redundant(&mut linearised, &q, own, &units).map_err(|refused| match refused {
        Refused::Lost { row, by } => compiled.refusal(&q, Refused::Lost { row: row - own, by }),
        Refused::TooMany(_) => compiled.refusal(&q, refused),
    })?;
    drop(linearised);
    compiled.system.redundant = redundant.into_iter().map(|row| row - own).collect();
    let before = v.clone();
    let (row, left) = assembly::allow(&compiled.system, &q, &mut v, &weights);
    let speed = before.iter().chain(v.iter()).fold(1e-3, |size: f64, x| size.max(x.abs()));
    let moved = v.iter().zip(&before).fold(0.0, |most: f64, (v, before)| most.max((v - before).abs()));
    if left > 1e-8 * speed {
        let (path, name) = compiled.owner(row);
        let found = format!("the initial velocities open `{name}` at a speed of {left:.3e}");
        return Err(OutOfRange::clause(path, found, "velocities that all joints allow"));
    }
    let accepted = "velocities that all joints allow, or `start: assembled`";
    let found = format!("the joints change the initial velocities by {moved:.3e}");
    OutOfRange::clause_if(!is_assembled && moved > 1e-8 * speed, "start", found, accepted)?;
    compiled.initial = [q, v];
    Ok(())
}

/// Fails if gears or bodies without mass or moments of inertia occur beside loops, or if the mass matrix is singular.
fn check_masses<X: Space>(compiled: &Compiled<X>, space: &JointSpace<X>) -> Result<(), OutOfRange> {
    let found = "gears in space and bodies without mass or moments of inertia need a mechanism without loops";
    OutOfRange::clause_if(!space.is_tree(), "joints", found, "joints that form a tree")?;
    let Some(joint) = space.weightless() else { return Ok(()) };
    let path = joint.map_or("bodies", |joint| &compiled.joints[joint].path);
    let found = "the mass matrix is singular in the initial position: no body behind the joint has the mass or the \
                 moments of inertia that its motion needs";
    Err(OutOfRange::clause(path, found, "masses and moments of inertia that resist every motion of the joints"))
}

/// Returns the mechanism in joint coordinates.
///
/// # Errors
/// Fails if constraints remain and a body has Euler parameters as coordinates.
pub(super) fn joint_space<X: Space>(scope: &Scope<'_>, compiled: &Compiled<X>) -> Result<JointSpace<X>, OutOfRange> {
    let relations: Vec<_> = compiled.joints.iter().map(|joint| joint.relations.clone()).collect();
    let candidate = |(joint, joined): (usize, &Option<Joined>)| {
        let Joined { ends, freedom, .. } = joined.as_ref()?;
        Some(Candidate { joint, markers: *ends, freedom: (*freedom)? })
    };
    let candidates: Vec<Candidate> = scope.joined.iter().enumerate().filter_map(candidate).collect();
    let space = JointSpace::new(&compiled.system, &compiled.initial, &candidates, &relations, &scope.couplings);
    let mut space = space.map_err(|refused| compiled.refusal(&compiled.initial[0], refused))?;
    space.is_only_form = !scope.couplings.is_empty() || !compiled.system.bodies.iter().all(X::is_regular);
    if space.is_only_form {
        check_masses(compiled, &space)?;
    }
    let found = "the joints leave no degree of freedom";
    OutOfRange::clause_if(space.tree.velocities == 0, "joints", found, "joints that leave at least one")?;
    let turning = space.tree.links.iter().find(|link| link.steps.contains(&Step::Ball));
    match turning {
        Some(link) if !space.is_tree() => {
            let (path, found) = match link.joint {
                Some(joint) => (&compiled.joints[joint].path, "the coordinates of the joint are Euler parameters"),
                None => (&scope.parts.bodies[link.body].path, "the coordinates of the free body are Euler parameters"),
            };
            let accepted = "joints with angles and distances as coordinates, if loops or other constraints remain, or \
                            `formulation: acceleration-level`";
            Err(OutOfRange::clause(path, found, accepted))
        }
        _ => Ok(space),
    }
}
