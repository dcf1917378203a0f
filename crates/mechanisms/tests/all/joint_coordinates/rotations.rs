//! Rotations of bodies on the group: the same motions as with Euler parameters as vectors.

use mbsbench_integrators::{
    Bliedf, Dop853, Dop853Projected, GeneralizedAlpha, HalfImplicitEuler, Hem4, LieGeneralizedAlpha,
};
use mbsbench_mechanisms::MechanismModel;
use mbsbench_mechanisms::definition::Rotations;
use mbsbench_mechanisms::space::{Plane, Spatial};
use mbsbench_problem::{
    Counted, Formulated, Formulation, Matrices, MechanicalModel, MethodDefinition, Model, Settings, Silent, Task,
};

use super::largest;
use super::mechanisms::*;

/// A slider crank with a rod on a ball joint and a universal joint: a loop with joints of many kinds.
const SLIDER_CRANK: &str = include_str!("../../../../../experiments/iftomm/mechanisms/spatial-slider-crank.yaml");

fn both(text: &str) -> [MechanismModel<Spatial>; 2] {
    let mut written = mechanism(text);
    [Rotations::Vectors, Rotations::Group].map(|rotations| {
        written.rotations = rotations;
        MechanismModel::new(&written).unwrap_or_else(|error| panic!("{error}"))
    })
}

fn solved(
    method: &impl MethodDefinition,
    model: &MechanismModel<Spatial>,
    t: f64,
    settings: Settings,
) -> [Vec<f64>; 2] {
    let initial = Formulated::<f64>::initial_state(model);
    let task = Task { t_start: 0.0, t_end: t, initial: &initial, settings };
    let mut ode = Formulated::<f64>::ode(model);
    let solution = method.method().solve(Counted::new(&mut *ode), &task, &mut Silent);
    assert_eq!((solution.failure, solution.t_reached), (None, t));
    let mut values = vec![f64::NAN; model.observables().len()];
    model.observation().observe(t, &solution.state, &mut values);
    [solution.state, values]
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    largest(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>()) / largest(b).max(1.0)
}

#[test]
fn motions_match_euler_parameters() {
    for (name, text) in [("slider crank", SLIDER_CRANK), ("balls", BALLS), ("arm", ARM)] {
        let [vectors, group] = both(text);
        let space = group.joint_space().expect("it has rotations");
        let bodies = space.system.bodies.len();
        assert_eq!((space.dimensions().coordinates, space.dimensions().velocities), (7 * bodies, 6 * bodies), "{name}");
        let tight = Settings::tolerance(1e-11, 1e-11);
        let [one, other] = [&vectors, &group].map(|model| solved(&Dop853::default(), model, 0.3, tight)[1].clone());
        // the constraints, which are among the observables, are violated by different roundoff
        assert!(distance(&one, &other) < 1e-7, "{name}: {:e}", distance(&one, &other));
    }
}

/// Sparse matrices follow from the structure of displacements, and change solutions at roundoff level only.
#[test]
fn sparse_matrices_give_equal_motions_on_the_group() {
    let [_, group] = both(SLIDER_CRANK);
    let initial = Formulated::<f64>::initial_state(&group);
    let methods = [
        LieGeneralizedAlpha::default().method(),
        Bliedf::default().method(),
        HalfImplicitEuler::default().method(),
        Hem4::default().method(),
        Dop853Projected::default().method(),
    ];
    for method in methods {
        let [dense, sparse] = [Matrices::Dense, Matrices::Sparse].map(|matrices| {
            let mut ode = Formulated::<f64>::ode(&group);
            assert!(ode.keep_matrices(matrices));
            let task = Task { t_start: 0.0, t_end: 0.05, initial: &initial, settings: Settings::fixed(1e-3) };
            let solution = method.solve(Counted::new(&mut *ode), &task, &mut Silent);
            assert_eq!(solution.failure, None);
            solution.state
        });
        assert!(distance(&dense, &sparse) < 1e-7, "{:e}", distance(&dense, &sparse));
        assert!(dense != sparse, "the same to the bit");
    }
}

/// Checks order two, as for generalized-α on the other equations, and Euler parameters of length one.
#[test]
fn the_method_on_the_group_is_of_second_order() {
    let [vectors, group] = both(SLIDER_CRANK);
    let [_, exact] = solved(&Dop853::default(), &vectors, 0.3, Settings::tolerance(1e-12, 1e-12));
    let places: Vec<usize> = vectors
        .observables()
        .iter()
        .enumerate()
        .filter(|(_, observable)| ["slider_x", "rod_x", "rod_y", "rod_z", "crank_e0"].contains(&&*observable.name))
        .map(|(k, _)| k)
        .collect();
    assert_eq!(places.len(), 5);
    let error = |values: &[f64]| places.iter().map(|&k| (values[k] - exact[k]).abs()).fold(0.0, f64::max);
    // roundoff of joint positions over the square of the step is 1e-8 m/s²
    let method = LieGeneralizedAlpha { newton_tolerance: 1e-7, ..LieGeneralizedAlpha::default() };
    let errors = [300.0, 600.0].map(|steps| {
        let [state, values] = solved(&method, &group, 0.3, Settings::fixed(0.3 / steps));
        for body in 0..3 {
            let length: f64 = state[7 * body + 3..7 * body + 7].iter().map(|e| e * e).sum();
            assert!((length - 1.0).abs() < 1e-13, "{length}");
        }
        error(&values)
    });
    let order = (errors[0] / errors[1]).log2();
    assert!((order - 2.0).abs() < 0.1 && errors[0] < 1e-4, "{errors:?}, order {order:.3}");
    let [_, of_vectors] = solved(&GeneralizedAlpha::default(), &vectors, 0.3, Settings::fixed(1e-3));
    assert!(error(&of_vectors) < 1e-4);
}

#[test]
fn rotations_need_absolute_coordinates() {
    let mut written = mechanism(SLIDER_CRANK);
    (written.rotations, written.formulation) = (Rotations::Group, Formulation::Minimal);
    let Err(refused) = MechanismModel::<Spatial>::new(&written) else { panic!("not refused") };
    assert!(refused.to_string().contains("rotations"), "{refused}");
    // the plane has no Euler parameters, and nothing changes
    let mut flat = mechanism(FOUR_BAR);
    flat.rotations = Rotations::Group;
    let model = MechanismModel::<Plane>::new(&flat).expect("three coordinates a body");
    assert_eq!(model.joint_space().expect("asked for").dimensions().coordinates % 3, 0);
}
