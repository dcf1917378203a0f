//! Motions in joint coordinates, and their observables.

use mbsbench_integrators::{Dop853, HhtI3, Radau5};
use mbsbench_mechanisms::MechanismModel;
use mbsbench_mechanisms::space::{Plane, Space, Spatial};
use mbsbench_problem::{Counted, Formulated, MethodDefinition, Model, Settings, Silent, Task};

use super::mechanisms::*;
use super::{both, largest};

fn solved(method: &impl MethodDefinition, model: &impl Formulated<f64>, t_end: f64, settings: Settings) -> Vec<f64> {
    let initial = model.initial_state();
    let task = Task { t_start: 0.0, t_end, initial: &initial, settings };
    let mut ode = model.ode();
    let solution = method.method().solve(Counted::new(&mut *ode), &task, &mut Silent);
    assert_eq!((solution.failure, solution.t_reached), (None, t_end));
    solution.state
}

fn observed<X: Space>(model: &MechanismModel<X>, t: f64, state: &[f64]) -> Vec<f64> {
    let mut values = vec![f64::NAN; model.observables().len()];
    model.observation().observe(t, state, &mut values);
    values
}

/// Compares all observables of both formulations after a motion.
///
/// Errors accumulate to at most the tolerance times the number of steps (some hundreds per second) times the
/// amplification of deviations by the motion (less than 10 in the given time): for 1e-10, below 1e-7 of the largest
/// value. Forces, accelerations and power are as accurate as the states, except for the stiff springs of the double
/// pendulum, which amplify deviations a thousandfold.
fn same_motion<X: Space>(name: &str, text: &str, t_end: f64, tolerance: f64) {
    let [absolute, joint] = both::<X>(text);
    let names = |model: &MechanismModel<X>| model.observables().iter().map(|o| o.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&absolute), names(&joint), "{name}");
    let classes = joint.classes().len();
    assert_eq!(classes, Formulated::<f64>::initial_state(&joint).len(), "{name}");
    let settings = Settings::tolerance(tolerance, tolerance);
    let [first, second] = [&absolute, &joint].map(|model| {
        let end = solved(&Dop853::default(), model, t_end, settings);
        (observed(model, t_end, &end), model.views(&end))
    });
    // the formulations differ in the constraints themselves
    let size = largest(&first.0).max(1.0);
    for (k, name_of) in names(&absolute).iter().enumerate() {
        let off = (first.0[k] - second.0[k]).abs();
        assert!(off < 1e-7 * size, "{name}, {name_of}: {} and {}", first.0[k], second.0[k]);
    }
    assert_eq!(first.1.len(), second.1.len(), "{name}");
    assert!(!first.1[0].parts.is_empty(), "{name} is drawn");
}

#[test]
fn planar_motions_match_absolute_coordinates() {
    same_motion::<Plane>("double pendulum", DOUBLE_PENDULUM, 0.2, 1e-12);
    same_motion::<Plane>("cart", CART, 1.0, 1e-10);
    same_motion::<Plane>("free plate", FREE_PLATE, 1.0, 1e-10);
    same_motion::<Plane>("four bars", FOUR_BAR, 1.0, 1e-10);
    same_motion::<Plane>("constraints", HELD, 0.5, 1e-10);
}

#[test]
fn spatial_motions_match_absolute_coordinates() {
    same_motion::<Spatial>("driven arm", &[ARM, ARM_FORCES].concat(), 0.5, 1e-10);
    same_motion::<Spatial>("universal joints", UNIVERSAL, 1.0, 1e-10);
    same_motion::<Spatial>("balls", BALLS, 1.0, 1e-10);
    same_motion::<Spatial>("slides", SLIDES, 0.5, 1e-10);
    same_motion::<Spatial>("four bars in space", SPATIAL_FOUR_BAR, 0.5, 1e-10);
}

/// Each of a few thousand steps has an error of about the tolerance, and the errors accumulate in the energy of about
/// 30 J: up to 1e-12 · 1000 · 30 = 3e-8 if all have the same sign, and in proportion to the square root of their
/// number otherwise.
#[test]
fn the_energy_of_an_arm_without_friction_is_kept() {
    let [_, arm] = both::<Spatial>(ARM);
    let energy = arm.observables().iter().position(|o| o.name == "energy").unwrap();
    let start: Vec<f64> = Formulated::<f64>::initial_state(&arm);
    let end = solved(&Dop853::default(), &arm, 2.0, Settings::tolerance(1e-12, 1e-12));
    assert!(largest(&end[..6].iter().zip(&start).map(|(a, b)| a - b).collect::<Vec<_>>()) > 1.0, "it moves");
    let [before, after] = [(0.0, &start), (2.0, &end)].map(|(t, y)| observed(&arm, t, y)[energy]);
    assert!((after - before).abs() < 1e-9, "{before} J, then {after} J");
}

/// The trapezoidal rule for constrained mechanics, on trees and on loops: halving the step leaves a quarter of the
/// error. With negative α it is of first order if masses depend on coordinates. Errors of RADAU5 are proportional to
/// the tolerance to the power 2/3, so that 1e-8 of a tolerance leaves 5e-6 of the error. Its iteration scatters single
/// errors by a factor of some tens, as in absolute coordinates. The worst errors of two tolerances and of two smaller
/// ones are therefore compared; their ratio has to be below 1e-4, which is a power of one half.
#[test]
fn methods_for_mechanics_solve_trees_and_loops() {
    fn order<X: Space>(text: &str) {
        let [_, model] = both::<X>(text);
        let exact = solved(&Dop853::default(), &model, 0.5, Settings::tolerance(1e-11, 1e-11));
        let n = exact.len() / 2;
        let errors = [1e-3, 5e-4].map(|step| {
            let end = solved(&HhtI3 { alpha: 0.0, ..HhtI3::default() }, &model, 0.5, Settings::fixed(step));
            largest(&end[..n].iter().zip(&exact).map(|(a, b)| a - b).collect::<Vec<_>>())
        });
        let quotient = errors[0] / errors[1];
        assert!((3.6..4.4).contains(&quotient), "{errors:?}");
        let worst_of = |tolerances: [f64; 2]| {
            let errors = tolerances.map(|tolerance| {
                let end = solved(&Radau5::default(), &model, 0.5, Settings::tolerance(tolerance, tolerance));
                largest(&end[..n].iter().zip(&exact).map(|(a, b)| a - b).collect::<Vec<_>>())
            });
            largest(&errors)
        };
        let errors = [worst_of([1e-3, 1e-4]), worst_of([1e-11, 1e-12])];
        assert!(errors[1] < 1e-4 * errors[0] && errors[1] < 1e-6, "{errors:?}");
    }
    order::<Plane>(FOUR_BAR);
    order::<Plane>(CART);
    order::<Spatial>(ARM);
    order::<Spatial>(SPATIAL_FOUR_BAR);
}
