//! A relaxation driven back and forth: a stand-in for Carver's second problem.

use mbsbench_problem::{
    AsEventOde, BenchmarkModel, Class, EventModel, Observable, Ode, OutOfRange, Scalar, parameters,
};

parameters! {
    /// The relaxation `x' = ±d − r x`. The drive `d` changes its sign with `g₁ = sin(2π f t + φ)`, and the rate `r`
    /// changes from slow to fast when `x` passes a threshold, `g₂ = x − θ`; a stand-in for Carver's second problem,
    /// whose definition was not found.
    ///
    /// As in table 5.2 of compere2001, it has one state, two bilateral functions and parametric events, seven of them
    /// in [0, 3.75] s.
    pub struct DrivenRelaxation where threshold_is_passed {
        /// Magnitude of the drive `d`.
        pub drive: f64 [above 0.0, unit "1/s"] = 1.0,
        /// Rate `r` below the threshold.
        pub slow: f64 [above 0.0, unit "1/s"] = 0.5,
        /// Rate `r` above the threshold; less than `d/θ`, so that the threshold is passed.
        pub fast: f64 [above 0.0, unit "1/s"] = 1.0,
        /// Threshold `θ`.
        pub threshold: f64 [above 0.0, unit "1"] = 0.3,
        /// Frequency `f` of the drive.
        pub frequency: f64 [above 0.0, unit "Hz"] = 0.5,
        /// Initial phase `φ` of the drive, above zero and below π.
        pub phase: f64 [above 0.0, below std::f64::consts::PI, unit "rad"] = 0.2,
    }
}

impl DrivenRelaxation {
    fn threshold_is_passed(&self) -> Result<(), OutOfRange> {
        let is_passed = self.threshold * self.slow.max(self.fast) < self.drive;
        OutOfRange::unless(is_passed, "threshold", self.threshold, "a number below `drive` over either rate")
    }

    fn half_period(&self) -> f64 {
        0.5 / self.frequency
    }

    /// The first piece.
    fn first(&self) -> Piece {
        let flip = self.half_period() * (1.0 - self.phase / std::f64::consts::PI);
        Piece { t: 0.0, x: 0.0, is_driven_up: true, is_above: false, flip }
    }

    /// Limit of `x` in a piece, and its rate, 1/s.
    fn course(&self, piece: &Piece) -> (f64, f64) {
        let rate = if piece.is_above { self.fast } else { self.slow };
        (if piece.is_driven_up { self.drive / rate } else { -self.drive / rate }, rate)
    }

    /// Value of `x` in a piece at a time, s.
    fn at(&self, piece: &Piece, t: f64) -> f64 {
        let (level, rate) = self.course(piece);
        level + (piece.x - level) * (-rate * (t - piece.t)).exp()
    }

    /// The next piece, with the function whose zero starts it.
    fn next(&self, piece: &Piece) -> (Piece, usize) {
        let (level, rate) = self.course(piece);
        // the relative distance to the threshold, if this piece leads to it
        let share = (piece.x - level) / (self.threshold - level);
        let passes = (level > self.threshold) != piece.is_above && share > 1.0;
        let passage = if passes { piece.t + share.ln() / rate } else { f64::INFINITY };
        if passage < piece.flip {
            return (Piece { t: passage, x: self.threshold, is_above: !piece.is_above, ..*piece }, 1);
        }
        let (t, x) = (piece.flip, self.at(piece, piece.flip));
        (Piece { t, x, is_driven_up: !piece.is_driven_up, flip: t + self.half_period(), ..*piece }, 0)
    }

    /// The solution, or NaN if it has not become periodic within `CHANGES * ROUNDS` changes of the drive.
    ///
    /// The clock restarts after every `CHANGES` changes. If the motion then has bitwise the same initial value as
    /// before, everything that follows is known.
    pub fn exact(&self, t: f64) -> f64 {
        let (mut start, mut rest) = (self.first(), t);
        for _ in 0..ROUNDS {
            let (mut piece, mut changes) = (start, 0);
            while changes < CHANGES {
                let (next, function) = self.next(&piece);
                if next.t > rest {
                    return self.at(&piece, rest);
                }
                piece = next;
                changes += usize::from(function == 0);
            }
            rest -= piece.t;
            let again = Piece { t: 0.0, flip: self.half_period(), ..piece };
            if again == start {
                rest %= piece.t;
            }
            start = again;
        }
        f64::NAN
    }

    /// Times of the events up to `t_end`, s, with the numbers of their functions.
    pub fn events(&self, t_end: f64) -> Vec<(f64, usize)> {
        let after = |(piece, _): &(Piece, usize)| Some(self.next(piece));
        let pieces = std::iter::successors(Some(self.next(&self.first())), after);
        pieces.map(|(piece, function)| (piece.t, function)).take_while(|(t, _)| *t <= t_end).collect()
    }
}

/// Number of changes of the drive after which the clock of the solution restarts; even, so that the drive is the same.
const CHANGES: usize = 64;

/// Number of restarts of the clock before the motion is considered not to become periodic; this takes a few
/// milliseconds.
const ROUNDS: usize = 2000;

/// An interval without events.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Piece {
    /// Start of the piece, s.
    t: f64,
    /// `x` at the start.
    x: f64,
    is_driven_up: bool,
    is_above: bool,
    /// Next time at which the drive changes its sign, s.
    flip: f64,
}

impl BenchmarkModel for DrivenRelaxation {
    const NAME: &'static str = "driven-relaxation";
    const SUMMARY: &'static str = "relaxation with an input that changes sign and a rate that changes at a threshold; \
         stand-in for Carver's second problem";
    const SOURCE: &'static str = "for compere2001, section 5.3.2; our own definition";

    fn ode<S: Scalar>(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(AsEventOde::new(self))
    }

    fn initial_state<S: Scalar>(&self) -> Vec<S> {
        vec![S::zero()]
    }

    fn observables(&self) -> Vec<Observable> {
        vec![
            Observable::new("x", "1", "the relaxing state"),
            Observable::new("error", "1", "difference of x from the closed form"),
        ]
    }

    fn observe(&self, t: f64, y: &[f64], values: &mut [f64]) {
        values.copy_from_slice(&[y[0], y[0] - self.exact(t)]);
    }

    fn classes(&self) -> Vec<Class> {
        vec![Class::Position]
    }
}

impl EventModel for DrivenRelaxation {
    fn sizes(&self) -> [usize; 2] {
        [1, 2]
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
