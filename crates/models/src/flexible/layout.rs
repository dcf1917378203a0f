//! Order of the unknowns that keeps Newton's matrix within a narrow band.

use std::collections::VecDeque;

use super::motion::POSITIONS;
use super::system::System;
use mbsbench_problem::Scalar;

/// Positions of the unknowns in the reduced system: six for each node, one multiplier for each row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// First unknown of each node.
    pub nodes: Vec<usize>,
    /// The unknown of each row of constraints.
    pub rows: Vec<usize>,
    /// Number of unknowns.
    pub size: usize,
    /// Diagonals on either side of the main one.
    pub half: usize,
}

/// Nodes, then constraints, with their couplings.
struct Graph {
    sizes: Vec<usize>,
    neighbours: Vec<Vec<usize>>,
}

impl Layout {
    /// Orders nodes and joints by the algorithm of Cuthill and McKee, from the start that gives the narrowest band.
    pub fn new<S: Scalar>(system: &System<S>) -> Self {
        let graph = Graph::new(system);
        let mut order = Vec::with_capacity(graph.sizes.len());
        let mut placed = vec![false; graph.sizes.len()];
        for start in 0..graph.sizes.len() {
            if placed[start] {
                continue;
            }
            let component = graph.breadth_first(start);
            component.iter().for_each(|&vertex| placed[vertex] = true);
            let orders = component.iter().map(|&start| graph.breadth_first(start));
            order.extend(orders.min_by_key(|order| graph.half(&graph.firsts(order))).unwrap_or_default());
        }
        let firsts = graph.firsts(&order);
        let (nodes, constraints) = firsts.split_at(system.nodes());
        let rows = constraints.iter().zip(&system.constraints);
        let rows = rows.flat_map(|(&first, constraint)| first..first + constraint.rows()).collect();
        Self { nodes: nodes.to_vec(), rows, size: graph.sizes.iter().sum(), half: graph.half(&firsts) }
    }
}

impl Graph {
    fn new<S: Scalar>(system: &System<S>) -> Self {
        let count = system.nodes();
        let mut sizes = vec![POSITIONS; count];
        sizes.extend(system.constraints.iter().map(|constraint| constraint.rows()));
        let mut neighbours = vec![Vec::new(); sizes.len()];
        let mut couple = |group: &[usize]| {
            for &a in group {
                neighbours[a].extend(group.iter().filter(|&&b| b != a));
            }
        };
        system.elements.iter().for_each(|element| couple(&element.nodes));
        for (k, constraint) in system.constraints.iter().enumerate() {
            let sides = constraint.nodes().into_iter().flatten();
            couple(&sides.chain([count + k]).collect::<Vec<_>>());
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        Self { sizes, neighbours }
    }

    /// All vertices that can be reached from `start`, nearest first, and those with few neighbours first at
    /// equal distance.
    fn breadth_first(&self, start: usize) -> Vec<usize> {
        let mut seen = vec![false; self.sizes.len()];
        let (mut order, mut queue) = (Vec::new(), VecDeque::from([start]));
        seen[start] = true;
        while let Some(vertex) = queue.pop_front() {
            order.push(vertex);
            let mut next: Vec<_> = self.neighbours[vertex].iter().copied().filter(|&other| !seen[other]).collect();
            next.sort_by_key(|&other| self.neighbours[other].len());
            next.iter().for_each(|&other| seen[other] = true);
            queue.extend(next);
        }
        order
    }

    /// The first unknown of each vertex if those in `order` follow one another.
    fn firsts(&self, order: &[usize]) -> Vec<usize> {
        let mut firsts = vec![0; self.sizes.len()];
        order.iter().fold(0, |next, &vertex| {
            firsts[vertex] = next;
            next + self.sizes[vertex]
        });
        firsts
    }

    /// The largest distance between coupled unknowns, without vertices that are not placed yet.
    fn half(&self, firsts: &[usize]) -> usize {
        let last = |vertex: usize| firsts[vertex] + self.sizes[vertex] - 1;
        let reach = |vertex: usize| {
            let coupled = self.neighbours[vertex].iter().chain([&vertex]);
            coupled.map(|&other| last(other).saturating_sub(firsts[vertex])).max().unwrap_or(0)
        };
        (0..self.sizes.len()).map(reach).max().unwrap_or(0)
    }
}
