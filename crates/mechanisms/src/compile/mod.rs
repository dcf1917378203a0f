//! From names to numbers: a mechanism as a system with its initial state.

mod actions;
mod bodies;
mod joints;
mod start;
mod tree;

use std::collections::HashMap;

use mbsbench_problem::{Fault, Formulation, OutOfRange};
use nalgebra::Vector3;

pub(crate) use start::joint_of_row;

use crate::definition::{Mechanism, Motion, Rotations};
use crate::flat::Parts;
use crate::formula::{Formula, Tree, own_names};
use crate::joint_space::JointSpace;
use crate::placing::{Marker, Pose};
use crate::space::{Fixed, Inertia, Space};
use crate::system::{ForceLaw, Law, System, Variable};

/// What is seen of a body.
#[derive(Debug, Clone)]
pub struct BodySeen {
    /// Its name.
    pub name: String,
    /// What it looks like.
    pub shape: Option<crate::definition::Shape>,
    /// Middle and directions of the shape, from the centre of mass and in the directions of the body.
    pub middle: Marker,
    /// Its markers by name.
    pub markers: Vec<(String, Marker)>,
    /// Points at which joints hold it, m from the centre of mass; the one by which it hangs comes first.
    pub held: Vec<Vector3<f64>>,
}

/// What is seen of a joint.
#[derive(Debug, Clone)]
pub struct JointSeen {
    /// Its name.
    pub name: String,
    /// Its path in the file.
    pub path: String,
    /// Numbers of its relations.
    pub relations: std::ops::Range<usize>,
    /// Of a hinge in space: directions across its axis, `x` and `y` of the first marker and `x` of the second.
    pub hinge: Option<[Fixed; 3]>,
}

/// A mechanism ready to be solved.
#[derive(Debug, Clone)]
pub struct Compiled<X> {
    /// The equations.
    pub system: System<X>,
    /// The system with all rows of the joints as they are written, if the equations leave any out.
    pub as_written: Option<System<X>>,
    /// Initial coordinates and rates.
    pub initial: [Vec<f64>; 2],
    /// The bodies.
    pub bodies: Vec<BodySeen>,
    /// The joints.
    pub joints: Vec<JointSeen>,
    /// The same in joint coordinates, where these are asked for.
    pub joint_space: Option<JointSpace<X>>,
}

/// What names stand for.
struct Names<'p> {
    dimension: usize,
    parts: &'p Parts,
    constants: &'p Mechanism,
    body: HashMap<&'p str, usize>,
    joint: HashMap<&'p str, usize>,
    /// Markers of each body, and of the ground behind them, by name.
    markers: Vec<HashMap<&'p str, Marker>>,
}

/// The numbers of a vector, as many as there are dimensions, from formulas of constants.
fn vector(path: &str, names: &Names<'_>, values: &[Formula], count: usize) -> Result<Vector3<f64>, OutOfRange> {
    if values.len() != count {
        return Err(count_of(path, values.len(), count, "components"));
    }
    let mut vector = Vector3::zeros();
    for (k, value) in values.iter().enumerate() {
        vector[k] = names.number(&format!("{path}.{k}"), value)?;
    }
    Ok(vector)
}

/// The refusal of a list of another length.
fn count_of(path: impl Into<String>, found: usize, accepted: usize, what: &str) -> OutOfRange {
    let path = path.into();
    let (one, many) = (what.trim_end_matches('s'), what);
    let named = |count: usize| if count == 1 { format!("1 {one}") } else { format!("{count} {many}") };
    let clause = format!("`{path}` has {}", named(found));
    OutOfRange::clause(path, clause, named(accepted))
}

/// Fails if a constant has a name with which no formula can mean it.
fn constants_can_be_meant(mechanism: &Mechanism) -> Result<(), OutOfRange> {
    for name in mechanism.constants.keys() {
        let own: Vec<&str> = own_names().collect();
        let path = || format!("constants.{name}");
        if own.contains(&name.as_str()) {
            let accepted = format!("a name that formulas do not have by themselves; these are `{}`", own.join("`, `"));
            return Err(OutOfRange {
                field: path(),
                fault: Fault::Name(format!("a constant is called `{name}`")),
                accepted,
            });
        }
        let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_word || !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            let accepted = "a name of letters, digits and `_`, with a letter or `_` first";
            return Err(OutOfRange {
                field: path(),
                fault: Fault::Name(format!("a constant is called `{name}`")),
                accepted: accepted.into(),
            });
        }
    }
    Ok(())
}

impl<'p> Names<'p> {
    /// What a formula of nothing but constants is.
    fn number(&self, path: &str, formula: &Formula) -> Result<f64, OutOfRange> {
        let tree = self.read(path, formula, "numbers and names of `constants`", &mut |_| None::<Tree<()>>)?;
        let number = tree.evaluate(&mut |()| f64::NAN);
        if number.is_finite() {
            Ok(number)
        } else {
            Err(OutOfRange::clause(path, format!("`{formula}` is {number}"), "a finite number"))
        }
    }

    /// A formula of time and constants.
    fn law(&self, path: &str, formula: &Formula) -> Result<Law, OutOfRange> {
        self.read(path, formula, "`t`, numbers and names of `constants`", &mut |name| {
            (name == "t").then_some(Tree::Variable(()))
        })
    }

    /// A formula of a force.
    fn force(&self, path: &str, formula: &Formula, between: [&str; 2]) -> Result<ForceLaw, OutOfRange> {
        let known = format!(
            "`t`, {}names of `constants`, and of a body or a marker `.x`, `.y`, …, `.vx`, …, of a body {}",
            if between[0].is_empty() { String::new() } else { format!("`{}`, `{}`, ", between[0], between[1]) },
            if self.dimension == 2 { "`.angle` and `.rate`" } else { "`.wx`, `.wy` and `.wz`" },
        );
        self.read(path, formula, &known, &mut |name| self.variable(name, between).map(Tree::Variable))
    }

    fn read<V>(
        &self,
        path: &str,
        formula: &Formula,
        known: &str,
        meaning: &mut impl FnMut(&str) -> Option<Tree<V>>,
    ) -> Result<Tree<V>, OutOfRange> {
        let resolved = formula.read().and_then(|tree| {
            tree.resolve(&mut |name| {
                meaning(name).or_else(|| self.constants.constants.get(name).map(|x| Tree::Number(*x)))
            })
        });
        resolved.map_err(|error| {
            OutOfRange::clause(path, format!("`{formula:.80}` {error}"), format!("a formula of {known}"))
        })
    }

    fn variable(&self, name: &str, between: [&str; 2]) -> Option<Variable> {
        if name == "t" {
            return Some(Variable::Time);
        }
        if let Some(k) = between.iter().position(|known| *known == name) {
            return Some([Variable::Between, Variable::BetweenRate][k]);
        }
        let (of, what) = name.rsplit_once('.')?;
        let component = |names: [&str; 3]| names[..self.dimension].iter().position(|known| *known == what);
        let marker = self.marker(of)?;
        if let Some(k) = component(["x", "y", "z"]) {
            return Some(Variable::Place(marker.point(), k));
        }
        if let Some(k) = component(["vx", "vy", "vz"]) {
            return Some(Variable::Velocity(marker.point(), k));
        }
        let body = marker.body?;
        match (self.dimension, what) {
            (2, "angle") => Some(Variable::Angle(body)),
            (2, "rate") => Some(Variable::Spin(body, 2)),
            (3, _) => component(["wx", "wy", "wz"]).map(|k| Variable::Spin(body, k)),
            _ => None,
        }
    }

    /// A marker: `crank.tip`, `crank`, `ground.A`, `ground`.
    fn marker(&self, name: &str) -> Option<Marker> {
        let (body, marker) = name.split_once('.').unwrap_or((name, ""));
        let number = if body == "ground" { self.markers.len() - 1 } else { *self.body.get(body)? };
        self.markers[number].get(marker).copied()
    }

    /// The same, or what there would be.
    fn find(&self, path: &str, name: &str) -> Result<Marker, OutOfRange> {
        self.marker(name).ok_or_else(|| {
            let body = name.split_once('.').map_or(name, |(body, _)| body);
            let number = if body == "ground" { Some(self.markers.len() - 1) } else { self.body.get(body).copied() };
            let accepted = match number {
                Some(number) => {
                    let mut own: Vec<&str> = self.markers[number].keys().copied().collect();
                    own.sort_unstable();
                    let named = |marker: &&str| {
                        if marker.is_empty() { format!("`{body}`") } else { format!("`{body}.{marker}`") }
                    };
                    let own: Vec<String> = own.iter().take(12).map(named).collect();
                    format!("a marker of `{body}`: {}", own.join(", "))
                }
                None => {
                    let bodies: Vec<String> =
                        self.parts.bodies.iter().take(12).map(|body| format!("`{}`", body.name)).collect();
                    format!("a marker `body.marker` of `ground` or a body: {}", bodies.join(", "))
                }
            };
            let all = self.parts.bodies.iter().map(|body| &*body.name).chain(["ground"]).zip(&self.markers);
            let all = all.flat_map(|(body, own)| {
                own.keys().map(move |name| if name.is_empty() { body.to_owned() } else { format!("{body}.{name}") })
            });
            let fault = Fault::Unknown { kind: "marker", name: name.to_owned(), known: all.collect() };
            OutOfRange { field: path.to_owned(), fault, accepted }
        })
    }

    /// Both markers of a joint or force, which are on two bodies.
    fn pair(&self, path: &str, between: &[crate::definition::At; 2]) -> Result<[Marker; 2], OutOfRange> {
        let [a, b] = [0, 1].map(|k| self.find(&format!("{path}.between.{k}"), &between[k].0));
        let (a, b) = (a?, b?);
        if a.body == b.body {
            let owner = a.body.map_or("the ground".to_owned(), |body| format!("`{}`", self.parts.bodies[body].name));
            return Err(OutOfRange::clause(
                format!("{path}.between"),
                format!("`{path}.between` has two markers of {owner}"),
                "markers of two bodies, or of a body and the ground",
            ));
        }
        Ok([a, b])
    }
}

/// A mechanism with what joints leave out found and the initial state assembled.
///
/// # Errors
/// The first thing that makes no sense, with its path.
pub fn compile<X: Space>(mechanism: &Mechanism) -> Result<Compiled<X>, OutOfRange> {
    debug_assert_eq!(X::DIMENSION, if mechanism.motion == Motion::Planar { 2 } else { 3 });
    constants_can_be_meant(mechanism)?;
    let parts = Parts::of(mechanism)?;
    if parts.bodies.is_empty() {
        return Err(OutOfRange::clause("bodies", "the mechanism has no bodies", "one body or more"));
    }
    let mut gravity = [0.0; 3];
    if !mechanism.gravity.is_empty() {
        if mechanism.gravity.len() != X::DIMENSION {
            let accepted = if X::DIMENSION == 2 {
                "`[0, -9.81]`, or `motion: spatial`, in which it has 3"
            } else {
                "`[0, 0, -9.81]`, or `motion: planar`, in which it has 2"
            };
            let found = format!("`gravity` has {} components", mechanism.gravity.len());
            return Err(OutOfRange::clause("gravity", found, accepted));
        }
        gravity[..X::DIMENSION].copy_from_slice(&mechanism.gravity);
    }
    let mut names = Names {
        dimension: X::DIMENSION,
        parts: &parts,
        constants: mechanism,
        body: parts.bodies.iter().enumerate().map(|(k, body)| (&*body.name, k)).collect(),
        joint: parts.joints.iter().enumerate().map(|(k, joint)| (&*joint.name, k)).collect(),
        markers: Vec::new(),
    };
    names.markers = bodies::markers(&names)?;
    let inertias: Vec<Inertia> =
        parts.bodies.iter().map(|body| bodies::inertia::<X>(&names, body)).collect::<Result<_, _>>()?;
    let poses = bodies::place(&names)?;
    let mut initial = [Vec::new(), Vec::new()];
    for pose in &poses {
        let (frame, twist) = pose.parts();
        let q = X::coordinates(&frame, pose.angle);
        let mut rates = vec![0.0; X::COORDINATES];
        X::write_rates(&q, &X::join(&twist.velocity, &twist.spin), &mut rates);
        initial[0].extend(q);
        initial[1].extend(rates);
    }
    let mut system = System::<X> { bodies: inertias, gravity, ..System::default() };
    let joints = joints::add(&names, &poses, &mut system)?;
    system.actions = actions::of(&names, &poses)?;
    let bodies = bodies::seen(&names)?;
    let mut compiled = Compiled { system, as_written: None, initial, bodies, joints, joint_space: None };
    start::assemble(&mut compiled, mechanism, &parts)?;
    if !compiled.system.redundant.is_empty() {
        compiled.as_written = Some(System { redundant: Vec::new(), ..compiled.system.clone() });
    }
    if matches!(mechanism.formulation, Formulation::Minimal) {
        compiled.joint_space = Some(tree::joint_space(&names, &compiled)?);
    }
    if mechanism.rotations == Rotations::Group {
        if !matches!(mechanism.formulation, Formulation::AccelerationLevel) {
            let accepted = "`vectors`, or `formulation: acceleration-level`";
            return Err(OutOfRange::clause(
                "rotations",
                "`rotations: group` is given with another formulation",
                accepted,
            ));
        }
        compiled.joint_space = Some(JointSpace::of_bodies(&compiled.system, &compiled.initial));
    }
    Ok(compiled)
}

fn named_markers(names: &Names<'_>, number: usize) -> Vec<(String, Marker)> {
    let mut markers: Vec<(String, Marker)> =
        names.markers[number].iter().map(|(name, marker)| ((*name).to_owned(), *marker)).collect();
    markers.sort_by(|a, b| a.0.cmp(&b.0));
    markers
}

/// Directions of a marker as fixed ones.
fn directions(marker: &Marker) -> [Fixed; 3] {
    [Vector3::x(), Vector3::y(), Vector3::z()].map(|direction| marker.direction(&direction))
}

/// Where a marker is.
fn pose(poses: &[Pose], marker: &Marker) -> Pose {
    marker.body.map_or_else(Pose::ground, |body| poses[body]).of_marker(marker)
}
