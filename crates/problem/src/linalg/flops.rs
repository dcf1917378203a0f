//! Operation counts of dense algorithms; additions, subtractions, multiplications and divisions count as one each.

/// Operations of an LU factorization of an `n × n` matrix, `2/3 n³` to leading order.
pub const fn factorization(n: usize) -> u64 {
    // n (n − 1)/2 divisions, and a multiplication and a subtraction for each of (n−1)² + … + 1 entries; none for n =
    // 0
    let n = n as u64;
    n * n.saturating_sub(1) * (4 * n + 1) / 6
}

/// Operations of a solve with these factors, `2 n²` to leading order.
pub const fn solve(n: usize) -> u64 {
    let n = n as u64;
    2 * n * n - n
}

/// Operations of the product of a `rows × inner` and an `inner × columns` matrix.
pub const fn product(rows: usize, inner: usize, columns: usize) -> u64 {
    2 * rows as u64 * inner as u64 * columns as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the operations in the textbook loops.
    #[test]
    fn flop_formulas_match_the_loops() {
        for n in 0..8 {
            let (mut lu, mut solved) = (0, 0);
            for k in 0..n {
                for _row in k + 1..n {
                    lu += 1 + 2 * (n - k - 1) as u64;
                    solved += 4; // forwards and backwards
                }
                solved += 1;
            }
            assert_eq!((factorization(n), solve(n)), (lu, solved), "{n}");
        }
        assert_eq!(product(2, 3, 4), 48);
    }
}
