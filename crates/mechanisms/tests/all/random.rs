//! Random mechanisms: trees and loops, flat and folded starts, half turns, redundant constraints, in the plane and
//! in space.

use crate::common;

use std::f64::consts::PI;

use mbsbench_integrators::Dopri5;
use mbsbench_mechanisms::Mechanism;
use mbsbench_problem::linalg::Saddle;
use mbsbench_problem::{Formulated, MethodDefinition, Model, ModelDefinition, Parameters, Settings, Terms};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Map, Value, json};

/// The attachment of a body.
#[derive(Debug, Clone)]
struct Link {
    /// The parent: one of the bodies before, or the ground.
    parent: usize,
    kind: usize,
    length: f64,
    mass: f64,
    angle: f64,
    rate: f64,
    /// Direction of the axis in space.
    axis: [f64; 3],
    /// Kind of force: a spring to the ground, a damper, a formula, or none.
    force: usize,
    /// Rotation of the body's first marker: none, or a half turn about one of four axes.
    turn: usize,
}

fn link() -> impl Strategy<Value = Link> {
    // flat and folded as often as any other way
    let angle = prop_oneof![4 => -1.2..1.2f64, 2 => Just(0.0), 1 => Just(PI), 1 => Just(-PI), 1 => Just(0.5 * PI)];
    let numbers = (0.2..1.5f64, 0.1..5.0f64, angle, -2.0..2.0f64);
    let axis = [-1.0..1.0f64, -1.0..1.0f64, 0.3..1.0f64];
    (any::<[usize; 4]>(), numbers, axis).prop_map(|([parent, kind, force, turn], numbers, axis)| {
        let (length, mass, angle, rate) = numbers;
        Link { parent, kind, length, mass, angle, rate, axis, force, turn }
    })
}

/// The angle of a half turn in the plane, or its rotation vector in space, about an axis of the body or another one.
fn half_turn(is_spatial: bool, turn: usize) -> (&'static str, Value) {
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.6, 0.0, 0.8]];
    if is_spatial { ("rotation", json!(axes[turn % 4].map(|x| PI * x))) } else { ("angle", json!(PI)) }
}

/// A tree of links, with a loop that is closed by a massless rod (a distance), or by a repeated joint.
fn written(is_spatial: bool, links: &[Link], closing: usize) -> Value {
    let (mut bodies, mut joints, mut forces) = (Map::new(), Map::new(), Map::new());
    let point = |x: f64| if is_spatial { json!([x, 0, 0]) } else { json!([x, 0]) };
    let of = |parent: usize| if parent == 0 { "ground".to_owned() } else { format!("body{parent}.end") };
    for (k, link) in links.iter().enumerate() {
        let number = k + 1;
        let parent = link.parent % number;
        let shape = json!({ "rod": { "length": link.length, "radius": 0.1 * link.length } });
        let mut markers = json!({ "start": point(-0.5 * link.length), "end": point(0.5 * link.length) });
        if link.turn % 8 < 4 {
            let (key, value) = half_turn(is_spatial, link.turn);
            markers["start"] = json!({ "at": markers["start"], key: value });
        }
        bodies.insert(format!("body{number}"), json!({ "mass": link.mass, "shape": shape, "markers": markers }));
        let between = [of(parent), format!("body{number}.start")];
        let joint = match (is_spatial, link.kind % if is_spatial { 5 } else { 3 }) {
            (false, 0 | 1) => json!({ "revolute": { "between": between, "angle": link.angle, "rate": link.rate } }),
            (false, _) => {
                let axis = &link.axis[..2];
                json!({ "prismatic": {
                    "between": between, "axis": axis, "distance": link.angle, "speed": link.rate,
                } })
            }
            (true, 0) => {
                json!({ "revolute": { "between": between, "axis": link.axis, "angle": link.angle, "rate": link.rate } })
            }
            (true, 1) => {
                json!({ "prismatic": {
                    "between": between, "axis": link.axis, "distance": link.angle, "speed": link.rate,
                } })
            }
            (true, 2) => json!({ "spherical": { "between": between } }),
            (true, 3) => json!({ "universal": { "between": between } }),
            (true, _) => {
                json!({ "cylindrical": {
                    "between": between, "axis": link.axis, "angle": link.angle, "distance": 0.3,
                } })
            }
        };
        joints.insert(format!("joint{number}"), joint);
        let end = format!("body{number}.end");
        let far = "ground.far";
        let force = match link.force % 6 {
            0 => json!({ "spring": { "between": [far, end], "stiffness": 50.0, "damping": 2.0 } }),
            1 => {
                let law = if is_spatial { json!(["3*sin(2*t)", 0, 1]) } else { json!(["3*sin(2*t)", 1]) };
                json!({ "force": { "on": end, "force": law } })
            }
            2 => {
                json!({ "motor": { "between": [of(parent), format!("body{number}.start")], "torque": "1 - 0.5*rate" } })
            }
            3 => json!({ "bushing": {
                "between": [far, end],
                "stiffness": if is_spatial { json!([10, 20, 30, 1, 2, 3]) } else { json!([10, 20, 3]) },
                "damping": if is_spatial { json!([1, 2, 3, 0.1, 0.2, 0.3]) } else { json!([1, 2, 0.3]) },
            } }),
            4 => json!({ "plane-contact": {
                "between": ["ground.below", end], "radius": 0.05,
                "touch": { "stiffness": 1e3, "exponent": 1.5, "damping": 0.1, "friction": 0.3 },
            } }),
            _ => json!({ "actuator": { "between": [far, end], "force": "10 - 3*speed + 2*length^2" } }),
        };
        // motors have an axis only in space
        if !(force.get("motor").is_some() && is_spatial) {
            forces.insert(format!("force{number}"), force);
        }
    }
    let last = format!("body{}.end", links.len());
    let mut ground = if is_spatial {
        json!({ "far": [3.1, -2.3, 1.7], "below": [0, 0, -0.4] })
    } else {
        json!({ "far": [3.1, -2.3], "below": [0, -0.4] })
    };
    match closing % 5 {
        0 => {
            joints.insert("closing".to_owned(), json!({ "distance": { "between": ["ground.far", last] } }));
        }
        1 => {
            // repeated: as many constraints become redundant
            let first = joints["joint1"].clone();
            joints.insert("again".to_owned(), without_start(first));
        }
        // a chain that is straight or folded cannot move along its direction
        3 => {
            joints.insert("closing".to_owned(), json!({ "distance": { "between": ["ground", last] } }));
        }
        // a parallelogram with the first link, which is flat if the link is
        4 if !is_spatial && joints["joint1"].get("revolute").is_some() => {
            let Link { length, angle, rate, .. } = links[0];
            ground["foot"] = json!([2, 0]);
            let mut rocker = bodies["body1"].clone();
            rocker["markers"]["start"] = point(-0.5 * length);
            let angle = angle - if links[0].turn % 8 < 4 { PI } else { 0.0 };
            let markers = json!({ "start": [-1, 0], "end": [1, 0] });
            let shape = json!({ "rod": { "length": 2 } });
            bodies.insert("rocker".to_owned(), rocker);
            bodies.insert("coupler".to_owned(), json!({ "mass": 1, "shape": shape, "markers": markers }));
            let pin = |a: &str, b: &str, angle: f64, rate: f64| {
                let between = [a, b];
                json!({ "revolute": { "between": between, "angle": angle, "rate": rate } })
            };
            joints.insert("foot".to_owned(), pin("ground.foot", "rocker.start", angle, rate));
            joints.insert("lift".to_owned(), pin("body1.end", "coupler.start", -angle, -rate));
            let head = json!({ "revolute": { "between": ["coupler.end", "rocker.end"] } });
            joints.insert("head".to_owned(), head);
        }
        _ if joints["joint1"].get("revolute").is_some() => {
            let between = joints["joint1"]["revolute"]["between"].clone();
            let (angle, rate) = (links[0].angle, links[0].rate);
            let mut drive = json!({ "between": between, "law": format!("{angle} + {rate}*t + t^2") });
            if is_spatial {
                drive["axis"] = json!(links[0].axis);
            }
            joints.insert("drive".to_owned(), json!({ "rotation": drive }));
        }
        _ => {}
    }
    json!({
        "motion": if is_spatial { "spatial" } else { "planar" },
        "gravity": if is_spatial { json!([0, 0, -9.81]) } else { json!([0, -9.81]) },
        "ground": ground, "bodies": bodies, "joints": joints, "forces": forces,
    })
}

/// A joint that places no body.
fn without_start(mut joint: Value) -> Value {
    for parameters in joint.as_object_mut().expect("a joint").values_mut() {
        let parameters = parameters.as_object_mut().expect("parameters");
        ["angle", "rate", "distance", "speed"].iter().for_each(|key| drop(parameters.shift_remove(*key)));
    }
    joint
}

/// Energy as a function of time along the motion, by a difference accurate to `h⁴`.
fn energy_rate(model: &dyn Model, state: &[f64], rates: &[f64]) -> (f64, f64) {
    let h = 1e-4;
    let mut ode = model.ode();
    // two stages of the motion by a second-order Taylor formula, with the second derivative by a
    // difference of the rates
    let at = |by: f64| -> Vec<f64> { state.iter().zip(rates).map(|(y, rate)| y + by * rate).collect() };
    let (mut ahead, mut behind) = (vec![0.0; state.len()], vec![0.0; state.len()]);
    ode.rhs(h, &at(h), &mut ahead).expect("regular");
    ode.rhs(-h, &at(-h), &mut behind).expect("regular");
    let second: Vec<f64> = ahead.iter().zip(&behind).map(|(a, b)| (a - b) / (2.0 * h)).collect();
    let moved = |by: f64| -> f64 {
        let y: Vec<f64> = (0..state.len()).map(|i| state[i] + by * rates[i] + 0.5 * by * by * second[i]).collect();
        common::observed(model, by, &y, &["energy"])[0]
    };
    let slope = |h: f64| (moved(h) - moved(-h)) / (2.0 * h);
    let (fine, coarse) = (slope(0.5 * h), slope(h));
    ((4.0 * fine - coarse) / 3.0, (fine - coarse).abs())
}

fn holds(mechanism: &Mechanism) -> Result<(), TestCaseError> {
    let model = mechanism.model();
    let state: Vec<f64> = Formulated::<f64>::initial_state(&*model);
    let values = common::observed(&*model, 0.0, &state, &["constraint", "velocity_constraint", "power", "energy"]);
    prop_assert!(values[0] < 1e-9 && values[1] < 1e-8, "constraints {values:?}");
    let mut rates = vec![0.0; state.len()];
    let mut ode = Formulated::<f64>::ode(&*model);
    prop_assert!(ode.rhs(0.0, &state, &mut rates).is_ok(), "no accelerations");
    // accelerations with every constraint, including those left out: M a = D + Jᵀ λ, J a + bias = 0
    let (rate, spread) = energy_rate(&*model, &state, &rates);
    let size = 1.0 + values[3].abs() + values[2].abs();
    prop_assert!(
        (rate - values[2]).abs() < 1e-5 * size + 10.0 * spread,
        "power {} and {rate}, energy {}",
        values[2],
        values[3]
    );
    let Ok(mechanics) = ode.form().mechanics() else { return Ok(()) };
    let n = state.len() / 2;
    let (q, v) = state.split_at(n);
    let constraints = mechanics.dimensions().constraints();
    let mut jacobian = DMatrix::zeros(constraints, n);
    mechanics.constraint_jacobian(0.0, q, v, &mut jacobian);
    let singular = jacobian.singular_values();
    let (least, most) = singular.iter().fold((f64::INFINITY, 0.0f64), |(l, m), &s| (l.min(s), m.max(s)));
    prop_assert!(constraints == 0 || least > 1e-8 * most, "rows depend on each other: {least:e} of {most:e}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 250, failure_persistence: None, rng_seed: RngSeed::Fixed(48), ..ProptestConfig::default()
    })]

    #[test]
    fn in_the_plane(links in prop::collection::vec(link(), 1..8), closing in any::<usize>()) {
        check(false, &links, closing)?;
    }

    #[test]
    fn solves_of_many_bodies_are_backward_stable(
        links in prop::collection::vec(link(), 2..30),
        closing in any::<usize>(),
    ) {
        let mechanism: Mechanism = serde_json::from_value(written(false, &links, closing)).expect("a mechanism");
        match mechanism.check() {
            Ok(()) => solves_backward_stable(&mechanism)?,
            Err(error) => prop_assert!(error.to_string().contains("initial position only"), "{error}"),
        }
    }

    #[test]
    fn in_space(links in prop::collection::vec(link(), 1..7), closing in any::<usize>()) {
        check(true, &links, closing)?;
    }
}

fn check(is_spatial: bool, links: &[Link], closing: usize) -> Result<(), TestCaseError> {
    let mut written = written(is_spatial, links, closing);
    let mechanism: Mechanism = serde_json::from_value(written.clone()).expect("a mechanism");
    written["formulation"] = json!("minimal");
    let minimal: Mechanism = serde_json::from_value(written).expect("a mechanism");
    let [first, second] = [&mechanism, &minimal].map(|mechanism| mechanism.check().map_err(|error| error.to_string()));
    // spherical joints have Euler parameters, with which no constraint may remain
    let has_ball = is_spatial && links.iter().any(|link| link.kind % 5 == 2);
    let is_singular = |error: &str| error.contains("redundant in the initial position only");
    match (first, second) {
        (Ok(()), Ok(())) => {
            holds(&mechanism)?;
            solves_backward_stable(&mechanism)?;
            moves_alike(&mechanism, &minimal)
        }
        (Ok(()), Err(error)) if has_ball && error.contains("Euler") => {
            holds(&mechanism)?;
            solves_backward_stable(&mechanism)
        }
        (Err(first), Err(second)) if is_singular(&first) && (is_singular(&second) || has_ball) => Ok(()),
        refused => Err(TestCaseError::fail(format!("{refused:?}"))),
    }
}

/// Positions, velocities and accelerations of all markers are the same in absolute and in joint coordinates, and
/// so is the power; positions also after 0.05 s, with all joints closed.
fn moves_alike(absolute: &Mechanism, minimal: &Mechanism) -> Result<(), TestCaseError> {
    let [absolute, minimal] = [absolute, minimal].map(ModelDefinition::model);
    let of = |observable: mbsbench_problem::Observable| observable.name;
    let markers: Vec<String> =
        absolute.observables().into_iter().map(of).filter(|name| name.contains("_end_") || name == "power").collect();
    let mut names: Vec<&str> = markers.iter().map(String::as_str).collect();
    let [a, b] = [&absolute, &minimal].map(|model| {
        let state: Vec<f64> = Formulated::<f64>::initial_state(&**model);
        common::observed(&**model, 0.0, &state, &names)
    });
    let size = a.iter().fold(1.0f64, |size, x| size.max(x.abs()));
    for ((name, a), b) in names.iter().zip(&a).zip(&b) {
        // nearly dependent constraints lose digits accordingly
        prop_assert!((a - b).abs() < 1e-7 * size, "{name}: {a} and {b}, of {size}");
    }
    names.retain(|name| ["_end_x", "_end_y", "_end_z"].iter().any(|end| name.ends_with(end)));
    names.extend(["opening", "angular_opening"]);
    let [a, b] = [&absolute, &minimal].map(|model| {
        let settings = Settings::tolerance(1e-10, 1e-10);
        let state = common::states(&**model, &*Dopri5::default().method(), &[0.05], settings).remove(0);
        common::observed(&**model, 0.05, &state, &names)
    });
    for ((name, a), b) in names.iter().zip(&a).zip(&b) {
        prop_assert!((a - b).abs() < 1e-6, "{name} later: {a} and {b}");
        prop_assert!(!name.contains("opening") || a.max(*b) < 1e-6, "{name}: {a} and {b}");
    }
    Ok(())
}

/// Checks `‖A x − b‖ ≤ 1e-13 (‖A‖ ‖x‖ + ‖b‖)` for the matrix of masses and constraints, stored dense and sparse.
fn solves_backward_stable(mechanism: &Mechanism) -> Result<(), TestCaseError> {
    let model = mechanism.model();
    let state: Vec<f64> = Formulated::<f64>::initial_state(&*model);
    let mut ode = Formulated::<f64>::ode(&*model);
    let Ok(mechanics) = ode.form().mechanics() else { return Ok(()) };
    let structure = mechanics.structure();
    let (q, v) = state.split_at(state.len() / 2);
    for is_sparse in [false, true] {
        let (mut terms, mut system) =
            (Terms::of(&structure, is_sparse), Saddle::new(&structure.dynamics, &structure.jacobian, is_sparse));
        mechanics.terms(0.0, q, v, &mut terms);
        system.put([1.0, 0.0, 0.0].map(|factor| (factor, &terms.mass)), 1.0, &terms.jacobian);
        let matrix = system.to_dense();
        prop_assert!(system.factorize().is_ok(), "singular, sparse: {is_sparse}");
        let right: DVector<f64> = DVector::from_fn(matrix.nrows(), |i, _| (1.0 + i as f64).sin());
        let mut x = right.clone();
        system.solve(x.as_mut_slice());
        let left = (&matrix * &x - &right).amax();
        let norm = matrix.row_iter().map(|row| row.iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max);
        let scale = norm * x.amax() + right.amax();
        prop_assert!(left <= 1e-13 * scale, "sparse: {is_sparse}, {left:e} of {scale:e}");
    }
    Ok(())
}
