//! Two rectifying branches: a stand-in for Carver's third problem.

use mbsbench_problem::{AsEventOde, BenchmarkModel, Class, EventKind, EventModel, Observable, Ode, Scalar, parameters};

use crate::iteration::bisect;

parameters! {
    /// Two branches, each a source `e_k = E sin(ωt + φ_k)`, a resistor, a coil and an ideal diode in series; a
    /// stand-in for Carver's third problem, whose definition was not found.
    ///
    /// Like the original, it integrates both currents and their rates, `(i₁, i₁', i₂, i₂')`, and has four functions:
    /// the currents and the voltages of the sources. The structure of the equations changes; currents are small but
    /// must not be negative when a branch starts; and events of the two branches are close to each other, for a
    /// region of concurrency. There are 22 events in [0, 3.75] s.
    ///
    /// A branch conducts, `L i'' = e' − R i'`, from the time at which its source becomes positive (a bilateral event)
    /// until its current has decayed to zero (a unilateral event: the rate jumps to zero, and a zero current with a
    /// negative source means that the branch blocks). Only for methods that locate events.
    pub struct DiodeBranches {
        /// Resistance `R` of each branch.
        pub resistance: f64 [above 0.0, unit "Ω"] = 1.0,
        /// Inductance `L` of each branch.
        pub inductance: f64 [above 0.0, unit "H"] = 0.2,
        /// Peak voltage `E` of the sources.
        pub voltage: f64 [above 0.0, unit "V"] = 1.0,
        /// Frequency of the sources.
        pub frequency: f64 [above 0.0, unit "Hz"] = 1.0,
        /// Phase by which the second source leads the first, from 0 to below π.
        pub lead: f64 [from 0.0, below std::f64::consts::PI, unit "rad"] = 1e-3,
        /// Initial current in both branches.
        pub initial_current: f64 [above 0.0, unit "A"] = 1e-6,
    }
}

impl DiodeBranches {
    fn angular_frequency<S: Scalar>(&self) -> S {
        S::pi() * 2.0 * self.frequency
    }

    fn phase<S: Scalar>(&self, branch: usize, t: S) -> S {
        let lead = if branch == 0 { 0.0 } else { self.lead };
        self.angular_frequency::<S>() * t + lead
    }

    /// Current of a branch (0 or 1) a time `after` (s) its source had the phase `phase` (rad) and its current was
    /// `current`, if it has conducted since.
    fn conducting(&self, phase: f64, current: f64, after: f64) -> f64 {
        let omega = self.angular_frequency::<f64>();
        let reactance = omega * self.inductance;
        let impedance = self.resistance.hypot(reactance);
        let lag = reactance.atan2(self.resistance);
        let forced = |t: f64| self.voltage / impedance * (phase + omega * t - lag).sin();
        forced(after) + (current - forced(0.0)) * (-self.resistance / self.inductance * after).exp()
    }

    /// Time for which a branch conducts: until the next zero of the current, which is in the negative half of the
    /// source.
    fn conduction(&self, phase: f64, current: f64) -> f64 {
        let omega = self.angular_frequency::<f64>();
        let pi = std::f64::consts::PI;
        let [_, high] = bisect((pi - phase) / omega, (2.0 * pi - phase) / omega, |after| {
            self.conducting(phase, current, after) > 0.0
        });
        high
    }

    /// An interval in which a branch (0 or 1) conducts, s, with phase and current at its start.
    fn interval(&self, branch: usize, number: f64) -> (f64, f64, f64, f64) {
        if number == 0.0 {
            let first = self.phase::<f64>(branch, 0.0);
            return (0.0, self.conduction(first, self.initial_current), first, self.initial_current);
        }
        let start = self.start(branch, number);
        (start, start + self.conduction(0.0, 0.0), 0.0, 0.0)
    }

    /// Start of an interval with a positive number, s.
    fn start(&self, branch: usize, number: f64) -> f64 {
        (number * std::f64::consts::TAU - self.phase::<f64>(branch, 0.0)) / self.angular_frequency::<f64>()
    }

    /// Current of a branch (0 or 1), A.
    pub fn exact(&self, branch: usize, t: f64) -> f64 {
        // The last interval that has begun: by the phase, and by its start if roundoff would select another.
        let periods = (self.phase::<f64>(branch, t) / std::f64::consts::TAU).floor();
        let mut begun = [1.0, 0.0, -1.0].into_iter().map(|one| periods + one);
        let number = begun.find(|&number| number >= 1.0 && self.start(branch, number) <= t).unwrap_or(0.0);
        let (start, end, phase, current) = self.interval(branch, number);
        if t < end { self.conducting(phase, current, t - start) } else { 0.0 }
    }
}

impl BenchmarkModel for DiodeBranches {
    const NAME: &'static str = "diode-branches";
    const SUMMARY: &'static str = "two branches with diode, resistor and coil; stand-in for Carver's third problem";
    const SOURCE: &'static str = "for compere2001, section 5.3.2; our own definition";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsEventOde::new(self))
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        let current = S::from(self.initial_current);
        let rate = |branch| {
            (self.phase::<S>(branch, S::zero()).sin() * self.voltage - current * self.resistance) / self.inductance
        };
        vec![current, rate(0), current, rate(1)]
    }

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("current_1", "A", "current of the first branch"),
            Observable::new("current_2", "A", "current of the second branch"),
            Observable::new("error", "A", "larger difference of a current from the closed form"),
        ]
    }

    fn observe(&self, t: f64, y: &[f64], values: &mut [f64]) {
        let errors = [y[0] - self.exact(0, t), y[2] - self.exact(1, t)];
        values.copy_from_slice(&[y[0], y[2], errors[0].abs().max(errors[1].abs())]);
    }

    fn classes(&self) -> Vec<Class> {
        vec![Class::Position, Class::Velocity, Class::Position, Class::Velocity]
    }
}

impl EventModel for DiodeBranches {
    fn sizes(&self) -> [usize; 2] {
        [4, 4]
    }

    fn kind(&self, index: usize) -> EventKind {
        if index < 2 { EventKind::Unilateral } else { EventKind::Bilateral }
    }

    fn rhs<S: Scalar>(&self, t: S, y: &[S], configuration: &[bool], dydt: &mut [S]) {
        let omega = self.angular_frequency::<S>();
        for branch in 0..2 {
            let rate = y[2 * branch + 1];
            let conducts = configuration[2 + branch] || rate.value() != 0.0;
            (dydt[2 * branch], dydt[2 * branch + 1]) = if conducts {
                let source = omega * self.phase(branch, t).cos() * self.voltage;
                (rate, (source - rate * self.resistance) / self.inductance)
            } else {
                (S::zero(), S::zero())
            };
        }
    }

    fn values<S: Scalar>(&self, t: S, y: &[S], g: &mut [S]) {
        for branch in 0..2 {
            g[branch] = y[2 * branch];
            g[2 + branch] = self.phase(branch, t).sin() * self.voltage;
        }
    }

    fn jump<S: Scalar>(&self, index: usize, _t: S, y: &mut [S]) {
        if index < 2 {
            y[2 * index + 1] = S::zero();
        }
    }
}
