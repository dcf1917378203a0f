//! One method among all others of a ranking, as a figure.

use mbsbench_experiment::Registry;
use mbsbench_judge::comparison::{Curve, Ranked, front};
use mbsbench_render::{Axis, Dash, Figure, Kind, Panel, Series, Style};

use super::figures::style_of;

/// Draws error over each kind of work: the given method in bold, all others in grey, and the Pareto front of the
/// others. Returns `None` if the method has no run with an error.
pub fn work_precision(id: &str, label: &str, ranked: &Ranked<'_>, registry: &Registry) -> Option<Figure> {
    let spec = ranked.spec;
    let (own, others) = ranked.of_method(label);
    let look = style_of(own.first()?.points.first()?.run, registry);
    let panel = |(work, (head, _)): (usize, &(String, String))| {
        let points = |curves: &[&Curve<'_>]| curves.iter().flat_map(|curve| curve.measured(work)).collect::<Vec<_>>();
        let mut own = points(&own);
        own.sort_by(|a, b| a[0].total_cmp(&b[0]));
        if own.is_empty() {
            return None;
        }
        let all = points(&others);
        let front = front(all.clone());
        let rest = Series { published: true, ..Series::new(Kind::Markers, "all others", Style::of_all(), all) };
        let style = Style { dash: Dash::Solid, ..look };
        Some(Panel {
            x: Axis::log(head.clone(), ""),
            y: Axis::log(format!("error with its bound, {}", spec.meaning), ""),
            series: vec![
                rest,
                Series::new(Kind::Line, "front of the others", Style::of_all(), front),
                Series { bold: true, ..Series::new(Kind::Both, label, style, own) },
            ],
            ..Panel::default()
        })
    };
    let panels: Vec<Panel> = spec.work.0.iter().enumerate().filter_map(panel).collect();
    let title = format!("{}: error over work of {label} among all methods", spec.title);
    (!panels.is_empty()).then(|| Figure { id: id.to_owned(), title, columns: panels.len().min(2), panels })
}

#[cfg(test)]
mod tests {
    use super::front;

    #[test]
    fn a_front_leaves_out_dominated_runs() {
        let points = [[4.0, 1e-3], [1.0, 1e-1], [2.0, 1e-2], [3.0, 1e-1], [2.5, 1e-2]];
        assert_eq!(front(points.to_vec()), [[1.0, 1e-1], [2.0, 1e-2], [4.0, 1e-3]]);
    }
}
