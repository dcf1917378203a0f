//! Figures and tables as readers see them: golden files, and elements that must never overlap.

use mbsbench::render::drawing::{Area, Drawing, Part, Shape};
use mbsbench::render::text::Level;
use mbsbench::render::{
    Axis, Cell, Failure, Figure, Kind, Measured, Panel, Point, Row, Series, Style, Table, csv, lay_out, png, svg,
};

fn figure(columns: usize, panels: Vec<Panel>) -> Figure {
    Figure { id: "figure-1".into(), title: "A <small> figure & its title".into(), columns, panels }
}

fn panel(x: Axis, y: Axis, series: Vec<Series>) -> Panel {
    Panel { title: "Panel".into(), x, y, series, ..Panel::default() }
}

fn failure(x: f64) -> Failure {
    Failure { x, name: "newton-diverged".into(), t_reached: 1.25 }
}

fn small() -> Figure {
    let mut rk3 = Series::new(
        Kind::Both,
        "rk3",
        Style::of_method("explicit-runge-kutta", 0, None),
        [[0.05, 0.18], [0.01, 1.4e-3], [0.005, 1.8e-4]],
    );
    rk3.points.push(Point { x: 0.001, y: 1.4e-6, hollow: true });
    let mut hht = Series::new(
        Kind::Both,
        "hht-i3(alpha=-0.3)",
        Style::of_method("low-order", 1, Some(0.54)),
        [[0.01, 0.0], [0.005, 2e-3]],
    );
    hht.failures.push(failure(0.05));
    let mut published = Series::new(Kind::Both, "rk3, published", Style::of_index(0), [[0.05, 0.18], [0.01, 1.4e-3]]);
    (published.published, published.kind) = (true, Kind::Markers);
    figure(1, vec![panel(Axis::log("Step size", "s"), Axis::log("Energy variation", "J"), vec![rk3, hht, published])])
}

/// Series `f(k)` for `k` below `count`, with long and short labels.
fn many(count: usize, points: impl Fn(usize) -> Vec<[f64; 2]>) -> Vec<Series> {
    let label = |k: usize| {
        if k % 4 == 3 { format!("method {k} (rho_inf=0.5, alpha=-0.3, stabilised)") } else { format!("m{k}") }
    };
    (0..count).map(|k| Series::new(Kind::Both, label(k), Style::of_index(k), points(k))).collect()
}

/// Figures with a difficult layout.
fn awkward() -> Vec<(&'static str, Figure)> {
    let log = || (Axis::log("Step size", "s"), Axis::log("Error", "1"));
    let linear = || (Axis::linear("Time", "s"), Axis::linear("Energy", "J"));
    let of = |(x, y): (Axis, Axis), series: Vec<Series>| panel(x, y, series);
    let wide = |k: usize| (0..9).map(|i| [10_f64.powi(-i), 10_f64.powi(-2 * i - 1) * (k + 1) as f64]).collect();
    let long =
        "A quantity whose name is much longer than any axis that it could be printed along, in whatever unit it has";
    let all_failed = || {
        let mut series = many(9, |_| Vec::new());
        series.iter_mut().for_each(|series| series.failures = vec![failure(0.01), failure(0.02), failure(0.0)]);
        series
    };
    let zeros = || many(9, |k| vec![[0.1, 0.0], [0.01, -1.0], [0.0, 1e-3], [1e-3, 1e-3 * (k + 1) as f64]]);
    let single = |k: usize| vec![[3.0, 4e7 * (k + 1) as f64]];
    let bars = |names: &[&str], count: usize| {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let value = |k: usize, place: usize| [place as f64, (k as f64 - 1.0) * 10_f64.powi(place as i32)];
        let mut series = many(count, |k| (0..names.len()).map(|place| value(k, place)).collect());
        series.iter_mut().for_each(|series| series.kind = Kind::Bars);
        series[0].published = true;
        series[count - 1].points[0].hollow = true;
        series[count - 1].failures = vec![failure(1.0), failure(1.0)];
        of((Axis::named("Method", "", names), Axis::linear("Time of a step", "ns")), series)
    };
    let methods = ["rk3", "hht-i3(alpha=-0.3)", "nstiff", "hht-add(alpha=-0.3, stabilised, on both levels)"];
    let numbered: Vec<String> = (0..24).map(|k| format!("method-{k}")).collect();
    let numbered: Vec<&str> = numbered.iter().map(String::as_str).collect();
    let beside = |count: usize| {
        let names = (0..count).map(|k| format!("claim-{k}")).collect();
        let ends = (0..count).map(|k| [[0.0, k as f64], [0.5 + k as f64, k as f64]]);
        let series = vec![
            Series::new(Kind::Segments, "interval", Style::of_index(0), ends.clone().flatten()),
            Series::new(Kind::Markers, "share", Style::of_index(0), ends.map(|[_, end]| end)),
        ];
        of((linear().0, Axis::named("", "", names)), series)
    };
    let cases: Vec<(&str, Vec<Panel>)> = vec![
        ("one name beside", vec![beside(1)]),
        ("names beside", vec![beside(17)]),
        ("bars", vec![bars(&methods[..3], 2)]),
        ("bars of long names", vec![bars(&methods, 3)]),
        ("bars of many names", vec![bars(&numbered, 4)]),
        ("bars without a name", vec![of((Axis::named("Method", "", vec![]), linear().1), many(1, |_| vec![]))]),
        ("one series", vec![of(log(), many(1, wide))]),
        ("four series", vec![of(log(), many(4, wide))]),
        ("nine series", vec![of(log(), many(9, wide))]),
        ("negative", vec![of(linear(), many(2, |k| vec![[-3.0, -1e-7], [-1.0, -(k as f64) - 1e5]]))]),
        ("constant", vec![of(linear(), many(2, |_| vec![[0.0, 1.0], [1.0, 1.0]]))]),
        ("all zero", vec![of(linear(), many(1, |_| vec![[0.0, 0.0], [0.0, 0.0]]))]),
        ("nearly constant", vec![of(linear(), many(1, |_| vec![[0.0, -2.5], [1e-7, -2.5 + 3e-9]]))]),
        ("no series", vec![of(log(), vec![]), of(linear(), vec![])]),
        ("empty series", vec![of(log(), many(3, |_| vec![]))]),
        ("single point", vec![of(linear(), many(1, single)), of(log(), many(1, single))]),
        ("all failed", vec![of(log(), all_failed()), of(linear(), all_failed())]),
        ("zeros", vec![of(log(), zeros())]),
        (
            "not finite",
            vec![of(log(), many(1, |_| vec![[f64::NAN, 1.0], [1.0, f64::INFINITY], [0.1, 0.1], [0.2, 0.1]]))],
        ),
        ("huge", vec![of(linear(), many(1, |_| vec![[0.0, -1.7e308], [1e-308, 1.7e308]]))]),
        ("tiny", vec![of(log(), many(1, |_| vec![[5e-324, 5e-324], [1.0, 1.7e308]]))]),
        (
            "given range",
            vec![of(
                (linear().0.between(0.0, 8.0), linear().1.between(0.0, 0.8)),
                many(2, |_| vec![[-9.0, 0.4], [20.0, 0.5]]),
            )],
        ),
        ("long texts", vec![of((Axis::log(long, "m/s^2"), Axis::linear(long, "kg m^2")), many(5, wide))]),
    ];
    let mut figures: Vec<(&'static str, Figure)> = Vec::new();
    for columns in [1, 2, 3] {
        for (name, panels) in &cases {
            let mut panels = panels.clone();
            if columns > 1 {
                // Beside an ordinary panel, and in a second row.
                panels.push(of(linear(), many(3, |k| vec![[0.0, 0.0], [8.0, k as f64]])));
                panels.extend(panels.clone());
                panels[0].title = long.into();
            }
            figures.push((name, figure(columns, panels)));
        }
    }
    figures
}

/// The texts of a drawing with the rectangles that they occupy.
fn texts(drawing: &Drawing) -> Vec<(String, Area)> {
    let shapes = drawing.groups.iter().flat_map(|group| &group.shapes);
    let named = |shape: &Shape| {
        let Shape::Text { text, at: [x, y], size, anchor, upwards } = shape else { return None };
        let is_raised = text.0.iter().any(|(level, _)| *level == Level::Raised);
        let ascent = size * if is_raised { Level::Raised.rise() + 0.78 * Level::Raised.size() } else { 0.78 };
        let (before, width, descent) = (text.width(*size) * anchor.share(), text.width(*size), 0.24 * size);
        let area = if *upwards {
            Area { left: x - ascent, right: x + descent, top: y + before - width, bottom: y + before }
        } else {
            Area { left: x - before, right: x - before + width, top: y - ascent, bottom: y + descent }
        };
        Some((text.flat(), area))
    };
    shapes.filter_map(named).collect()
}

/// True if the interiors intersect.
fn overlap(one: &Area, other: &Area) -> bool {
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
}

#[test]
fn texts_never_overlap_and_stay_inside() {
    for (name, figure) in awkward() {
        let drawing = lay_out(&figure);
        let page = Area { left: 0.0, top: 0.0, right: drawing.width, bottom: drawing.height };
        let texts = texts(&drawing);
        for (i, (text, area)) in texts.iter().enumerate() {
            let inside = page.holds([area.left, area.top]) && page.holds([area.right, area.bottom]);
            assert!(inside, "{name}, {} columns: “{text}” leaves the page: {area:?} in {page:?}", figure.columns);
            for (other, other_area) in &texts[..i] {
                let columns = figure.columns;
                assert!(!overlap(area, other_area), "{name}, {columns} columns: “{text}” covers “{other}”");
            }
            for frame in &drawing.frames {
                assert!(!overlap(area, frame), "{name}: “{text}” covers a plot");
            }
        }
    }
}

#[test]
fn legends_cover_nothing() {
    for (name, figure) in awkward() {
        let drawing = lay_out(&figure);
        for (i, legend) in drawing.legends.iter().enumerate() {
            assert!(!drawing.frames.iter().any(|frame| overlap(frame, legend)), "{name}: a legend covers a plot");
            assert!(!drawing.legends[..i].iter().any(|other| overlap(other, legend)), "{name}: legends overlap");
            assert!(legend.left >= 0.0 && legend.right <= drawing.width && legend.bottom <= drawing.height, "{name}");
        }
        for frame in &drawing.frames {
            assert!(frame.width() >= 90.0 && frame.height() >= 90.0, "{name}: hardly a plot left, {frame:?}");
        }
    }
}

#[test]
fn curves_stay_in_the_frame_and_marks_on_the_page() {
    for (name, figure) in awkward() {
        let drawing = lay_out(&figure);
        let page = Area { left: 0.0, top: 0.0, right: drawing.width, bottom: drawing.height };
        for group in drawing.groups.iter().filter(|group| matches!(group.part, Part::Series(_))) {
            for shape in &group.shapes {
                match shape {
                    Shape::Line { points, .. } => {
                        // Clipping is subject to rounding errors.
                        let holds = |frame: &Area, [x, y]: [f64; 2]| {
                            x > frame.left - 1e-6
                                && x < frame.right + 1e-6
                                && y > frame.top - 1e-6
                                && y < frame.bottom + 1e-6
                        };
                        let inside = |frame: &Area| points.iter().all(|&point| holds(frame, point));
                        assert!(drawing.frames.iter().any(inside), "{name}: a line leaves its frame: {points:?}");
                    }
                    Shape::Fill { area, .. } | Shape::Frame(area) => {
                        let corners = [[area.left, area.top], [area.right, area.bottom]];
                        let inside = |frame: &Area| corners.iter().all(|&corner| frame.holds(corner));
                        assert!(drawing.frames.iter().any(inside), "{name}: a bar leaves its frame: {area:?}");
                    }
                    Shape::Marker { at, .. } => assert!(page.holds(*at), "{name}: a marker at {at:?}"),
                    _ => {}
                }
            }
        }
    }
}

/// Number of markers that a figure shows for its series, without legends.
fn markers(figure: &Figure) -> usize {
    let drawing = lay_out(figure);
    let of_series = drawing.groups.iter().filter(|group| matches!(group.part, Part::Series(_)));
    of_series.flat_map(|group| &group.shapes).filter(|shape| matches!(shape, Shape::Marker { .. })).count()
}

#[test]
fn no_finite_point_and_no_failure_is_lost() {
    // The point at zero is drawn on the lower margin, the failed run on the upper.
    assert_eq!(markers(&small()), 4 + 2 + 1 + 2);
    let zeros = Series::new(
        Kind::Both,
        "zeros",
        Style::of_index(0),
        [[0.1, 0.0], [0.01, -1.0], [0.0, 1e-3], [1e-3, 1e-3], [0.0, 0.0]],
    );
    let all = figure(1, vec![panel(Axis::log("h", "s"), Axis::log("e", "1"), vec![zeros])]);
    assert_eq!(markers(&all), 5);
}

#[test]
fn omitted_points_are_reported() {
    let outside = Series::new(Kind::Both, "far", Style::of_index(0), [[0.5, 0.5], [0.5, 7.0], [f64::NAN, 0.0]]);
    let axes = (Axis::linear("t", "s").between(0.0, 1.0), Axis::linear("x", "m").between(0.0, 1.0));
    let drawing = lay_out(&figure(1, vec![panel(axes.0, axes.1, vec![outside])]));
    assert!(drawing.description.contains("far: 1 point lies outside the axes."), "{}", drawing.description);
    assert!(drawing.description.contains("far: 1 point is not finite."), "{}", drawing.description);
    let drawing = lay_out(&small());
    assert!(drawing.description.contains("failed: newton-diverged at t = 1.25 s"), "{}", drawing.description);
}

/// Over time, a failure has one time; over anything else, a place and a time. Both have six digits, as in the data.
#[test]
fn failures_are_reported_in_rounded_numbers() {
    let described = |x: f64, t_reached: f64| {
        let points = [[0.0, 0.5], [0.1, 7.0], [0.2, 8.0], [0.3, f64::NAN], [0.4, f64::NAN]];
        let mut series = Series::new(Kind::Both, "LMS4", Style::of_index(0), points);
        series.failures.push(Failure { x, name: "newton-diverged".to_owned(), t_reached });
        let axes = (Axis::linear("t", "s").between(0.0, 2.0), Axis::linear("x", "m").between(0.0, 1.0));
        lay_out(&figure(1, vec![panel(axes.0, axes.1, vec![series])])).description
    };
    let over_time = described(1.148_000_000_000_000_1, 1.148_000_000_000_000_1);
    assert!(over_time.contains(" LMS4 failed: newton-diverged at t = 1.148 s."), "{over_time}");
    assert!(over_time.contains("LMS4: 2 points lie outside the axes. LMS4: 2 points are not finite."), "{over_time}");
    let over_steps = described(0.1 + 0.2, 1.148_000_000_000_000_1);
    assert!(over_steps.contains(" LMS4 at 0.3 failed: newton-diverged at t = 1.148 s."), "{over_steps}");
}

#[test]
fn svg_is_well_formed_and_names_its_series() {
    for (name, figure) in awkward() {
        let text = svg::write(&lay_out(&figure));
        let document = roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let root = document.root_element();
        assert_eq!(root.attribute("role"), Some("img"));
        assert!(!text.contains("NaN") && !text.contains("inf\""), "{name}: a coordinate is not finite");
    }
    let text = svg::write(&lay_out(&small()));
    let document = roxmltree::Document::parse(&text).unwrap();
    let title = document.descendants().find(|node| node.has_tag_name("title")).and_then(|node| node.text());
    assert_eq!(title, Some("A <small> figure & its title"));
    let named = |label: &str| document.descendants().any(|node| node.attribute("data-series") == Some(label));
    assert!(named("rk3") && named("hht-i3(alpha=-0.3)") && named("rk3, published"));
}

#[test]
fn svg_of_a_small_figure_matches_the_snapshot() {
    insta::assert_snapshot!(svg::write(&lay_out(&small())));
}

#[test]
fn png_has_the_size_and_colours_of_the_drawing() {
    let drawing = lay_out(&small());
    let bytes = png::encode(&drawing).unwrap();
    assert_eq!(bytes, png::encode(&drawing).unwrap(), "the same bytes every time");
    let mut decoder = ::png::Decoder::new(bytes.as_slice());
    decoder.set_transformations(::png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(f64::from(info.width), (drawing.width * png::SCALE).ceil());
    assert_eq!(f64::from(info.height), (drawing.height * png::SCALE).ceil());
    let count = |colour: [u8; 3]| pixels.chunks_exact(3).filter(|rgb| **rgb == colour).count();
    assert!(count([255; 3]) > pixels.len() / 3 * 8 / 10, "mostly white");
    for series in &small().panels[0].series[..2] {
        assert!(count(series.style.hue.look().1) > 300, "{} is not to be seen", series.label);
    }
}

#[test]
fn a_drawing_without_area_is_refused() {
    assert!(matches!(png::encode(&Drawing::default()), Err(png::BitmapError::Size { .. })));
    let nothing = figure(2, vec![]);
    assert!(png::encode(&lay_out(&nothing)).is_ok());
}

#[test]
fn data_of_a_figure_as_csv() {
    insta::assert_snapshot!(csv::write(&small()));
}

fn table() -> Table {
    let cell =
        |published: &str, value: f64| Cell { published: Some(published.into()), measured: Measured::Value(value) };
    let ours = |measured: Measured| Cell { published: None, measured };
    let failed = Measured::Failed { name: "non-finite".into(), t_reached: 0.35 };
    Table {
        id: "table-3.2".into(),
        title: "Energy variation".into(),
        row_axis: "step (s)".into(),
        column_axis: "method".into(),
        columns: vec!["RK-3".into(), "RK-5|A".into(), "RK-8".into()],
        rows: vec![
            Row {
                label: "0.05".into(),
                cells: vec![cell("1.8e-1", 0.177_4), cell("3.0e-4", 2.96e-4), ours(failed.clone())],
            },
            Row {
                label: "0.01".into(),
                cells: vec![
                    cell("1.4e-3", 1.412e-3),
                    Cell { published: Some("1.0e-7".into()), measured: failed },
                    ours(Measured::Value(1.234_56e-13)),
                ],
            },
            Row { label: "0.005".into(), cells: vec![ours(Measured::Value(1.8e-4)), cell("2.9e-9", 0.1 + 0.2)] },
        ],
        ratio: false,
    }
}

#[test]
fn tables_match_their_snapshots() {
    insta::assert_snapshot!("table_terminal", table().terminal());
    insta::assert_snapshot!("table_markdown", table().markdown());
    insta::assert_snapshot!("table_csv", table().csv());
    insta::assert_snapshot!("table_with_ratio", Table { ratio: true, ..table() }.markdown());
}

/// The middle of a name is at its place on the axes; names beyond the ends of the axes are left out.
#[test]
fn names_are_drawn_at_their_positions() {
    let mut panel = panel(
        Axis::linear("x", "mm").between(0.0, 10.0),
        Axis::linear("y", "mm").between(0.0, 4.0),
        vec![Series::new(Kind::Line, "bar", Style::of_index(0), [[1.0, 1.0], [9.0, 3.0]])],
    );
    panel.names = vec![("A_{1}".into(), [2.5, 3.0]), ("B".into(), [2.5, 4.5])];
    let drawing = lay_out(&figure(1, vec![panel]));
    let found: Vec<_> =
        texts(&drawing).into_iter().filter(|(text, _)| text.starts_with('A') || text.starts_with('B')).collect();
    let [(_, area)] = found[..] else { panic!("{found:?}") };
    let frame = drawing.frames[0];
    let place = [frame.left + 0.25 * frame.width(), frame.bottom - 0.75 * frame.height()];
    assert!((0.5 * (area.left + area.right) - place[0]).abs() < 1e-9, "{area:?} is not about {place:?}");
    assert!(area.holds(place) && area.height() < 20.0, "{area:?} does not hold {place:?}");
}

/// Each method has a unique colour and marker in all figures, and so has each family.
#[test]
fn no_two_methods_look_alike() {
    let registry = mbsbench::Registry::builtin();
    let mut taken: Vec<(&str, Style)> = Vec::new();
    let mut members: std::collections::HashMap<&str, usize> = std::collections::HashMap::new();
    let written = registry.methods().iter().filter(|entry| !entry.is_written_out);
    for entry in written {
        let member = members.entry(entry.family).or_insert(0);
        let style = Style::of_method(entry.family, *member, None);
        assert_ne!(style.hue, mbsbench::render::Hue::Ink, "{} has no colour: {}", entry.name, entry.family);
        for (other, known) in &taken {
            assert!(known.hue != style.hue || known.mark != style.mark, "{} looks like {other}", entry.name);
        }
        assert!(*member > 0 || Style { dash: style.dash, ..Style::of_family(entry.family) } == style);
        taken.push((entry.name, style));
        *member += 1;
    }
    assert!(taken.len() > 40, "{}", taken.len());
}
