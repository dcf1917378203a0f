//! Compares forces, symmetries, energy and initial state of the ball bearing with theory, and the motion with values
//! of an independent implementation.

use std::f64::consts::TAU;
use std::ops::ControlFlow;

use approx::assert_relative_eq;
use mbsbench_integrators::Dop853;
use mbsbench_models::BallBearing;
use mbsbench_models::ball_bearing::{Bearing, CAGE, INNER, OUTER, Variant};
use mbsbench_problem::view::Shape;
use mbsbench_problem::{
    AsContactOde, ContactModel, Counted, Failure, Formulated, MethodDefinition, Model, ModelDefinition, Observer, Ode,
    Parameters, Settings, Step, StepControl, Task,
};
use nalgebra::{DMatrix, Rotation3, UnitQuaternion, Vector3};

const COORDINATES: usize = 7;
const VELOCITIES: usize = 6;

fn index(model: &dyn Model, name: &str) -> usize {
    let names = model.observables().into_iter().map(|observable| observable.name);
    names.into_iter().position(|n| n == name).unwrap_or_else(|| panic!("no {name}"))
}

fn observed(model: &dyn Model, y: &[f64]) -> Vec<f64> {
    let mut values = vec![f64::NAN; model.observables().len()];
    model.observation().observe(0.0, y, &mut values);
    values
}

/// A state away from the start, with closed and open pockets, tilted cage and rings: `(q ; v)`.
fn disturbed(parameters: &BallBearing) -> Vec<f64> {
    let bearing = Bearing::new(parameters);
    let mut y: Vec<f64> = parameters.model().initial_state();
    let coordinates = bearing.coordinates();
    let (q, v) = y.split_at_mut(coordinates);
    for (body, (q, v)) in q.chunks_exact_mut(COORDINATES).zip(v.chunks_exact_mut(VELOCITIES)).enumerate().skip(1) {
        let wave = |k: usize| (1.7 * body as f64 + 2.3 * k as f64).sin();
        for k in 0..3 {
            q[k] += 2e-6 * wave(k);
            v[k] += 0.3 * wave(k + 3);
            if body > 1 {
                v[3 + k] += 20.0 * wave(k + 6);
            }
        }
        let tilt = Vector3::new(5e-5 * wave(1), 5e-5 * wave(2), if body == 1 { 0.0 } else { 0.2 * wave(4) });
        let turn = if body == 2 { Vector3::new(3e-4, -6e-4, 1.2e-3) } else { tilt };
        let rotation = UnitQuaternion::new(turn);
        q[3..].copy_from_slice(&[rotation.w, rotation.i, rotation.j, rotation.k]);
    }
    y
}

#[test]
fn stiffnesses_match_hertz() {
    let law = |parameters: &BallBearing| {
        let bearing = Bearing::new(parameters);
        [bearing.inner.law.stiffness, bearing.outer.law.stiffness]
    };
    let calibrated = law(&BallBearing::default());
    assert_relative_eq!(calibrated[0], 1.065_385_48e10, max_relative = 5e-9);
    assert_relative_eq!(calibrated[1], 9.434_976_17e9, max_relative = 5e-9);
    let pure = law(&BallBearing { variant: Variant::PureHertz, ..BallBearing::default() });
    assert_relative_eq!(pure[0], 3.0696e10, max_relative = 0.5e-4 / 3.0696);
    assert_relative_eq!(pure[1], 2.7276e10, max_relative = 0.5e-4 / 2.7276);
}

#[test]
fn the_start_is_an_equilibrium_with_rolling_balls() {
    let bearing = Bearing::new(&BallBearing::default());
    assert_relative_eq!(bearing.ball_mass, 8.365_74e-3, max_relative = 1e-6);
    assert_relative_eq!(bearing.ball_inertia, 1.349_31e-7, max_relative = 4e-6);
    let start = bearing.equilibrium(500.0).unwrap();
    assert!((start.distance - 0.032_500_750_7).abs() < 0.51e-10, "{start:?}");
    assert!((start.ball - 8.027_92e-5).abs() < 0.51e-10);
    assert!((start.inner - 1.416_360_95e-4).abs() < 0.51e-12);
    assert!((start.outer_force - 225.46).abs() < 0.005);
    assert!((start.inner_force - 178.41).abs() < 0.005);
    let rolling = bearing.rolling(&start).unwrap();
    assert!((rolling.orbit - 426.872_553).abs() < 0.51e-6, "{rolling:?}");
    assert!((rolling.radial - 538.362_469).abs() < 0.51e-6);
    assert!((rolling.axial + 2_117.463_92).abs() < 0.51e-5);
}

/// Forces and contact angles of the untuned bearing under its load.
#[test]
fn the_other_bearing_has_its_own_equilibrium() {
    let bearing = Bearing::new(&BallBearing { variant: Variant::PureHertz, ..BallBearing::default() });
    assert_relative_eq!(bearing.ball_mass, 3.529_30e-3, max_relative = 2e-6);
    let start = bearing.equilibrium(1000.0).unwrap();
    let angle = |normal: [f64; 2]| (normal[1] / normal[0]).atan().to_degrees();
    assert!((start.outer_force - 395.0).abs() < 0.51, "{start:?}");
    assert!((start.inner_force - 381.0).abs() < 0.51);
    assert!((angle(start.outer_normal) - 16.3).abs() < 0.051, "{}", angle(start.outer_normal));
    assert!((angle(start.inner_normal) - 16.9).abs() < 0.051, "{}", angle(start.inner_normal));
}

#[test]
fn at_the_start_no_contact_has_power() {
    let model = BallBearing::default().model();
    let y: Vec<f64> = model.initial_state();
    let mut ode = Formulated::<f64>::ode(&*model);
    assert_eq!(y.len(), 156);
    let side = ode.form().contact_power().unwrap();
    assert_eq!((side.coordinates(), side.velocities(), side.bodies()), (84, 72, 12));
    let (mut accelerations, mut powers) = ([f64::NAN; 72], [f64::NAN; 12]);
    side.accelerations(0.0, &y[..84], &y[84..], &mut accelerations, &mut powers);
    // Forces of 200 N at 14 m/s, times the scale of 1e7, cancel to roundoff.
    for power in powers {
        assert!(power.abs() < 1e-8 * 200.0 * 14.0 * 1e7, "{power}");
    }
    // (1000 N − 500 N)/0.16 kg
    assert_relative_eq!(accelerations[6 + 2], 3125.0, max_relative = 1e-9);
    assert_eq!(accelerations[..6], [0.0; 6]);
    let values = observed(&*model, &y);
    assert_relative_eq!(values[index(&*model, "race_force")], 225.46, max_relative = 3e-5);
    assert_eq!(values[index(&*model, "pocket_force")], 0.0);
}

#[test]
fn contact_forces_and_torques_are_in_balance() {
    let parameters = BallBearing::default();
    let bearing = Bearing::new(&parameters);
    let y = disturbed(&parameters);
    let (q, v) = y.split_at(bearing.coordinates());
    let contacts = bearing.contacts(q, v);
    let of = |partner| contacts.iter().filter(|contact| contact.partner == partner).count();
    assert_eq!((of(OUTER), of(INNER)), (9, 9));
    assert!((1..9).contains(&of(CAGE)), "{}", of(CAGE));
    // From the accelerations: the rates of momenta equal the loads, and the two rings' torques come from the contacts.
    let mut accelerations = vec![0.0; v.len()];
    bearing.accelerations(0.0, q, v, &mut accelerations, &mut []);
    let at = |values: &[f64], k: usize| Vector3::new(values[k], values[k + 1], values[k + 2]);
    let mut force = Vector3::new(0.0, 0.0, -1000.0);
    let mut torque = Vector3::zeros();
    for contact in &contacts {
        let ball = at(q, COORDINATES * (3 + contact.ball));
        assert_relative_eq!(ball + contact.arm, at(q, COORDINATES * contact.partner) + contact.partner_arm);
        if contact.partner == OUTER {
            force -= contact.force;
        }
        if contact.partner != CAGE {
            torque -= (ball + contact.arm).cross(&contact.force);
        }
    }
    let masses = |body: usize| [0.0, bearing.inner_mass, bearing.cage_mass].get(body).copied();
    for body in 1..bearing.bodies() {
        let mass = masses(body).unwrap_or(bearing.ball_mass);
        let without_gravity = at(&accelerations, VELOCITIES * body) + Vector3::new(0.0, 9.81, 0.0);
        force += without_gravity * mass;
        if body > 2 {
            torque += at(q, COORDINATES * body).cross(&(without_gravity * mass));
            torque += at(&accelerations, VELOCITIES * body + 3) * bearing.ball_inertia;
        }
    }
    let cage = &q[2 * COORDINATES..][..COORDINATES];
    let axis = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(cage[3], cage[4], cage[5], cage[6]))
        * Vector3::z_axis();
    let inertia = nalgebra::Matrix3::identity() * bearing.cage_inertia[0]
        + axis.into_inner() * axis.transpose() * (bearing.cage_inertia[1] - bearing.cage_inertia[0]);
    let omega = at(v, 2 * VELOCITIES + 3);
    let of_cage = inertia * at(&accelerations, 2 * VELOCITIES + 3) + omega.cross(&(inertia * omega));
    let moved = at(q, 2 * COORDINATES)
        .cross(&((at(&accelerations, 2 * VELOCITIES) + Vector3::new(0.0, 9.81, 0.0)) * bearing.cage_mass));
    torque += of_cage + moved;
    assert!(force.norm() < 1e-9, "{force}");
    assert!(torque.norm() < 1e-11, "{torque}");
}

/// The contact power of all bodies equals the change of the energies by contacts.
#[test]
fn energy_changes_by_the_powers() {
    for variant in [Variant::Calibrated, Variant::PureHertz] {
        let parameters = BallBearing { variant, ..BallBearing::default() };
        let bearing = Bearing::new(&parameters);
        let y = disturbed(&parameters);
        let (q, v) = y.split_at(bearing.coordinates());
        let mut rate = vec![0.0; y.len()];
        AsContactOde(&bearing).rhs(0.0, &y, &mut rate).unwrap();
        let along: Vec<num_dual::Dual64> =
            y.iter().zip(&rate).map(|(&y, &rate)| num_dual::Dual64::new(y, rate)).collect();
        let energy = bearing.energy(&along[..q.len()], &along[q.len()..]).eps;
        let power = bearing.power(q, v);
        assert!(power.dissipated > 1.0, "{power:?}");
        assert_relative_eq!(energy, power.drive - power.dissipated, max_relative = 1e-9);
        let mut powers = vec![0.0; bearing.bodies()];
        bearing.accelerations(0.0, q, v, &mut rate[q.len()..], &mut powers);
        let loads = bearing.load_energy(&along[..q.len()]).eps;
        let kinetic = bearing.kinetic_energy(&along[..q.len()], &along[q.len()..]).eps;
        assert_relative_eq!(powers.iter().sum::<f64>() / bearing.power_scale, kinetic + loads, max_relative = 1e-9);
    }
}

/// Without gravity, rotating the bearing by the distance of two balls rotates the motion.
#[test]
fn the_equations_are_the_same_around_the_axis() {
    let parameters = BallBearing { gravity: 0.0, ..BallBearing::default() };
    let bearing = Bearing::new(&parameters);
    let y = disturbed(&parameters);
    let coordinates = bearing.coordinates();
    let rotation = Rotation3::from_axis_angle(&Vector3::z_axis(), TAU / 9.0);
    // The cage is rotated back by the same angle in its own frame, and balls take the numbers of their new positions.
    let next = |body: usize| if body < 3 { body } else { 3 + (body - 3 + 1) % 9 };
    let turned = |values: &[f64], size: usize| {
        let mut turned = values.to_vec();
        for body in 0..12 {
            let (from, to) = (&values[size * body..][..size], &mut turned[size * next(body)..][..size]);
            to[..3].copy_from_slice((rotation * Vector3::new(from[0], from[1], from[2])).as_slice());
            if size == VELOCITIES {
                to[3..].copy_from_slice((rotation * Vector3::new(from[3], from[4], from[5])).as_slice());
                continue;
            }
            let q = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(from[3], from[4], from[5], from[6]));
            let turn = UnitQuaternion::from_rotation_matrix(&rotation);
            let q = if body < 3 { turn * q * turn.inverse() } else { turn * q };
            to[3..].copy_from_slice(&[q.w, q.i, q.j, q.k]);
        }
        turned
    };
    let accelerations = |q: &[f64], v: &[f64]| {
        let (mut accelerations, mut powers) = (vec![0.0; v.len()], vec![0.0; 12]);
        bearing.accelerations(0.0, q, v, &mut accelerations, &mut powers);
        (accelerations, powers)
    };
    let (q, v) = y.split_at(coordinates);
    let (before, powers) = accelerations(q, v);
    let (after, powers_after) = accelerations(&turned(q, COORDINATES), &turned(v, VELOCITIES));
    for (expected, found) in turned(&before, VELOCITIES).iter().zip(&after) {
        assert_relative_eq!(*expected, *found, max_relative = 1e-6, epsilon = 1e-3);
    }
    for body in 0..12 {
        assert_relative_eq!(powers[body], powers_after[next(body)], max_relative = 1e-7, epsilon = 1.0);
    }
}

#[test]
fn quaternions_keep_their_length() {
    let parameters = BallBearing::default();
    let bearing = Bearing::new(&parameters);
    let y = disturbed(&parameters);
    let (q, v) = y.split_at(bearing.coordinates());
    let mut rate = vec![0.0; q.len()];
    bearing.position_rate(q, v, &mut rate);
    let mut moved = vec![0.0; q.len()];
    let delta: Vec<f64> = v.iter().map(|v| 2e-4 * v).collect();
    bearing.displace(q, &delta, &mut moved);
    for body in 0..bearing.bodies() {
        let of = |values: &[f64]| values[COORDINATES * body + 3..][..4].to_vec();
        let growth: f64 = of(q).iter().zip(of(&rate)).map(|(q, rate)| q * rate).sum();
        assert!(growth.abs() < 1e-12, "{growth}");
        assert!((of(&moved).iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14);
    }
}

#[test]
fn the_dual_jacobian_matches_differences() {
    let parameters = BallBearing::default();
    let bearing = Bearing::new(&parameters);
    let y = disturbed(&parameters);
    let mut ode = AsContactOde(&bearing);
    let n = y.len();
    let mut jacobian = DMatrix::zeros(n, n);
    ode.jacobian(0.0, &y, &mut jacobian).unwrap();
    let (mut sizes, mut scales) = (vec![0.0; n], vec![0.0; n]);
    Ode::<f64>::typical_sizes(&ode, &mut sizes);
    Ode::<f64>::tolerance_scales(&ode, &mut scales);
    assert_eq!((sizes[7], sizes[10], sizes[84], sizes[87]), (1e-3, 1.0, 1.0, 100.0));
    assert_eq!((scales[7], scales[10], scales[84], scales[87]), (1e-2, 1.0, 10.0, 1000.0));
    let (mut before, mut after) = (vec![0.0; n], vec![0.0; n]);
    // Roundoff: 1e-17 m of an overlap, 4e-10 N of a force, and its torque on a ball's inertia.
    let roundoff = 4e-10 * 0.07 * bearing.ball_radius / bearing.ball_inertia;
    for j in 0..n {
        // A quaternion moves the grooves by its change times the pitch radius, far more than an overlap.
        let step = if j < 84 && j % COORDINATES > 2 { 1e-7 } else { 1e-5 * sizes[j] };
        let mut moved = y.clone();
        moved[j] = y[j] - step;
        ode.rhs(0.0, &moved, &mut before).unwrap();
        moved[j] = y[j] + step;
        ode.rhs(0.0, &moved, &mut after).unwrap();
        let column = jacobian.column(j);
        let largest = column.amax();
        for i in 0..n {
            let difference = (after[i] - before[i]) / (2.0 * step);
            let close = (difference - column[i]).abs() <= 1e-5 * largest + roundoff / step;
            assert!(close, "{i} {j}: {difference} {}", column[i]);
        }
    }
}

/// Observables at chosen times, and largest values over the steps.
struct Watch<'m> {
    model: &'m dyn Model,
    largest: Vec<f64>,
}

impl Observer for Watch<'_> {
    fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
        for (largest, value) in self.largest.iter_mut().zip(observed(self.model, step.end)) {
            *largest = largest.max(value.abs());
        }
        ControlFlow::Continue(())
    }
}

/// Returns the observables at the times, and their largest magnitudes over the whole run.
fn solve(parameters: &BallBearing, tolerance: f64, times: &[f64]) -> (Vec<Vec<f64>>, Vec<f64>) {
    parameters.check().unwrap();
    let model = parameters.model();
    let mut state: Vec<f64> = model.initial_state();
    let mut watch = Watch { model: &*model, largest: vec![0.0; model.observables().len()] };
    let mut t_start = 0.0;
    let rows = times.iter().map(|&t_end| {
        let mut ode = Formulated::<f64>::ode(&*model);
        let mut settings = Settings::tolerance(tolerance, 0.1 * tolerance);
        if let StepControl::Tolerance { max_step, .. } = &mut settings.control {
            *max_step = Some(2e-7); // to see the peaks of the impacts
        }
        let task = Task { t_start, t_end, initial: &state, settings };
        let solution = Dop853::default().method().solve(Counted::new(&mut *ode), &task, &mut watch);
        assert_eq!(solution.failure, None);
        state = solution.state;
        t_start = t_end;
        observed(&*model, &state)
    });
    (rows.collect(), watch.largest)
}

/// Anchors are from an independent implementation with CVODE at 1e-11, to their digits.
#[test]
fn the_motion_matches_an_independent_implementation() {
    let parameters = BallBearing::default();
    let model = parameters.model();
    let (rows, largest) = solve(&parameters, 1e-10, &[1e-3, 5e-3, 10e-3, 11e-3]);
    let (z, w) = (index(&*model, "z_inner"), index(&*model, "w_cage"));
    for (row, (position, speed)) in rows.iter().zip([(1.6369e-4, 426.44), (1.6437e-4, 427.58), (1.6430e-4, 428.08)]) {
        assert!((row[z] - position).abs() < 0.51e-8, "{} and {position}", row[z]);
        assert!((row[w] - speed).abs() < 0.0051, "{} and {speed}", row[w]);
    }
    let (race, pocket) = (largest[index(&*model, "race_force")], largest[index(&*model, "pocket_force")]);
    assert!((race - 487.219).abs() < 0.005, "{race}");
    assert!((pocket - 150.680).abs() < 0.005, "{pocket}");
    assert!(largest[index(&*model, "norm_error")] < 1e-12);
}

#[test]
fn the_balance_of_energy_closes() {
    let parameters = BallBearing { energy_balance: true, ..BallBearing::default() };
    let model = parameters.model();
    let state: Vec<f64> = model.initial_state();
    assert_eq!(state.len(), 158);
    assert!(Formulated::<f64>::ode(&*model).form().contact_power().is_err());
    let (rows, _) = solve(&parameters, 1e-10, &[1e-3]);
    let balance = index(&*model, "energy_balance");
    let (before, after) = (observed(&*model, &state), &rows[0]);
    assert!(after[index(&*model, "dissipated_energy")] > 1e-3);
    assert!(after[index(&*model, "drive_work")].abs() > 1e-3);
    assert!((after[balance] - before[balance]).abs() < 1e-8, "{}", after[balance] - before[balance]);
    let change = after[index(&*model, "energy")] - before[index(&*model, "energy")];
    assert!(change.abs() > 1e-3, "{change}");
}

#[test]
fn a_drawing_shows_all_bodies_in_contact() {
    let parameters = BallBearing::default();
    let bearing = Bearing::new(&parameters);
    let y: Vec<f64> = parameters.model().initial_state();
    let q = &y[..bearing.coordinates()];
    let face = bearing.face(q);
    let count = |part| face.iter().filter(|(p, _)| *p == part).count();
    assert_eq!(["outer ring", "inner ring", "cage", "ball"].map(count), [1, 1, 9, 9]);
    let section = bearing.section(q, 4);
    let Shape::Circle { centre, radius } = &section[4].1 else { panic!("a ball is a circle") };
    for (_, shape) in &section[..2] {
        let Shape::Outline(points) = shape else { panic!("a ring is an outline") };
        // The ball touches the groove: the nearest point is on its surface, except for the overlap and the
        // spacing of points.
        let nearest = points.iter().map(|p| (p[0] - centre[0]).hypot(p[1] - centre[1])).fold(f64::MAX, f64::min);
        assert!((nearest - radius).abs() < 1e-5, "{nearest} and {radius}");
    }
    // The cage has cut-outs as wide as its pockets, about their own centres.
    let opening = bearing.ball_radius + bearing.pockets.clearance;
    let cage = |shapes: &[(&str, Shape)]| -> Vec<Vec<[f64; 2]>> {
        shapes.iter().filter(|(part, _)| *part == "cage").map(|(_, shape)| shape.points(0)).collect()
    };
    let distance = |p: &[f64; 2], from: [f64; 2]| (p[0] - from[0]).hypot(p[1] - from[1]);
    let nearest = |points: &[[f64; 2]], from| points.iter().map(|p| distance(p, from)).fold(f64::MAX, f64::min);
    // The third body, with seven coordinates each; it is not rotated at the start.
    let cage_centre = [q[14], q[15]];
    for (web, &[x, y]) in cage(&face).iter().zip(&bearing.pockets.centres) {
        let pocket = [x + cage_centre[0], y + cage_centre[1]];
        assert!((nearest(web, pocket) - opening).abs() < 1e-9);
        let other = bearing.pockets.centres.iter().map(|&[x, y]| [x + cage_centre[0], y + cage_centre[1]]);
        assert!(other.map(|centre| nearest(web, centre)).all(|distance| distance > opening - 1e-9));
    }
    assert_eq!(cage(&section).len(), 2);
}
