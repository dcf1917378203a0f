//! The entries of the workspace: one line each.

use mbsbench_integrators as integrators;
use mbsbench_models as models;

use super::Registry;
use crate::measures;

pub(super) fn registry() -> Registry {
    with_measures(with_methods(with_models(Registry::empty())))
}

fn with_models(registry: Registry) -> Registry {
    registry
        .model::<models::Pendulum>()
        .model::<models::RollingSpheres>()
        .model::<models::BouncingBalls>()
        .model::<models::MarbleJar>()
        .model::<models::RectifiedSine>()
        .model::<models::Thermostat>()
        .model::<models::DiodeBranches>()
        .model::<models::DampedCosineThreshold>()
        .model::<models::SpringDamperBall>()
        .model::<models::BallBetweenWalls>()
        .model::<models::DoublePendulum>()
        .model::<models::SliderCrank>()
        .model::<models::FlexibleSliderCrank>()
        .model::<models::StiffDoublePendulum>()
        .model::<models::TwoBouncingBalls>()
        .model::<models::OscillationInTime>()
        .model::<models::LinearTest>()
}

fn with_methods(registry: Registry) -> Registry {
    registry
        .method::<integrators::Rk3>()
        .method::<integrators::Bs32>()
        .method::<integrators::Rk4>()
        .method::<integrators::Rk5>()
        .method::<integrators::Dopri5>()
        .method::<integrators::Rk8>()
        .method::<integrators::Dop853>()
        .method::<integrators::Gbs>()
        .method::<integrators::Dode>()
        .method::<integrators::Newmark>()
        .method::<integrators::HhtI3>()
        .method::<integrators::Nstiff>()
        .method::<integrators::HhtAdd>()
        .method::<integrators::HhtSi2>()
        .method::<integrators::NstiffSi2>()
}

fn with_measures(registry: Registry) -> Registry {
    registry
        .measure::<measures::EnergyVariation>()
        .measure::<measures::ConstraintMax>()
        .measure::<measures::SurfaceMax>()
        .measure::<measures::AdjustmentMax>()
        .measure::<measures::Initial>()
        .measure::<measures::Final>()
        .measure::<measures::Range>()
        .measure::<measures::RangeAfterEvents>()
        .measure::<measures::Sample>()
        .measure::<measures::MaximumError>()
        .measure::<measures::PositionError>()
        .measure::<measures::VelocityError>()
        .measure::<measures::MultiplierError>()
        .measure::<measures::MaximumMagnitude>()
        .measure::<measures::MeanMagnitude>()
        .measure::<measures::Trend>()
        .measure::<measures::OscillationIndex>()
        .measure::<measures::DriftConstant>()
        .measure::<measures::ShapeDistance>()
        .measure::<measures::NewtonCondition>()
        .measure::<measures::Crossings>()
        .measure::<measures::Extrema>()
        .measure::<measures::EventTimes>()
        .measure::<measures::EventResidual>()
        .measure::<measures::StepsAccepted>()
        .measure::<measures::StepsRejected>()
        .measure::<measures::StepsRepeated>()
        .measure::<measures::RhsEvaluations>()
        .measure::<measures::JacobianEvaluations>()
        .measure::<measures::Factorizations>()
        .measure::<measures::NewtonIterations>()
        .measure::<measures::LinearSolves>()
        .measure::<measures::SwitchEvaluations>()
        .measure::<measures::Events>()
        .measure::<measures::LocationIterations>()
        .measure::<measures::Catches>()
        .measure::<measures::FailedLocations>()
        .measure::<measures::SignChanges>()
        .measure::<measures::HiddenEvents>()
        .measure::<measures::UnlockedSteps>()
        .measure::<measures::Projections>()
        .measure::<measures::MatrixExponentials>()
        .measure::<measures::States>()
        .measure::<measures::SwitchingFunctions>()
}
