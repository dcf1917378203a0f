//! Compiled equations as a model and as a problem.

use mbsbench_problem::linalg::{Lu, Singular};
use mbsbench_problem::model::Class;
use mbsbench_problem::scalar::is_double;
use mbsbench_problem::{
    EventFunctions, Failure, Form, Formulated, Model, Observable, Observation, Ode, Properties, Scalar, ode,
};
use nalgebra::DMatrix;
use num_dual::Dual;

use super::EquationsModel;
use super::definition::Direction;
use super::tape::Tape;

/// Magnitude below which an event function counts as zero.
const ZERO: f64 = 1e-12;

impl<S: Scalar> Formulated<S> for EquationsModel {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        let mass = self.mass.as_ref().map(|mass| VaryingMass::new(mass, self.classes.len()));
        let (varying, mass) = if self.mass_varies { (mass, None) } else { (None, mass.map(|mass| mass.matrix)) };
        Box::new(EquationsOde {
            model: self,
            held: self.held.iter().map(|&value| S::from(value)).collect(),
            rates: self.rates.registers(),
            dual_rates: if is_double::<S>() { self.rates.registers() } else { Vec::new() },
            events: self.events.registers(),
            dual_events: self.events.registers(),
            set: self.set.registers(),
            mass,
            varying,
        })
    }

    fn initial_state(&self) -> Vec<S> {
        match &self.assembled {
            Some(assembled) => assembled.iter().map(|&y| S::from(y)).collect(),
            None => self.initial.outputs(&self.initial.registers()).collect(),
        }
    }
}

impl Model for EquationsModel {
    fn observables(&self) -> Vec<Observable> {
        self.observables.clone()
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        let mut registers = self.observed.registers();
        Box::new(move |t: f64, y: &[f64], values: &mut [f64]| {
            write(values, compute(&self.observed, &mut registers, t, y.iter().copied()));
        })
    }

    fn classes(&self) -> Vec<Class> {
        self.classes.clone()
    }
}

/// The equations of a solve, with registers of their own and the values of parameters that events change.
struct EquationsOde<'m, S: Scalar> {
    model: &'m EquationsModel,
    /// Values of the parameters that events change.
    held: Vec<S>,
    rates: Vec<S>,
    /// Registers with derivatives; in double precision only.
    dual_rates: Vec<Dual<S>>,
    events: Vec<S>,
    dual_events: Vec<Dual<S>>,
    set: Vec<S>,
    /// The mass matrix if it is constant and not the identity.
    mass: Option<DMatrix<S>>,
    varying: Option<VaryingMass<'m, S>>,
}

/// A mass matrix whose entries depend on inputs.
struct VaryingMass<'m, S: Scalar> {
    entries: &'m [[usize; 2]],
    tape: &'m Tape,
    registers: Vec<S>,
    /// Registers with derivatives.
    dual: Vec<Dual<S>>,
    matrix: DMatrix<S>,
    lu: Lu<S>,
    /// The last `M⁻¹ f`.
    rates: Vec<S>,
}

impl<'m, S: Scalar> VaryingMass<'m, S> {
    fn new((entries, tape): &'m (Vec<[usize; 2]>, Tape), n: usize) -> Self {
        let (registers, dual, rates) = (tape.registers(), tape.registers(), vec![S::zero(); n]);
        let matrix = DMatrix::from_element(n, n, S::zero());
        let mut mass = Self { entries, tape, registers, dual, matrix, lu: Lu::new(n), rates };
        mass.fill();
        mass
    }

    fn fill(&mut self) {
        let values = self.tape.outputs(&self.registers);
        self.entries.iter().zip(values).for_each(|(&[i, j], value)| self.matrix[(i, j)] = value);
    }

    /// Multiplies with the inverse of the matrix for these inputs.
    fn solve(&mut self, inputs: impl Iterator<Item = S>, x: &mut [S]) -> Result<(), Failure> {
        write(&mut self.registers, inputs);
        self.tape.evaluate(&mut self.registers);
        self.fill();
        let time = self.registers[0].value();
        self.lu.factorize(&self.matrix).map_err(|Singular| Failure::SingularMatrix { time, matrix: "mass matrix" })?;
        self.lu.solve(x);
        self.rates.copy_from_slice(x);
        Ok(())
    }

    /// Turns `∂f/∂x` into `∂(M⁻¹ f)/∂x = M⁻¹ (∂f/∂x − ∂M/∂x M⁻¹ f)` for an input `x`, after [`Self::solve`].
    fn derive(&mut self, input: usize, column: &mut [S]) {
        write(&mut self.dual, self.registers[..self.tape.inputs].iter().map(|&value| Dual::from_re(value)));
        self.dual[input].eps = S::from(1.0);
        self.tape.evaluate(&mut self.dual);
        for (&[i, j], entry) in self.entries.iter().zip(self.tape.outputs(&self.dual)) {
            column[i] -= entry.eps * self.rates[j];
        }
        self.lu.solve(column);
    }
}

/// Computes the outputs of a tape at a time, for values of the states and of the parameters that events change.
fn compute<'r, S: Scalar>(
    tape: &'r Tape,
    registers: &'r mut [S],
    t: S,
    values: impl Iterator<Item = S>,
) -> impl Iterator<Item = S> + 'r {
    write(registers, std::iter::once(t).chain(values));
    tape.evaluate(registers);
    tape.outputs(registers)
}

fn write<T>(to: &mut [T], values: impl Iterator<Item = T>) {
    to.iter_mut().zip(values).for_each(|(to, value)| *to = value);
}

impl<S: Scalar> Ode<S> for EquationsOde<'_, S> {
    fn dimension(&self) -> usize {
        self.model.classes.len()
    }

    fn properties(&self) -> Properties<'_, S> {
        Properties {
            has_jacobian: is_double::<S>() && self.model.structure.is_some(),
            is_autonomous: self.model.is_autonomous,
            is_second_order: self.model.is_second_order,
            mass: self.mass.as_ref(),
            indices: self.mass.as_ref().map(|_| &self.model.indices[..]),
            ..Properties::default()
        }
    }

    fn rhs(&mut self, t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure> {
        let values = y.iter().chain(&self.held).copied();
        write(dydt, compute(&self.model.rates, &mut self.rates, t, values.clone()));
        self.varying.as_mut().map_or(Ok(()), |mass| mass.solve(std::iter::once(t).chain(values), dydt))
    }

    fn jacobian(&mut self, t: S, y: &[S], jacobian: &mut DMatrix<S>) -> Result<(), Failure> {
        if const { !is_double::<S>() } {
            return Err(ode::no_jacobian());
        }
        if self.varying.is_some() {
            self.rhs(t, y, jacobian.column_mut(0).as_mut_slice())?;
        }
        let EquationsModel { rates, structure, .. } = self.model;
        let (pattern, groups) = structure.as_ref().ok_or_else(ode::no_jacobian)?;
        jacobian.fill(S::zero());
        for group in groups {
            let constant = y.iter().chain(&self.held).map(|&value| Dual::from_re(value));
            write(&mut self.dual_rates, std::iter::once(Dual::from_re(t)).chain(constant));
            group.iter().for_each(|&input| self.dual_rates[input].eps = S::from(1.0));
            rates.evaluate(&mut self.dual_rates);
            for &input in group {
                for &row in pattern.column(input) {
                    jacobian[(row, input - 1)] = self.dual_rates[rates.outputs[row] as usize].eps;
                }
            }
        }
        if let Some(mass) = &mut self.varying {
            jacobian
                .column_iter_mut()
                .zip(1..)
                .for_each(|(mut column, input)| mass.derive(input, column.as_mut_slice()));
        }
        Ok(())
    }

    fn time_derivative(&mut self, t: S, y: &[S], by_time: &mut [S]) -> Result<(), Failure> {
        if const { !is_double::<S>() } {
            return Err(ode::no_jacobian());
        }
        self.rhs(t, y, by_time)?;
        let constant = y.iter().chain(&self.held).map(|&value| Dual::from_re(value));
        let rates = compute(&self.model.rates, &mut self.dual_rates, Dual::new(t, S::from(1.0)), constant);
        write(by_time, rates.map(|rate| rate.eps));
        self.varying.iter_mut().for_each(|mass| mass.derive(0, by_time));
        Ok(())
    }

    fn breaks(&self) -> Vec<f64> {
        self.model.breaks.clone()
    }

    fn form(&mut self) -> Form<'_, S> {
        if self.model.directions.is_empty() { Form::Explicit } else { Form::Events(self) }
    }
}

impl<S: Scalar> EventFunctions<S> for EquationsOde<'_, S> {
    fn count(&self) -> usize {
        self.model.directions.len()
    }

    fn values(&mut self, t: S, y: &[S], g: &mut [S]) -> Result<(), Failure> {
        write(g, compute(&self.model.events, &mut self.events, t, y.iter().chain(&self.held).copied()));
        Ok(())
    }

    fn rates(&mut self, t: S, y: &[S], dydt: &[S], rates: &mut [S]) -> Result<(), Failure> {
        let moving = y.iter().zip(dydt).map(|(&value, &rate)| Dual::new(value, rate));
        let values = moving.chain(self.held.iter().map(|&value| Dual::from_re(value)));
        let events = compute(&self.model.events, &mut self.dual_events, Dual::new(t, S::from(1.0)), values);
        write(rates, events.map(|event| event.eps));
        Ok(())
    }

    /// Sets the new values, unless the function changes its sign in the other direction.
    fn jump(&mut self, index: usize, t: S, y: &mut [S]) -> Result<(), Failure> {
        let direction = self.model.directions[index];
        if direction != Direction::Any {
            let (mut dydt, mut rates) = (y.to_vec(), vec![S::zero(); self.model.directions.len()]);
            self.rhs(t, y, &mut dydt)?;
            self.rates(t, y, &dydt, &mut rates)?;
            if (direction == Direction::Rising) != (rates[index].value() > 0.0) {
                return Ok(());
            }
        }
        let values = compute(&self.model.set, &mut self.set, t, y.iter().copied().chain(self.held.clone()));
        for (&(_, input), value) in self.model.targets.iter().zip(values).filter(|((event, _), _)| *event == index) {
            *if input <= y.len() { &mut y[input - 1] } else { &mut self.held[input - 1 - y.len()] } = value;
        }
        Ok(())
    }

    fn tolerance(&self, _step: f64, _order: u32) -> f64 {
        ZERO
    }
}
