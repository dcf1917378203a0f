//! Compares equations in files with models in Rust, closed forms and each other.

use mbsbench_input::{Document, read};
use mbsbench_integrators::{Dop853, Dopri5, Mebdf, Ode23s, Radau5};
use mbsbench_mechanisms::Equations;
use mbsbench_models::Pleiades;
use mbsbench_problem::{
    Class, Counted, DoubleDouble, Failure, Formulated, Method, MethodDefinition, Model, ModelDefinition, Parameters,
    Scalar, Settings, Silent, Task,
};
use nalgebra::DMatrix;
use std::path::Path;

use crate::common::{observed, states};
use crate::pleiades::PLEIADES;

#[track_caller]
fn equations(text: &str) -> Equations {
    let document = Document::parse(Path::new("model.yaml"), text.as_bytes()).expect("YAML");
    let equations: Equations = read(&document.root).unwrap_or_else(|error| panic!("{error}"));
    equations.check().unwrap_or_else(|error| panic!("{error}"));
    equations
}

fn refusal(text: &str) -> String {
    let document = Document::parse(Path::new("model.yaml"), text.as_bytes()).expect("YAML");
    let equations: Equations = read(&document.root).unwrap_or_else(|error| panic!("{error}"));
    let error = equations.check().expect_err("an error");
    format!("{}: {error}", error.field)
}

fn jacobian(model: &dyn Model, t: f64, y: &[f64]) -> DMatrix<f64> {
    let mut jacobian = DMatrix::from_element(y.len(), y.len(), f64::NAN);
    model.ode().jacobian(t, y, &mut jacobian).expect("a Jacobian");
    jacobian
}

fn rates(model: &dyn Model, t: f64, y: &[f64]) -> Vec<f64> {
    let mut rates = vec![f64::NAN; y.len()];
    model.ode().rhs(t, y, &mut rates).expect("rates");
    rates
}

#[test]
fn pleiades_from_a_file_agree_with_those_in_rust() {
    let (file, rust) = (equations(PLEIADES).model(), Pleiades::default().model());
    let y = Formulated::<f64>::initial_state(&*file);
    assert_eq!(y, Formulated::<f64>::initial_state(&*rust));
    assert_eq!(file.classes(), rust.classes());
    let names = |model: &dyn Model| model.observables().into_iter().map(|one| one.name).collect::<Vec<_>>();
    assert_eq!(names(&*file), names(&*rust));
    let ode = Formulated::<f64>::ode(&*file);
    assert!(ode.properties().is_second_order && ode.properties().is_autonomous);
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-14 * b.abs().max(1.0);
    assert!(rates(&*file, 0.0, &y).iter().zip(rates(&*rust, 0.0, &y)).all(|(&a, b)| close(a, b)));
    assert!(jacobian(&*file, 0.0, &y).iter().zip(jacobian(&*rust, 0.0, &y).iter()).all(|(&a, &b)| close(a, b)));
    let energy = |model: &dyn Model| observed(model, 0.0, &y, &["energy"])[0];
    assert!(close(energy(&*file), energy(&*rust)));
    let ends = [&file, &rust].map(|model| {
        states(&**model, &*Dop853::default().method(), &[1.0], Settings::tolerance(1e-12, 1e-12)).remove(0)
    });
    assert!(ends[0].iter().zip(&ends[1]).all(|(a, b)| (a - b).abs() < 1e-9), "{ends:?}");
}

/// A ball that falls from height 1 and keeps three fifths of its velocity at each bounce, and a wind that ends.
#[test]
fn events_change_states_and_parameters() {
    let model = equations(
        "
parameters: { gravity: 2, restitution: 0.6, wind: 3 }
states: { x: 0, h: 1, u: 0, v: 0 }
rates: { x: u, h: v, u: wind, v: -gravity }
events:
  bounce: { when: h, direction: falling, set: { v: -restitution*v } }
  calm: { when: t - 1.5, set: { wind: 0 } }
  upwards: { when: h - 0.1, direction: rising, set: { u: u + 1 } }
",
    )
    .model();
    // bounces at 1 and 2.2 with velocities of 1.2 and 0.72 afterwards; 0.1 is passed upwards once before 2.5 s, at
    // 1 + 0.6 − √0.26, and once after the second bounce
    let times = [2.5];
    for method in [Dopri5::default().method(), Dop853::default().method()] {
        let end = states(&*model, &*method, &times, Settings::tolerance(1e-10, 1e-10)).remove(0);
        let after = 0.3;
        let second = 2.2 + 0.36 - (0.36f64 * 0.36 - 0.1).sqrt();
        let u = 4.5 + 1.0 + if second < 2.5 { 1.0 } else { 0.0 };
        assert!((end[1] - (0.72 - after) * after).abs() < 1e-10, "{end:?}");
        assert!((end[3] - (0.72 - 2.0 * after)).abs() < 1e-10, "{end:?}");
        assert!((end[2] - u).abs() < 1e-10, "{end:?}");
    }
    is_refused(&*model, &*Radau5::default().method(), &[0.0, 1.0, 0.0, 0.0]);
}

fn is_refused(model: &dyn Model, method: &dyn Method, initial: &[f64]) {
    let mut ode = model.ode();
    let task = Task { t_start: 0.0, t_end: 1.0, initial, settings: Settings::tolerance(1e-6, 1e-6) };
    let solution = method.solve(Counted::new(&mut *ode), &task, &mut Silent);
    assert!(matches!(solution.failure, Some(Failure::NotApplicable { .. })), "{:?}", solution.failure);
}

/// Parameters are numbers, unless an event changes them.
#[test]
fn powers_of_negative_numbers_have_derivatives_for_parameters_as_exponents() {
    for events in ["", "events: { later: { when: t - 9, set: { n: 3 } } }\n"] {
        let model = equations(&format!(
            "parameters: {{ n: 2 }}\nstates: {{ x: -0.5, y: -2, z: 0 }}\n\
             rates: {{ x: -x^n, y: y^(n - 1) + y^(1 + 1), z: z^(n - 2) + z^(n - 1) + z^n }}\n{events}"
        ))
        .model();
        let y = Formulated::<f64>::initial_state(&*model);
        assert_eq!(rates(&*model, 0.0, &y)[..3], [-0.25, 2.0, 1.0], "{events}");
        let right = DMatrix::from_diagonal(&nalgebra::dvector![1.0, -3.0, 1.0]);
        let found = jacobian(&*model, 0.0, &y);
        assert_eq!(found.view((0, 0), (3, 3)), right, "{events}{found}");
    }
}

/// `x' = −z`, `0 = z − k x`, and `2 (a' + b') = −(a + b)`, `0 = a − 3 b`.
#[test]
fn singular_matrices_are_solved() {
    let model = equations(
        "
parameters: { k: 0.5 }
states: { z: k, x: 1, a: 3, b: 1 }
rates: { x: -z, z: z - k*x, a: -(a + b), b: a - 3*b }
mass: { z: {}, a: { a: 2, b: 1 + 1 }, b: {} }
",
    )
    .model();
    let end = states(&*model, &*Radau5::default().method(), &[2.0], Settings::tolerance(1e-10, 1e-10)).remove(0);
    let decay = (-1.0f64).exp();
    for (value, start) in end.iter().zip([0.5, 1.0, 3.0, 1.0]) {
        assert!((value - start * decay).abs() < 1e-9, "{end:?}");
    }
    let ode = model.ode();
    assert_eq!(ode.properties().indices, Some(&[1, 1, 1, 1][..]));
    let matrix = DMatrix::from_row_slice(
        4,
        4,
        &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 2.0, 0.0, 0.0, 0.0, 0.0],
    );
    assert_eq!(ode.properties().mass, Some(&matrix));
    is_refused(&*model, &*Dopri5::default().method(), &end);
}

#[test]
fn neighbours_in_vectors_give_banded_derivatives() {
    let model = equations(
        "
parameters: { n: 40 }
states:
  x: { size: n, initial: sin(pi*i/(n + 1)) }
  mean: { size: 1, initial: [0] }
rates:
  x[1]: x[2] - 2*x[1] + t^2
  x[i]: x[i-1] - 2*x[i] + x[i+1]^2
  x[n]: x[n-1] - 2*x[n]
  mean[1]: sum(j, 1, n, x[j])/n
",
    )
    .model();
    let y = Formulated::<f64>::initial_state(&*model);
    assert_eq!(y[3], (std::f64::consts::PI * 4.0 / 41.0).sin());
    let f = rates(&*model, 2.0, &y);
    assert_eq!([f[0], f[39]], [y[1] - 2.0 * y[0] + 4.0, y[38] - 2.0 * y[39]]);
    assert!((f[40] - y[..40].iter().sum::<f64>() / 40.0).abs() < 1e-15);
    let jacobian = jacobian(&*model, 2.0, &y);
    for i in 0..40 {
        for j in 0..41 {
            let right = if i == 0 { 1.0 } else { 2.0 * y[j] };
            let expected = match j as i32 - i as i32 {
                0 => -2.0,
                -1 => 1.0,
                1 if i < 39 => right,
                _ => 0.0,
            };
            assert_eq!(jacobian[(i, j)], expected, "{i}, {j}");
        }
        assert_eq!(jacobian[(40, i)], 1.0 / 40.0);
    }
    let mut by_time = vec![f64::NAN; 41];
    model.ode().time_derivative(3.0, &y, &mut by_time).expect("a derivative");
    assert_eq!([by_time[0], by_time[1]], [6.0, 0.0]);
}

/// Checks that explicit methods have no matrix of the size of the state.
#[test]
fn many_states_have_no_jacobian() {
    let text = "{ states: { x: { size: 50000, initial: i } }, rates: { 'x[1]': '-x[1]', 'x[i]': 'x[i-1] - x[i]' } }";
    let model = equations(text).model();
    let y = Formulated::<f64>::initial_state(&*model);
    assert_eq!(rates(&*model, 0.0, &y)[49_999], -1.0);
    assert!(!Formulated::<f64>::ode(&*model).properties().has_jacobian);
}

#[test]
fn quotients_are_formed_in_the_precision_of_the_scalar() {
    let model = equations("{ states: { x: 1/3 }, rates: { x: 2/3 - x } }").model();
    let y = Formulated::<DoubleDouble>::initial_state(&*model);
    let mut rate = y.clone();
    Formulated::<DoubleDouble>::ode(&*model).rhs(DoubleDouble::from(0.0), &y, &mut rate).expect("rates");
    let third = DoubleDouble::from(1.0) / DoubleDouble::from(3.0);
    assert_eq!(y[0], third);
    assert!((rate[0] - third).value().abs() < 1e-31);
}

#[test]
fn mistakes_are_reported_at_their_paths() {
    let cases = [
        ("{ states: { x: 1 }, rates: { x: 2*z } }", "rates.x: `2*z` contains the unknown name `z`"),
        ("{ states: { x: 1, v: 0 }, rates: { x: v } }", "rates: `v` has no rate"),
        ("{ states: { x: 1 }, rates: { x: 0, z: 1 } }", "rates.z: unknown state `z`"),
        (
            "{ states: { x: [1, 2] }, rates: { 'x[i]': 'x[i+1]' } }",
            "rates.x[i]: `x[i+1]` contains the unknown name `x[3]`",
        ),
        (
            "{ states: { x: [1, 2] }, rates: { 'x[i]': 'x[i/2]' } }",
            "has an index or a bound for `x` that is not a whole",
        ),
        ("{ states: { x: [1, 2] }, rates: { 'x': 1 } }", "rates.x: unknown state `x`"),
        ("{ states: { x: { size: 0 } }, rates: { 'x[i]': 1 } }", "states.x.size: `states.x.size` is 0"),
        ("{ states: { x: { size: 3, initial: [1, 2] } }, rates: { 'x[i]': 1 } }", "states.x.initial"),
        (
            "{ states: { x: 1 }, terms: { a: 2*b, b: 3*a }, rates: { x: a } }",
            "terms.b: `3*a` contains the unknown name `a`",
        ),
        ("{ states: { x: 1 }, terms: { 'a[i]': i*q }, rates: { x: 'a[2]' } }", "terms.a[i]: `i*q` contains"),
        ("{ states: { t: 1 }, rates: { t: 1 } }", "states.t: the name `t` already has a meaning"),
        ("{ parameters: { x: 1 }, states: { x: 1 }, rates: { x: 1 } }", "states.x: the name `x` already has a meaning"),
        ("{ states: { x: 1, y: 0 }, rates: { x: 1, y: 1 }, mass: { x: { x: y } } }", "mass: the matrix is singular"),
        (
            "{ states: { x: 1, y: 1 }, rates: { x: 1, y: 1 }, mass: { x: { x: q } } }",
            "mass.x.x: `q` contains the unknown",
        ),
        ("{ states: { x: 1 }, rates: { x: 1 }, events: { e: { when: x, set: { q: 1 } } } }", "events.e.set.q: unknown"),
        ("{ states: { x: 1 }, rates: { x: 1 }, observables: { x: 1 } }", "the name `x` in results"),
        ("{ states: { x: [1, 2], x1: 0 }, rates: { 'x[i]': 1, x1: 1 } }", "the name `x1` in results"),
        (
            "{ states: { x: [1, 2] }, rates: { 'x[1]': 1, 'x[2-1]': 1, 'x[i]': 0 } }",
            "names states that another entry has named",
        ),
        ("{ states: { x: 1 }, rates: { x: 1 }, breaks: [1, x] }", "breaks.1: `x` contains the unknown name `x`"),
        ("{ states: { x: 1 }, rates: { x: 'sum(i, 1, 1e7, i)' } }", "parts with all sums written out"),
    ];
    for (text, expected) in cases {
        let found = refusal(text);
        assert!(found.contains(expected), "{text}: {found}");
    }
}

/// `(1 + t²) x' + y y'` and `y x' + 2 y'` with the solution `x = e⁻ᵗ`, `y = cos(t)`.
#[test]
fn matrices_that_depend_on_time_and_states_suit_explicit_and_implicit_methods() {
    let model = equations(
        "
states: { x: 1, y: 1 }
terms: { dx: -exp(-t), dy: -sin(t) }
rates: { x: (1 + t^2)*dx + cos(t)*dy + (x - exp(-t))*y, y: cos(t)*dx + 2*dy + (y - cos(t))^2 }
mass: { x: { x: 1 + t^2, y: y }, y: { x: y, y: 2 } }
",
    )
    .model();
    let exact = [(-2.0f64).exp(), 2.0f64.cos()];
    for method in [Dop853::default().method(), Radau5::default().method(), Mebdf::default().method()] {
        let end = states(&*model, &*method, &[2.0], Settings::tolerance(1e-11, 1e-11)).remove(0);
        assert!(end.iter().zip(exact).all(|(y, exact)| (y - exact).abs() < 1e-8), "{end:?}");
    }
    let steps = Settings::fixed(0.01);
    let end = states(&*model, &*Ode23s::default().method(), &[2.0], steps).remove(0);
    assert!(end.iter().zip(exact).all(|(y, exact)| (y - exact).abs() < 1e-4), "{end:?}");
    let (t, y, h) = (0.7, [0.4, 0.9], 1e-6);
    let by_differences = |k: usize| {
        let [after, before] = [h, -h].map(|h| {
            let mut y = y;
            if k < 2 {
                y[k] += h;
            }
            rates(&*model, if k == 2 { t + h } else { t }, &y)
        });
        after.into_iter().zip(before).map(move |(after, before)| (after - before) / (2.0 * h)).collect::<Vec<f64>>()
    };
    let mut by_time = [f64::NAN; 2];
    Formulated::<f64>::ode(&*model).time_derivative(t, &y, &mut by_time).expect("a derivative");
    let jacobian = jacobian(&*model, t, &y);
    for k in 0..3 {
        let exact = if k < 2 { [jacobian[(0, k)], jacobian[(1, k)]] } else { by_time };
        let differences = by_differences(k);
        assert!(exact.iter().zip(&differences).all(|(a, b)| (a - b).abs() < 1e-8), "{k}: {exact:?} {differences:?}");
    }
}

/// A mass on a spring that sheds half of itself as it passes the middle.
#[test]
fn events_change_masses() {
    let model = equations(
        "
parameters: { m: 2 }
states: { x: 1, v: 0 }
rates: { x: v, v: -x }
mass: { v: { v: m } }
events: { shed: { when: x, set: { m: 1 } } }
",
    )
    .model();
    assert_eq!(model.classes(), [Class::Position, Class::Velocity]);
    // at speed 1/√2 from the middle, with frequency 1 afterwards
    let after: f64 = 3.0 - std::f64::consts::FRAC_PI_2 * 2.0f64.sqrt();
    let end = states(&*model, &*Dop853::default().method(), &[3.0], Settings::tolerance(1e-12, 1e-12)).remove(0);
    assert!((end[0] + after.sin() / 2.0f64.sqrt()).abs() < 1e-10, "{end:?} {after}");
}

/// Solves the example of the documentation.
#[test]
fn the_example_in_the_documentation_runs() {
    let page = include_str!("../../../../docs/equations.md");
    let block = page.split("```yaml").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let document = Document::parse(Path::new("ball.yaml"), block.as_bytes()).expect("YAML");
    let model = document.root.get("model").and_then(|model| model.get("equations")).expect("equations");
    let ball: Equations = read(model).unwrap_or_else(|error| panic!("{error}"));
    ball.check().unwrap_or_else(|error| panic!("{error}"));
    let model = ball.model();
    let end = states(&*model, &*Dop853::default().method(), &[2.0], Settings::tolerance(1e-10, 1e-10)).remove(0);
    let first = (2.0f64 / 9.81).sqrt();
    let (second, third) = (first * 2.6, first * (2.6 + 1.28));
    assert!(third < 2.0 && 2.0 - third < 1.024 * first, "{second} {third}");
    let (v, after) = (9.81 * first * 0.512, 2.0 - third);
    assert!((end[1] - (v - 9.81 / 2.0 * after) * after).abs() < 1e-9, "{end:?}");
    assert!((end[2] - 0.75).abs() < 1e-9, "{end:?}");
}

/// Algebraic equations with and without algebraic states, and a circuit with a capacitor between two nodes.
#[test]
fn initial_values_are_assembled_on_request_and_refused_otherwise() {
    let sum = |start: &str| {
        format!(
            "{{ states: {{ x: 0.5, y: 0.25, z: 7 }}, rates: {{ x: -x, y: x - y, z: z^2 - x - y }},\
             mass: {{ z: {{}} }}{start} }}"
        )
    };
    let found = refusal(&sum(""));
    assert!(found.contains("states: ") && found.contains("start: assembled"), "{found}");
    let y = Formulated::<f64>::initial_state(&*equations(&sum(", start: assembled")).model());
    let expected = [0.5, 0.25, 0.75f64.sqrt()];
    assert!(y.iter().zip(expected).all(|(y, expected)| (y - expected).abs() < 1e-9), "{y:?}");
    // only states with derivatives: the nearest point of the circle
    let circle = "{ states: { x: 3, y: 4, p: 0 }, rates: { x: p*x, y: p*y, p: 'x^2 + y^2 - 1' }, mass: { p: {} },
        indices: { p: 2 }, start: assembled }";
    let y = Formulated::<f64>::initial_state(&*equations(circle).model());
    assert!((y[0] - 0.6).abs() < 1e-9 && (y[1] - 0.8).abs() < 1e-9 && y[2] == 0.0, "{y:?}");
    // the derivatives cancel in the sum of the equations, which therefore states x = sin(t) + 2 y^3 - 1
    let circuit = "{ states: { x: 0, y: 1 }, rates: { x: 'x - sin(t)', y: '1 - 2*y^3' },
        mass: { x: { x: -1, y: 1 }, y: { x: 1, y: -1 } }, start: assembled }";
    let y = Formulated::<f64>::initial_state(&*equations(circuit).model());
    assert!((y[0] + 1.0 - 2.0 * y[1].powi(3)).abs() < 1e-12, "{y:?}");
    // near the nearest such point to (0, 1), which is (0.048, 0.806)
    assert!((y[0] - 0.048).abs() < 0.02 && (y[1] - 0.806).abs() < 0.01, "{y:?}");
    // equations that depend on time are consistent at a time that the model does not know
    equations("{ states: { x: 0, y: 9 }, rates: { x: 1, y: y - t }, mass: { y: {} } }");
    let none = "{ states: { x: 0, y: 9 }, rates: { x: 1, y: y^2 + 1 }, mass: { y: {} }, start: assembled }";
    assert!(refusal(none).contains("no initial values near"), "{}", refusal(none));
}
