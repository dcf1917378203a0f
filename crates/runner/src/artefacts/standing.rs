//! One method among all others of a ranking, as a picture.

use mbsbench_experiment::RankingSpec;
use mbsbench_judge::comparison::{Entrant, errors_and_costs};
use mbsbench_render::{Axis, Dash, Figure, Hue, Mark, Panel, Series, Style};

/// Error over each kind of work: of one method, of all others in grey, and the front of these, which none of them is below and left of. None
/// where the method has no run with an error.
#[must_use]
pub fn work_precision(
    id: &str,
    label: &str,
    spec: &RankingSpec,
    own: &[Entrant<'_>],
    others: &[Entrant<'_>],
) -> Option<Figure> {
    let panel = |(work, (head, _)): (usize, &(String, String))| {
        let points = |entrants| errors_and_costs(entrants, spec, work);
        let own: Vec<[f64; 2]> = points(own).into_iter().flat_map(|(_, points)| points).collect();
        if own.is_empty() {
            return None;
        }
        let all: Vec<[f64; 2]> = points(others).into_iter().flat_map(|(_, points)| points).collect();
        let style = |hue, mark| Style { hue, mark, dash: Dash::Solid };
        let front = front(&all);
        let mut rest = Series::markers("all others", style(Hue::Sky, Mark::Circle), all);
        rest.published = true;
        Some(Panel {
            title: String::new(),
            x: Axis::log(head.clone(), ""),
            y: Axis::log(format!("error, {}", spec.meaning), ""),
            series: vec![
                rest,
                Series::line("front of the others", style(Hue::Navy, Mark::Circle), front),
                Series { is_bold: true, ..Series::marked(label, style(Hue::Vermilion, Mark::Square), sorted(own)) },
            ],
            to_scale: false,
            names: Vec::new(),
            named_at_ends: false,
        })
    };
    let panels: Vec<Panel> = spec.work.0.iter().enumerate().filter_map(panel).collect();
    let title = format!("{}: error over work of {label} among all methods", spec.title);
    (!panels.is_empty()).then(|| Figure { id: id.to_owned(), title, columns: panels.len().min(2), panels })
}

fn sorted(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    points
}

/// The points that no other is below and left of, from left to right.
fn front(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut least = f64::INFINITY;
    let is_better = |point: &[f64; 2]| {
        let is_better = point[1] < least;
        least = least.min(point[1]);
        is_better
    };
    sorted(points.to_vec()).into_iter().filter(is_better).collect()
}

#[cfg(test)]
mod tests {
    use super::front;

    #[test]
    fn a_front_falls_and_leaves_out_what_costs_more_for_less() {
        let points = [[4.0, 1e-3], [1.0, 1e-1], [2.0, 1e-2], [3.0, 1e-1], [2.5, 1e-2]];
        assert_eq!(front(&points), [[1.0, 1e-1], [2.0, 1e-2], [4.0, 1e-3]]);
    }
}
