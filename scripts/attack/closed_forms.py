"""Random models with events whose solutions this file knows in closed form, independently of the program."""

import math
from dataclasses import dataclass
from typing import Callable

NEVER = math.inf


@dataclass
class Hybrid:
    """A model with a flow in closed form between events, whose times are known, too."""

    kind: str
    model: str  # the model in YAML
    start: list
    flow: Callable  # (t, state, dt) -> state after dt without events
    coming: Callable  # (t, state) -> (time until the next event, function of the state that returns the one after it)
    seen: dict  # observables by name, each the index of a component of the state
    soft: list  # components that carry the errors of a method
    span: float  # typical duration
    methods: str  # `equations`, `jumps` or `kinks`: the methods that suit
    concurrent: bool = False  # true if events may be so close that they count as one


def follow(hybrid, end, kick=0.0, most=4000):
    """Returns the state at the end, the times of events and the largest magnitude of each component.

    A kick displaces soft components by this share of their magnitude (or of one, if they are smaller) at the start and
    after each of the first events. The state is None if there are too many events.
    """
    t, state, events, largest = 0.0, list(hybrid.start), [], [0.0] * len(hybrid.start)
    while True:
        for index in hybrid.soft if kick and len(events) < 30 else ():
            sign = 1 if (len(events) + index) % 2 else -1
            state[index] += sign * kick * max(1.0, abs(state[index]))
        after, jump = hybrid.coming(t, state)
        last = not t + after <= end
        duration = end - t if last else max(after, 0.0)
        for part in range(5):
            for index, value in enumerate(hybrid.flow(t, state, duration * part / 4)):
                largest[index] = max(largest[index], abs(value))
        state = list(hybrid.flow(t, state, duration))
        if last:
            return state, events, largest
        t += duration
        state = list(jump(state))
        events.append(t)
        if len(events) > most:
            return None, events, largest


def first_zero(function, end, parts=200):
    """Returns the first change of sign of a function from zero on, or never; the sign at zero is that just after it."""
    positive = function(end * 1e-9) > 0.0
    for part in range(1, parts + 1):
        if (function(end * part / parts) > 0.0) != positive:
            return bisect(function, end * (part - 1) / parts if part > 1 else end * 1e-9, end * part / parts)
    return NEVER


def bisect(function, low, high):
    """Returns the time of a change of sign between two times."""
    positive = function(low) > 0.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (function(middle) > 0.0) == positive else (low, middle)
    return high


def earliest(*coming):
    return min(coming, key=lambda each: each[0])


def put(state, **changes):
    """Returns a state with components changed: `put(state, _0=1.0)`."""
    return [changes.get(f"_{index}", value) for index, value in enumerate(state)]


def landing(y, v, gravity, level=0.0):
    """Returns the time until a falling body passes a level."""
    square = v * v + 2.0 * gravity * (y - level)
    if v < 0.0:
        # without cancellation, and at once if the body is there or below by rounding
        return max(0.0, 2.0 * (y - level) / (math.sqrt(max(square, 0.0)) - v))
    return (v + math.sqrt(square)) / gravity if square >= 0.0 else NEVER


def fall(y, v, gravity, dt):
    return y + v * dt - 0.5 * gravity * dt * dt, v - gravity * dt


def number(value):
    return f"{value:.6g}"


def spread(rng, value, decades):
    return float(number(value * 10 ** rng.uniform(-decades, decades)))


class Bouncing:
    """A ball on a rigid floor; its state is height and velocity, and both stay zero once it rests."""

    def __init__(self, height, gravity, restitution):
        self.gravity, self.restitution = gravity, restitution
        self.rest = 1e-7 * math.sqrt(2.0 * gravity * height)

    def flow(self, y, v, dt):
        return (0.0, 0.0) if self.rests(y, v) else fall(y, v, self.gravity, dt)

    def rests(self, y, v):
        return y <= self.rest * self.rest / self.gravity and abs(v) <= self.rest

    def bounce(self, y, v):
        """Returns the time until the ball meets the floor."""
        return NEVER if self.rests(y, v) else landing(y, v, self.gravity)


def rectified_sine(rng):
    f = spread(rng, 2.0, 1.5)
    total = lambda t: 2.0 * math.floor(2 * f * t) + 1.0 - math.cos(math.pi * (2 * f * t - math.floor(2 * f * t)))
    return Hybrid(
        "rectified-sine", f"{{ rectified-sine: {{ frequency: {f} }} }}", [0.0],
        lambda t, s, dt: [s[0] + total(t + dt) - total(t)],
        lambda t, s: ((math.floor(2 * f * t + 1e-9) + 1) / (2 * f) - t, lambda s: s),
        {"x": 0}, [0], rng.choice([0.5, 1.0, 3.0]), "kinks")


def relay(kind, model, rates, levels, start, seen, soft, span, methods):
    """Relaxation `x' = rate (level - x)` towards one of two levels; each lasts until `x` passes its threshold."""
    def flow(t, s, dt):
        up = s[1] > 0
        level = levels[up][0]
        return [level + (s[0] - level) * math.exp(-rates[up] * dt), s[1]]
    def coming(t, s):
        up = s[1] > 0
        level, threshold = levels[up]
        share = (s[0] - level) / (threshold - level)
        return (max(0.0, math.log(share) / rates[up]) if share > 0 else NEVER), lambda s: put(s, _1=-s[1])
    return Hybrid(kind, model, start, flow, coming, seen, soft, span, methods)


def thermostat(rng):
    a, b, low = spread(rng, 2.0, 1), spread(rng, 1.0, 1), spread(rng, 1.0, 1)
    high = float(number(low * rng.uniform(1.05, 5.0)))
    model = f"{{ thermostat: {{ heating: {a}, cooling: {b}, lower: {low}, upper: {high} }} }}"
    # both are relaxations towards zero, one with a negative rate
    rates, levels = {True: -a, False: b}, {True: (0.0, high), False: (0.0, low)}
    span = math.log(high / low) * (1 / a + 1 / b) * rng.uniform(0.5, 20.0)
    return relay("thermostat", model, rates, levels, [low, 1.0], {"x": 0, "mode": 1}, [0], span, "jumps")


def equations_relay(rng):
    rates = {True: spread(rng, 1.0, 1), False: spread(rng, 1.0, 1)}
    low = rng.uniform(0.5, 1.0)
    high = low + rng.uniform(0.1, 1.0)
    levels = {True: (high + rng.uniform(0.05, 2.0), high), False: (low - rng.uniform(0.05, 2.0), low)}
    course = {up: f"r: {rates[up]!r}, p: {levels[up][0]!r}" for up in (True, False)}
    model = (f"{{ equations: {{ parameters: {{ {course[True]} }}, states: {{ x: {low!r}, m: 1 }}, "
             f"rates: {{ x: r*(p - x), m: 0 }}, events: {{ "
             f"high: {{ when: x - {high!r}, direction: rising, set: {{ {course[False]}, m: -1 }} }}, "
             f"low: {{ when: x - {low!r}, direction: falling, set: {{ {course[True]}, m: 1 }} }} }} }} }}")
    return relay("equations: relay", model, rates, levels, [low, 1.0], {"x": 0, "m": 1}, [0],
                 rng.uniform(1.0, 10.0) / min(rates.values()), "equations")


def driven_relaxation(rng):
    d, slow, fast = spread(rng, 1.0, 1), spread(rng, 0.5, 1), spread(rng, 1.0, 1)
    level = float(number(d / max(slow, fast) * rng.uniform(0.05, 0.9)))
    f, phase = spread(rng, 0.5, 1.5), float(number(rng.uniform(0.1, 3.0)))
    model = (f"{{ driven-relaxation: {{ drive: {d}, slow: {slow}, fast: {fast}, threshold: {level}, "
             f"frequency: {f}, phase: {phase} }} }}")
    def course(s):
        rate = fast if s[2] > 0 else slow
        return s[1] * d / rate, rate
    def flow(t, s, dt):
        limit, rate = course(s)
        return [limit + (s[0] - limit) * math.exp(-rate * dt), s[1], s[2]]
    def coming(t, s):
        limit, rate = course(s)
        flip = (math.floor(2 * f * t + phase / math.pi + 1e-9) + 1 - phase / math.pi) / (2 * f) - t
        share = (s[0] - limit) / (level - limit)
        leads = (limit > level) != (s[2] > 0) and share >= 1.0
        passage = math.log(share) / rate if leads else NEVER
        return earliest((flip, lambda s: put(s, _1=-s[1])), (passage, lambda s: put(s, _0=level, _2=-s[2])))
    return Hybrid("driven-relaxation", model, [0.0, 1.0, -1.0], flow, coming, {"x": 0}, [0],
                  rng.choice([1.0, 3.0, 10.0]), "kinks")


def ball_and_tank(rng):
    gravity, height, e = spread(rng, 9.81, 0.7), spread(rng, 0.85, 0.7), float(number(rng.uniform(0.3, 1.0)))
    level, outflow = spread(rng, 0.9, 0.7), spread(rng, 1.0, 1)
    ball = Bouncing(height, gravity, e)
    model = (f"{{ ball-and-tank: {{ gravity: {gravity}, height: {height}, restitution: {e}, level: {level}, "
             f"outflow: {outflow} }} }}")
    return Hybrid(
        "ball-and-tank", model, [height, 0.0, level],
        lambda t, s, dt: [*ball.flow(s[0], s[1], dt), s[2] - outflow * dt],
        lambda t, s: earliest((ball.bounce(s[0], s[1]), lambda s: put(s, _0=0.0, _1=-e * s[1])),
                              (s[2] / outflow, lambda s: put(s, _2=level))),
        {"y": 0, "v": 1, "z": 2}, [1, 2], math.sqrt(2 * height / gravity) * rng.uniform(0.5, 8.0), "jumps")


def ball_between_walls(rng):
    gravity, height, e = spread(rng, 9.81, 0.7), spread(rng, 0.85, 0.7), float(number(rng.uniform(0.3, 1.0)))
    speed, half = spread(rng, 1.0, 1.5), spread(rng, 0.5, 0.7)
    ball = Bouncing(height, gravity, e)
    model = (f"{{ ball-between-walls: {{ gravity: {gravity}, height: {height}, restitution: {e}, speed: {speed}, "
             f"half-width: {half} }} }}")
    return Hybrid(
        "ball-between-walls", model, [height, 0.0, 0.0, speed],
        lambda t, s, dt: [*ball.flow(s[0], s[1], dt), s[2] + s[3] * dt, s[3]],
        lambda t, s: earliest((ball.bounce(s[0], s[1]), lambda s: put(s, _0=0.0, _1=-e * s[1])),
                              ((half - s[2] * math.copysign(1, s[3])) / abs(s[3]),
                               lambda s: put(s, _2=math.copysign(half, s[3]), _3=-s[3]))),
        {"y": 0, "v": 1, "x": 2, "u": 3}, [1, 2], math.sqrt(2 * height / gravity) * rng.uniform(0.5, 8.0), "jumps")


def balls_with_restitution(rng):
    gravity, height, e = spread(rng, 9.81, 0.7), spread(rng, 1.0, 0.7), float(number(rng.uniform(0.3, 1.0)))
    count, spacing = rng.randint(1, 4), float(number(10 ** rng.uniform(-9, -0.5)))
    last = height + (count - 1) * spacing
    balls = Bouncing(height, gravity, e), Bouncing(last, gravity, e)
    model = (f"{{ bouncing-balls: {{ count: {count}, gravity: {gravity}, height: {height}, spacing: {spacing}, "
             f"contact: {{ restitution: {{ coefficient: {e} }} }} }} }}")
    return Hybrid(
        "bouncing-balls, restitution", model, [height, 0.0, last, 0.0],
        lambda t, s, dt: [*balls[0].flow(s[0], s[1], dt), *balls[1].flow(s[2], s[3], dt)],
        lambda t, s: earliest((balls[0].bounce(s[0], s[1]), lambda s: put(s, _0=0.0, _1=-e * s[1])),
                              (balls[1].bounce(s[2], s[3]), lambda s: put(s, _2=0.0, _3=-e * s[3]))),
        {"y": 0, "v": 1, "y_last": 2, "v_last": 3}, [1, 3],
        math.sqrt(2 * height / gravity) * rng.uniform(0.5, 8.0), "jumps", True)


def oscillation(x, v, sigma, square, dt):
    """Returns the solution of `x'' + 2 sigma x' + square x = 0` after `dt`."""
    fading, rest = math.exp(-sigma * dt), square - sigma * sigma
    if rest > 0:
        w = math.sqrt(rest)
        c, s = math.cos(w * dt), math.sin(w * dt) / w
    else:
        w = math.sqrt(-rest) or 1e-150
        c, s = math.cosh(w * dt), math.sinh(w * dt) / w
    b = v + sigma * x
    return fading * (x * c + b * s), fading * (v * c - (sigma * b + rest * x) * s)


def soft_floor(rng):
    gravity, height, mass = spread(rng, 9.81, 0.5), spread(rng, 1.0, 0.7), spread(rng, 1.0, 1)
    k = spread(rng, 1e5, 3) * mass
    c = float(number(rng.choice([0.0, 2 * math.sqrt(k * mass) * 10 ** rng.uniform(-3, -0.3)])))
    sigma, square, sag = c / (2 * mass), k / mass, -mass * gravity / k
    if rng.random() < 0.5:
        kind = "spring-damper-ball"
        model = (f"{{ spring-damper-ball: {{ mass: {mass}, gravity: {gravity}, height: {height}, stiffness: {k!r}, "
                 f"damping: {c} }} }}")
    else:
        kind = "bouncing-balls, spring-damper"
        model = (f"{{ bouncing-balls: {{ count: 1, mass: {mass}, gravity: {gravity}, height: {height}, "
                 f"contact: {{ spring-damper: {{ stiffness: {k!r}, damping: {c} }} }} }} }}")
    def flow(t, s, dt):
        if s[2] > 0:
            return [*fall(s[0], s[1], gravity, dt), s[2]]
        x, v = oscillation(s[0] - sag, s[1], sigma, square, dt)
        return [x + sag, v, s[2]]
    def coming(t, s):
        if s[2] > 0:
            return landing(s[0], s[1], gravity), lambda s: put(s, _0=0.0, _2=-1.0)
        period = 2 * math.pi / math.sqrt(max(square - sigma * sigma, 1e-3 * square))
        return first_zero(lambda dt: flow(t, s, dt)[0], period), lambda s: put(s, _0=0.0, _2=1.0)
    return Hybrid(kind, model, [height, 0.0, 1.0], flow, coming, {"y": 0, "v": 1}, [1],
                  math.sqrt(2 * height / gravity) * rng.uniform(0.8, 8.0), "kinks")


def diode_branches(rng):
    r, l, e = spread(rng, 1.0, 0.7), spread(rng, 0.2, 0.7), spread(rng, 1.0, 0.7)
    f, lead, i0 = spread(rng, 1.0, 1), float(number(10 ** rng.uniform(-4, 0.3))), 1e-6
    model = (f"{{ diode-branches: {{ resistance: {r}, inductance: {l}, voltage: {e}, frequency: {f}, lead: {lead}, "
             f"initial-current: {i0} }} }}")
    w = 2 * math.pi * f
    size, lag = e / math.hypot(r, w * l), math.atan2(w * l, r)
    phases = 0.0, lead
    def current(t, s, dt, branch):
        i, conducts = s[2 * branch], s[2 * branch + 1]
        forced = lambda t: size * math.sin(w * t + phases[branch] - lag)
        return forced(t + dt) + (i - forced(t)) * math.exp(-r / l * dt) if conducts > 0 else 0.0
    def flow(t, s, dt):
        return [current(t, s, dt, 0), s[1], current(t, s, dt, 1), s[3]]
    def branch_coming(t, s, branch):
        turns = (w * t + phases[branch]) / (2 * math.pi)
        rest = (math.floor(turns + 1e-9) + 1 - turns) / f  # until the next start; the current ends in the half before
        if s[2 * branch + 1] > 0:
            zero = bisect(lambda dt: current(t, s, dt, branch), max(0.0, rest - 0.5 / f), rest)
            return zero, lambda s: put(s, **{f"_{2 * branch}": 0.0, f"_{2 * branch + 1}": -1.0})
        return rest, lambda s: put(s, **{f"_{2 * branch + 1}": 1.0})
    return Hybrid("diode-branches", model, [i0, 1.0, i0, 1.0], flow,
                  lambda t, s: earliest(branch_coming(t, s, 0), branch_coming(t, s, 1)),
                  {"current_1": 0, "current_2": 2}, [], rng.uniform(0.5, 6.0) / f, "jumps", True)


def damped_cosine_threshold(rng):
    level, sigma = float(number(rng.uniform(0.02, 0.95))), spread(rng, 0.9, 1)
    above, below = spread(rng, 0.5, 1), spread(rng, 0.1, 1)
    model = (f"{{ damped-cosine-threshold: {{ threshold: {level}, decay: {sigma}, rate-above: {above}, "
             f"rate-below: {below} }} }}")
    square = sigma * sigma + (2 * math.pi) ** 2
    def flow(t, s, dt):
        x, v = oscillation(s[0], s[1], sigma, square, dt)
        return [x, v, s[2] * math.exp(-(above if s[3] > 0 else below) * dt), s[3]]
    def coming(t, s):
        zero = first_zero(lambda dt: oscillation(s[0], s[1], sigma, square, dt)[0] - level, 1.2, 600)
        return zero, lambda s: put(s, _0=level, _3=-s[3])
    return Hybrid("damped-cosine-threshold", model, [1.0, 0.0, 1.0, 1.0], flow, coming,
                  {"x": 2, "oscillation": 0}, [1], rng.uniform(0.5, 6.0), "kinks")


def equations_bounces(rng):
    """A ball between a floor and a ceiling, with a restitution each."""
    gravity, top = spread(rng, 9.81, 0.5), rng.uniform(0.6, 3.0)
    y, v = rng.uniform(0.1, 0.9) * top, rng.uniform(-5.0, 5.0)
    low, high = rng.uniform(0.3, 1.0), rng.uniform(0.3, 1.0)
    ball = Bouncing(top, gravity, low)
    model = (f"{{ equations: {{ states: {{ x: {y!r}, v: {v!r} }}, rates: {{ x: v, v: -{gravity!r} }}, events: {{ "
             f"floor: {{ when: x, direction: falling, set: {{ v: -{low!r}*v }} }}, "
             f"ceiling: {{ when: x - {top!r}, direction: rising, set: {{ v: -{high!r}*v }} }} }} }} }}")
    def ceiling(s):
        square = s[1] * s[1] - 2 * gravity * (top - s[0])
        return (s[1] - math.sqrt(square)) / gravity if s[1] > 0 and square > 0 else NEVER
    return Hybrid("equations: bounces", model, [y, v], lambda t, s, dt: list(ball.flow(*s, dt)),
                  lambda t, s: earliest((ball.bounce(*s), lambda s: [0.0, -low * s[1]]),
                                        (ceiling(s), lambda s: [top, -high * s[1]])),
                  {"x": 0, "v": 1}, [1], rng.uniform(0.3, 4.0), "equations")


def equations_triangle(rng):
    """A rate that changes its sign and size with a sine in time."""
    w, phase, rate = spread(rng, 10.0, 1.5), rng.uniform(0.1, 3.0), rng.uniform(0.2, 3.0)
    model = (f"{{ equations: {{ parameters: {{ p: {rate!r} }}, states: {{ x: 0, m: 1 }}, rates: {{ x: p*m, m: 0 }}, "
             f"events: {{ turn: {{ when: sin({w!r}*t + {phase!r}), set: {{ m: -m }} }} }} }} }}")
    turn = lambda t: ((math.floor((w * t + phase) / math.pi + 1e-9) + 1) * math.pi - phase) / w - t
    return Hybrid("equations: triangle", model, [0.0, 1.0], lambda t, s, dt: [s[0] + rate * s[1] * dt, s[1]],
                  lambda t, s: (turn(t), lambda s: [s[0], -s[1]]), {"x": 0, "m": 1}, [0], rng.uniform(0.5, 4.0),
                  "equations")


def equations_fire(rng):
    """Integrate and fire, with the number of spikes."""
    a, level = spread(rng, 1.0, 0.7), rng.uniform(0.3, 1.0)
    limit = level * rng.uniform(1.05, 3.0)
    model = (f"{{ equations: {{ states: {{ x: 0, n: 0 }}, rates: {{ x: {a!r}*({limit!r} - x), n: 0 }}, events: {{ "
             f"fire: {{ when: x - {level!r}, direction: rising, set: {{ x: 0, n: n + 1 }} }} }} }} }}")
    return Hybrid("equations: fire", model, [0.0, 0.0],
                  lambda t, s, dt: [limit + (s[0] - limit) * math.exp(-a * dt), s[1]],
                  lambda t, s: (max(0.0, math.log((s[0] - limit) / (level - limit)) / a),
                                lambda s: [0.0, s[1] + 1.0]), {"x": 0, "n": 1}, [0],
                  rng.uniform(1.0, 30.0) / a, "equations")


def equations_apex(rng):
    """A throw, and the time spent above a threshold near its apex."""
    gravity, v = spread(rng, 9.81, 0.3), rng.uniform(2.0, 10.0)
    apex = v * v / (2 * gravity)
    dwell = 2 * v / gravity * 10 ** rng.uniform(-2.0, -0.1)
    level = apex - gravity * dwell * dwell / 8
    model = (f"{{ equations: {{ parameters: {{ w: 0 }}, states: {{ x: 0, v: {v!r}, n: 0, m: 0 }}, "
             f"rates: {{ x: v, v: -{gravity!r}, n: m, m: 0 }}, events: {{ "
             f"up: {{ when: x - {level!r}, direction: rising, set: {{ m: 1 }} }}, "
             f"down: {{ when: x - {level!r}, direction: falling, set: {{ m: 0 }} }} }} }} }}")
    def coming(t, s):
        if s[3] > 0:
            return landing(s[0], s[1], gravity, level), lambda s: put(s, _0=level, _3=0.0)
        square = s[1] * s[1] - 2 * gravity * (level - s[0])
        up = (s[1] - math.sqrt(square)) / gravity if s[1] > 0 and square > 0 and s[0] < level else NEVER
        return up, lambda s: put(s, _0=level, _3=1.0)
    return Hybrid("equations: apex", model, [0.0, v, 0.0, 0.0],
                  lambda t, s, dt: [*fall(s[0], s[1], gravity, dt), s[2] + s[3] * dt, s[3]],
                  coming, {"x": 0, "n": 2}, [0, 1], 2 * v / gravity * rng.uniform(0.6, 1.2), "equations")


def equations_wall(rng):
    """An oscillator that hits a wall."""
    square, wall, e = spread(rng, 10.0, 1.5), rng.uniform(0.1, 0.9), rng.uniform(0.4, 1.0)
    model = (f"{{ equations: {{ states: {{ x: -1, v: 0 }}, rates: {{ x: v, v: -{square!r}*x }}, events: {{ "
             f"wall: {{ when: x - {wall!r}, direction: rising, set: {{ v: -{e!r}*v }} }} }} }} }}")
    w = math.sqrt(square)
    def coming(t, s):
        size, phase = math.hypot(s[0], s[1] / w), math.atan2(-s[1] / w, s[0])  # x = size cos(w t + phase)
        if size <= wall:
            return NEVER, None
        # the wall is met on the way up: w t + phase = -acos(wall/size) + 2 pi k
        return ((-math.acos(wall / size) - phase - 1e-9) % (2 * math.pi) + 1e-9) / w, lambda s: [wall, -e * s[1]]
    return Hybrid("equations: wall", model, [-1.0, 0.0],
                  lambda t, s, dt: list(oscillation(s[0], s[1], 0.0, square, dt)), coming, {"x": 0, "v": 1}, [0, 1],
                  2 * math.pi / w * rng.uniform(0.5, 10.0), "equations")


def equations_doses(rng):
    """Decay with a dose at each upward zero of a sine in time."""
    w, a, keep, dose = spread(rng, 10.0, 1.5), spread(rng, 1.0, 0.7), rng.uniform(0.3, 1.0), rng.uniform(0.1, 1.0)
    phase = rng.uniform(0.1, 6.0)
    model = (f"{{ equations: {{ states: {{ x: 1, n: 0 }}, rates: {{ x: -{a!r}*x, n: 0 }}, events: {{ "
             f"dose: {{ when: sin({w!r}*t + {phase!r}), direction: rising, "
             f"set: {{ x: {keep!r}*x + {dose!r}, n: n + 1 }} }} }} }} }}")
    turns = lambda t: (w * t + phase) / (2 * math.pi)
    return Hybrid("equations: doses", model, [1.0, 0.0], lambda t, s, dt: [s[0] * math.exp(-a * dt), s[1]],
                  lambda t, s: ((math.floor(turns(t) + 1e-9) + 1 - turns(t)) * 2 * math.pi / w,
                                lambda s: [keep * s[0] + dose, s[1] + 1.0]),
                  {"x": 0, "n": 1}, [0], rng.uniform(0.5, 4.0), "equations")


def equations_twins(rng):
    """A body that passes two close gates at constant speed."""
    speed, gate = rng.uniform(0.3, 3.0), rng.uniform(0.3, 1.0)
    width = 10 ** rng.uniform(-3.0, -0.3)
    model = (f"{{ equations: {{ states: {{ x: 0, n: 0, m: 1 }}, rates: {{ x: {speed!r}*m, n: 0, m: 0 }}, events: {{ "
             f"gates: {{ when: (x - {gate!r})*(x - {gate + width!r}), set: {{ n: n + 1, m: 1.5*m }} }} }} }} }}")
    def coming(t, s):
        gap = {0: gate, 1: gate + width}.get(round(s[1]), math.inf) - s[0]
        return gap / (speed * s[2]), lambda s: [s[0], s[1] + 1.0, 1.5 * s[2]]
    return Hybrid("equations: twins", model, [0.0, 0.0, 1.0], lambda t, s, dt: [s[0] + speed * s[2] * dt, *s[1:]],
                  coming, {"x": 0, "n": 1}, [0], rng.uniform(1.0, 3.0) / speed, "equations")


FAMILIES = [
    rectified_sine, thermostat, driven_relaxation, ball_and_tank, ball_between_walls, balls_with_restitution,
    soft_floor, diode_branches, damped_cosine_threshold, equations_relay, equations_bounces, equations_triangle,
    equations_fire, equations_apex, equations_wall, equations_doses, equations_twins,
]
