//! The program `mbsbench`.
fn main() {}
