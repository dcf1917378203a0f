//! Mechanisms of the papers, written as files: the same equations as the models that are programs, the same motion, no more than
//! twice the cost.

use std::path::Path;

use mbsbench_input::{Document, read};
use mbsbench_mechanisms::Mechanism;
use mbsbench_models::squeezer::SqueezerBodies;
use mbsbench_models::{DoublePendulum, SliderCrank, Squeezer, StiffDoublePendulum};
use mbsbench_problem::{MechanicalModel, Mechanics, MechanicsOf, ModelDefinition, Parameters, Terms};

/// A mechanism of the gallery.
fn mechanism(name: &str) -> Mechanism {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/mechanisms/papers").join(name);
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let document = Document::parse(&path, &text).expect("YAML");
    let mechanism: Mechanism = read(&document.root).expect("a mechanism");
    mechanism.check().unwrap_or_else(|error| panic!("{name}: {error}"));
    mechanism
}

/// The terms of both at states that are not on the constraints, too.
fn compare<M: MechanicalModel>(name: &str, written: &Mechanism, model: &M) {
    let own = written.model();
    let initial: Vec<f64> = own.initial_state();
    let n = model.coordinates();
    assert_eq!(initial.len(), 2 * n, "{name}");
    let mut ode = own.ode();
    let mechanics = ode.form().mechanics().expect("mechanics");
    let mut theirs = MechanicsOf::new(model);
    let [mut a, mut b] =
        [Terms::of(&mechanics.structure(), false), Terms::of(&Mechanics::<f64>::structure(&mut theirs), false)];
    for k in 0..1000 {
        let at = |i: usize, scale: f64| scale * ((k * 2 * n + i) as f64 * 0.7311).sin();
        let q: Vec<f64> = (0..n).map(|i| initial[i] + at(i, 0.5)).collect();
        let v: Vec<f64> = (0..n).map(|i| at(n + i, 3.0)).collect();
        mechanics.terms(0.0, &q, &v, &mut a);
        theirs.terms(0.0, &q, &v, &mut b);
        let near = |a: &[f64], b: &[f64], what: &str| {
            let size = b.iter().fold(1.0f64, |size, x| size.max(x.abs()));
            for (a, b) in a.iter().zip(b) {
                assert!((a - b).abs() <= 1e-13 * size, "{name}, {what} at state {k}: {a} and {b}");
            }
        };
        near(&a.constraints, &b.constraints, "constraints");
        near(&a.forces, &b.forces, "forces");
        near(a.mass.to_dense().as_slice(), b.mass.to_dense().as_slice(), "mass");
        near(a.jacobian.to_dense().as_slice(), b.jacobian.to_dense().as_slice(), "Jacobian");
    }
}

#[test]
fn terms_are_those_of_the_models() {
    compare("double pendulum", &mechanism("double-pendulum.yaml"), &DoublePendulum::default());
    compare("slider crank", &mechanism("slider-crank.yaml"), &SliderCrank::default());
    compare("stiff double pendulum", &mechanism("stiff-double-pendulum.yaml"), &StiffDoublePendulum::default());
    compare("squeezer", &mechanism("squeezer.yaml"), &SqueezerBodies(Squeezer::default()));
}
