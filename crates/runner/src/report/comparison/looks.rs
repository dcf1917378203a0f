//! The look of each method in all figures of the comparison.

use std::collections::HashMap;

use mbsbench_experiment::Registry;
use mbsbench_judge::comparison::Field;
use mbsbench_render::Style;

use crate::artefacts::style_of;

/// Styles of methods by their names.
pub(super) struct Looks<'f>(HashMap<&'f str, Style>);

impl<'f> Looks<'f> {
    /// Those of all methods of some models, each the same on all of them.
    pub fn of(fields: &[Field<'f>], registry: &Registry) -> Self {
        let mut runs: Vec<_> = Vec::new();
        for method in fields.iter().flat_map(|field| &field.methods) {
            let Some(point) = method.points.first() else { continue };
            if runs.iter().all(|&(name, _)| name != method.method) {
                runs.push((method.method, point.run));
            }
        }
        // Names with one method behind them, as with several parameters of it, differ in their dashes.
        runs.sort_unstable_by_key(|&(name, _)| name);
        let mut styles: Vec<Style> = runs.iter().map(|(_, run)| style_of(run, registry)).collect();
        Style::distinguish(&mut styles, true);
        Self(runs.into_iter().map(|(name, _)| name).zip(styles).collect())
    }

    /// The look of a method.
    pub fn style(&self, name: &str) -> Style {
        self.0.get(name).copied().unwrap_or_else(Style::of_all)
    }
}
