//! Formulas as a flat list of operations on registers.

use std::collections::HashMap;

use mbsbench_problem::Scalar;
use mbsbench_problem::linalg::Pattern;

use crate::formula::{Function, Of2, Tree, power};

/// A register: an input, or the result of an operation.
pub(super) type Register = u32;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Kind {
    /// A number by its bits.
    Number(u64),
    Pi,
    Negative,
    /// A power with a constant exponent, by its bits.
    Power(u64),
    One(Function),
    Two(Of2),
}

/// An operation with its operands; an operation of one operand has it twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Operation {
    kind: Kind,
    operands: [Register; 2],
}

impl Operation {
    fn is_constant(self) -> bool {
        matches!(self.kind, Kind::Number(_) | Kind::Pi)
    }
}

/// A register or, if the first entry is true, its negative.
type Signed = (bool, Register);

/// Collects formulas for a [`Tape`]. An expression that occurs twice, or again with the opposite sign, is computed
/// once; this changes no rounding.
#[derive(Debug, Clone)]
pub(super) struct Recorder {
    inputs: usize,
    operations: Vec<Operation>,
    known: HashMap<Operation, Register>,
    /// Number of parts of all recorded formulas.
    pub(super) parts: usize,
}

impl Recorder {
    /// A recorder of formulas in a number of inputs, which are the first registers.
    pub(super) fn new(inputs: usize) -> Self {
        Self { inputs, operations: Vec::new(), known: HashMap::new(), parts: 0 }
    }

    /// Records a formula and returns the register of its value.
    pub(super) fn record(&mut self, tree: &Tree<Register>) -> Register {
        let value = self.signed(tree);
        self.unsigned(value)
    }

    fn signed(&mut self, tree: &Tree<Register>) -> Signed {
        self.parts += 1;
        match tree {
            Tree::Number(number) => (false, self.push(Kind::Number(number.to_bits()), [0; 2])),
            Tree::Pi => (false, self.push(Kind::Pi, [0; 2])),
            Tree::Variable(register) => (false, *register),
            Tree::Negative(a) => {
                let (sign, a) = self.signed(a);
                (!sign, a)
            }
            Tree::One(function, a) => {
                let a = self.record(a);
                (false, self.push(Kind::One(*function), [a; 2]))
            }
            Tree::Chain(first, rest) => rest.iter().fold(self.signed(first), |a, (function, b)| {
                match if *function == Of2::Power { b.constant() } else { None } {
                    Some(2.0) => (false, self.push(Kind::Two(Of2::Multiply), [a.1; 2])),
                    Some(exponent) => {
                        let a = self.unsigned(a);
                        (false, self.push(Kind::Power(exponent.to_bits()), [a; 2]))
                    }
                    None => {
                        let b = self.signed(b);
                        self.two(*function, a, b)
                    }
                }
            }),
        }
    }

    fn unsigned(&mut self, (sign, a): Signed) -> Register {
        if sign { self.push(Kind::Negative, [a; 2]) } else { a }
    }

    fn two(&mut self, function: Of2, a: Signed, b: Signed) -> Signed {
        let ordered = [a.1.min(b.1), a.1.max(b.1)];
        match function {
            Of2::Subtract => self.two(Of2::Add, a, (!b.0, b.1)),
            Of2::Add if a.0 == b.0 => (a.0, self.push(Kind::Two(Of2::Add), ordered)),
            Of2::Add => (if a.1 < b.1 { a.0 } else { b.0 }, self.push(Kind::Two(Of2::Subtract), ordered)),
            Of2::Multiply => (a.0 != b.0, self.push(Kind::Two(Of2::Multiply), ordered)),
            Of2::Divide => (a.0 != b.0, self.push(Kind::Two(Of2::Divide), [a.1, b.1])),
            _ => {
                let operands = [a, b].map(|value| self.unsigned(value));
                (false, self.push(Kind::Two(function), operands))
            }
        }
    }

    fn push(&mut self, kind: Kind, operands: [Register; 2]) -> Register {
        let next = (self.inputs + self.operations.len()) as Register;
        let operation = Operation { kind, operands };
        let register = *self.known.entry(operation).or_insert(next);
        if register == next {
            self.operations.push(operation);
        }
        register
    }

    /// The tape that computes `outputs`, without operations that these do not need. Operations that depend on no
    /// input come first.
    pub(super) fn tape(&self, outputs: &[Register]) -> Tape {
        let (inputs, count) = (self.inputs, self.operations.len());
        let of = |register: Register| (register as usize).checked_sub(inputs);
        let mut is_needed = vec![false; count];
        outputs.iter().filter_map(|&output| of(output)).for_each(|k| is_needed[k] = true);
        for (k, operation) in self.operations.iter().enumerate().rev() {
            if is_needed[k] && !operation.is_constant() {
                operation.operands.into_iter().filter_map(of).for_each(|k| is_needed[k] = true);
            }
        }
        // true if an operation depends on inputs, and the length of the longest chain of such operations before it
        let mut levels: Vec<(bool, usize)> = Vec::with_capacity(count);
        for operation in &self.operations {
            let [a, b] = operation.operands.map(|operand| of(operand).map_or((true, 0), |k| levels[k]));
            let depth = |of: (bool, usize)| if of.0 == (a.0 || b.0) { of.1 } else { 0 };
            let level = if operation.is_constant() { (false, 0) } else { (a.0 || b.0, depth(a).max(depth(b)) + 1) };
            levels.push(level);
        }
        let mut order: Vec<usize> = (0..count).filter(|&k| is_needed[k]).collect();
        order.sort_by_key(|&k| (levels[k], self.operations[k].kind));
        let mut place: Vec<Register> = vec![0; count];
        order.iter().enumerate().for_each(|(new, &k)| place[k] = (inputs + new) as Register);
        let moved = |register: Register| of(register).map_or(register, |k| place[k]);
        let batch = |batch: &[usize]| (self.operations[batch[0]].kind, batch.len());
        let are_alike = |&a: &usize, &b: &usize| (levels[a], batch(&[a])) == (levels[b], batch(&[b]));
        let fixed = order.iter().filter(|&&k| !levels[k].0).count();
        let (first, rest) = order.split_at(fixed);
        Tape {
            inputs,
            batches: [first, rest].map(|part| part.chunk_by(are_alike).map(batch).collect()),
            operands: order.iter().map(|&k| self.operations[k].operands.map(moved)).collect(),
            outputs: outputs.iter().map(|&output| moved(output)).collect(),
        }
    }
}

/// A flat list of operations that computes several formulas. Operations of one kind that do not depend on each other
/// are computed in one loop.
#[derive(Debug, Clone)]
pub(super) struct Tape {
    pub(super) inputs: usize,
    /// Kinds of operations with their numbers: those that depend on no input, and the others.
    batches: [Vec<(Kind, usize)>; 2],
    operands: Vec<[Register; 2]>,
    pub(super) outputs: Vec<Register>,
}

/// Largest number of outputs whose dependences are found, and of pairs of outputs and operations.
const MOST_OUTPUTS: usize = 4000;
const MOST_PAIRS: usize = 1 << 30;

impl Tape {
    /// Registers for evaluations in one scalar, with everything computed that does not depend on inputs.
    pub(super) fn registers<S: Scalar>(&self) -> Vec<S> {
        let mut registers = vec![S::zero(); self.inputs + self.operands.len()];
        self.run(&self.batches[0], 0, &mut registers);
        registers
    }

    /// Computes the outputs for the inputs in the first registers.
    pub(super) fn evaluate<S: Scalar>(&self, registers: &mut [S]) {
        let fixed = self.batches[0].iter().map(|(_, count)| count).sum();
        self.run(&self.batches[1], fixed, registers);
    }

    /// Computes batches of operations, the first of which has the number `next`.
    fn run<S: Scalar>(&self, batches: &[(Kind, usize)], mut next: usize, registers: &mut [S]) {
        for &(kind, count) in batches {
            let (known, results) = registers.split_at_mut(self.inputs + next);
            let batch = (&*known, &mut results[..count], &self.operands[next..next + count]);
            match kind {
                Kind::Two(Of2::Add) => each(batch, |a, b| a + b),
                Kind::Two(Of2::Subtract) => each(batch, |a, b| a - b),
                Kind::Two(Of2::Multiply) => each(batch, |a, b| a * b),
                Kind::Two(Of2::Divide) => each(batch, |a, b| a / b),
                Kind::Two(function) => each(batch, |a, b| function.of(a, b)),
                Kind::One(function) => each(batch, |a, _| function.of(a)),
                Kind::Negative => each(batch, |a, _| -a),
                Kind::Power(exponent) => each(batch, |a, _| power(a, f64::from_bits(exponent))),
                Kind::Number(number) => each(batch, |_, _| S::from(f64::from_bits(number))),
                Kind::Pi => each(batch, |_, _| S::pi()),
            }
            next += count;
        }
    }

    /// Number of operations in an evaluation.
    #[cfg(test)]
    pub(super) fn operations(&self) -> usize {
        self.batches[1].iter().map(|(_, count)| count).sum()
    }

    /// True if no output depends on an input.
    pub(super) fn is_constant(&self) -> bool {
        self.batches[1].is_empty() && self.outputs.iter().all(|&output| output as usize >= self.inputs)
    }

    /// The values of the outputs.
    pub(super) fn outputs<'r, S: Scalar>(&'r self, registers: &'r [S]) -> impl Iterator<Item = S> + 'r {
        self.outputs.iter().map(|&output| registers[output as usize])
    }

    /// The inputs on which each output depends, as rows and columns of a matrix; none if there are too many.
    pub(super) fn pattern(&self) -> Option<Pattern> {
        let (inputs, rows) = (self.inputs, self.outputs.len());
        if rows > MOST_OUTPUTS || rows.saturating_mul(self.operands.len()) > MOST_PAIRS {
            return None;
        }
        // constants have the first input as operand, on which they do not depend
        let fixed: usize = self.batches[0].iter().map(|(_, count)| count).sum();
        let mut last_row = vec![usize::MAX; inputs + self.operands.len()];
        let (mut open, mut entries) = (Vec::new(), Vec::new());
        for (row, &output) in self.outputs.iter().enumerate() {
            open.push(output as usize);
            while let Some(register) = open.pop() {
                if std::mem::replace(&mut last_row[register], row) == row {
                    continue;
                }
                if register < inputs {
                    entries.push((row, register));
                } else if register >= inputs + fixed {
                    open.extend(self.operands[register - inputs].map(|operand| operand as usize));
                }
            }
        }
        Some(Pattern::new((rows, inputs), entries))
    }
}

/// Computes one operation for all of its operands.
#[inline(always)]
fn each<S: Scalar>((known, results, operands): (&[S], &mut [S], &[[Register; 2]]), operation: impl Fn(S, S) -> S) {
    for (result, &[a, b]) in results.iter_mut().zip(operands) {
        *result = operation(known[a as usize], known[b as usize]);
    }
}
