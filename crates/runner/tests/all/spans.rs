//! No method evaluates a problem outside the span of its task.

use std::sync::Mutex;

use mbsbench::Registry;
use mbsbench_problem::{
    AccelerationLevel, AsContactOde, ContactModel, Counted, Dimensions, Entries, Failure, MechanicalModel, MechanicsOf,
    Method, Ode, Properties, Scalar, Settings, Silent, StepControl, Task,
};
use nalgebra::DMatrix;

/// The first and the last time of an evaluation, s.
struct Times(Mutex<[f64; 2]>);

impl Times {
    fn new() -> Self {
        Self(Mutex::new([f64::INFINITY, f64::NEG_INFINITY]))
    }

    fn see(&self, t: f64) {
        let mut times = self.0.lock().unwrap();
        *times = [times[0].min(t), times[1].max(t)];
    }

    fn forget(&self) {
        *self.0.lock().unwrap() = [f64::INFINITY, f64::NEG_INFINITY];
    }

    fn seen(&self) -> [f64; 2] {
        *self.0.lock().unwrap()
    }
}

/// `x″ = cos t − x`, with derivatives or without.
struct Driven<'t> {
    times: &'t Times,
    has_jacobian: bool,
}

impl Ode for Driven<'_> {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Failure> {
        self.times.see(t);
        dydt.copy_from_slice(&[y[1], t.cos() - y[0]]);
        Ok(())
    }
    fn properties(&self) -> Properties<'_> {
        Properties { has_jacobian: self.has_jacobian, ..Properties::default() }
    }
    fn jacobian(&mut self, t: f64, _y: &[f64], jacobian: &mut DMatrix<f64>) -> Result<(), Failure> {
        self.times.see(t);
        jacobian.copy_from_slice(&[0.0, -1.0, 1.0, 0.0]);
        Ok(())
    }
    fn time_derivative(&mut self, t: f64, _y: &[f64], rate: &mut [f64]) -> Result<(), Failure> {
        self.times.see(t);
        rate.copy_from_slice(&[0.0, -t.sin()]);
        Ok(())
    }
}

/// The same equation as contact without power.
impl ContactModel for Times {
    fn coordinates(&self) -> usize {
        1
    }
    fn accelerations<S: Scalar>(&self, t: S, q: &[S], _v: &[S], accelerations: &mut [S], _powers: &mut [S]) {
        self.see(t.value());
        accelerations[0] = t.cos() - q[0];
    }
}

/// A pendulum of 1 m, optionally driven by a force along x.
struct Pendulum<'t> {
    times: &'t Times,
    is_driven: bool,
}

impl MechanicalModel for Pendulum<'_> {
    fn dimensions(&self) -> Dimensions {
        Dimensions::vectors(2, 1)
    }
    fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
        (0..2).for_each(|i| mass[(i, i)] = S::from(1.0));
    }
    fn forces<S: Scalar>(&self, t: S, _q: &[S], _v: &[S], forces: &mut [S]) {
        forces.copy_from_slice(&[S::zero(), S::from(-9.81)]);
        // reading a value counts as a branch, after which forces may depend on anything
        if self.is_driven {
            self.times.see(t.value());
            forces[0] = t.cos();
        }
    }
    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        self.times.see(t.value());
        phi[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    }
    fn energy<S: Scalar>(&self, _q: &[S], _v: &[S]) -> S {
        S::zero()
    }
}

/// Published formulas with stages beyond the end of their step, and the distance in steps: nodes above one, and the
/// velocity of SHAKE at the end, a difference of the positions before and after.
const AHEAD: [(&str, f64); 5] =
    [("mssth4", 0.15), ("mssth5", 0.15), ("esdirk436l2sa2", 0.05), ("substep5", 0.1), ("shake", 1.0)];

/// Spans in seconds: short ones, one that is not a multiple of any step, one away from zero.
const SPANS: [[f64; 2]; 5] = [[0.0, 1e-4], [0.0, 0.37], [0.0, 1.0], [0.0, 5.0], [100.0, 103.0]];

/// Returns the problems, each with an initial state, on which a solve leaves its span, and the number of problems that
/// the method suits.
fn leaves(method: &dyn Method, ahead: f64, span: [f64; 2], settings: Settings) -> (Vec<String>, usize) {
    let times: Vec<Times> = (0..5).map(|_| Times::new()).collect();
    let (mut exact, mut by_differences) =
        (Driven { times: &times[0], has_jacobian: true }, Driven { times: &times[1], has_jacobian: false });
    let mut contact = AsContactOde(&times[2]);
    let (driven, free) =
        (Pendulum { times: &times[3], is_driven: true }, Pendulum { times: &times[4], is_driven: false });
    let [mut driven, mut free] =
        [&driven, &free].map(|model| AccelerationLevel::new(MechanicsOf::<_, f64>::new(model)));
    // the structure of a mechanism is determined once, at artificial states, and is not part of a solve
    for mechanism in [&mut driven, &mut free] {
        mechanism.form().mechanics().unwrap().structure();
    }
    times.iter().for_each(Times::forget);
    let problems: [(&mut dyn Ode, &[f64]); 5] = [
        (&mut exact, &[1.0, 0.0]),
        (&mut by_differences, &[1.0, 0.0]),
        (&mut contact, &[1.0, 0.0]),
        (&mut driven, &[1.0, 0.0, 0.0, 0.0]),
        (&mut free, &[1.0, 0.0, 0.0, 0.0]),
    ];
    let (mut left, mut suited) = (Vec::new(), 0);
    for ((ode, initial), times) in problems.into_iter().zip(&times) {
        if method.suits(ode).is_err() {
            continue;
        }
        let task = Task { t_start: span[0], t_end: span[1], initial, settings };
        let failure = method.solve(Counted::new(ode), &task, &mut Silent).failure;
        match failure {
            // a method that keeps its order or its step, on a span that is not a multiple of the step
            Some(Failure::NotApplicable { .. }) => continue,
            Some(Failure::Unavailable { .. }) => {}
            failure => assert_eq!(failure, None, "{span:?} {settings:?}"),
        }
        suited += 1;
        let [first, last] = times.seen();
        // the end of the last step may be rounded
        let rounding = 4.0 * f64::EPSILON * span[1];
        let most = match settings.control {
            StepControl::Fixed { step } => span[1] + ahead * step,
            StepControl::Tolerance { .. } => span[1],
        };
        if first < span[0] || last > most + rounding {
            left.push(format!("evaluated from {first} to {last} over {span:?} with {:?}", settings.control));
        }
    }
    (left, suited)
}

#[test]
fn no_method_evaluates_anything_before_or_after_the_span() {
    let registry = Registry::builtin();
    let mut all = Vec::new();
    for entry in registry.methods().iter().filter(|entry| !entry.is_written_out) {
        let method = entry.default_choice().object.method();
        let ahead = AHEAD.iter().find(|(name, _)| *name == entry.name).map_or(0.0, |(_, steps)| *steps);
        let mut suited = 0;
        for span in SPANS {
            let mut controls = vec![Settings::fixed((span[1] - span[0]) / 100.0)];
            controls.extend(
                method
                    .properties()
                    .adapts
                    .then(|| [1e-3, 1e-6].map(|tol| Settings::tolerance(tol, tol)))
                    .into_iter()
                    .flatten(),
            );
            for settings in controls {
                let (left, count) = leaves(&*method, ahead, span, settings);
                all.extend(left.into_iter().map(|how| format!("{}: {how}", entry.name)));
                suited += count;
            }
        }
        assert!(suited > 0, "`{}` was not tested", entry.name);
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
