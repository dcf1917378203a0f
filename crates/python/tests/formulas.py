"""Python methods used by the tests."""

import numpy as np

import mbsbench


class Rk4:
    """The classical formula, with the arithmetic of the tableau: all stages times their weights, then the sum."""

    name, order, evaluations = "python-rk4", 4, 4

    def step(self, problem, t, y, h):
        k1 = problem.rhs(t, y)
        k2 = problem.rhs(t + 0.5 * h, y + h * (0.5 * k1))
        k3 = problem.rhs(t + 0.5 * h, y + h * (0.5 * k2))
        k4 = problem.rhs(t + h, y + h * k3)
        return y + h * ((1 / 6) * k1 + (1 / 3) * k2 + (1 / 3) * k3 + (1 / 6) * k4)


class Heun(mbsbench.Method):
    """Heun's formula with Euler's as its estimate."""

    name, order, error_order, evaluations = "python-heun", 2, 2, 2

    def step(self, problem, t, y, h):
        k1 = problem.rhs(t, y)
        k2 = problem.rhs(t + h, y + h * k1)
        return y + h / 2 * (k1 + k2), h / 2 * (k2 - k1)


class GeneralizedAlpha(mbsbench.Method):
    """Generalized-alpha on index-3 equations (Arnold and Brüls 2007), spectral radius 0.8 at infinity."""

    name, order, needs, remembers, has_multipliers = "python-generalized-alpha", 2, "mechanics", True, True
    rho = 0.8
    alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 - alpha_m + alpha_f
    beta = 0.25 * (gamma + 0.5) ** 2

    def __init__(self):
        self.a = None  # accelerations, algorithmic accelerations and multipliers
        self.multipliers = None

    def solve(self, problem, t, q, v):
        """Accelerations and multipliers from the constraints on accelerations."""
        jacobian = problem.constraint_jacobian(t, q, v)
        n, m = len(q), len(jacobian)
        matrix = np.block([[problem.mass(q), -jacobian.T], [jacobian, np.zeros((m, m))]])
        right = np.concatenate([problem.forces(t, q, v), -problem.acceleration_bias(t, q, v)])
        x = np.linalg.solve(matrix, right)
        return x[:n], x[n:]

    def step(self, problem, t, y, h):
        n = problem.coordinates
        q0, v0 = y[:n], y[n:]
        if self.a is None:
            self.a, self.multipliers = self.solve(problem, t, q0, v0)
            # Algorithmic accelerations belong to the time (alpha_m - alpha_f) h after those of the equations of motion.
            shift = (self.alpha_m - self.alpha_f) * h
            s = abs(shift)
            later, _ = self.solve(problem, t + s, q0 + s * v0 + s**2 / 2 * self.a, v0 + s * self.a)
            self.algorithmic = self.a + shift / s * (later - self.a)
        share = (1 - self.alpha_f) / (1 - self.alpha_m)
        rest = (self.alpha_f * self.a - self.alpha_m * self.algorithmic) / (1 - self.alpha_m)
        a, multipliers = self.a.copy(), self.multipliers.copy()
        for _ in range(50):
            algorithmic = share * a + rest
            q = q0 + h * v0 + h**2 * ((0.5 - self.beta) * self.algorithmic + self.beta * algorithmic)
            v = v0 + h * ((1 - self.gamma) * self.algorithmic + self.gamma * algorithmic)
            mass, jacobian = problem.mass(q), problem.constraint_jacobian(t + h, q)
            m = len(jacobian)
            scale = share * self.beta * h**2
            residual = mass @ a - problem.forces(t + h, q, v) - jacobian.T @ multipliers
            matrix = np.block([[mass, -jacobian.T], [jacobian, np.zeros((m, m))]])
            x = np.linalg.solve(matrix, -np.concatenate([residual, problem.constraints(t + h, q) / scale]))
            a, multipliers = a + x[:n], multipliers + x[n:]
            if np.abs(x[:n]).max() < 1e-9 * np.abs(a).max():
                algorithmic = share * a + rest
                q = q0 + h * v0 + h**2 * ((0.5 - self.beta) * self.algorithmic + self.beta * algorithmic)
                v = v0 + h * ((1 - self.gamma) * self.algorithmic + self.gamma * algorithmic)
                break
        self.a, self.algorithmic, self.multipliers = a, algorithmic, multipliers
        return np.concatenate([q, v])
