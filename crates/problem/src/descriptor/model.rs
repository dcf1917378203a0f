//! `M y' = f(t, y)` as a model defines it.

use nalgebra::DMatrix;

use crate::{AsOde, Failure, Ode, OdeModel, Properties, Scalar, pass_on};

/// Equations `M y' = f(t, y)` with a constant, possibly singular matrix as a model defines them; `f` is the
/// right-hand side of [`OdeModel`].
pub trait DescriptorModel: OdeModel {
    /// Writes `M` into `mass`, which is zero on entry. See [`Properties::mass`].
    fn mass<S: Scalar>(&self, mass: &mut DMatrix<S>);

    /// The index of each component; see [`Properties::indices`].
    fn indices(&self) -> Vec<u8>;
}

/// A [`DescriptorModel`] as an [`Ode`] in any scalar, with derivatives by dual numbers as in [`AsOde`].
#[derive(Debug, Clone)]
pub struct AsDescriptor<'m, M, S> {
    ode: AsOde<'m, M>,
    mass: DMatrix<S>,
    indices: Vec<u8>,
}

impl<'m, M: DescriptorModel, S: Scalar> AsDescriptor<'m, M, S> {
    /// The equations of a model.
    pub fn new(model: &'m M) -> Self {
        let n = model.dimension();
        let mut mass = DMatrix::from_element(n, n, S::zero());
        model.mass(&mut mass);
        Self { ode: AsOde(model), mass, indices: model.indices() }
    }
}

impl<M: DescriptorModel, S: Scalar> Ode<S> for AsDescriptor<'_, M, S> {
    fn dimension(&self) -> usize {
        self.indices.len()
    }

    fn properties(&self) -> Properties<'_, S> {
        Properties { mass: Some(&self.mass), indices: Some(&self.indices), ..self.ode.properties() }
    }

    pass_on! { self.ode =>
        fn rhs(&mut self, t: S, y: &[S], f: &mut [S]) -> Result<(), Failure>;
        fn jacobian(&mut self, t: S, y: &[S], jacobian: &mut DMatrix<S>) -> Result<(), Failure>;
        fn time_derivative(&mut self, t: S, y: &[S], by_time: &mut [S]) -> Result<(), Failure>;
    }
}
