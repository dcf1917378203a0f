//! The start of a run: accelerations, multipliers, and the size of the first step if it is free.

use std::sync::Arc;

use mbsbench_problem::linalg::{Saddle, Singular};
use mbsbench_problem::{Branches, Counted, Derivatives, Failure, Run, Structure, Terms};

use super::formula::{Formula, Start, Trial};
use super::newton::singular;
use crate::newton::largest;
use crate::sizes::Controlled;
use crate::stepper::finite;

/// Creates the formula at the initial state. With constant steps its algorithmic accelerations belong to the time
/// `shift` steps after it. With controlled steps it receives the rates of the accelerations, and the first step gets a
/// size, if none is given. With `by_joints` it receives the joints of a tree in place of terms.
pub fn start<F: Formula>(
    run: &mut Run<'_, Counted<'_>>,
    make: impl FnOnce(&Start<'_>) -> Result<F, Singular>,
    (shift, by_joints): (f64, bool),
    controlled: Option<&mut Controlled>,
) -> Result<(F, Trial), Failure> {
    let time = run.t;
    let (q, v) = run.task.initial.split_at(run.task.initial.len() / 2);
    let mut motion = Motion::new(&mut run.problem, by_joints)?;
    let x = motion.solve(run, time, (q, v))?;
    let (terms, joints) = (motion.terms.clone(), motion.joints.clone());
    let (a, lambda) = x.split_at(q.len());
    let (mut algorithmic, mut jerk) = (a.to_vec(), None);
    if let Some(controlled) = controlled {
        let later = probe([q, v, a], controlled).min(controlled.size.unwrap_or(f64::INFINITY));
        let next = motion.solve_later(run, [q, v, a], later)?;
        let rates: Vec<f64> = a.iter().zip(&next).map(|(a, next)| (next - a) / later).collect();
        controlled.size = controlled.size.or_else(|| Some(first_step(q, &rates, 100.0 * later, controlled)));
        jerk = Some(rates);
    } else if shift != 0.0 {
        // Extrapolates linearly from the accelerations at the start and equally long after it, so that nothing before
        // the start is evaluated; the later state is accurate to O(h³).
        let shift = shift * run.constant_step().1;
        let later = shift.abs();
        let next = motion.solve_later(run, [q, v, a], later)?;
        for (algorithmic, &next) in algorithmic.iter_mut().zip(&next) {
            *algorithmic += shift / later * (next - *algorithmic);
        }
    }
    let Motion { structure, derivatives, .. } = motion;
    let (jerk, structure) = (jerk.as_deref(), &*structure);
    let start = Start { q, v, a, algorithmic: &algorithmic, jerk, lambda, terms: &terms, structure, joints };
    let formula = make(&start).map_err(|Singular| singular(time, "mass matrix"))?;
    Ok((formula, Trial { t: time, h: 0.0, size: largest(q), q: q.to_vec(), v: v.to_vec(), terms, derivatives }))
}

/// Norm of the tolerances, with the positions `q` as typical sizes.
fn norm(x: &[f64], q: &[f64], (rel, abs): (f64, f64)) -> f64 {
    let sum: f64 = x.iter().zip(q).map(|(x, q)| (x / (abs + rel * q.abs())).powi(2)).sum();
    (sum / q.len() as f64).sqrt()
}

/// A hundredth of the time in which positions change by their own size (s), computed from velocities and from
/// accelerations, similar to E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, section
/// II.4.
fn probe([q, v, a]: [&[f64]; 3], controlled: &Controlled) -> f64 {
    let [position, velocity, acceleration] = [q, v, a].map(|x| norm(x, q, controlled.tolerances));
    // zero positions give no typical size
    let size = if position <= 1e-10 { 1e-4 } else { (position / velocity).min((position / acceleration).sqrt()) };
    0.01 * size.min(controlled.max_step)
}

/// The first step (s), with a local error of about a hundredth of the tolerances according to the rates of the
/// accelerations: `C h³ q‴` with `C` about 1/10.
fn first_step(q: &[f64], rates: &[f64], largest: f64, controlled: &Controlled) -> f64 {
    let by_error = (0.1 / norm(rates, q, controlled.tolerances)).cbrt();
    by_error.min(largest).min(controlled.max_step)
}

/// Solver for accelerations and multipliers, with constraints at acceleration level.
struct Motion {
    structure: Arc<Structure>,
    /// Terms at the last state that was solved for.
    terms: Terms<f64>,
    system: Saddle,
    /// The joints of a tree, in place of terms and matrix.
    joints: Option<Branches>,
    /// Memory, passed on to the first step.
    derivatives: Derivatives<f64>,
}

impl Motion {
    /// Creates the solver at the start of a run.
    fn new(problem: &mut Counted<'_>, by_joints: bool) -> Result<Self, Failure> {
        let mut mechanics = problem.mechanics()?;
        let joints = if by_joints { mechanics.branches() } else { None };
        let structure = if joints.is_some() { Arc::default() } else { mechanics.structure() };
        let sparse = joints.is_some() || structure.is_sparse();
        let (terms, derivatives) = (Terms::of(&structure, sparse), Derivatives::of(&structure, sparse));
        Ok(Self {
            terms,
            derivatives,
            joints,
            system: Saddle::new(&structure.dynamics, &structure.jacobian, sparse),
            structure,
        })
    }

    /// `(a ; λ)` at the time `later` (s) after the initial state, from its positions, velocities and accelerations.
    fn solve_later(
        &mut self,
        run: &mut Run<'_, Counted<'_>>,
        [q, v, a]: [&[f64]; 3],
        later: f64,
    ) -> Result<Vec<f64>, Failure> {
        let v_later: Vec<f64> = v.iter().zip(a).map(|(v, a)| v + later * a).collect();
        let q_later: Vec<f64> = (0..q.len()).map(|i| q[i] + 0.5 * later * (v[i] + v_later[i])).collect();
        self.solve(run, run.t + later, (&q_later, &v_later))
    }

    /// `(a ; λ)` at a state at time `t`.
    fn solve(&mut self, run: &mut Run<'_, Counted<'_>>, t: f64, (q, v): (&[f64], &[f64])) -> Result<Vec<f64>, Failure> {
        run.check_budget(1)?;
        let time = run.t;
        let Self { terms, system, joints, .. } = self;
        if let Some(joints) = joints {
            run.problem.mechanics()?.write_branches(t, [q, v], false, false, joints);
            finite(time, &joints.accelerations)?;
            return Ok(joints.accelerations.clone());
        }
        let (n, m) = (q.len(), terms.constraints.len());
        let mut mechanics = run.problem.mechanics()?;
        mechanics.terms(t, q, v, terms);
        let mut x = vec![0.0; n + m];
        mechanics.acceleration_bias(t, q, v, &mut x[n..]);
        if !terms.are_finite() || !x.iter().all(|x| x.is_finite()) {
            return Err(Failure::NonFinite { time });
        }
        x[..n].copy_from_slice(&terms.forces);
        x[n..].iter_mut().for_each(|bias| *bias = -*bias);
        system.put([1.0, 0.0, 0.0].map(|factor| (factor, &terms.mass)), 1.0, &terms.jacobian);
        run.own.factorizations += 1;
        run.own.linear_solves += 1;
        let before = system.flops();
        system.factorize().map_err(|Singular| singular(time, "[M Jᵀ; J 0]"))?;
        system.solve_by_rows(&mut x);
        run.own.add_flops(system.flops() - before);
        Ok(x)
    }
}
