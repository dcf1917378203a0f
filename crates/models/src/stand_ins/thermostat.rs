//! A thermostat: a stand-in for Carver's second problem.

use mbsbench_problem::{
    AsEventOde, BenchmarkModel, Class, EventKind, EventModel, Observable, Ode, OutOfRange, Scalar, parameters,
};

parameters! {
    /// The equation `x' = a x` until `x` reaches the upper threshold, then `x' = −b x` until it reaches the lower
    /// one, and so on; a stand-in for Carver's second problem, whose definition was not found.
    ///
    /// Like the original, it has one state that moves, two functions, and parametric events, seven of them in [0,
    /// 3.75] s. The form follows the example with which Shampine and Thompson introduce event location. Because
    /// `x` does not show if the thermostat heats or cools, the state has a second component, +1 or −1, which only the
    /// events change. The events are therefore unilateral here (the printed ones are bilateral), and only methods
    /// that locate events apply.
    pub struct Thermostat where thresholds_are_in_order {
        /// Rate of growth `a` during heating.
        pub heating: f64 [above 0.0, unit "1/s"] = 2.0,
        /// Rate of decay `b` during cooling.
        pub cooling: f64 [above 0.0, unit "1/s"] = 1.0,
        /// Lower threshold, at which the motion starts (heating).
        pub lower: f64 [above 0.0, unit "1"] = 1.0,
        /// Upper threshold.
        pub upper: f64 [above 0.0, unit "1"] = 2.0,
    }
}

impl Thermostat {
    fn thresholds_are_in_order(&self) -> Result<(), OutOfRange> {
        OutOfRange::unless(self.upper > self.lower, "upper", self.upper, "a finite number above `lower`")
    }

    /// Duration of heating and of cooling, s.
    fn durations(&self) -> (f64, f64) {
        let ratio = (self.upper / self.lower).ln();
        (ratio / self.heating, ratio / self.cooling)
    }

    /// The solution.
    pub fn exact(&self, t: f64) -> f64 {
        let (heating, cooling) = self.durations();
        let phase = t.rem_euclid(heating + cooling);
        if phase < heating {
            self.lower * (self.heating * phase).exp()
        } else {
            self.upper * (-self.cooling * (phase - heating)).exp()
        }
    }
}

impl BenchmarkModel for Thermostat {
    const NAME: &'static str = "thermostat";
    const SUMMARY: &'static str = "growth and decay between two thresholds; stand-in for Carver's second problem";
    const SOURCE: &'static str = "for compere2001, section 5.3.2; our own definition";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsEventOde::new(self))
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        vec![S::from(self.lower), S::from(1.0)]
    }

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("x", "1", "the state that is heated and cooled"),
            Observable::new("mode", "1", "+1 while heating, −1 while cooling"),
            Observable::new("error", "1", "difference of x from the closed form"),
        ]
    }

    fn observe(&self, t: f64, y: &[f64], values: &mut [f64]) {
        values.copy_from_slice(&[y[0], y[1], y[0] - self.exact(t)]);
    }

    fn classes(&self) -> Vec<Class> {
        vec![Class::Position; 2]
    }
}

impl EventModel for Thermostat {
    fn sizes(&self) -> [usize; 2] {
        [2, 2]
    }

    fn kind(&self, _index: usize) -> EventKind {
        EventKind::Unilateral
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], _configuration: &[bool], dydt: &mut [S]) {
        dydt[0] = if y[1].value() > 0.0 { y[0] * self.heating } else { -y[0] * self.cooling };
        dydt[1] = S::zero();
    }

    fn values<S: Scalar>(&self, _t: S, y: &[S], g: &mut [S]) {
        g[0] = -y[0] + self.upper;
        g[1] = y[0] - self.lower;
    }

    fn jump<S: Scalar>(&self, index: usize, _t: S, y: &mut [S]) {
        y[1] = S::from(if index == 0 { -1.0 } else { 1.0 });
    }
}
