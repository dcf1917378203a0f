//! Renders a gallery of figures into a folder, to be looked at: `cargo run --release --example gallery [DIR]`.

use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

use mbsbench::render::{Axis, Failure, Figure, Kind, Panel, Point, Series, Style, lay_out, png, svg};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).map_or_else(|| std::env::temp_dir().join("mbsbench-gallery"), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    for figure in [work_precision(), trajectory(), four_panels(), nine_series(), bars(), awkward(), three_columns()] {
        write(&folder, &figure)?;
    }
    Ok(())
}

fn write(folder: &Path, figure: &Figure) -> Result<(), Box<dyn std::error::Error>> {
    let drawing = lay_out(figure);
    std::fs::write(folder.join(format!("{}.svg", figure.id)), svg::write(&drawing))?;
    std::fs::write(folder.join(format!("{}.png", figure.id)), png::encode(&drawing)?)?;
    Ok(())
}

fn figure(id: &str, title: &str, columns: usize, panels: Vec<Panel>) -> Figure {
    Figure { id: id.into(), title: title.into(), columns, panels }
}

fn panel(title: &str, x: Axis, y: Axis, series: Vec<Series>) -> Panel {
    Panel { title: title.into(), x, y, series, to_scale: false, names: Vec::new() }
}

/// Evenly spaced points of a function on `0…end`.
fn curve(end: f64, count: u32, f: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
    (0..=count).map(|i| end * f64::from(i) / f64::from(count)).map(|t| [t, f(t)]).collect()
}

fn work_precision() -> Figure {
    let mut series: Vec<Series> = [("rk3", 0, 3.0, 1.0), ("rk5", 1, 5.0, 0.3), ("rk8", 2, 8.0, 0.5)]
        .into_iter()
        .map(|(name, member, order, constant)| {
            let error = |k: i32| (constant * 2_f64.powf(-order * f64::from(k) * 0.75)).max(3e-13 * f64::from(k));
            let points = (0..9).map(|k| [0.05 * 2_f64.powi(-k), error(k)]);
            Series::marked(name, Style::of_method("explicit-runge-kutta", member, None), points)
        })
        .collect();
    for series in &mut series {
        series.points.iter_mut().for_each(|point| point.hollow = point.y < 5e-12);
        series.points[0].y = f64::NAN;
        series.failures = vec![Failure { x: series.points[0].x, name: "non-finite".into(), t_reached: 0.35 }];
    }
    series[2].points[8].y = 0.0;
    let mut published = Series::marked(
        "rk3, published",
        Style::of_index(0),
        [[0.05, 0.4], [0.01, 0.013], [0.005, 1.6e-3], [0.001, 1.3e-5]],
    );
    (published.published, published.kind) = (true, Kind::Markers);
    series.push(published);
    let hht = (0..8).map(|k| [0.05 * 2_f64.powi(-k), 0.2 * 4_f64.powi(-k)]);
    series.push(Series::marked("hht-i3(alpha=-0.3)", Style::of_method("hht", 0, Some(0.54)), hht));
    let axes = (Axis::log("Step size h", "s"), Axis::log("Energy variation max |E − E_{0}|", "J"));
    figure("work-precision", "Energy variation against step size", 1, vec![panel("", axes.0, axes.1, series)])
}

fn trajectory() -> Figure {
    let alpha =
        Series::line("alpha", Style::of_index(0), curve(8.0, 800, |t| 55.0 * (2.1 * t).cos() * (-0.1 * t).exp()));
    let beta = Series::line("beta", Style::of_index(1), curve(8.0, 800, |t| 30.0 * (3.4 * t).sin()));
    let axes = (Axis::linear("Time", "s"), Axis::linear("Angle", "deg"));
    figure("trajectory", "Angles of the double pendulum", 1, vec![panel("", axes.0, axes.1, vec![alpha, beta])])
}

fn four_panels() -> Figure {
    let time = || Axis::linear("Time", "s").between(0.0, 8.0);
    let line =
        |label: &str, index, f: &dyn Fn(f64) -> f64| Series::line(label, Style::of_index(index), curve(8.0, 400, f));
    let panels = vec![
        panel(
            "Contact distance",
            time(),
            Axis::linear("Contact distance rho", "m").between(0.0, 0.8),
            vec![line("Contact distance rho", 0, &|t| 0.4 + 0.38 * (t * 1.3).sin())],
        ),
        panel(
            "Latitude and longitude",
            time(),
            Axis::linear("Angle", "deg"),
            vec![line("latitude", 0, &|t| 80.0 * (0.7 * t).sin()), line("longitude", 1, &|t| 170.0 * (0.5 * t).cos())],
        ),
        panel(
            "Euler angles",
            time(),
            Axis::linear("Euler angles", "deg").between(0.0, 1500.0),
            vec![
                line("phi", 0, &|t| 180.0 * t),
                line("theta", 1, &|t| 90.0 * t + 60.0 * t.sin()),
                line("psi", 2, &|t| 20.0 * t * t),
            ],
        ),
        panel(
            "Energy",
            time(),
            Axis::linear("Total energy", "J"),
            vec![line("energy", 0, &|t| 0.03 * (1.0 - (-t).exp()) * (1.0 - 0.02 * (TAU * t).cos().powi(2)))],
        ),
    ];
    figure("four-panels", "Rolling spheres", 2, panels)
}

fn nine_series() -> Figure {
    let names =
        ["lms2", "lms3", "lms4", "ss2", "ss3", "ss4", "rho-inf-bathe", "msstc3", "a method with quite a long label"];
    let family = |k: usize| ["linear-multistep", "single-step", "composite"][k / 3];
    let series = names.iter().enumerate().map(|(k, name)| {
        let style = Style::of_method(family(k), k % 3, Some([1.0, 0.6, 0.0][k % 3]));
        let order = 2.0 + 0.3 * k as f64;
        Series::marked(
            *name,
            style,
            (0..7).map(|i| [1e-3 * 2_f64.powi(i), 1e-2 * (k + 1) as f64 * 2_f64.powf(order * f64::from(i - 7))]),
        )
    });
    let axes = (Axis::log("Step per stage", "s"), Axis::log("Relative error of the displacement", "1"));
    figure("nine-series", "Nine methods", 1, vec![panel("", axes.0, axes.1, series.collect())])
}

fn bars() -> Figure {
    let methods = [
        ("newmark", "newmark", 0, None),
        ("hht-i3(alpha=-0.3)", "hht", 0, Some(0.54)),
        ("hht-add", "hht", 1, Some(0.54)),
        ("nstiff", "stiffly-stable", 0, Some(0.0)),
        ("bdf2", "bdf", 0, Some(0.0)),
        ("rk8", "explicit-runge-kutta", 4, None),
    ];
    let names = |count: usize| methods[..count].iter().map(|(name, ..)| (*name).to_owned()).collect::<Vec<_>>();
    let styles: Vec<Style> = methods.iter().map(|&(_, family, k, rho)| Style::of_method(family, k, rho)).collect();
    let values = |scale: f64| (0..5).map(move |k| [f64::from(k), scale * (1.0 + f64::from(k * (5 - k)))]);
    let mut ours = Series::bars("measured", styles[0], values(0.9));
    ours.bar_styles.clone_from(&styles);
    ours.points[2].hollow = true;
    ours.failures.push(Failure { x: 5.0, name: "newton-diverged".into(), t_reached: 1.25 });
    let published = Series { published: true, ..Series::bars("published", styles[0], values(1.0)) };
    let axes =
        |count: usize| (Axis::named("Method", "", names(count)), Axis::linear("Largest error of the position", "mm"));
    let grouped = |count: usize| {
        (0..3).map(move |k| {
            let points = (0..count).map(|i| [i as f64, (k as f64 - 0.7) * (i as f64 + 1.0)]);
            Series::bars(format!("h = {} ms", 1 << k), Style::of_index(k), points)
        })
    };
    let (whole, half) = (axes(6), axes(3));
    let panels = vec![
        panel("Beside the paper's", whole.0.clone(), whole.1.clone(), vec![published, ours]),
        panel("By step", half.0, half.1, grouped(3).collect()),
        panel("Many", whole.0, whole.1, grouped(6).collect()),
    ];
    figure("bars", "Bars", 2, panels)
}

fn awkward() -> Figure {
    let failed = |label: &str, index: usize| Series {
        failures: (0..3)
            .map(|k| Failure { x: 0.01 * f64::from(k + 1), name: "newton-diverged".into(), t_reached: 1.25 })
            .collect(),
        ..Series::marked(label, Style::of_index(index), [])
    };
    let panels = vec![
        panel(
            "Constant",
            Axis::linear("Time", "s"),
            Axis::linear("Energy", "J"),
            vec![Series::line("energy", Style::of_index(0), curve(1.0, 10, |_| 1.0))],
        ),
        panel(
            "Nearly constant",
            Axis::linear("Time", "s"),
            Axis::linear("Total mechanical energy of the whole system of bodies", "kg m^2/s^2"),
            vec![Series::line("E", Style::of_index(0), curve(0.00012, 100, |t| -2.5 + 1e-9 * (1e5 * t).sin()))],
        ),
        panel(
            "All runs failed",
            Axis::log("Step", "s"),
            Axis::log("Error", "1"),
            (0..7).map(|k| failed(&format!("method {k}"), k)).collect(),
        ),
        panel(
            "",
            Axis::log("Step", "s"),
            Axis::log("Error", "m"),
            vec![Series {
                points: vec![
                    Point { x: 0.0, y: 1e-3, hollow: false },
                    Point { x: 1e-3, y: -1.0, hollow: true },
                    Point { x: 1e-2, y: 1e-5, hollow: false },
                ],
                ..Series::marked("zeros", Style::of_index(1), [])
            }],
        ),
        panel("Empty", Axis::linear("Time", "s"), Axis::log("Nothing", "1"), vec![]),
        panel(
            "One point",
            Axis::linear("Number of bodies", "1"),
            Axis::linear("Force", "N"),
            vec![Series::marked("only", Style::of_index(2), [[12.0, 3.4e7]])],
        ),
    ];
    figure("awkward", "Awkward data", 2, panels)
}

fn three_columns() -> Figure {
    let one = |k: i32| {
        let series = (0..3).map(|s: i32| {
            let points =
                (0..6).map(move |i| [10_f64.powi(-i - 1), 10_f64.powf(-f64::from((s + 1) * i) - f64::from(k))]);
            Series::marked(format!("rk{}", s + 3), Style::of_method("explicit-runge-kutta", s as usize, None), points)
        });
        panel(&format!("Component {k}"), Axis::log("h", "s"), Axis::log("Error", "rad"), series.collect())
    };
    figure("three-columns", "Errors by component", 3, (0..5).map(one).collect())
}
