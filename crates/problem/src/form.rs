//! The forms in which a problem can be given.

use crate::{ContactPower, Dae, EventFunctions, EventKind, Mechanics, Scalar, Unsuitable};

/// The structure that a problem has besides `y' = f(t, y)`, and that a method may use. State and solution are the
/// same in every form. A problem has exactly one form.
pub enum Form<'p, S: Scalar = f64> {
    /// No further structure.
    Explicit,
    /// The constrained mechanical system behind the equations, for a method that solves its index-3 form; the state is
    /// `(q ; v)`.
    Mechanics(&'p mut dyn Mechanics<S>),
    /// Implicit differential-algebraic equations; the state is as in [`Dae::state`]. Problems in other forms may
    /// also be solved as implicit equations: methods derive an implicit form of [mechanics](Self::Mechanics), and of
    /// equations with a Jacobian, by themselves. See [`dae`](crate::dae).
    Implicit(&'p mut dyn Dae<S>),
    /// Second-order equations with the power of the contacts, for a method that chooses its steps by this power; the
    /// state is `(q ; v)`.
    ContactPower(&'p mut dyn ContactPower<S>),
    /// Equations that change at zeros of these functions.
    Events(&'p mut dyn EventFunctions<S>),
}

impl<'p, S: Scalar> Form<'p, S> {
    /// Returns the mechanical system.
    ///
    /// # Errors
    /// Fails with [`Unsuitable`] if the problem has another form.
    pub fn mechanics(self) -> Result<&'p mut dyn Mechanics<S>, Unsuitable> {
        let Self::Mechanics(mechanics) = self else {
            let lacks = "is given as differential equations only";
            return Err(Unsuitable::new("a mechanical system with its constraints", lacks));
        };
        Ok(mechanics)
    }

    /// Returns the mechanical system, if it has constraints or vectors as positions. Methods for index-3 equations
    /// treat a system with neither, such as a free body with Euler parameters, as differential equations.
    pub fn index3(self) -> Option<&'p mut dyn Mechanics<S>> {
        self.mechanics().ok().filter(|of| of.has_vector_coordinates() || of.dimensions().constraints() > 0)
    }

    /// Returns the second-order equations with contact powers.
    ///
    /// # Errors
    /// Fails with [`Unsuitable`] if the problem has another form.
    pub fn contact_power(self) -> Result<&'p mut dyn ContactPower<S>, Unsuitable> {
        let Self::ContactPower(side) = self else {
            let lacks = "has only first-order equations";
            return Err(Unsuitable::new("equations of second order with contact powers", lacks));
        };
        Ok(side)
    }

    /// Returns the event functions.
    ///
    /// # Errors
    /// Fails with [`Unsuitable`] if the problem has another form.
    pub fn events(self) -> Result<&'p mut dyn EventFunctions<S>, Unsuitable> {
        let Self::Events(functions) = self else {
            return Err(Unsuitable::new("functions whose zeros are events", "has none"));
        };
        Ok(functions)
    }

    /// Number of event functions whose zeros a method has to locate because the configuration does not
    /// [follow](EventFunctions::follows_signs) their signs.
    pub fn functions_to_locate(self) -> usize {
        self.events().map_or(0, |functions| if functions.follows_signs() { 0 } else { functions.count() })
    }

    /// True if the state or the equations [jump](EventFunctions::jump) at events of a configuration that
    /// [follows](EventFunctions::follows_signs) the signs. Only a method that [locates
    /// events](crate::MethodProperties::locates_events) applies these jumps.
    pub fn jumps(self) -> bool {
        self.events().is_ok_and(|functions| {
            let is_unilateral = |index| functions.kind(index) == EventKind::Unilateral;
            functions.follows_signs() && (0..functions.count()).any(is_unilateral)
        })
    }
}
