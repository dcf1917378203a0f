//! The state of a compilation: meanings of names, joints that were read, bodies that were placed.

use std::collections::HashMap;

use mbsbench_problem::parameters::spelling;
use mbsbench_problem::{Fault, Formulation, OutOfRange};
use nalgebra::Vector3;

use super::joints::Joined;
use crate::definition::{ABOUT, At, Mechanism, Named};
use crate::expand::Parts;
use crate::formula::{Formula, Tree, own_names};
use crate::joint_space::Coupling;
use crate::placement::{Marker, Pose, unit};
use crate::system::{ForceLaw, Law, Variable};

/// Everything known so far about a mechanism that is being compiled.
pub(super) struct Scope<'p> {
    pub(super) dimension: usize,
    pub(super) parts: &'p Parts,
    pub(super) constants: &'p Named<f64>,
    pub(super) body: HashMap<&'p str, usize>,
    pub(super) joint: HashMap<&'p str, usize>,
    /// Markers of each body by name, and last those of the ground.
    pub(super) markers: Vec<HashMap<&'p str, Marker>>,
    /// The joints between two markers, in the order of the file; `None` for a gear and a rolling disk.
    pub(super) joined: Vec<Option<Joined>>,
    /// The gears in space.
    pub(super) couplings: Vec<Coupling>,
    /// Initial poses of the bodies.
    pub(super) poses: Vec<Pose>,
    /// The joint that places each body, if one does.
    pub(super) placed_by: Vec<Option<usize>>,
    pub(super) formulation: &'p Formulation,
}

/// Fails unless a list has the accepted length.
pub(super) fn check_count(path: &str, found: usize, accepted: usize, what: &str) -> Result<(), OutOfRange> {
    if found == accepted {
        return Ok(());
    }
    Err(OutOfRange::clause(path, format!("`{path}` has {}", counted(found, what)), counted(accepted, what)))
}

/// A count with its noun: `1 number`, `3 numbers`.
pub(super) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {}", what.trim_end_matches('s')) } else { format!("{count} {what}") }
}

/// Fails if a constant has a name that formulas already use for something else.
pub(super) fn constants_can_be_meant(mechanism: &Mechanism) -> Result<(), OutOfRange> {
    let own: Vec<String> = own_names().collect();
    for name in mechanism.constants.keys() {
        let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let accepted = if own.contains(name) {
            format!("a name other than those built into formulas: `{}`", own.join("`, `"))
        } else if !is_word || !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            "a name of letters, digits and `_`, with a letter or `_` first".to_owned()
        } else {
            continue;
        };
        let fault = Fault::Name(format!("a constant is called `{name}`"));
        return Err(OutOfRange { field: format!("constants.{name}"), fault, accepted });
    }
    Ok(())
}

impl<'p> Scope<'p> {
    /// Returns a scope with the names of a mechanism's parts, without markers.
    pub(super) fn new(dimension: usize, parts: &'p Parts, mechanism: &'p Mechanism) -> Self {
        let body = parts.bodies.iter().enumerate().map(|(k, body)| (&*body.name, k)).collect();
        let joint = parts.joints.iter().enumerate().map(|(k, joint)| (&*joint.name, k)).collect();
        let (markers, joined, couplings, poses, placed_by) = Default::default();
        let Mechanism { constants, formulation, .. } = mechanism;
        Self { dimension, parts, constants, body, joint, markers, joined, couplings, poses, placed_by, formulation }
    }

    /// The value of a formula that contains only constants.
    pub(super) fn number(&self, path: &str, formula: &Formula) -> Result<f64, OutOfRange> {
        let tree = self.read(path, formula, "numbers and names of `constants`", &mut |_| None::<Tree<()>>)?;
        let number = tree.evaluate(&mut |()| f64::NAN);
        if number.is_finite() {
            Ok(number)
        } else {
            Err(OutOfRange::clause(path, format!("`{formula}` is {number}"), "a finite number"))
        }
    }

    /// The vector with components from formulas of constants.
    pub(super) fn vector(&self, path: &str, values: &[Formula], count: usize) -> Result<Vector3<f64>, OutOfRange> {
        check_count(path, values.len(), count, "components")?;
        let mut vector = Vector3::zeros();
        for (k, value) in values.iter().enumerate() {
            vector[k] = self.number(&format!("{path}.{k}"), value)?;
        }
        Ok(vector)
    }

    /// A rotation or angular velocity: one number in the plane, three in space, in parameters with different names.
    pub(super) fn turn(
        &self,
        path: &str,
        [in_plane, in_space]: [&str; 2],
        angle: Option<&Formula>,
        vector: Option<&[Formula]>,
    ) -> Result<Option<Vector3<f64>>, OutOfRange> {
        let refused = |own: &str, motion: &str, other: &str| {
            let found = format!("`{own}` is for motion in {motion}");
            Err(OutOfRange::clause(format!("{path}.{own}"), found, format!("`{other}`")))
        };
        match (self.dimension, angle, vector) {
            (2, _, Some(_)) => refused(in_space, "space", in_plane),
            (3, Some(_), _) => refused(in_plane, "the plane", in_space),
            (_, Some(angle), _) => Ok(Some(Vector3::z() * self.number(&format!("{path}.{in_plane}"), angle)?)),
            (_, _, Some(vector)) => self.vector(&format!("{path}.{in_space}"), vector, 3).map(Some),
            _ => Ok(None),
        }
    }

    /// A formula of time and constants.
    pub(super) fn law(&self, path: &str, formula: &Formula) -> Result<Law, OutOfRange> {
        self.read(path, formula, "`t`, numbers and names of `constants`", &mut |name| {
            (name == "t").then_some(Tree::Variable(()))
        })
    }

    /// A formula of a force, in time, constants, coordinates and rates.
    pub(super) fn force(&self, path: &str, formula: &Formula, between: [&str; 2]) -> Result<ForceLaw, OutOfRange> {
        let known = format!(
            "`t`, {}names of `constants`, `.x`, `.y`, …, `.vx`, … of a body or a marker, and {} of a body",
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
            tree.resolve(&mut |name| meaning(name).or_else(|| self.constants.get(name).map(|x| Tree::Number(*x))))
        });
        resolved.map_err(|error| {
            let own: Vec<String> = self.constants.keys().take(12).map(|name| format!("`{name}`")).collect();
            let own = if own.is_empty() { String::new() } else { format!("; constants: {}", own.join(", ")) };
            OutOfRange::clause(path, format!("`{formula:.80}` {error}"), format!("a formula of {known}{own}"))
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

    /// Returns a marker by its name: `crank.tip`, `crank`, `ground.A`, `ground`.
    fn marker(&self, name: &str) -> Option<Marker> {
        let (body, marker) = name.split_once('.').unwrap_or((name, ""));
        self.markers[self.owner(body)?].get(marker).copied()
    }

    /// The index of a body, or of the ground, in `markers`.
    fn owner(&self, body: &str) -> Option<usize> {
        if body == "ground" { Some(self.markers.len() - 1) } else { self.body.get(body).copied() }
    }

    /// Returns a marker by its name, or an error that lists the existing names.
    pub(super) fn find(&self, path: &str, name: &str) -> Result<Marker, OutOfRange> {
        self.marker(name).ok_or_else(|| {
            let body = name.split_once('.').map_or(name, |(body, _)| body);
            let number = self.owner(body);
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

    /// Both markers of a joint or force, which must be on two different bodies.
    pub(super) fn pair(&self, path: &str, between: &[At; 2]) -> Result<[Marker; 2], OutOfRange> {
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

    /// An axis given in the axes of a marker.
    pub(super) fn axis(&self, path: &str, given: &[f64], default: [f64; 3]) -> Result<Vector3<f64>, OutOfRange> {
        let path = format!("{path}.axis");
        let is_needed = self.dimension == 3 || default != ABOUT || given.is_empty();
        let accepted = "no `axis`, since all rotations in the plane have the same one";
        OutOfRange::unless(is_needed, &path, format!("{given:?}"), accepted)?;
        unit(&path, given, self.dimension, default)
    }

    /// Returns the revolute joint with a name.
    pub(super) fn hinge(&self, path: &str, joint: &str) -> Result<&Joined, OutOfRange> {
        let number = self.joint_of_kind(path, joint, &["revolute"])?;
        Ok(self.joined[number].as_ref().expect("a hinge connects markers"))
    }

    /// Returns the number of the joint with a name, which must be of one of the accepted kinds.
    pub(super) fn joint_of_kind(&self, path: &str, joint: &str, kinds: &[&str]) -> Result<usize, OutOfRange> {
        let (parts, accepted) = (&self.parts.joints, format!("the name of a {} joint", kinds.join(" or ")));
        match self.joint.get(joint) {
            Some(&number) if kinds.contains(&&*spelling(&parts[number].what)) => Ok(number),
            Some(&number) => {
                let found = format!("`{joint}` is a `{}` joint", spelling(&parts[number].what));
                Err(OutOfRange::clause(path, found, accepted))
            }
            None => {
                let known = parts.iter().filter(|part| kinds.contains(&&*spelling(&part.what)));
                let known = known.map(|part| part.name.clone()).collect();
                let fault = Fault::Unknown { kind: "joint", name: joint.to_owned(), known };
                Err(OutOfRange { field: path.to_owned(), fault, accepted })
            }
        }
    }
}
