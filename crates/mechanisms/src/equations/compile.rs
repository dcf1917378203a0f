//! Compiles equations: names become registers, and sums, elements and terms are written out.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use mbsbench_problem::linalg::Pattern;
use mbsbench_problem::model::Class;
use mbsbench_problem::{Fault, Formulated, Observable, OutOfRange};

use super::definition::{Direction, Equations, State};
use super::tape::{Recorder, Register, Tape};
use crate::definition::Numbers;
use crate::expand::check_name;
use crate::formula::{Formula, NoFormula, Symbol, Tree, common_names};

/// Largest number of states.
const MOST_STATES: usize = 100_000;

/// Largest number of parts of the formulas of a tape with sums written out.
const MOST_PARTS: usize = 4_000_000;

/// Largest number of terms that contain each other.
const DEEPEST: usize = 50;

/// Equations with all names resolved.
#[derive(Debug, Clone)]
pub struct EquationsModel {
    pub(super) initial: Tape,
    /// Consistent initial values, if those of the file are changed.
    pub(super) assembled: Option<Vec<f64>>,
    /// Initial values of the parameters that events change.
    pub(super) held: Vec<f64>,
    pub(super) rates: Tape,
    /// The inputs (time, states) on which each rate depends, and groups of states that share no rate; none for more
    /// states than matrices can have.
    pub(super) structure: Option<(Pattern, Vec<Vec<usize>>)>,
    pub(super) is_second_order: bool,
    /// Places and values of the entries of the mass matrix; none if it is the identity.
    pub(super) mass: Option<(Vec<[usize; 2]>, Tape)>,
    /// True if the mass matrix depends on time, states, or parameters that events change.
    pub(super) mass_varies: bool,
    pub(super) is_autonomous: bool,
    pub(super) indices: Vec<u8>,
    pub(super) classes: Vec<Class>,
    /// Break points, s.
    pub(super) breaks: Vec<f64>,
    pub(super) events: Tape,
    pub(super) directions: Vec<Direction>,
    pub(super) set: Tape,
    /// For each output of `set`, the event and the input (time, states, parameters that events change) that it sets.
    pub(super) targets: Vec<(usize, usize)>,
    pub(super) observables: Vec<Observable>,
    pub(super) observed: Tape,
}

/// The meanings of names.
struct Scope<'e> {
    equations: &'e Equations,
    /// First component and size of each vector.
    vectors: HashMap<&'e str, (usize, usize)>,
    /// Components by their names in formulas, `x` or `x[3]`.
    components: HashMap<String, usize>,
    /// Names of components in results, `x` or `x3`.
    names: Vec<String>,
    /// Parameters that events change.
    held: Vec<&'e str>,
    /// Terms by name, with their keys, formulas and indices.
    terms: HashMap<&'e str, (&'e str, &'e Formula, Vec<&'e str>)>,
}

/// The names that formulas may contain besides parameters that never change.
#[derive(Clone, Copy, PartialEq)]
enum Known {
    /// None. Parameters that events change have their initial values.
    Numbers,
    /// Time and states.
    States,
    /// Time, states, and parameters that events change.
    All,
}

/// A part of a section that belongs to a component: its path, what is written there, and the index of the component in
/// its vector if the part is that of several elements.
type Assigned<'e, T> = Option<(String, &'e T, Vec<(&'e str, i64)>)>;

/// Records the formulas of a tape.
struct Compiler<'s, 'e> {
    scope: &'s Scope<'e>,
    known: Known,
    recorder: Recorder,
    /// Parsed formulas by their texts.
    trees: HashMap<String, Rc<Tree<Symbol>>>,
    /// Registers of terms by name, `r` or `r[2,3]`.
    terms: HashMap<String, Register>,
    /// Terms that contain each other and are being recorded.
    open: Vec<&'e str>,
    /// The first error in a term, whose place is the term and not the formula that contains it.
    failure: Option<OutOfRange>,
}

fn not_read(path: &str, formula: &Formula, error: &NoFormula, known: Known) -> OutOfRange {
    let accepted = match known {
        Known::Numbers => "a formula of numbers, parameters, and terms of these",
        Known::States => "a formula of `t`, states, parameters that no event sets, and terms of these",
        Known::All => "a formula of `t`, states, parameters, and terms that do not contain themselves",
    };
    OutOfRange::clause(path, format!("`{formula:.80}` {error}"), accepted)
}

impl<'s, 'e> Compiler<'s, 'e> {
    fn new(scope: &'s Scope<'e>, known: Known) -> Self {
        let recorder = Recorder::new(1 + scope.names.len() + scope.held.len());
        let (trees, terms) = Default::default();
        Self { scope, known, recorder, trees, terms, open: Vec::new(), failure: None }
    }

    /// Records a formula, with values of indices.
    fn value(&mut self, path: &str, formula: &Formula, indices: &[(&str, i64)]) -> Result<Register, OutOfRange> {
        let refused = |error, known| not_read(path, formula, &error, known);
        let text = formula.to_string();
        let tree = if let Some(tree) = self.trees.get(&text) {
            Rc::clone(tree)
        } else {
            let tree = Rc::new(formula.read().map_err(|error| refused(error, self.known))?);
            Rc::clone(self.trees.entry(text).or_insert(tree))
        };
        let resolved = tree.resolve(&mut |name| self.meaning(name, indices));
        self.failure.take().map_or(Ok(()), Err)?;
        let register = self.recorder.record(&resolved.map_err(|error| refused(error, self.known))?);
        if self.recorder.parts <= MOST_PARTS {
            return Ok(register);
        }
        let found = format!("the formulas have more than {MOST_PARTS} parts up to here");
        Err(OutOfRange::clause(path, found, "fewer parts, with all sums written out"))
    }

    fn meaning(&mut self, name: &str, indices: &[(&str, i64)]) -> Option<Tree<Register>> {
        let Scope { equations, components, held, names, .. } = self.scope;
        let number = |value| Some(Tree::Number(value));
        let input = |k: usize| Some(Tree::Variable(k as Register));
        if let Some(&(_, value)) = indices.iter().find(|(index, _)| *index == name) {
            return number(value as f64);
        }
        if let Some(&value) = equations.parameters.get(name) {
            return match held.iter().position(|other| *other == name) {
                Some(_) if self.known == Known::States => None,
                Some(k) if self.known == Known::All => input(1 + names.len() + k),
                _ => number(value),
            };
        }
        if let Some(k) = if name == "t" { Some(0) } else { components.get(name).map(|k| k + 1) } {
            return input(k).filter(|_| self.known != Known::Numbers);
        }
        self.term(name).map(Tree::Variable)
    }

    /// Records a term at its first use.
    fn term(&mut self, name: &str) -> Option<Register> {
        if let Some(register) = self.terms.get(name) {
            return Some(*register);
        }
        let (base, values) = name.split_once('[').unwrap_or((name, ""));
        let (key, formula, indices) = self.scope.terms.get(base)?;
        let values: Vec<i64> = values.trim_end_matches(']').split(',').filter_map(|value| value.parse().ok()).collect();
        if values.len() != indices.len() || self.open.contains(key) || self.open.len() == DEEPEST {
            return None;
        }
        let indices: Vec<(&str, i64)> = indices.iter().copied().zip(values).collect();
        self.open.push(*key);
        let value = self.value(&format!("terms.{key}"), formula, &indices);
        self.open.pop();
        match value {
            Ok(register) => Some(*self.terms.entry(name.to_owned()).or_insert(register)),
            Err(error) => {
                self.failure.get_or_insert(error);
                None
            }
        }
    }

    /// The component that a key names.
    fn component(&mut self, path: &str, key: &str, indices: &[(&str, i64)]) -> Result<usize, OutOfRange> {
        let known = std::mem::replace(&mut self.known, Known::All);
        let register = self.value(path, &Formula::Text(key.to_owned()), indices);
        self.known = known;
        match register {
            Ok(k) if (1..=self.scope.names.len()).contains(&(k as usize)) => Ok(k as usize - 1),
            _ => {
                let known = self.scope.equations.states.keys().cloned().collect();
                let fault = Fault::Unknown { kind: "state", name: key.to_owned(), known };
                let accepted = "a state, or an element of a vector such as `x[1]` or `x[i]`".to_owned();
                Err(OutOfRange { field: path.to_owned(), fault, accepted })
            }
        }
    }

    /// Assigns the parts of a section to components. A part for `x[i]` is that of all elements that have none of their
    /// own.
    fn assign<T>(
        &mut self,
        section: &str,
        parts: impl Iterator<Item = (&'e String, &'e T)> + Clone,
    ) -> Result<Vec<Assigned<'e, T>>, OutOfRange> {
        let mut assigned: Vec<Assigned<'e, T>> = self.scope.names.iter().map(|_| None).collect();
        for is_of_several in [false, true] {
            for (key, part) in parts.clone() {
                let path = format!("{section}.{key}");
                let (first, size, index) = match self.several(key) {
                    pattern if pattern.is_some() != is_of_several => continue,
                    Some(((first, size), index)) => (first, size, Some(index)),
                    None => (self.component(&path, key, &[])?, 1, None),
                };
                for (k, number) in (first..first + size).zip(1..) {
                    match &assigned[k] {
                        Some((_, _, index)) if !is_of_several || !index.is_empty() => {
                            let found = format!("`{key}` names states that another entry has named");
                            return Err(OutOfRange::clause(path, found, "one entry for each state"));
                        }
                        Some(_) => {}
                        None => {
                            assigned[k] = Some((path.clone(), part, index.map(|i| (i, number)).into_iter().collect()))
                        }
                    }
                }
            }
        }
        Ok(assigned)
    }

    /// The vector of a key such as `x[i]`, and its index.
    fn several<'k>(&self, key: &'k str) -> Option<((usize, usize), &'k str)> {
        let (name, index) = key.strip_suffix(']')?.split_once('[')?;
        let is_index = check_name("", index).is_ok() && !self.scope.equations.parameters.contains_key(index);
        self.scope.vectors.get(name).filter(|_| is_index).map(|&vector| (vector, index))
    }
}

impl<'e> Scope<'e> {
    fn new(equations: &'e Equations) -> Result<Self, OutOfRange> {
        let set = |name: &&'e String| equations.events.values().any(|event| event.set.contains_key(*name));
        let held = equations.parameters.keys().filter(set).map(String::as_str).collect();
        let (vectors, components, names, terms) = Default::default();
        let mut scope = Self { equations, vectors, components, names, held, terms };
        let mut taken = common_names().collect::<HashSet<String>>();
        let mut check = |path: &str, name: &str| {
            check_name(path, name)?;
            if taken.insert(name.to_owned()) {
                return Ok(());
            }
            let fault = Fault::Name(format!("the name `{name}` already has a meaning"));
            let built_in = common_names().collect::<Vec<_>>().join("`, `");
            let accepted = format!("a name that is used once and not built into formulas: `{built_in}`");
            Err(OutOfRange { field: path.to_owned(), fault, accepted })
        };
        equations.parameters.keys().try_for_each(|name| check(&format!("parameters.{name}"), name))?;
        for (key, formula) in equations.terms.iter() {
            let path = format!("terms.{key}");
            let (name, indices) = key.split_once('[').unwrap_or((key, ""));
            check(&path, name)?;
            let indices: Vec<&str> = indices.trim_end_matches(']').split_terminator(',').map(str::trim).collect();
            indices.iter().try_for_each(|index| check_name(&path, index))?;
            formula.read().map_err(|error| not_read(&path, formula, &error, Known::All))?;
            scope.terms.insert(name, (key.as_str(), formula, indices));
        }
        for (name, state) in equations.states.iter() {
            let path = format!("states.{name}");
            check(&path, name)?;
            let first = scope.names.len();
            let size = match state {
                State::Values(values) => values.len(),
                State::Vector(vector) => {
                    let mut compiler = Compiler::new(&scope, Known::Numbers);
                    let size = compiler.value(&format!("{path}.size"), &vector.size, &[])?;
                    let tape = compiler.recorder.tape(&[size]);
                    let size = tape.outputs::<f64>(&tape.registers()).sum::<f64>();
                    let is_size =
                        size.fract() == 0.0 && (1.0..=MOST_STATES.saturating_sub(first) as f64).contains(&size);
                    let accepted = format!("a whole number above zero, for at most {MOST_STATES} states in all");
                    OutOfRange::unless(is_size, format!("{path}.size"), size, accepted)?;
                    size as usize
                }
            };
            if matches!(state, State::Values(Numbers::One(_))) {
                scope.components.insert(name.clone(), first);
                scope.names.push(name.clone());
            } else {
                scope.vectors.insert(name, (first, size));
                scope.components.extend((0..size).map(|k| (format!("{name}[{}]", k + 1), first + k)));
                scope.names.extend((1..=size).map(|number| format!("{name}{number}")));
            }
        }
        OutOfRange::unless(!scope.names.is_empty(), "states", "empty", "at least one state")?;
        Ok(scope)
    }

    /// Compiles the initial state.
    fn initial(&self) -> Result<Tape, OutOfRange> {
        let mut compiler = Compiler::new(self, Known::Numbers);
        let mut outputs = Vec::with_capacity(self.names.len());
        let zero = [Formula::Number(0.0)];
        for (name, state) in self.equations.states.iter() {
            let (path, given) = match state {
                State::Values(values) => (format!("states.{name}"), &**values),
                State::Vector(vector) => (format!("states.{name}.initial"), &*vector.initial),
            };
            let given = if given.is_empty() { &zero[..] } else { given };
            let size = self.vectors.get(&**name).map_or(1, |&(_, size)| size);
            let accepted = format!("one formula, or {size} numbers or formulas");
            OutOfRange::unless(
                [1, size].contains(&given.len()),
                &path,
                format!("of length {}", given.len()),
                accepted,
            )?;
            for (number, formula) in (1..).zip(given.iter().cycle().take(size)) {
                outputs.push(compiler.value(&path, formula, &[("i", number)])?);
            }
        }
        Ok(compiler.recorder.tape(&outputs))
    }

    /// Computes the break points.
    fn breaks(&self) -> Result<Vec<f64>, OutOfRange> {
        let mut compiler = Compiler::new(self, Known::Numbers);
        let formulas = self.equations.breaks.iter().enumerate();
        let outputs = formulas.map(|(k, formula)| compiler.value(&format!("breaks.{k}"), formula, &[]));
        let outputs = outputs.collect::<Result<Vec<_>, _>>()?;
        let tape = compiler.recorder.tape(&outputs);
        Ok(tape.outputs(&tape.registers()).collect())
    }

    /// Compiles the matrix before the rates: the places of its entries, and their values.
    fn mass(&self) -> Result<(Vec<[usize; 2]>, Tape), OutOfRange> {
        let mut compiler = Compiler::new(self, Known::All);
        let (mut entries, mut outputs) = (Vec::new(), Vec::new());
        for (row, assigned) in compiler.assign("mass", self.equations.mass.iter())?.into_iter().enumerate() {
            let Some((path, factors, indices)) = assigned else {
                entries.push([row, row]);
                outputs.push(compiler.recorder.record(&Tree::Number(1.0)));
                continue;
            };
            for (key, formula) in factors.iter() {
                let path = format!("{path}.{key}");
                entries.push([row, compiler.component(&path, key, &indices)?]);
                outputs.push(compiler.value(&path, formula, &indices)?);
            }
        }
        Ok((entries, compiler.recorder.tape(&outputs)))
    }

    /// Compiles the observables: the state, those of the file, and the energy.
    fn observed(&self, classes: &[Class]) -> Result<(Vec<Observable>, Tape), OutOfRange> {
        let mut compiler = Compiler::new(self, Known::States);
        let state = |(name, &class): (&String, &Class)| Observable::new(name, "1", "a state").of_class(class);
        let mut observables: Vec<Observable> = self.names.iter().zip(classes).map(state).collect();
        let mut outputs: Vec<Register> = (1..=self.names.len() as Register).collect();
        let own =
            self.equations.observables.iter().map(|(name, formula)| (format!("observables.{name}"), name, formula));
        let (energy, unit) = ("energy".to_owned(), |name: &str| if name == "energy" { "J" } else { "1" });
        for (path, name, formula) in own.chain(self.equations.energy.iter().map(|it| (energy.clone(), &energy, it))) {
            check_name(&path, name)?;
            outputs.push(compiler.value(&path, formula, &[])?);
            observables.push(Observable::new(name, unit(name), "an observable of the file"));
        }
        let mut known = HashSet::new();
        match observables.iter().find(|observable| !known.insert(&observable.name)) {
            Some(Observable { name, .. }) => {
                let found = format!("two states or observables have the name `{name}` in results");
                Err(OutOfRange::clause("", found, "other names"))
            }
            None => Ok((observables, compiler.recorder.tape(&outputs))),
        }
    }
}

impl EquationsModel {
    /// Compiles equations.
    ///
    /// # Errors
    /// Fails with the first error in the formulas, with its path in the file.
    pub fn new(equations: &Equations) -> Result<Self, OutOfRange> {
        let scope = &Scope::new(equations)?;
        let n = scope.names.len();
        let mut compiler = Compiler::new(scope, Known::All);
        for key in equations.terms.keys().filter(|key| !key.contains('[')) {
            compiler.value(&format!("terms.{key}"), &Formula::Text(key.clone()), &[])?;
        }
        let (mut outputs, mut functions, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let (mut directions, mut targets) = (Vec::new(), Vec::new());
        for (assigned, name) in compiler.assign("rates", equations.rates.iter())?.into_iter().zip(&scope.names) {
            let missing = || OutOfRange::clause("rates", format!("`{name}` has no rate"), "a formula for each state");
            let (path, formula, indices) = assigned.ok_or_else(missing)?;
            outputs.push(compiler.value(&path, formula, &indices)?);
        }
        for (number, (name, event)) in equations.events.iter().enumerate() {
            let path = format!("events.{name}");
            check_name(&path, name)?;
            functions.push(compiler.value(&format!("{path}.when"), &event.when, &[])?);
            let is_plain = event.direction == Direction::Any || equations.mass.is_empty();
            let accepted = "`any` for equations with `mass`";
            OutOfRange::unless(is_plain, format!("{path}.direction"), "given", accepted)?;
            directions.push(event.direction);
            let section = format!("{path}.set");
            for (k, name) in scope.held.iter().enumerate() {
                if let Some(formula) = event.set.get(*name) {
                    targets.push((number, 1 + n + k));
                    values.push(compiler.value(&format!("{section}.{name}"), formula, &[])?);
                }
            }
            let states = event.set.iter().filter(|(key, _)| !scope.held.contains(&key.as_str()));
            for (k, assigned) in compiler.assign(&section, states)?.into_iter().enumerate() {
                if let Some((path, formula, indices)) = assigned {
                    targets.push((number, 1 + k));
                    values.push(compiler.value(&path, formula, &indices)?);
                }
            }
        }
        let mass = if equations.mass.is_empty() { None } else { Some(scope.mass()?) };
        let rates = compiler.recorder.tape(&outputs);
        let states: Vec<usize> = (1..=n).collect();
        let mass_varies = mass.as_ref().is_some_and(|(_, tape)| !tape.is_constant());
        let structure = rates.pattern().map(|pattern| (pattern.clone(), pattern.groups(&states)));
        let is_still = |tape: &Tape| tape.pattern().is_some_and(|pattern| pattern.column(0).is_empty());
        let is_autonomous = is_still(&rates) && mass.as_ref().is_none_or(|(_, tape)| is_still(tape));
        let is_rate = |k: usize, of: usize| mass.is_none() && rates.outputs[of] as usize == 1 + k;
        let velocities: HashSet<usize> = rates.outputs.iter().map(|&register| register as usize).collect();
        let class = |k| match &mass {
            Some((entries, _)) if entries.iter().all(|[row, _]| *row != k) => Class::Multiplier,
            _ if (mass.is_none() || mass_varies) && velocities.contains(&(1 + k)) => Class::Velocity,
            _ => Class::Position,
        };
        let classes: Vec<Class> = (0..n).map(class).collect();
        let (observables, observed) = scope.observed(&classes)?;
        let indices = Compiler::new(scope, Known::Numbers).assign("indices", equations.indices.iter())?;
        let mut model = Self {
            initial: scope.initial()?,
            assembled: None,
            held: scope.held.iter().map(|name| equations.parameters[*name]).collect(),
            is_second_order: n % 2 == 0 && (0..n / 2).all(|k| is_rate(n / 2 + k, k)),
            structure,
            is_autonomous,
            rates,
            mass,
            mass_varies,
            indices: indices.into_iter().map(|index| index.map_or(1, |(_, &index, _)| index as u8)).collect(),
            classes,
            breaks: scope.breaks()?,
            events: compiler.recorder.tape(&functions),
            directions,
            set: compiler.recorder.tape(&values),
            targets,
            observables,
            observed,
        };
        let is_singular =
            || Formulated::<f64>::ode(&model).rhs(0.0, &model.initial_state(), &mut vec![0.0; n]).is_err();
        let found = "the matrix is singular initially, and depends on the state";
        let accepted = "a regular or a constant matrix; or a rate as a state, `x: w`, with the algebraic equation \
                        `w: f - m*w`";
        OutOfRange::clause_if(mass_varies && is_singular(), "mass", found, accepted)?;
        model.assembled = model.start(equations.start)?;
        Ok(model)
    }
}
