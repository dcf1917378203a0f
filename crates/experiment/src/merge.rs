//! Merges the parts of a file: a case overrides the top level, and `--quick` overrides both.

use mbsbench_input::{Entry, Node, Problem, Value};

use super::Problems;
use crate::registry::CONTROLS;

/// The definition of runs before it is read: the axes (`model`, `method`, the step and the matrix alike), and the rest.
#[derive(Debug, Clone)]
pub(super) struct RunDefinition {
    pub axes: Vec<Entry>,
    pub rest: Node,
}

impl RunDefinition {
    /// Splits a part of a file into axes and the rest.
    pub fn of(node: &Node, problems: &mut Problems) -> Self {
        let on_top = ["model", "method", "step", "step_per_stage", "tolerance"];
        let (mut axes, rest): (Vec<Entry>, Vec<Entry>) =
            node.entries().iter().cloned().partition(|entry| on_top.contains(&entry.key.name.as_str()));
        match node.get("matrix") {
            None => {}
            Some(Node { value: Value::Map(entries), .. }) => {
                for entry in entries {
                    if axes.iter().any(|axis| axis.key.name == entry.key.name) {
                        let message = format!("`{}` is given both in `matrix` and outside it", entry.key.name);
                        problems.refuse(entry.key.place, message, "remove one of the two");
                    } else {
                        axes.push(entry.clone());
                    }
                }
            }
            Some(matrix) => problems
                .add(Problem::found(matrix).help("accepted: a map of axes, `matrix: { method: [ … ], step: [ … ] }`")),
        }
        let controls: Vec<&Entry> = axes.iter().filter(|axis| is_control(&axis.key.name)).collect();
        if let [first, second, ..] = controls.as_slice() {
            let message = format!("both `{}` and `{}` are given", first.key.name, second.key.name);
            problems.refuse(second.key.place, message, "accepted: one of `step`, `step_per_stage` or `tolerance`");
        }
        Self { axes, rest: Node::new(Value::Map(rest), node.place).without("matrix") }
    }

    /// Returns this definition, overridden by a case.
    pub fn merged(&self, over: &Self) -> Self {
        let mut axes = self.axes.clone();
        if over.axes.iter().any(|axis| is_control(&axis.key.name)) {
            axes.retain(|axis| !is_control(&axis.key.name));
        }
        for axis in &over.axes {
            replace(&mut axes, axis);
        }
        // `model.mass:` without a value removes the axis.
        axes.retain(|axis| axis.value.value != Value::Null);
        Self { axes, rest: self.rest.merged(&over.rest) }
    }

    /// Returns this definition, overridden by `--quick`, which adds no axes.
    pub fn quickened(&self, quick: &Self) -> Self {
        let mut axes = self.axes.clone();
        for axis in &quick.axes {
            if axes.iter().any(|present| present.key.name == axis.key.name) {
                replace(&mut axes, axis);
            }
        }
        Self { axes, rest: self.rest.merged(&quick.rest) }
    }
}

fn is_control(name: &str) -> bool {
    CONTROLS.contains(&name)
}

/// Sets an axis. Parameters of the same model or method are merged; anything else is replaced.
fn replace(axes: &mut Vec<Entry>, axis: &Entry) {
    let Some(present) = axes.iter_mut().find(|present| present.key.name == axis.key.name) else {
        axes.push(axis.clone());
        return;
    };
    let same = match (present.value.entries(), axis.value.entries()) {
        ([one], [other]) => one.key.name == other.key.name,
        _ => false,
    };
    *present = match same {
        true => Entry { key: axis.key.clone(), value: present.value.merged(&axis.value) },
        false => axis.clone(),
    };
}
