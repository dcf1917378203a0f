//! Time of one Newton iteration on the rotating shaft of zhang2022, section 5.4 (16 beams, 33 nodes), by its parts.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use mbsbench_models::flexible::{Assembly, Beam, Flexible, Gravity, Joint, Law, Node, RigidBody, Section, Side, Twist};
use mbsbench_problem::dae::{Dae, Point};
use nalgebra::{Matrix3, Rotation3, Vector3};

const ELEMENTS: usize = 16;
const SPACING: f64 = 6.0 / (2 * ELEMENTS) as f64;
const SPEED: f64 = 48.0;

fn shaft() -> Assembly {
    let mut shaft = Assembly::default();
    for k in 0..=2 * ELEMENTS {
        shaft.nodes.push(Node::at(SPACING * k as f64, 0.0, 0.0));
        let inertia = Matrix3::from_diagonal(&Vector3::new(0.026, 0.02, 0.02)) * SPACING;
        shaft.bodies.push(RigidBody { node: k, mass: 11.64 * SPACING, offset: Vector3::zeros(), inertia });
    }
    let inertia = Matrix3::from_diagonal(&Vector3::new(2.03, 1.03, 1.03));
    shaft.bodies.push(RigidBody { node: ELEMENTS, mass: 70.573, offset: Vector3::z() * 0.05, inertia });
    let (bending, shear) = (354.5e3, 60.5e6);
    let section = Section {
        axial: 313.4e6,
        shear_y: shear,
        shear_z: shear,
        torsion: 272.7e3,
        bending_y: bending,
        bending_z: bending,
    };
    for k in 0..ELEMENTS {
        let nodes = [2 * k, 2 * k + 1, 2 * k + 2];
        shaft.beams.push(Beam { nodes, section, frame: Rotation3::identity() });
    }
    let along = Rotation3::from_matrix_unchecked(Matrix3::new(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0));
    let ground = |x: f64| Side::ground(Vector3::x() * x).turned(along);
    shaft.joints = vec![
        Joint::Revolute { a: ground(0.0), b: Side::node(0).turned(along) },
        Joint::PrescribedAngularVelocity { node: 0, axis: Vector3::x(), speed: Law::constant(SPEED) },
        Joint::Cylindrical { a: ground(6.0), b: Side::node(2 * ELEMENTS).turned(along) },
    ];
    shaft.gravity = Some(Gravity { direction: -Vector3::z(), acceleration: Law::constant(9.81) });
    shaft
}

fn newton(criterion: &mut Criterion) {
    let flexible = Flexible::new(shaft()).expect("it is a mechanism");
    let twist = Twist { linear: Vector3::zeros(), angular: Vector3::x() * SPEED };
    let state = flexible.moving(0.0, &vec![twist; flexible.nodes()]).expect("it turns");
    let mut equations = flexible.equations::<f64>();
    let (n, m) = (equations.differential(), equations.algebraic());
    let (mut chart, mut y, mut rates) = (vec![0.0; equations.chart_length()], vec![0.0; n], vec![0.0; n + m]);
    equations.locate(&state, &mut chart, &mut y);
    equations.consistent(0.0, &chart, &y, &mut rates).expect("they exist");
    y.iter_mut().zip(&rates).for_each(|(y, rate)| *y += 1e-3 * rate);
    let at = Point { t: 1e-3, chart: &chart, y: &y, rates: &rates };
    let mut x = vec![0.0; n + m];
    let mut group = criterion.benchmark_group("shaft of 16 beams");
    group.bench_function("residual", |bench| bench.iter(|| equations.residual(black_box(at), 5e-4, &mut x)));
    group.bench_function("matrix and factors", |bench| bench.iter(|| equations.factorise(black_box(at), 5e-4)));
    group.bench_function("solution", |bench| {
        bench.iter(|| {
            x.fill(1.0);
            equations.solve(black_box(&mut x));
        });
    });
    group.bench_function("iteration", |bench| {
        bench.iter(|| {
            equations.residual(black_box(at), 5e-4, &mut x).expect("it exists");
            equations.factorise(at, 5e-4).expect("it is regular");
            equations.solve(&mut x);
        });
    });
}

criterion_group!(benches, newton);
criterion_main!(benches);
