//! Time of 2048 steps of the low-order formulas on a slider crank with 6 coordinates and 5 constraints.

use std::f64::consts::PI;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use mbsbench_integrators::low_order::{JacobianUse, LinearAlgebra, NewtonSettings};
use mbsbench_integrators::{HhtAdd, HhtI3, HhtSi2, Newmark, Nstiff, NstiffSi2};
use mbsbench_problem::{
    AccelerationLevel, Counted, MechanicalModel, MechanicsOf, Method, MethodDefinition, Scalar, Settings, Silent,
    Solution, Task,
};
use nalgebra::DMatrix;

const MASSES: [f64; 2] = [3.0, 0.9];
const LENGTHS: [f64; 2] = [0.3, 0.6];
const GRAVITY: f64 = 9.81;

/// Rods from the origin to the pin and from the pin to a slider on the x-axis, `q = (x₁, y₁, θ₁, x₂, y₂, θ₂)` at their
/// centres; a spring with damper holds the slider (negrut2007, section 3).
struct SliderCrank;

impl SliderCrank {
    /// At rest with the crank pointing down.
    fn initial() -> Vec<f64> {
        let [l1, l2] = LENGTHS.map(|length| 0.5 * length);
        let first = 1.5 * PI;
        let second = (-LENGTHS[0] * first.sin() / LENGTHS[1]).asin();
        let pin = [LENGTHS[0] * first.cos(), LENGTHS[0] * first.sin()];
        let mut state = vec![l1 * first.cos(), l1 * first.sin(), first];
        state.extend([pin[0] + l2 * second.cos(), pin[1] + l2 * second.sin(), second]);
        state.extend([0.0; 6]);
        state
    }
}

impl MechanicalModel for SliderCrank {
    fn coordinates(&self) -> usize {
        6
    }
    fn holonomic(&self) -> usize {
        5
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut DMatrix<S>) {
        for (i, (m, l)) in MASSES.into_iter().zip(LENGTHS).enumerate() {
            mass[(3 * i, 3 * i)] = S::from(m);
            mass[(3 * i + 1, 3 * i + 1)] = S::from(m);
            mass[(3 * i + 2, 3 * i + 2)] = S::from(m * l * l / 12.0);
        }
    }
    fn forces<S: Scalar>(&self, _t: S, q: &[S], v: &[S], forces: &mut [S]) {
        let l2 = 0.5 * LENGTHS[1];
        let (sine, cosine) = q[5].sin_cos();
        let (slider, rate) = (q[3] + cosine * l2, v[3] - sine * v[5] * l2);
        let force = (slider - 0.9) * -100.0 - rate * 5.0;
        forces.fill(S::nought());
        forces[1] = S::from(-MASSES[0] * GRAVITY);
        forces[4] = S::from(-MASSES[1] * GRAVITY);
        forces[3] = force;
        forces[5] = -force * sine * l2;
    }
    fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let [l1, l2] = LENGTHS.map(|length| 0.5 * length);
        let ((s1, c1), (s2, c2)) = (q[2].sin_cos(), q[5].sin_cos());
        phi[0] = q[0] - c1 * l1;
        phi[1] = q[1] - s1 * l1;
        phi[2] = q[0] + c1 * l1 - q[3] + c2 * l2;
        phi[3] = q[1] + s1 * l1 - q[4] + s2 * l2;
        phi[4] = q[4] + s2 * l2;
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::nought()
    }
}

fn solve(method: &dyn Method) -> Solution {
    let initial = SliderCrank::initial();
    let task = Task { t_start: 0.0, t_end: 2.0, initial: &initial, settings: Settings::fixed(2f64.powi(-10)) };
    let mut ode = AccelerationLevel::new(MechanicsOf::new(black_box(&SliderCrank)));
    method.solve(Counted::new(&mut ode), &task, &mut Silent)
}

fn run(criterion: &mut Criterion, name: &str, method: &dyn Method) {
    let solution = solve(method);
    assert_eq!(solution.failure, None);
    // th1 of a run of order four at t = 2 s is 5.414361506579
    assert!((solution.state[2] - 5.414_361_506_579).abs() < 2e-2, "{name}: {}", solution.state[2]);
    let mut group = criterion.benchmark_group("2048 steps on the slider crank");
    let iterations = solution.statistics.newton_iterations as f64 / 2048.0;
    group.bench_function(format!("{name} ({iterations:.2} iterations a step)"), |b| b.iter(|| solve(method)));
}

fn formulas(criterion: &mut Criterion) {
    let dense = LinearAlgebra::Dense;
    for tolerance in [1e-8, 1e-10] {
        let newton = NewtonSettings { tolerance, ..NewtonSettings::default() };
        let kept = NewtonSettings { jacobian: JacobianUse::Modified, ..newton };
        let add = HhtAdd { newton, ..HhtAdd::default() };
        let si2 = HhtSi2 { newton, ..HhtSi2::default() };
        let bdf = NstiffSi2 { newton, ..NstiffSi2::default() };
        let methods: [(&str, Box<dyn Method>); 11] = [
            ("newmark", Newmark { newton, ..Newmark::default() }.method()),
            ("nstiff", Nstiff { newton }.method()),
            ("hht-i3", HhtI3 { newton, ..HhtI3::default() }.method()),
            ("hht-i3, modified", HhtI3 { newton: kept, ..HhtI3::default() }.method()),
            ("nstiff-si2", bdf.method()),
            ("nstiff-si2, dense", NstiffSi2 { linear_algebra: dense, ..bdf }.method()),
            ("hht-si2", si2.method()),
            ("hht-si2, dense", HhtSi2 { linear_algebra: dense, ..si2 }.method()),
            ("hht-si2, modified", HhtSi2 { newton: kept, ..si2 }.method()),
            ("hht-add", add.method()),
            ("hht-add, dense", HhtAdd { linear_algebra: dense, ..add }.method()),
        ];
        for (name, method) in methods {
            run(criterion, &format!("{name}, {tolerance:e}"), &*method);
        }
    }
}

criterion_group!(benches, formulas);
criterion_main!(benches);
