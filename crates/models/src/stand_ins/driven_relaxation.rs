//! A relaxation that is driven to and fro, in place of Carver's second problem.

use mbsbench_problem::{
    AsEventOde, Class, EventModel, Formulated, Model, ModelDefinition, Observable, Observation, Ode, OutOfRange,
    Scalar, parameters,
};

parameters! {
    /// `x' = ±d − r x`: the drive `d` changes its sign with `g₁ = sin(2π f t + φ)`, the rate `r` from slow to fast
    /// where `x` passes a threshold, `g₂ = x − θ`; stands in for Carver's second problem, whose definition was not
    /// found.
    ///
    /// As table 5.2 of compere2001 has it: one state, two functions, both bilateral, parametric events; seven of them
    /// in [0, 3.75] s.
    pub struct DrivenRelaxation where threshold_is_passed {
        /// Magnitude of the drive `d`, 1/s.
        pub drive: f64 [above 0.0] = 1.0,
        /// Rate `r` below the threshold, 1/s.
        pub slow: f64 [above 0.0] = 0.5,
        /// Rate `r` above it, 1/s; below `d/θ`, so that the threshold is passed.
        pub fast: f64 [above 0.0] = 1.0,
        /// Threshold `θ`.
        pub threshold: f64 [above 0.0] = 0.3,
        /// Frequency `f` of the drive, Hz.
        pub frequency: f64 [above 0.0] = 0.5,
        /// Phase `φ` of the drive at the start, rad, above zero and below π.
        pub phase: f64 [above 0.0, below std::f64::consts::PI] = 0.2,
    }
}

impl DrivenRelaxation {
    fn threshold_is_passed(&self) -> Result<(), OutOfRange> {
        if self.threshold * self.slow.max(self.fast) < self.drive {
            return Ok(());
        }
        Err(OutOfRange::new("threshold", self.threshold, "a number below `drive` over either rate"))
    }
}

impl DrivenRelaxation {
    /// The pieces of the motion up to `t_end`: the start of each (s), `x` there, the sign of the drive and the rate; with the
    /// function whose zero began it.
    fn pieces(&self, t_end: f64) -> Vec<Piece> {
        let half_period = 0.5 / self.frequency;
        let mut flip = half_period * (1.0 - self.phase / std::f64::consts::PI);
        let mut pieces = vec![Piece { t: 0.0, x: 0.0, level: self.drive / self.slow, rate: self.slow, event: None }];
        let (mut sign, mut is_above) = (1.0, false);
        while let Some(&piece) = pieces.last() {
            // the way to the threshold, where this piece leads there
            let share = (piece.x - piece.level) / (self.threshold - piece.level);
            let passes = (piece.level > self.threshold) != is_above && share > 1.0;
            let passage = if passes { piece.t + share.ln() / piece.rate } else { f64::INFINITY };
            let is_passage = passage < flip;
            let (t, x) = if is_passage { (passage, self.threshold) } else { (flip, piece.at(flip)) };
            if t > t_end {
                break;
            }
            if is_passage {
                is_above = !is_above;
            } else {
                sign = -sign;
                flip += half_period;
            }
            let rate = if is_above { self.fast } else { self.slow };
            let event = Some(usize::from(is_passage));
            pieces.push(Piece { t, x, level: sign * self.drive / rate, rate, event });
        }
        pieces
    }

    /// The solution.
    #[must_use]
    pub fn exact(&self, t: f64) -> f64 {
        self.pieces(t).last().map_or(0.0, |piece| piece.at(t))
    }

    /// Times of the events up to `t_end`, s, with the number of the function.
    #[must_use]
    pub fn events(&self, t_end: f64) -> Vec<(f64, usize)> {
        self.pieces(t_end).into_iter().filter_map(|piece| Some((piece.t, piece.event?))).collect()
    }
}

/// An interval on which `x` goes to `level` at `rate`.
#[derive(Debug, Clone, Copy)]
struct Piece {
    t: f64,
    x: f64,
    level: f64,
    rate: f64,
    event: Option<usize>,
}

impl Piece {
    fn at(&self, t: f64) -> f64 {
        self.level + (self.x - self.level) * (-self.rate * (t - self.t)).exp()
    }
}

impl ModelDefinition for DrivenRelaxation {
    const NAME: &'static str = "driven-relaxation";
    const SUMMARY: &'static str = "relaxation with a drive that changes its sign and a rate that changes at a threshold; stands in for Carver's second problem";
    const SOURCE: &'static str = "for compere2001, section 5.3.2; the definition is this project's";

    fn model(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }
}

impl EventModel for DrivenRelaxation {
    fn dimension(&self) -> usize {
        1
    }

    fn functions(&self) -> usize {
        2
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], configuration: &[bool], dydt: &mut [S]) {
        let rate = if configuration[1] { self.fast } else { self.slow };
        let drive = if configuration[0] { self.drive } else { -self.drive };
        dydt[0] = -y[0] * rate + drive;
    }

    fn values<S: Scalar>(&self, t: S, y: &[S], g: &mut [S]) {
        g[0] = (S::pi() * 2.0 * self.frequency * t + self.phase).sin();
        g[1] = y[0] - self.threshold;
    }
}

impl<S: Scalar> Formulated<S> for DrivenRelaxation {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsEventOde::new(self))
    }

    fn initial_state(&self) -> Vec<S> {
        vec![S::nought()]
    }
}

impl Model for DrivenRelaxation {
    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("x", "1", "what is driven"),
            Observable::new("error", "1", "difference of x from the closed form"),
        ]
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        Box::new(|t: f64, y: &[f64], values: &mut [f64]| {
            values.copy_from_slice(&[y[0], y[0] - self.exact(t)]);
        })
    }

    fn classes(&self) -> Vec<Class> {
        vec![Class::Position]
    }
}
