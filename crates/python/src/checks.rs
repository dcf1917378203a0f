//! Checks of a user's functions before the first step of a run.
//!
//! Initial values that violate the constraints, a Jacobian that is not the derivative of its function, or a negative
//! mass would produce numbers that look like results. The functions are evaluated at the start and at two states near
//! it, since a wrong Jacobian may be right at the start.

use mbsbench_problem::{Failure, Mechanics, Ode};
use nalgebra::{DMatrix, DVector, SymmetricEigen};

use crate::calls::{Calls, Target};
use crate::user_mechanics::PythonMechanics;
use crate::user_model::{Functions, PythonOde};

/// Largest residual of a constraint at the start, relative to the terms in its row.
const CONSISTENT: f64 = 1e-8;
/// Largest residual of a velocity constraint due to the rounding error of a time difference, relative to the terms of
/// the positions.
const BY_TIME: f64 = 1e-9;
/// Smallest size of positions with which residuals are compared, m or rad, in case all coordinates are zero.
const LEAST_SIZE: f64 = 1e-4;
/// Largest difference between an entry of a Jacobian and the difference quotient, relative to the larger one.
const DERIVATIVE: f64 = 1e-5;
/// Largest such difference for an entry that is zero except for rounding, relative to the terms of the row.
const DERIVATIVE_FLOOR: f64 = 1e-8;
/// Steps of difference quotients, relative to the component or to one; the first suffices for most functions.
const STEPS: [f64; 7] = [1e-5, 1e-6, 1e-4, 1e-7, 1e-3, 1e-8, 1e-9];
/// Largest asymmetry of a mass matrix, relative to the entries.
const SYMMETRIC: f64 = 1e-10;
/// Smallest kinetic energy of a motion, relative to the largest entry of the scaled mass matrix: zero except for
/// rounding.
const POSITIVE: f64 = -1e-10;
/// Distances of the further states, relative to the components.
const NEAR: [f64; 2] = [1e-2, -3e-2];
/// The largest number of components for which further states are evaluated.
const MOST: usize = 200;

/// The last start that passed the checks, which is not checked again: its time, s, and state.
pub type Checked = Option<(f64, Vec<f64>)>;

/// A distance, and the function values at this distance ahead and behind.
type Around = (f64, Vec<f64>, Vec<f64>);

/// The result of a check, or of a call that it makes.
type Result<T, E = Failure> = std::result::Result<T, E>;

/// A function of a vector; `None` if its value is not finite, and an error if it is interrupted.
type Function<'f> = dyn FnMut(&[f64]) -> Result<Option<Vec<f64>>> + 'f;

/// Checks the functions of `y' = f(t, y)` at a start.
///
/// # Errors
/// Returns [`Failure::NotApplicable`] if they are refused, or the failure of a function that raises an exception.
pub fn ode(ode: &mut PythonOde<'_>, t: f64, y: &[f64]) -> Result<()> {
    let functions = ode.functions;
    let refuse = |wrong: String| functions.refused(&wrong);
    finite("the initial state", y).map_err(refuse)?;
    let mut rate = vec![0.0; y.len()];
    ode.rhs(t, y, &mut rate)?;
    ensure_defined(functions, &ode.calls, t)?;
    energy(functions, &ode.calls, t, y)?;
    if functions.jacobian.is_none() {
        return Ok(());
    }
    for (place, y) in points(y).into_iter().enumerate() {
        let mut jacobian = DMatrix::zeros(y.len(), y.len());
        let found = ode.jacobian(t, &y, &mut jacobian).and_then(|()| defined(&ode.calls, t));
        if !usable(place, found, refuse)? {
            continue;
        }
        let mut rhs = |y: &[f64]| {
            let mut rate = vec![0.0; y.len()];
            let found = ode.rhs(t, y, &mut rate).and_then(|()| defined(&ode.calls, t));
            Ok(passed(found)?.then_some(rate))
        };
        if let Some(wrong) = derivative(&jacobian, &y, &mut rhs)? {
            return Err(refuse(format!("`jacobian` is not ∂f/∂y at t = {t}, y = {}: {wrong}", shown(&y))));
        }
    }
    Ok(())
}

/// Checks the functions of a mechanical system at a start.
///
/// # Errors
/// Returns [`Failure::NotApplicable`] if they are refused, or the failure of a function that raises an exception.
pub fn mechanics(system: &mut PythonMechanics<'_>, t: f64, q: &[f64], v: &[f64]) -> Result<()> {
    let functions = system.functions;
    let refuse = |wrong: String| functions.refused(&wrong);
    finite("the initial state", q).and_then(|()| finite("the initial state", v)).map_err(refuse)?;
    let mut forces = vec![0.0; system.n()];
    system.forces_at(t, q, v, &mut forces);
    ensure_defined(functions, &system.calls, t)?;
    if !functions.full.velocity_forces {
        let (faster, here) = (v.iter().map(|v| 2.0 * v + 1.0).collect::<Vec<_>>(), forces.clone());
        system.forces_at(t, q, &faster, &mut forces);
        if forces != here {
            return Err(refuse("`forces` depends on `v`, but `velocity_forces` is False".to_owned()));
        }
    }
    energy(functions, &system.calls, t, &[q, v].concat())?;
    if system.m() > 0 {
        positions(system, t, q)?;
    }
    let identity = DMatrix::identity(q.len(), q.len());
    let mut first = None;
    for (place, q) in points(q).into_iter().enumerate() {
        // A Jacobian needs to be correct only where the constraints are satisfied.
        let Some(q) = (if place == 0 { Some(q) } else { projected(system, t, &q, &identity)? }) else { continue };
        let mass = system.mass_at(&q);
        if functions.full.constant_mass && *first.get_or_insert_with(|| mass.clone()) != mass {
            return Err(refuse(format!("`mass` is not constant: it differs at q = {} from the start", shown(&q))));
        }
        let jacobian = system.jacobian_at(t, &q);
        if !usable(place, defined(&system.calls, t), refuse)? {
            continue;
        }
        let at = || format!("at t = {t}, q = {}", shown(&q));
        if place == 0 || functions.jacobian.is_some() {
            let mut constraints = |q: &[f64]| {
                let mut phi = vec![0.0; system.m()];
                system.phi(t, q, &mut phi);
                Ok(passed(defined(&system.calls, t))?.then_some(phi))
            };
            let what = match functions.jacobian {
                Some(_) => "`jacobian` is not ∂Φ/∂q",
                None => "differences of `constraints` are too inaccurate, give its `jacobian`",
            };
            if let Some(wrong) = derivative(&jacobian, &q, &mut constraints)? {
                return Err(refuse(format!("{what} {}: {wrong}", at())));
            }
        }
        if place == 0 && system.m() > 0 {
            velocities(system, t, &q, v, &jacobian)?;
        }
        inertia(&mass, &jacobian).map_err(|wrong| refuse(format!("`mass` {} {wrong}", at())))?;
    }
    Ok(())
}

/// Checks that the start satisfies the constraints on positions.
fn positions(system: &mut PythonMechanics<'_>, t: f64, q: &[f64]) -> Result<()> {
    let functions = system.functions;
    let mut phi = vec![0.0; system.m()];
    system.phi(t, q, &mut phi);
    let jacobian = system.differences_at(t, q);
    ensure_defined(functions, &system.calls, t)?;
    let Some((row, allowed)) = violated(&phi, |row| CONSISTENT * terms(&jacobian, row, q)) else { return Ok(()) };
    let near = projected(system, t, q, &DMatrix::identity(q.len(), q.len()))?;
    let near = near.map_or_else(String::new, |q| format!("; the nearest consistent positions: {}", shown(&q)));
    Err(functions.refused(&format!(
        "the initial positions do not satisfy the constraints at t = {t}: row {row} of `constraints` is {:e}; \
         accepted: a magnitude of at most {allowed:.1e}, or `start=\"assembled\"`{near}",
        phi[row]
    )))
}

/// Checks that the start satisfies the constraints on velocities.
fn velocities(system: &mut PythonMechanics<'_>, t: f64, q: &[f64], v: &[f64], jacobian: &DMatrix<f64>) -> Result<()> {
    let functions = system.functions;
    let (mut rates, mut by_time) = (vec![0.0; system.m()], vec![0.0; system.m()]);
    system.velocity_constraints(t, q, v, &mut rates);
    system.velocity_constraints(t, q, &vec![0.0; system.n()], &mut by_time);
    ensure_defined(functions, &system.calls, t)?;
    let fastest = v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    let allowed = |row: usize| {
        let moving = jacobian.row(row).iter().map(|entry| entry.abs()).sum::<f64>() * fastest + by_time[row].abs();
        CONSISTENT * moving + BY_TIME * terms(jacobian, row, q)
    };
    let Some((row, allowed)) = violated(&rates, allowed) else { return Ok(()) };
    let near = least(jacobian, &rates, &DMatrix::identity(v.len(), v.len())).map_or_else(String::new, |correction| {
        let near: Vec<f64> = v.iter().zip(&correction).map(|(v, correction)| v - correction).collect();
        format!("; the nearest consistent velocities: {}", shown(&near))
    });
    Err(functions.refused(&format!(
        "the initial velocities do not satisfy the constraints at t = {t}: row {row} of ∂Φ/∂q v + ∂Φ/∂t is {:e}; \
         accepted: a magnitude of at most {allowed:.1e}, or `start=\"assembled\"`{near}",
        rates[row]
    )))
}

/// Returns the size of the terms in a row of the constraints: `Σ |∂Φ/∂q| |q|` with the largest position.
fn terms(jacobian: &DMatrix<f64>, row: usize, q: &[f64]) -> f64 {
    let size = q.iter().fold(LEAST_SIZE, |most, q| most.max(q.abs()));
    jacobian.row(row).iter().map(|entry| entry.abs()).sum::<f64>() * size
}

/// Returns the first row whose value exceeds the allowed one, and the allowed value.
fn violated(values: &[f64], allowed: impl Fn(usize) -> f64) -> Option<(usize, f64)> {
    let mut rows = values.iter().enumerate().map(|(row, value)| (row, value.abs(), allowed(row)));
    rows.find(|(_, value, allowed)| value > allowed).map(|(row, _, allowed)| (row, allowed))
}

/// Checks that a mass matrix is symmetric and that no motion allowed by the constraints has a negative kinetic energy.
/// A singular matrix is accepted: methods that cannot solve with it end with `singular-matrix`.
fn inertia(mass: &DMatrix<f64>, jacobian: &DMatrix<f64>) -> Result<(), String> {
    let n = mass.nrows();
    let largest = mass.amax();
    for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
        let (below, above) = (mass[(i, j)], mass[(j, i)]);
        if (below - above).abs() > SYMMETRIC * below.abs().max(above.abs()) + f64::EPSILON * largest {
            return Err(format!(
                "is not symmetric: row {i}, column {j} is {below:e}, and row {j}, column {i} is {above:e}; \
                 accepted: a relative difference of at most {SYMMETRIC:e}"
            ));
        }
    }
    // Coordinates are scaled to unit inertia, so that masses may differ by any factor.
    let typical = if largest > 0.0 { largest } else { 1.0 };
    let scale = DVector::from_fn(n, |i, _| match mass[(i, i)].abs() {
        0.0 => typical.sqrt().recip(),
        own => own.sqrt().recip(),
    });
    let scaled = DMatrix::from_fn(n, n, |i, j| scale[i] * 0.5 * (mass[(i, j)] + mass[(j, i)]) * scale[j]);
    let mut allowed = DMatrix::identity(n, n);
    if jacobian.nrows() > 0 {
        let rows = DMatrix::from_fn(jacobian.nrows(), n, |i, j| jacobian[(i, j)] * scale[j]);
        let found = rows.svd(false, true);
        let (largest, vectors) = (found.singular_values.amax(), found.v_t.unwrap_or_else(|| DMatrix::zeros(0, n)));
        for (i, size) in found.singular_values.iter().enumerate() {
            if *size > 1e-10 * largest {
                let held = vectors.row(i).transpose();
                allowed -= &held * held.transpose();
            }
        }
    }
    let energies = SymmetricEigen::new(&allowed * &scaled * &allowed);
    let (place, least) = energies.eigenvalues.argmin();
    if n > 0 && least < POSITIVE * scaled.amax() {
        let motion = energies.eigenvectors.column(place).component_mul(&scale);
        let motion: Vec<f64> = (&motion / motion.amax()).iter().copied().collect();
        let along = DVector::from_column_slice(&motion);
        let energy = 0.5 * (along.transpose() * mass * &along)[(0, 0)];
        return Err(format!(
            "gives the kinetic energy ½ vᵀ M v = {energy:.3e} for v = {}, which the constraints allow; \
             accepted: not negative",
            shown(&motion)
        ));
    }
    Ok(())
}

/// Compares a Jacobian with difference quotients of its function. Returns a description of the first error.
fn derivative(given: &DMatrix<f64>, x: &[f64], of: &mut Function<'_>) -> Result<Option<String>> {
    let size = |row: usize| given.row(row).iter().zip(x).map(|(entry, x)| (entry * x).abs()).sum::<f64>();
    let sizes: Vec<f64> = (0..given.nrows()).map(size).collect();
    for k in 0..x.len() {
        let unit = x[k].abs().max(1.0);
        let mut open: Vec<(usize, f64)> = (0..given.nrows()).map(|row| (row, f64::INFINITY)).collect();
        for part in STEPS {
            if open.is_empty() {
                break;
            }
            let Some((h, ahead, behind)) = around(x, k, part * unit, of)? else { continue };
            open.retain_mut(|(row, nearest)| {
                let (entry, row) = (given[(*row, k)], *row);
                let found = (ahead[row] - behind[row]) / (2.0 * h);
                let rounding = 4.0 * f64::EPSILON * (ahead[row].abs() + behind[row].abs()) / h;
                let allowed =
                    DERIVATIVE * entry.abs().max(found.abs()) + DERIVATIVE_FLOOR * sizes[row] / unit + rounding;
                if (found - entry).abs() < (*nearest - entry).abs() || nearest.is_infinite() {
                    *nearest = found;
                }
                (found - entry).abs() > allowed
            });
        }
        for (row, nearest) in open.into_iter().filter(|(_, nearest)| nearest.is_finite()) {
            let entry = given[(row, k)];
            if !is_edge(entry, (x, k, row), unit, of)? {
                return Ok(Some(format!(
                    "row {row}, column {k} is {entry:e}, and differences give {nearest:e}; \
                     accepted: a relative difference of at most {DERIVATIVE:e}"
                )));
            }
        }
    }
    Ok(None)
}

/// Evaluates a function on both sides of `x` in component `k`, and returns the distance, too; `None` if it has no
/// value.
fn around(x: &[f64], k: usize, h: f64, of: &mut Function<'_>) -> Result<Option<Around>> {
    let mut moved = x.to_vec();
    // Uses the distance between the rounded arguments, which is exact.
    let h = (x[k] + h) - x[k];
    moved[k] = x[k] + h;
    let Some(ahead) = of(&moved)? else { return Ok(None) };
    moved[k] = x[k] - h;
    Ok(of(&moved)?.map(|behind| (h, ahead, behind)))
}

/// True if there is no derivative to compare with: the function jumps at `x`, or has an edge there and `entry` lies
/// between its one-sided derivatives.
fn is_edge(entry: f64, (x, k, row): (&[f64], usize, usize), unit: f64, of: &mut Function<'_>) -> Result<bool> {
    let Some(here) = of(x)?.map(|here| here[row]) else { return Ok(true) };
    let mut sides = |h: f64| -> Result<_> {
        let around = around(x, k, h * unit, of)?;
        Ok(around.map(|(h, ahead, behind)| [(ahead[row] - here) / h, (here - behind[row]) / h]))
    };
    let (Some([wide_ahead, wide_behind]), Some([ahead, behind])) = (sides(1e-5)?, sides(1e-7)?) else {
        return Ok(true);
    };
    let size = ahead.abs() + behind.abs();
    let jumps = size > 30.0 * (wide_ahead.abs() + wide_behind.abs());
    let between = entry >= ahead.min(behind) - 1e-3 * size && entry <= ahead.max(behind) + 1e-3 * size;
    Ok(jumps || ((ahead - behind).abs() > 1e-2 * size && between))
}

/// Returns the start and states near it, displaced in an irregular direction.
fn points(x: &[f64]) -> Vec<Vec<f64>> {
    let largest = x.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let usual = if largest > 0.0 { largest.min(1.0) } else { 1.0 };
    let moved = |part: f64| {
        let moved = x.iter().enumerate().map(|(k, &x)| {
            let direction = 2.0 * ((k + 1) as f64 * 0.618_033_988_749_895).fract() - 1.0;
            x + part * direction * if x == 0.0 { usual } else { x.abs() }
        });
        moved.collect()
    };
    let further = if x.len() <= MOST { &NEAR[..] } else { &[] };
    std::iter::once(x.to_vec()).chain(further.iter().copied().map(moved)).collect()
}

/// Returns nearby positions, in a metric, that satisfy the constraints, found by Newton's method with difference
/// quotients; `None` if the iteration does not converge.
fn projected(system: &mut PythonMechanics<'_>, t: f64, q: &[f64], metric: &DMatrix<f64>) -> Result<Option<Vec<f64>>> {
    let (mut q, mut phi) = (q.to_vec(), vec![0.0; system.m()]);
    for _ in 0..20 {
        system.phi(t, &q, &mut phi);
        let jacobian = system.differences_at(t, &q);
        if !passed(defined(&system.calls, t))? {
            return Ok(None);
        }
        if violated(&phi, |row| 1e-3 * CONSISTENT * terms(&jacobian, row, &q)).is_none() {
            return Ok(Some(q));
        }
        let Some(correction) = least(&jacobian, &phi, metric) else { return Ok(None) };
        q.iter_mut().zip(&correction).for_each(|(q, correction)| *q -= correction);
    }
    Ok(None)
}

/// Returns the `x` with the least `xᵀ M x` for which `J x = r`, in the sense of least squares. A metric `M` that is not
/// positive definite is replaced by the identity.
fn least(jacobian: &DMatrix<f64>, residual: &[f64], metric: &DMatrix<f64>) -> Option<Vec<f64>> {
    let factor = metric.clone().cholesky().map_or_else(|| DMatrix::identity(metric.nrows(), metric.nrows()), |f| f.l());
    // with `M = L Lᵀ`: the shortest `y = Lᵀ x` with `J L⁻ᵀ y = r`
    let found = factor.solve_lower_triangular(&jacobian.transpose())?.transpose().svd(true, true);
    let smallest = 1e-10 * found.singular_values.iter().fold(0.0_f64, |most, size| most.max(*size));
    let solution = found.solve(&DVector::from_column_slice(residual), smallest).ok()?;
    let solution = factor.tr_solve_lower_triangular(&solution)?;
    solution.iter().all(|x| x.is_finite()).then(|| solution.iter().copied().collect())
}

/// Returns the start, changed as little as possible in the metric of the mass to satisfy the constraints at time zero.
///
/// # Errors
/// Returns [`Failure::NotApplicable`] if no such start is found.
pub fn assembled(functions: &Functions, start: &[f64]) -> Result<Vec<f64>> {
    let mut system = PythonMechanics::new(functions);
    let (q, v) = start.split_at(system.n());
    if system.m() == 0 {
        return Ok(start.to_vec());
    }
    let refused = || functions.refused("no positions near the initial ones satisfy the constraints at t = 0");
    let mass = system.mass_at(q);
    let q = projected(&mut system, 0.0, q, &mass)?.ok_or_else(refused)?;
    let (jacobian, mut rates) = (system.jacobian_at(0.0, &q), vec![0.0; system.m()]);
    system.rates(0.0, &q, v, &mut rates);
    let is_defined = passed(defined(&system.calls, 0.0))?;
    let correction = is_defined.then(|| least(&jacobian, &rates, &system.mass_at(&q))).flatten().ok_or_else(refused)?;
    let v = v.iter().zip(correction).map(|(v, correction)| v - correction);
    Ok(q.iter().copied().chain(v).collect())
}

/// Checks that the energy is a finite number.
fn energy(functions: &Functions, calls: &Calls, t: f64, y: &[f64]) -> Result<()> {
    let Some(energy) = &functions.energy else { return Ok(()) };
    let mut value = 0.0;
    functions.of_state(calls, ("`energy`", energy), t, y, Target::Number(&mut value))?;
    ensure_defined(functions, calls, t)
}

/// Checks that all results since the last look are finite.
fn ensure_defined(functions: &Functions, calls: &Calls, t: f64) -> Result<()> {
    defined(calls, t)?.map_or(Ok(()), |wrong| Err(functions.refused(&wrong)))
}

/// Returns a message about the last result that is not finite, if there is one.
fn defined(calls: &Calls, t: f64) -> Result<Option<String>> {
    Ok(calls.undefined()?.map(|found| format!("{found} at t = {t}; accepted: finite numbers")))
}

/// True if a state can be checked. The start must have finite values; other states without them are skipped.
fn usable(place: usize, found: Result<Option<String>>, refuse: impl Fn(String) -> Failure) -> Result<bool> {
    match found {
        Ok(None) => Ok(true),
        Ok(Some(wrong)) if place == 0 => Err(refuse(wrong)),
        Err(failure) if place == 0 || matches!(failure, Failure::Interrupted { .. }) => Err(failure),
        _ => Ok(false),
    }
}

/// True if a state near the start has a value. An interruption by the user is returned as an error.
fn passed(found: Result<Option<String>>) -> Result<bool> {
    match found {
        Ok(wrong) => Ok(wrong.is_none()),
        Err(failure @ Failure::Interrupted { .. }) => Err(failure),
        Err(_) => Ok(false),
    }
}

fn finite(what: &str, values: &[f64]) -> Result<(), String> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(place) => Err(format!("{what} has {} in component {place}; accepted: finite numbers", values[place])),
        None => Ok(()),
    }
}

/// Formats a vector for a message, with the first components only if it is long.
fn shown(values: &[f64]) -> String {
    let mut shown: Vec<String> = values.iter().take(8).map(|value| format!("{value}")).collect();
    if values.len() > shown.len() {
        shown.push("…".to_owned());
    }
    format!("[{}]", shown.join(", "))
}
