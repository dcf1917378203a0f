//! Compares the clamped beam with a force at its tip, at rest, with the exact equations integrated along it and with
//! small deflections.

use mbsbench_integrators::{Esdirk324l2sa, Lms2};
use mbsbench_models::TipLoadedBeam;
use mbsbench_problem::{Counted, Formulated, Method, MethodDefinition, ModelDefinition, Settings, Silent, Task};

/// Displacements of the tip and the kinetic energy after 20 s, with steps far above the periods of the beam.
fn rest(beam: &TipLoadedBeam, method: &dyn Method) -> [f64; 4] {
    let model = beam.model();
    let initial = Formulated::<f64>::initial_state(&*model);
    let mut ode = Formulated::<f64>::ode(&*model);
    let task = Task { t_start: 0.0, t_end: 20.0, initial: &initial, settings: Settings::fixed(0.25) };
    let solution = method.solve(Counted::new(&mut *ode), &task, &mut Silent);
    assert_eq!((&solution.failure, solution.t_reached), (&None, 20.0));
    let names: Vec<String> = model.observables().into_iter().map(|observable| observable.name).collect();
    let mut values = vec![f64::NAN; names.len()];
    model.observation().observe(20.0, &solution.state, &mut values);
    ["ux", "uy", "uz", "kinetic_energy"].map(|name| values[names.iter().position(|known| known == name).expect(name)])
}

/// A steel beam of 2 m by 0.5 m (along `y`) by 0.1 m whose tip is pulled along `y`.
fn thick(load: f64, elements: usize) -> TipLoadedBeam {
    let mut beam = TipLoadedBeam { length: 2.0, angle: 180.0, load, elements, ..TipLoadedBeam::default() };
    let section = &mut beam.section;
    (section.axial, section.shear, section.torsion) = (1.035e10, [3.382_352_941_176_470_8e9; 2], 1.16e7);
    (section.bending, section.mass, section.inertia) =
        ([8.625e6, 2.156_25e8], 392.5, [8.504_166_7, 0.327_083_3, 8.177_083_3]);
    beam
}

/// Shortening and deflection by the exact equations of the beam in its plane, with a force `P` along `y`:
/// `x' = (1 + N/EA) cos θ − (Q/GA) sin θ` and so on, with `N = P sin θ`, `Q = P cos θ` and `M' = −P x'`. The moment
/// at the clamp is the one for which the moment at the tip vanishes.
fn by_shooting(beam: &TipLoadedBeam) -> [f64; 2] {
    let (section, load) = (&beam.section, beam.load);
    let rate = |[_, _, angle, moment]: [f64; 4]| {
        let (sin, cos) = angle.sin_cos();
        let (stretch, shear) = (1.0 + load * sin / section.axial, load * cos / section.shear[0]);
        let x = stretch * cos - shear * sin;
        [x, stretch * sin + shear * cos, moment / section.bending[1], -load * x]
    };
    let tip = |moment: f64| {
        let steps = 2000;
        let h = beam.length / f64::from(steps);
        let moved = |y: [f64; 4], k: [f64; 4], h: f64| -> [f64; 4] { std::array::from_fn(|i| y[i] + h * k[i]) };
        (0..steps).fold([0.0, 0.0, 0.0, moment], |y, _| {
            let k1 = rate(y);
            let k2 = rate(moved(y, k1, 0.5 * h));
            let k3 = rate(moved(y, k2, 0.5 * h));
            let k4 = rate(moved(y, k3, h));
            std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
        })
    };
    let (mut low, mut high) = (0.0, 2.0 * load * beam.length);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if tip(middle)[3] > 0.0 { high = middle } else { low = middle }
    }
    let [x, y, ..] = tip(0.5 * (low + high));
    [x - beam.length, y]
}

/// Elements are of order four: 1e-7 m of 2 m with 32 elements.
#[test]
fn a_large_force_bends_it_as_the_exact_equations() {
    let exact = by_shooting(&thick(6.25e7, 1));
    // the same equations in another program
    assert!((exact[0] + 0.150_971_144_239).abs() < 1e-11 && (exact[1] - 0.710_568_597_854).abs() < 1e-11, "{exact:?}");
    // residuals at roundoff level are 1e-4 N and more, for stiffnesses of 1e10 N
    let method = Esdirk324l2sa { newton_tolerance: 1e-2, ..Esdirk324l2sa::default() }.method();
    let errors = [8, 16].map(|elements| {
        let [ux, uy, uz, energy] = rest(&thick(6.25e7, elements), &*method);
        assert!(energy < 1e-9 && uz.abs() < 1e-12, "{energy:e} J are left, {uz:e} m aside");
        (ux - exact[0]).abs().max((uy - exact[1]).abs())
    });
    let order = (errors[0] / errors[1]).log2();
    assert!(errors[1] < 1e-5 && (order - 4.0).abs() < 0.3, "{errors:?}, order {order:.3}");
}

/// The position of rest does not depend on the method that reaches it.
#[test]
fn methods_reach_the_same_equilibrium() {
    let beam = TipLoadedBeam::default();
    let methods = [Esdirk324l2sa::default().method(), Lms2 { rho_inf: 0.0, ..Lms2::default() }.method()];
    let [one, other] = methods.map(|method| rest(&beam, &*method));
    for k in 0..3 {
        assert!((one[k] - other[k]).abs() < 1e-9, "{one:?} and {other:?}");
    }
    assert!(one[3] < 1e-12 && other[3] < 1e-12);
}

/// The deflection by a small force is `P L³/3EI + P L/GA` about each axis.
#[test]
fn a_small_force_bends_it_as_in_timoshenko_theory() {
    let beam = TipLoadedBeam { load: 1e-3, angle: 30.0, ..TipLoadedBeam::default() };
    let [ux, uy, uz, _] = rest(&beam, &*Esdirk324l2sa::default().method());
    let compliance =
        |k: usize| beam.length.powi(3) / (3.0 * beam.section.bending[1 - k]) + beam.length / beam.section.shear[k];
    let (sin, cos) = 30f64.to_radians().sin_cos();
    let expected = [-beam.load * cos * compliance(0), beam.load * sin * compliance(1)];
    for (found, expected) in [uy, uz].iter().zip(expected) {
        assert!((found / expected - 1.0).abs() < 1e-6, "{found:e} and {expected:e}");
    }
    assert!(ux < 0.0 && ux.abs() < 1e-6);
}
