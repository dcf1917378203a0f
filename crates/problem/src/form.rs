//! The form in which a problem is given.

use crate::{ContactPower, Dae, EventFunctions, Mechanics, Scalar};

/// What a problem is besides `y' = f(t, y)`: the structure that a method may make use of. The state, and the
/// solution, are the same in every form. A problem has one.
pub enum Form<'p, S: Scalar = f64> {
    /// Nothing else.
    Explicit,
    /// The constrained mechanical system behind the equations, for a method that solves its index-3 form; the state is
    /// `(q ; v)`.
    Mechanics(&'p mut dyn Mechanics<S>),
    /// Implicit differential-algebraic equations; the state is that of [`Dae::state`]. A problem without them may still be
    /// solved as such: methods find an implicit form of [mechanics](Self::Mechanics), and of equations with a Jacobian, by
    /// themselves. See [`dae`](crate::dae).
    Implicit(&'p mut dyn Dae<S>),
    /// Second-order equations with the power of the contacts, for a method that chooses its steps by it; the state is
    /// `(q ; v)`.
    ContactPower(&'p mut dyn ContactPower<S>),
    /// Equations that change where one of these functions is zero.
    Events(&'p mut dyn EventFunctions<S>),
}

impl<'p, S: Scalar> Form<'p, S> {
    /// The mechanical system, where this is the form.
    #[must_use]
    pub fn mechanics(self) -> Option<&'p mut dyn Mechanics<S>> {
        if let Self::Mechanics(mechanics) = self { Some(mechanics) } else { None }
    }

    /// The implicit equations, where this is the form.
    #[must_use]
    pub fn implicit(self) -> Option<&'p mut dyn Dae<S>> {
        if let Self::Implicit(dae) = self { Some(dae) } else { None }
    }

    /// The second-order equations with contact powers, where this is the form.
    #[must_use]
    pub fn contact_power(self) -> Option<&'p mut dyn ContactPower<S>> {
        if let Self::ContactPower(side) = self { Some(side) } else { None }
    }

    /// The event functions, where this is the form.
    #[must_use]
    pub fn events(self) -> Option<&'p mut dyn EventFunctions<S>> {
        if let Self::Events(functions) = self { Some(functions) } else { None }
    }

    /// Number of event functions whose zeros a method has to locate, since the configuration does not
    /// [follow](EventFunctions::follows_signs) their signs.
    #[must_use]
    pub fn functions_to_locate(self) -> usize {
        self.events().filter(|functions| !functions.follows_signs()).map_or(0, |functions| functions.count())
    }
}
