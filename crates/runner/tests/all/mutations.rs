//! The ledger detects errors: a changed published value, coefficient or sign changes the result of some check.

use std::collections::BTreeMap;
use std::fs;
use std::marker::PhantomData;
use std::sync::OnceLock;

use crate::chapter::{Chapter, copy, experiments, is_of_chapter_3};
use mbsbench::Registry;
use mbsbench::claims::{Book, Verdict};
use mbsbench_integrators::control::ControllerSettings;
use mbsbench_integrators::{ExplicitRungeKutta, Tableau, tableaux};
use mbsbench_models::{Pendulum, RollingSpheres};
use mbsbench_problem::model::Class;
use mbsbench_problem::{
    DoubleDouble, Failure, Form, Formulated, Method, MethodDefinition, Model, ModelDefinition, Observable, Observation,
    Ode, OutOfRange, Parameters, Properties, Scalar, View,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The test results of all checks of chapter 3, by id.
fn tests_of(folder: &std::path::Path, registry: &Registry) -> BTreeMap<String, Verdict> {
    // Studies belong to the unchanged experiments, so only the tests of checks are compared here.
    let judged = Chapter::run(folder, registry, is_of_chapter_3).judged_with(Book::Claims, false);
    judged.into_iter().flat_map(|each| each.checks).map(|each| (each.check.id, each.judgement.verdict)).collect()
}

/// Ids of the checks whose test result differs from that of the unchanged files and registry.
fn surprises(folder: &std::path::Path, registry: &Registry) -> Vec<String> {
    static SOUND: OnceLock<BTreeMap<String, Verdict>> = OnceLock::new();
    let sound = SOUND.get_or_init(|| tests_of(&experiments(), &Registry::builtin()));
    let changed = |(id, verdict): &(String, Verdict)| sound.get(id) != Some(verdict);
    tests_of(folder, registry).into_iter().filter(changed).map(|(id, _)| id).collect()
}

/// Published values, one digit changed: `(file, from, to, check)`.
const PUBLISHED: [(&str, &str, &str, &str); 5] = [
    ("published/table-3.1.csv", "1.8e-1", "1.7e-1", "table-3.1/0.05/rk3"),
    ("published/table-3.2.csv", "4.4e-8", "4.3e-8", "table-3.2/0.05/rk8"),
    ("published/table-3.2.csv", "9.7e-13", "9.7e-12", "table-3.2/0.001/rk5"),
    ("published/table-3.3.csv", "2.8e-15", "2.9e-15", "table-3.3/0.005/rk5"),
    ("claims.yaml", "\"159.93\"", "\"159.94\"", "/energy-at-start"),
];

#[test]
fn a_changed_published_value_changes_its_verdict() {
    for (file, from, to, claim) in PUBLISHED {
        let folder = tempfile::tempdir().unwrap();
        copy(&experiments(), folder.path());
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        // The lock would detect the change by itself.
        let _ = fs::remove_file(folder.path().join("bounds.lock"));
        let surprises = surprises(folder.path(), &Registry::builtin());
        assert!(!surprises.is_empty(), "{from} to {to} in {file}");
        // One number of a ledger may be used for both formulations; one cell of a table is one check.
        assert!(surprises.iter().all(|check| check.contains(claim)), "{from} to {to} in {file}: {surprises:?}");
    }
}

/// A method with a wrong tableau under the name of a correct one.
trait Wrong: Send + Sync + 'static {
    const NAME: &'static str;
    fn tableau() -> Tableau;
}

/// The definition of a [`Wrong`] method, which has no parameters.
struct Mistaken<W>(PhantomData<W>);

impl<W> Clone for Mistaken<W> {
    fn clone(&self) -> Self {
        Self(PhantomData)
    }
}
impl<W> Default for Mistaken<W> {
    fn default() -> Self {
        Self(PhantomData)
    }
}
impl<W> Serialize for Mistaken<W> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(std::iter::empty::<(String, String)>())
    }
}
impl<'de, W> Deserialize<'de> for Mistaken<W> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer).map(|_| Self(PhantomData))
    }
}
impl<W> JsonSchema for Mistaken<W> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Mistaken".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::default()
    }
}
impl<W: Wrong> Parameters for Mistaken<W> {}
impl<W: Wrong> Mistaken<W> {
    fn build() -> ExplicitRungeKutta {
        ExplicitRungeKutta::new(&W::tableau(), ControllerSettings::elementary())
    }
}
impl<W: Wrong> MethodDefinition for Mistaken<W> {
    const NAME: &'static str = W::NAME;
    const SUMMARY: &'static str = "a coefficient is wrong";
    const SOURCE: &'static str = "none";
    const FAMILY: &'static str = "explicit-runge-kutta";
    fn method(&self) -> Box<dyn Method> {
        Box::new(Self::build())
    }
    fn precise(&self) -> Option<Box<dyn Method<DoubleDouble>>> {
        Some(Box::new(Self::build()))
    }
}

macro_rules! wrong {
    ($type:ident, $name:literal, $tableau:ident, $($part:ident $([$i:literal])+ = $p:literal / $q:literal),+) => {
        struct $type;
        impl Wrong for $type {
            const NAME: &'static str = $name;
            fn tableau() -> Tableau {
                let mut tableau = tableaux::$tableau.clone();
                $(tableau.formula.$part $([$i])+ = DoubleDouble::ratio($p, $q);)+
                tableau
            }
        }
    };
}
wrong!(Kutta, "rk3", RK3, weights[1] = 3.0 / 5.0, weights[2] = 7.0 / 30.0);
wrong!(Stage, "rk5", RK5, rows[5][3] = 1859.0 / 4105.0);
wrong!(Weight, "rk5", RK5, weights[5] = 2.0 / 56.0);
wrong!(Eighth, "rk8", RK8, weights[9] = 9.0 / 281.0);

/// An error in a model.
trait Slip: Send + Sync + 'static {
    type Of: ModelDefinition;
    /// Changes the right-hand side after its evaluation.
    fn rhs<S: Scalar>(_y: &[S], _dydt: &mut [S]) {}
    /// Changes the observables after their evaluation.
    fn observe(_names: &[Observable], _values: &mut [f64]) {}
    /// Changes the parameters before their use.
    fn parameters(_parameters: &mut Self::Of) {}
}

struct Slipped<P: Slip>(P::Of);

impl<P: Slip> Clone for Slipped<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}
impl<P: Slip> Default for Slipped<P> {
    fn default() -> Self {
        Self(P::Of::default())
    }
}
impl<P: Slip> Serialize for Slipped<P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}
impl<'de, P: Slip> Deserialize<'de> for Slipped<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        P::Of::deserialize(deserializer).map(Self)
    }
}
impl<P: Slip> JsonSchema for Slipped<P> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        P::Of::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        P::Of::json_schema(generator)
    }
}
impl<P: Slip> Parameters for Slipped<P> {
    fn check(&self) -> Result<(), OutOfRange> {
        self.0.check()
    }
}
impl<P: Slip> ModelDefinition for Slipped<P> {
    const NAME: &'static str = P::Of::NAME;
    const SUMMARY: &'static str = P::Of::SUMMARY;
    const SOURCE: &'static str = P::Of::SOURCE;
    fn model(&self) -> Box<dyn Model> {
        let mut parameters = self.0.clone();
        P::parameters(&mut parameters);
        Box::new(SlippedModel::<P>(parameters.model(), PhantomData))
    }
}

struct SlippedModel<P>(Box<dyn Model>, PhantomData<P>);

impl<P: Slip, S: Scalar> Formulated<S> for SlippedModel<P>
where
    dyn Model: Formulated<S>,
{
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(SlippedOde::<P, S>(Formulated::<S>::ode(&*self.0), PhantomData))
    }
    fn initial_state(&self) -> Vec<S> {
        Formulated::<S>::initial_state(&*self.0)
    }
}

impl<P: Slip> Model for SlippedModel<P> {
    fn observables(&self) -> Vec<Observable> {
        self.0.observables()
    }
    fn observation(&self) -> Box<dyn Observation + '_> {
        Box::new(SlippedObservation::<P>(self.0.observation(), self.0.observables(), PhantomData))
    }
    fn classes(&self) -> Vec<Class> {
        self.0.classes()
    }
    fn views(&self, y: &[f64]) -> Vec<View> {
        self.0.views(y)
    }
}

struct SlippedOde<'m, P, S: Scalar>(Box<dyn Ode<S> + 'm>, PhantomData<P>);

impl<P: Slip, S: Scalar> Ode<S> for SlippedOde<'_, P, S> {
    fn dimension(&self) -> usize {
        self.0.dimension()
    }
    fn rhs(&mut self, t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure> {
        self.0.rhs(t, y, dydt)?;
        P::rhs(y, dydt);
        Ok(())
    }
    fn properties(&self) -> Properties<'_, S> {
        let Properties { locks, projects, .. } = self.0.properties();
        Properties { locks, projects, ..Properties::default() }
    }
    fn begin_step(&mut self, t: S, y: &[S]) -> Result<(), Failure> {
        self.0.begin_step(t, y)
    }
    fn project(&mut self, t: S, y: &mut [S]) -> Result<(), Failure> {
        self.0.project(t, y)
    }
    fn form(&mut self) -> Form<'_, S> {
        self.0.form()
    }
}

struct SlippedObservation<'m, P>(Box<dyn Observation + 'm>, Vec<Observable>, PhantomData<P>);

impl<P: Slip> Observation for SlippedObservation<'_, P> {
    fn observe(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        self.0.observe(t, y, values);
        P::observe(&self.1, values);
    }
}

/// The sign of gravity, changed through the parameters.
struct Gravity;
impl Slip for Gravity {
    type Of = Pendulum;
    fn parameters(pendulum: &mut Pendulum) {
        pendulum.gravity = -pendulum.gravity;
    }
}

/// The sign of the angular acceleration; the state ends with the angular velocity in both formulations.
struct Acceleration;
impl Slip for Acceleration {
    type Of = Pendulum;
    fn rhs<S: Scalar>(_: &[S], dydt: &mut [S]) {
        if let Some(last) = dydt.last_mut() {
            *last = -*last;
        }
    }
}

/// An angular acceleration that is 1 % too large: 3.03 g / 2 l.
struct Factor;
impl Slip for Factor {
    type Of = Pendulum;
    fn rhs<S: Scalar>(_: &[S], dydt: &mut [S]) {
        if let Some(last) = dydt.last_mut() {
            *last *= 1.01;
        }
    }
}

/// The sign and the zero of the energy; its variation is unchanged.
struct Energy;
impl Slip for Energy {
    type Of = Pendulum;
    fn observe(names: &[Observable], values: &mut [f64]) {
        for (name, value) in names.iter().zip(values) {
            if name.name == "energy" {
                *value = -*value + 2.0;
            }
        }
    }
}

/// The sign of the latitude's acceleration.
struct Latitude;
impl Slip for Latitude {
    type Of = RollingSpheres;
    fn rhs<S: Scalar>(_: &[S], dydt: &mut [S]) {
        dydt[7] = -dydt[7];
    }
}

/// A radius that is wrong by 2 %.
struct Radius;
impl Slip for Radius {
    type Of = RollingSpheres;
    fn parameters(spheres: &mut RollingSpheres) {
        spheres.inner_radius *= 1.02;
    }
}

fn assert_noticed(what: &str, registry: &Registry) {
    let surprises = surprises(&experiments(), registry);
    assert!(!surprises.is_empty(), "{what} is not noticed");
}

fn method<W: Wrong>() -> Registry {
    Registry::builtin().replacing_method::<Mistaken<W>>()
}

fn model<P: Slip>() -> Registry {
    Registry::builtin().replacing_model::<Slipped<P>>()
}

#[test]
fn a_changed_coefficient_changes_a_verdict() {
    assert_noticed("a weight of Kutta's rule", &method::<Kutta>());
    assert_noticed("a stage of Fehlberg 4(5)", &method::<Stage>());
    assert_noticed("a weight of Fehlberg 4(5)", &method::<Weight>());
    assert_noticed("a weight of Fehlberg 7(8)", &method::<Eighth>());
}

#[test]
fn a_changed_model_changes_a_verdict() {
    assert_noticed("gravity upwards", &model::<Gravity>());
    assert_noticed("the sign of the acceleration", &model::<Acceleration>());
    assert_noticed("a factor of the acceleration", &model::<Factor>());
    assert_noticed("the energy's zero", &model::<Energy>());
    assert_noticed("the sign of the latitude", &model::<Latitude>());
    assert_noticed("a radius", &model::<Radius>());
}
