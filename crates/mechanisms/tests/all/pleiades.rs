//! The Pleiades as a file.

/// Seven stars as in the built-in model.
pub const PLEIADES: &str = "
states:
  x: [3, 3, -1, -3, 2, -2, 2]
  y: [3, -3, 2, 0, 0, -4, 4]
  u: [0, 0, 0, 0, 0, 1.75, -1.5]
  v: [0, 0, 0, -1.25, 1, 0, 0]
terms:
  'square[i,j]': (x[j] - x[i])^2 + (y[j] - y[i])^2
  'pull[i,j]': 1/(square[i,j]*sqrt(square[i,j]))
rates:
  x[i]: u[i]
  y[i]: v[i]
  u[i]: sum(j, 1, i-1, j*(pull[i,j]*(x[j] - x[i]))) + sum(j, i+1, 7, j*(pull[i,j]*(x[j] - x[i])))
  v[i]: sum(j, 1, i-1, j*(pull[i,j]*(y[j] - y[i]))) + sum(j, i+1, 7, j*(pull[i,j]*(y[j] - y[i])))
energy: sum(i, 1, 7, i*(u[i]^2 + v[i]^2)/2 - sum(j, 1, i-1, i*j/sqrt(square[i,j])))
";
