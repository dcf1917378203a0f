//! Mechanisms of many kinds.

use std::path::Path;

use mbsbench_input::{Document, read};
use mbsbench_mechanisms::Mechanism;

/// Reads a mechanism from its text.
pub fn mechanism(text: &str) -> Mechanism {
    let document = Document::parse(Path::new("mechanism.yaml"), text.as_bytes()).expect("YAML");
    read(&document.root).unwrap_or_else(|error| panic!("{error}"))
}

/// Two rods with springs and dampers in both pins.
pub const DOUBLE_PENDULUM: &str = include_str!("../../../../../examples/mechanisms/papers/double-pendulum.yaml");

/// Twenty rods, the first pinned to the ground.
pub const CHAIN: &str = "
motion: planar
gravity: [0, -9.81]
bodies: { rod_0: { mass: 1, shape: { rod: { length: 0.1 } }, markers: { pin: [-0.05, 0], end: [0.05, 0] } } }
joints: { pin_0: { revolute: { between: [ground, rod_0.pin], angle: -0.3, rate: 1 } } }
repeat:
  - for: { i: 19 }
    bodies:
      \"rod_{i}\": { mass: 1, shape: { rod: { length: 0.1 } }, markers: { pin: [-0.05, 0], end: [0.05, 0] } }
    joints:
      \"pin_{i}\": { revolute: { between: [\"rod_{i}.pin\", \"rod_{i-1}.end\"], angle: 0.05 } }
";

/// A cart on an inclined line with a pendulum whose joint has its markers in reverse order, both driven.
pub const CART: &str = "
motion: planar
gravity: [0.2, -9.81]
ground: { rail: { at: [0.1, 0.3], angle: 0.4 } }
bodies:
  cart: { mass: 2, inertia: 0.1, centre: [0.05, 0.02], markers: { hook: { at: [0.1, -0.1], angle: 1 } } }
  rod: { mass: 0.5, shape: { rod: { length: 0.8 } }, markers: { pin: { at: [-0.4, 0], angle: 0.2 } } }
  plate: { mass: 0.2, inertia: 0.01, markers: { corner: { at: [0.1, 0.1], angle: -0.5 } } }
joints:
  rail: { prismatic: { between: [ground.rail, cart], axis: [1, 0.2], distance: 0.3, speed: 0.5 } }
  hook: { revolute: { between: [rod.pin, cart.hook], angle: 7, rate: -2 } }
  glue: { fixed: { between: [plate.corner, rod] } }
forces:
  pull: { actuator: { between: [ground.rail, rod], force: \"3*sin(2*t) - 0.5*speed\" } }
  twist: { motor: { between: [cart, rod], torque: \"0.3*cos(t) - 0.1*rate + 0.2*angle\" } }
  cushion: { bushing: { between: [ground, plate], stiffness: [2, 3, 0.4], damping: [0.1, 0.2, 0.03] } }
";

/// A free body in the plane with a pendulum, pushed by a formula.
pub const FREE_PLATE: &str = "
motion: planar
gravity: [0, -9.81]
bodies:
  rod: { mass: 0.5, shape: { rod: { length: 0.8 } }, markers: { pin: [-0.4, 0] } }
  plate: { mass: 2, inertia: 0.3, centre: [0.1, 0], position: [1, 2], angle: 0.5, velocity: [1, 0], rate: 2 }
joints: { pin: { revolute: { between: [rod.pin, plate], angle: 1 } } }
forces: { push: { force: { on: rod.pin, follows: true, force: [\"1 + plate.x\", \"0.3*rod.rate\"] } } }
";

/// Six links on revolute joints with skew axes, without friction, and a spring.
pub const ARM: &str = "
motion: spatial
gravity: [0.3, 0, -9.81]
constants: { rod_length: 0.3 }
ground: { base: { at: [0.1, 0.2, 0], rotation: [0.2, -0.1, 0.5] } }
bodies:
  b1: { mass: 4, inertia: [0.05, 0.06, 0.03, 0.004, -0.003, 0.002], centre: [0.02, 0.01, 0.15], markers: { end: { \
    at: [0.05, 0, 0.3], rotation: [0.3, 0.2, -0.4] } } }
  b2: { mass: 3, inertia: [0.04, 0.05, 0.03, 0.002, 0.001, -0.002], centre: [0.01, 0.02, 0.1], markers: { pin: { \
    at: [0, 0.01, 0], rotation: [-0.5, 0.1, 0.7] }, end: [0, 0.05, 0.3] } }
  b3: { mass: 2, inertia: [0.02, 0.03, 0.02], centre: [0.1, 0, 0], markers: { end: { at: [0.3, 0, 0], \
    rotation: [1, 0, 2] } } }
  b4: { mass: 1.5, inertia: [0.01, 0.015, 0.008], centre: [0, 0.1, 0], markers: { end: [0, 0.25, 0.02] } }
  b5: { mass: 1, inertia: [0.005, 0.006, 0.004], centre: [0, 0, 0.08], markers: { end: { at: [0.02, 0, 0.2], \
    rotation: [0, 0.6, 0] } } }
  b6: { mass: 0.7, inertia: [0.003, 0.002, 0.004], centre: [0.03, 0.04, 0.05], markers: { tip: [0, 0.1, 0.2] } }
joints:
  j1: { revolute: { between: [ground.base, b1], axis: [0, 0.1, 1], angle: 0.4, rate: 1 } }
  j2: { revolute: { between: [b1.end, b2.pin], axis: [1, 0.3, 0.2], angle: 7, rate: -0.5 } }
  j3: { revolute: { between: [b3, b2.end], axis: [0.3, 1, -0.4], angle: -0.8, rate: 0.7 } }
  j4: { revolute: { between: [b3.end, b4], axis: [-1, 0.5, 0.1], angle: 0.5, rate: -1 } }
  j5: { revolute: { between: [b4.end, b5], axis: [0.2, 0.2, 1], angle: -1.2, rate: 2 } }
  j6: { revolute: { between: [b6, b5.end], axis: [0.6, -1, 0.3], angle: 0.9, rate: 1.5 } }
forces:
  spring: { spring: { between: [ground, b6.tip], stiffness: 30, length: 0.4 } }
";

/// Forces that add and remove energy, appended to [`ARM`].
pub const ARM_FORCES: &str =
    "  damper: { torsion-spring: { between: [b1, b2], axis: [0.2, 1, 0], stiffness: 2, damping: 0.3, angle: 0.1 } }
  cushion: { bushing: { between: [b2.end, b5], stiffness: [10, 20, 30, 1, 2, 3], damping: [1, 2, 3, 0.1, 0.2, 0.3] } }
  push: { force: { on: b4.end, follows: true, force: [\"sin(3*t)\", \"2*b5.wx\", \"b6.tip.vz + rod_length\"] } }
  twist: { torque: { on: b6, torque: [0.1, \"0.2*t\", \"b1.z\"] } }
  piston: { actuator: { between: [b1, b5.end], force: \"2*length - 0.3*speed\" } }
";

/// Two bodies on universal joints, the second with its markers in reverse order.
pub const UNIVERSAL: &str = "
motion: spatial
gravity: [0, 0, -9.81]
bodies:
  b1: { mass: 2, inertia: [0.02, 0.03, 0.025], centre: [0, 0, -0.2], spin: [1, 0.5, 0], markers: { end: { \
    at: [0, 0, -0.4], rotation: [0.3, 0, 0.4] } } }
  b2: { mass: 1, inertia: [0.02, 0.01, 0.015], centre: [0.05, 0, -0.2], spin: [0.2, 0.7, 1], markers: { top: { \
    at: [0, 0, 0.1], rotation: [0.4, 1, 0] } } }
joints:
  first: { universal: { between: [ground, b1], axes: [[1, 0.2, 0], [-0.2, 1, 0.3]] } }
  second: { universal: { between: [b2.top, b1.end] } }
";

/// A spherical pendulum, a free body, and a body attached to the free one.
pub const BALLS: &str = "
motion: spatial
gravity: [0, 0, -9.81]
bodies:
  top: { mass: 2, inertia: [0.02, 0.03, 0.025], centre: [0.1, 0, -0.2], rotation: [0.3, 0.4, 0], spin: [1, 0.5, 3] }
  stone: { mass: 1, inertia: [0.02, 0.01, 0.015], position: [1, 0, 1], rotation: [2, 0, 1], velocity: [0, 1, 2], \
    spin: [0.2, 3, 1], markers: { edge: { at: [0.1, 0.1, 0], rotation: [1, 0, 0] } } }
  tail: { mass: 0.3, inertia: [0.002, 0.001, 0.0015], markers: { end: [0.2, 0, 0] } }
joints:
  foot: { spherical: { between: [top, ground] } }
  link: { spherical: { between: [stone.edge, tail.end] } }
forces:
  spring: { spring: { between: [top, stone], stiffness: 5, damping: 0.3, length: 0.4 } }
  wind: { torque: { on: tail, follows: true, torque: [0.01, \"0.02*t\", 0] } }
";

/// Joints with two and three coordinates in series, some of them with markers in reverse order.
pub const SLIDES: &str = "
motion: spatial
gravity: [1, 0.5, -9.81]
ground: { table: { at: [0, 0, 0.1], rotation: [0.2, 0.1, 0] } }
bodies:
  puck: { mass: 2, inertia: [0.02, 0.03, 0.025], centre: [0.03, 0.02, 0.01], markers: { mast: { at: [0.1, 0, 0.1], \
    rotation: [0.3, 0, 0] } } }
  ring: { mass: 1, inertia: [0.02, 0.01, 0.015], markers: { side: { at: [0.1, 0.05, 0], rotation: [0, 1, 0] } } }
  slider: { mass: 0.5, inertia: [0.002, 0.001, 0.0015], centre: [0.01, 0, 0] }
  fin: { mass: 0.2, inertia: [0.0002, 0.0003, 0.0004], markers: { root: { at: [-0.1, 0, 0], rotation: [0, 0, 1] } } }
  disk: { mass: 0.4, inertia: [0.002, 0.002, 0.003] }
joints:
  table: { planar: { between: [puck, ground.table], axis: [0.1, 0, 1] } }
  mast: { cylindrical: { between: [ring, puck.mast], axis: [0, 0.3, 1], angle: 9, distance: 0.2 } }
  side: { prismatic: { between: [ring.side, slider], axis: [1, 1, 0], distance: 0.1, speed: 1 } }
  root: { fixed: { between: [fin.root, slider] } }
  wheel: { planar: { between: [fin, disk], axis: [1, 0, 0.2] } }
";

/// A loop of four bars in the plane, with a motor.
pub const FOUR_BAR: &str = "
motion: planar
gravity: [0, -9.81]
ground: { far: [2, 0] }
bodies:
  crank: { mass: 1, shape: { rod: { length: 1 } }, held: true, markers: { pin: [-0.5, 0], end: [0.5, 0] } }
  coupler: { mass: 2, shape: { rod: { length: 2 } }, markers: { pin: [-1, 0], end: [1, 0] } }
  rocker: { mass: 2, shape: { rod: { length: 2 } }, markers: { pin: [-1, 0], end: [1, 0] } }
joints:
  a: { revolute: { between: [ground, crank.pin], angle: 7, rate: 2 } }
  b: { revolute: { between: [crank.end, coupler.pin], angle: -0.7 } }
  c: { revolute: { between: [ground.far, rocker.pin], angle: 1.3 } }
  d: { revolute: { between: [coupler.end, rocker.end] } }
forces:
  drive: { motor: { between: [ground, crank], torque: \"2*sin(t) - 0.3*rate\" } }
";

/// A spatial loop of two revolute joints, a universal and a spherical one.
pub const SPATIAL_FOUR_BAR: &str = "
motion: spatial
gravity: [0, 0, -9.81]
ground: { far: [1, 0.5, 0] }
bodies:
  crank: { mass: 1, inertia: [0.01, 0.02, 0.02], held: true, markers: { pin: [-0.2, 0, 0], end: [0.2, 0, 0] } }
  coupler: { mass: 1.5, inertia: [0.02, 0.3, 0.3], position: [0.7, 0.2, 0.4], rotation: [0, -0.6, 0.2], markers: { \
    start: [-0.5, 0, 0], end: [0.5, 0, 0] } }
  rocker: { mass: 1, inertia: [0.01, 0.05, 0.05], markers: { pin: [0, 0, -0.4], end: [0, 0, 0.4] } }
joints:
  a: { revolute: { between: [ground, crank.pin], axis: [0, 0, 1], angle: 0.3, rate: 2 } }
  b: { revolute: { between: [ground.far, rocker.pin], axis: [1, 0, 0], angle: 0.2 } }
  ball: { spherical: { between: [crank.end, coupler.start] } }
  cross: { universal: { between: [rocker.end, coupler.end], axes: [[1, 0, 0], [0, 1, 0]] } }
";

/// Constraints outside the tree, in the plane: a skate, a distance, gears, and a prescribed angle.
pub const HELD: &str = "
motion: planar
gravity: [0, -1]
ground: { hook: [0, 2] }
bodies:
  skate: { mass: 1, inertia: 0.1, position: [0, 1], markers: { edge: [0.2, 0] } }
  bob: { mass: 0.5, inertia: 0.01, position: [1, 1.5] }
  wheel: { mass: 1, inertia: 0.2, centre: [-1, 0] }
  pinion: { mass: 0.3, inertia: 0.02, centre: [0.3, 0.1] }
  arm: { mass: 0.4, inertia: 0.03, centre: [0.3, 0] }
joints:
  edge: { knife-edge: { between: [ground, skate.edge] } }
  string: { distance: { between: [skate, bob] } }
  hub: { revolute: { between: [ground, arm], angle: 0.2 } }
  driven: { rotation: { between: [ground, arm], law: \"0.2 + 0.5*sin(t)\" } }
  axle: { revolute: { between: [skate, wheel], angle: 0.3, rate: 2 } }
  shaft: { revolute: { between: [wheel, pinion], angle: 0.1 } }
  mesh: { gear: { joints: [axle, shaft], ratio: -3 } }
";

/// Bodies that joints hold upside down: the relations of joints hold for this orientation, too.
pub const UPSIDE_DOWN: &str = "
motion: spatial
gravity: [0.5, 1, -9.81]
bodies:
  flap: { mass: 1, inertia: [0.01, 0.02, 0.02], centre: [0.2, 0, 0.1], position: [0, 0, 0], rotation: [pi, 0, 0], \
    spin: [0, 0, 1] }
  lid: { mass: 1, inertia: [0.01, 0.02, 0.02], centre: [0.2, 0.1, 0], position: [0, 0, 0], rotation: [0, pi, 0] }
  box: { mass: 1, inertia: [0.01, 0.02, 0.02], centre: [0, 0.1, 0], position: [0, 0, 0.2], rotation: [0, 0, pi] }
joints:
  hinge: { revolute: { between: [ground, flap] } }
  glue: { fixed: { between: [flap, lid] } }
  slide: { prismatic: { between: [box, lid], axis: [0, 0, 1] } }
";
