//! x
/// x
pub struct Decimator {
    times: Vec<f64>,
    columns: Vec<Vec<f64>>,
}
impl Decimator {
    /// x
    pub fn new(n: usize) -> Self {
        Self { times: vec![], columns: vec![vec![]; n] }
    }
    /// x
    pub fn push(&mut self, t: f64, row: &[f64]) {
        self.times.push(t);
        for (c, r) in self.columns.iter_mut().zip(row) {
            c.push(*r)
        }
    }
    /// x
    pub fn finish(self) -> (Vec<f64>, Vec<Vec<f64>>) {
        (self.times, self.columns)
    }
}
