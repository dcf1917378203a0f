//! The entries of the workspace: one line each.

use mbsbench_integrators as integrators;
use mbsbench_measures as measures;
use mbsbench_mechanisms as mechanisms;
use mbsbench_models as models;
use mbsbench_sundials as sundials;

use super::Registry;

pub(super) fn registry() -> Registry {
    measures::add_to(with_methods(with_models(Registry::empty())))
}

fn with_models(registry: Registry) -> Registry {
    registry
        .model::<models::Pendulum>()
        .model::<models::RollingSpheres>()
        .model::<models::BouncingBalls>()
        .model::<models::MarbleJar>()
        .model::<models::RectifiedSine>()
        .model::<models::Thermostat>()
        .model::<models::DrivenRelaxation>()
        .model::<models::BallAndTank>()
        .model::<models::DiodeBranches>()
        .model::<models::DampedCosineThreshold>()
        .model::<models::SpringDamperBall>()
        .model::<models::BallBetweenWalls>()
        .model::<models::DoublePendulum>()
        .model::<models::SliderCrank>()
        .model::<models::FlexibleSliderCrank>()
        .model::<models::StiffDoublePendulum>()
        .model::<models::RodChain>()
        .model::<models::FourBarWindows>()
        .model::<mechanisms::Mechanism>()
        .model::<models::TwoBouncingBalls>()
        .model::<models::OscillationInTime>()
        .model::<models::LinearTest>()
        .model::<models::LinearOscillator>()
        .model::<models::PenaltyBall>()
        .model::<models::BallBearing>()
        .model::<models::Squeezer>()
        .model::<models::FlexibleFourBar>()
        .model::<models::LateralBuckling>()
        .model::<models::RotatingShaft>()
        .model::<models::CarAxis>()
        .model::<models::DrivenSliderCrank>()
        .model::<models::Wheelset>()
        .model::<models::PointPendulum>()
        .model::<models::Pleiades>()
        .model::<models::Fekete>()
        .model::<models::CartPole>()
}

fn with_methods(registry: Registry) -> Registry {
    registry
        .method::<integrators::Rk3>()
        .method::<integrators::Bs32>()
        .method::<integrators::Rk4>()
        .method::<integrators::Rk5>()
        .method::<integrators::Dopri5>()
        .method::<integrators::Ode45>()
        .method::<integrators::Rk8>()
        .method::<integrators::Dop853>()
        .method::<integrators::Dop853Projected>()
        .method::<integrators::Gbs>()
        .method::<integrators::Dode>()
        .method::<integrators::Newmark>()
        .method::<integrators::HhtI3>()
        .method::<integrators::Nstiff>()
        .method::<integrators::HhtAdd>()
        .method::<integrators::HhtSi2>()
        .method::<integrators::NstiffSi2>()
        .method::<integrators::GeneralizedAlpha>()
        .method::<integrators::Llm>()
        .method::<integrators::ContactPower>()
        .method::<integrators::StormerVerlet>()
        .method::<integrators::SemiExplicit>()
        .method::<integrators::Ode23s>()
        .method::<integrators::Ode15s>()
        .method::<integrators::Radau5>()
        .method::<integrators::Mebdf>()
        .method::<integrators::Trapezoidal>()
        .method::<integrators::Lms2>()
        .method::<integrators::Lms3>()
        .method::<integrators::Lms4>()
        .method::<integrators::Ss2>()
        .method::<integrators::Ss3>()
        .method::<integrators::Ss4>()
        .method::<integrators::Bathe>()
        .method::<integrators::Msstc3>()
        .method::<integrators::Msstc4>()
        .method::<integrators::Msstc5>()
        .method::<integrators::Mssth3>()
        .method::<integrators::Mssth4>()
        .method::<integrators::Mssth5>()
        .method::<integrators::Esdirk324l2sa>()
        .method::<integrators::Esdirk325l2sa>()
        .method::<integrators::Esdirk436l2sa2>()
        .method::<integrators::Written>()
        .method::<sundials::CvodeBdf>()
        .method::<sundials::CvodeAdams>()
        .method::<sundials::Ida>()
}
