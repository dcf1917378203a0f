//! Time of one right-hand side of each model in each formulation, in double and in double-double precision, and of
//! the parts of the sliding-mode form.
#![allow(missing_docs)] // the harness makes public functions

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use mbsbench_models::squeezer::{SqueezerAngles, SqueezerBodies, SqueezerEquations};
use mbsbench_models::{
    DoublePendulum, FlexibleSliderCrank, LinearOscillator, LinearTest, LinkageFormulation, OscillationInTime,
    PenaltyBall, Pendulum, RollingSpheres, SliderCrank, Squeezer, SqueezerFormulation, StiffDoublePendulum,
    TwoBouncingBalls,
};
use mbsbench_problem::acceleration::Multipliers;
use mbsbench_problem::mechanics::{Derivatives, Terms};
use mbsbench_problem::{
    DoubleDouble, Formulated, Formulation, Mechanics, MechanicsOf, Model, ModelDefinition, Scalar, SlidingModeSettings,
};
use nalgebra::DMatrix;

fn right_hand_side<S: Scalar>(criterion: &mut Criterion, name: &str, model: &dyn Formulated<S>) {
    let y = model.initial_state();
    let mut rate = y.clone();
    let mut ode = model.ode();
    criterion.bench_function(name, |b| {
        b.iter(|| ode.rhs(S::zero(), black_box(&y), &mut rate).expect("regular"));
    });
    if ode.properties().projects {
        let mut projected = y.clone();
        criterion.bench_function(&format!("{name}, post-stabilisation"), |b| {
            b.iter(|| {
                projected.copy_from_slice(black_box(&y));
                ode.project(S::zero(), &mut projected).expect("regular");
            });
        });
    }
}

fn both_precisions(criterion: &mut Criterion, name: &str, model: &dyn Model) {
    right_hand_side::<f64>(criterion, &format!("{name}, double"), model);
    right_hand_side::<DoubleDouble>(criterion, &format!("{name}, double-double"), model);
}

fn models(criterion: &mut Criterion) {
    let formulations = [
        ("minimal", Formulation::Minimal),
        ("acceleration level", Formulation::AccelerationLevel),
        ("sliding mode", Formulation::SlidingMode(SlidingModeSettings::default())),
    ];
    for (name, formulation) in formulations {
        let pendulum = Pendulum { formulation: formulation.clone(), ..Pendulum::default() };
        both_precisions(criterion, &format!("pendulum/{name}"), &*pendulum.model());
        let spheres = RollingSpheres { formulation, ..RollingSpheres::default() };
        both_precisions(criterion, &format!("rolling-spheres/{name}"), &*spheres.model());
    }
}

fn linkages(criterion: &mut Criterion) {
    for (name, formulation) in [("Cartesian", LinkageFormulation::Cartesian), ("minimal", LinkageFormulation::Minimal)]
    {
        let pendulum = DoublePendulum { formulation, ..DoublePendulum::default() };
        both_precisions(criterion, &format!("double-pendulum/{name}"), &*pendulum.model());
        let stiff = StiffDoublePendulum { formulation, ..StiffDoublePendulum::default() };
        both_precisions(criterion, &format!("stiff-double-pendulum/{name}"), &*stiff.model());
        let rigid = SliderCrank { formulation, ..SliderCrank::default() };
        both_precisions(criterion, &format!("slider-crank/{name}"), &*rigid.model());
        let flexible = FlexibleSliderCrank { formulation, ..FlexibleSliderCrank::default() };
        both_precisions(criterion, &format!("flexible-slider-crank/{name}"), &*flexible.model());
    }
}

fn squeezers(criterion: &mut Criterion) {
    for (name, formulation) in [("angles", SqueezerFormulation::Angles), ("Cartesian", SqueezerFormulation::Cartesian)]
    {
        let squeezer = Squeezer { formulation, ..Squeezer::default() };
        both_precisions(criterion, &format!("squeezer/{name}"), &*squeezer.model());
    }
    linearisation(criterion, "squeezer/angles", &SqueezerAngles(Squeezer::default()));
    linearisation(criterion, "squeezer/Cartesian", &SqueezerBodies(Squeezer::default()));
}

/// The evaluations of the mechanics in an iteration of an implicit method: the terms alone, and with their derivatives.
fn linearisation(criterion: &mut Criterion, name: &str, model: &impl SqueezerEquations) {
    let y = model.initial::<f64>();
    let (q, v) = y.split_at(model.dimensions().coordinates);
    let mut mechanics = MechanicsOf::<_, f64>::new(model);
    let (n, m) = (mechanics.dimensions().coordinates, mechanics.dimensions().constraints());
    let mut terms = Terms::new(n, m);
    let mut derivatives = Derivatives::new(&mechanics.structure());
    criterion.bench_function(&format!("{name}, terms"), |b| {
        b.iter(|| mechanics.terms(0.0, black_box(q), v, &mut terms));
    });
    criterion.bench_function(&format!("{name}, linearisation"), |b| {
        b.iter(|| mechanics.linearisation(0.0, black_box(q), v, &mut terms, &mut derivatives));
    });
}

fn small_problems(criterion: &mut Criterion) {
    both_precisions(criterion, "oscillation-in-time", &*OscillationInTime::default().model());
    both_precisions(criterion, "linear-test", &*LinearTest::default().model());
    both_precisions(criterion, "linear-oscillator", &*LinearOscillator::default().model());
    both_precisions(criterion, "penalty-ball", &*PenaltyBall::default().model());
    both_precisions(criterion, "two-bouncing-balls", &*TwoBouncingBalls::default().model());
}

fn observations(criterion: &mut Criterion) {
    let definition = SliderCrank::default();
    let model = definition.model();
    let y: Vec<f64> = model.initial_state();
    let mut values = vec![0.0; model.observables().len()];
    let mut observation = model.observation();
    criterion.bench_function("slider-crank/Cartesian, observables", |b| {
        b.iter(|| observation.observe(0.0, black_box(&y), &mut values));
    });
}

fn parts(criterion: &mut Criterion) {
    let spheres = RollingSpheres::default();
    let (q, v) = ([0.6, 0.1, 1.6, 0.3, 1.5, 1.4], [0.0, -0.1, 0.1, 1.2, 1.1, 0.2]);
    let mut mechanics = MechanicsOf::<_, f64>::new(&spheres);
    let mut jacobian = DMatrix::zeros(3, 6);
    criterion.bench_function("rolling-spheres/part, constraint Jacobian", |b| {
        b.iter(|| mechanics.constraint_jacobian(0.0, black_box(&q), &v, &mut jacobian));
    });
    let mut bias = [0.0; 3];
    criterion.bench_function("rolling-spheres/part, acceleration bias", |b| {
        b.iter(|| mechanics.acceleration_bias(0.0, black_box(&q), &v, &mut bias));
    });
    criterion.bench_function("rolling-spheres/part, velocity constraints", |b| {
        b.iter(|| mechanics.velocity_constraints(0.0, black_box(&q), &v, &mut bias));
    });
    let mut multipliers = Multipliers::new(6, 3);
    criterion.bench_function("rolling-spheres/part, multipliers", |b| {
        let mut bias = vec![0.0; mechanics.dimensions().constraints()];
        b.iter(|| multipliers.evaluate(&mut mechanics, 0.0, black_box(&q), &v, &mut bias).expect("regular"));
    });
}

criterion_group!(benches, models, linkages, squeezers, small_problems, observations, parts);
criterion_main!(benches);
