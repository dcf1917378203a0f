//! Columns of real and complex numbers in blocks of four rows.
//!
//! A block holds four numbers: one register for the real and one for the imaginary parts. Loops over whole blocks
//! have no remainders, and loops over the few blocks of a small system are unrolled.

use nalgebra::{Complex, ComplexField};

/// Rows per block.
pub(super) const ROWS: usize = 4;

/// Four real numbers.
pub(super) type Lanes = [f64; ROWS];

/// Real or complex numbers that are stored in blocks, with real and imaginary parts apart, so that loops over a block
/// are loops over its registers.
pub(super) trait Number: ComplexField<RealField = f64> + Copy {
    /// Four numbers.
    type Block: Copy;

    /// A vector as Newton's method stores it: one slice, or two for real and imaginary parts.
    type Vector<'v>;

    /// A block of four real numbers.
    fn block(real: &Lanes) -> Self::Block;

    /// Returns the number in a row of a block.
    fn of(block: &Self::Block, row: usize) -> Self;

    /// Writes the number into a row of a block.
    fn put(self, block: &mut Self::Block, row: usize);

    /// Four numbers times `self`.
    fn times(self, block: &Self::Block) -> Self::Block;

    /// A copy of a block with zeros in the rows for which `keep` is false.
    fn only(block: &Self::Block, keep: impl Fn(usize) -> bool) -> Self::Block;

    /// `block −= self · other`.
    fn subtract(self, block: &mut Self::Block, other: &Self::Block);

    /// `block += self · real`.
    fn add_real(self, block: &mut Self::Block, real: &Lanes);

    /// `|re| + |im|` for the numbers of a block.
    fn sizes(block: &Self::Block) -> Lanes;

    /// Component `i` of a vector.
    fn component(vector: &Self::Vector<'_>, i: usize) -> Self;

    /// Writes the number into component `i` of a vector.
    fn put_component(self, vector: &mut Self::Vector<'_>, i: usize);
}

impl Number for f64 {
    type Block = Lanes;
    type Vector<'v> = &'v mut [f64];

    fn block(real: &Lanes) -> Lanes {
        *real
    }

    fn of(block: &Lanes, row: usize) -> Self {
        block[row]
    }

    fn put(self, block: &mut Lanes, row: usize) {
        block[row] = self;
    }

    #[inline(always)]
    fn times(self, block: &Lanes) -> Lanes {
        block.map(|x| self * x)
    }

    #[inline(always)]
    fn only(block: &Lanes, keep: impl Fn(usize) -> bool) -> Lanes {
        std::array::from_fn(|row| if keep(row) { block[row] } else { 0.0 })
    }

    #[inline(always)]
    fn subtract(self, block: &mut Lanes, other: &Lanes) {
        *block = std::array::from_fn(|row| block[row] - self * other[row]);
    }

    #[inline(always)]
    fn add_real(self, block: &mut Lanes, real: &Lanes) {
        *block = std::array::from_fn(|row| block[row] + self * real[row]);
    }

    fn sizes(block: &Lanes) -> Lanes {
        block.map(f64::abs)
    }

    fn component(vector: &&mut [f64], i: usize) -> Self {
        vector[i]
    }

    fn put_component(self, vector: &mut &mut [f64], i: usize) {
        vector[i] = self;
    }
}

impl Number for Complex<f64> {
    type Block = [Lanes; 2];
    type Vector<'v> = [&'v mut [f64]; 2];

    fn block(real: &Lanes) -> [Lanes; 2] {
        [*real, [0.0; ROWS]]
    }

    fn of([re, im]: &[Lanes; 2], row: usize) -> Self {
        Self::new(re[row], im[row])
    }

    fn put(self, [re, im]: &mut [Lanes; 2], row: usize) {
        (re[row], im[row]) = (self.re, self.im);
    }

    #[inline(always)]
    fn times(self, [re, im]: &[Lanes; 2]) -> [Lanes; 2] {
        [
            std::array::from_fn(|row| self.re * re[row] - self.im * im[row]),
            std::array::from_fn(|row| self.re * im[row] + self.im * re[row]),
        ]
    }

    #[inline(always)]
    fn only(block: &[Lanes; 2], keep: impl Fn(usize) -> bool) -> [Lanes; 2] {
        block.map(|part| f64::only(&part, &keep))
    }

    #[inline(always)]
    fn subtract(self, block: &mut [Lanes; 2], [other_re, other_im]: &[Lanes; 2]) {
        let [re, im] = *block;
        *block = [
            std::array::from_fn(|row| re[row] - (self.re * other_re[row] - self.im * other_im[row])),
            std::array::from_fn(|row| im[row] - (self.re * other_im[row] + self.im * other_re[row])),
        ];
    }

    #[inline(always)]
    fn add_real(self, block: &mut [Lanes; 2], real: &Lanes) {
        let [re, im] = *block;
        *block = [
            std::array::from_fn(|row| re[row] + self.re * real[row]),
            std::array::from_fn(|row| im[row] + self.im * real[row]),
        ];
    }

    fn sizes([re, im]: &[Lanes; 2]) -> Lanes {
        std::array::from_fn(|row| re[row].abs() + im[row].abs())
    }

    fn component([re, im]: &[&mut [f64]; 2], i: usize) -> Self {
        Self::new(re[i], im[i])
    }

    fn put_component(self, [re, im]: &mut [&mut [f64]; 2], i: usize) {
        (re[i], im[i]) = (self.re, self.im);
    }
}

/// A matrix by columns, each padded with zeros to whole blocks.
#[derive(Debug, Clone)]
pub(super) struct Columns<T: Number> {
    pub(super) blocks: Vec<T::Block>,
    /// Number of blocks per column.
    pub(super) height: usize,
}

impl<T: Number> Columns<T> {
    /// A matrix of zeros.
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        let height = rows.div_ceil(ROWS);
        Self { blocks: vec![T::block(&[0.0; ROWS]); height * columns], height }
    }

    /// The columns, mutably.
    pub(super) fn iter_mut(&mut self) -> std::slice::ChunksMut<'_, T::Block> {
        self.blocks.chunks_mut(self.height.max(1))
    }

    /// Column `k` from block `first` on, followed by the later columns.
    #[inline]
    pub(super) fn part(&self, k: usize, first: usize) -> &[T::Block] {
        &self.blocks[k * self.height + first..]
    }

    /// Column `k` from block `first` on, followed by the later columns, mutably.
    #[inline]
    pub(super) fn part_mut(&mut self, k: usize, first: usize) -> &mut [T::Block] {
        &mut self.blocks[k * self.height + first..]
    }

    /// Column `k` from a block on, and separately the columns on its right, mutably.
    #[inline]
    pub(super) fn parts_mut(
        &mut self,
        k: usize,
        first: usize,
    ) -> (&mut [T::Block], std::slice::ChunksMut<'_, T::Block>) {
        let (column, right) = self.blocks[k * self.height..].split_at_mut(self.height);
        (&mut column[first..], right.chunks_mut(self.height))
    }
}

/// Evaluates an expression with a number of blocks. Small numbers become constants, so that the compiler unrolls the
/// loops.
macro_rules! written_out {
    ($number:expr; $constant:ident => $work:expr) => {
        match $number {
            1 => written_out!(@ 1 $constant $work),
            2 => written_out!(@ 2 $constant $work),
            3 => written_out!(@ 3 $constant $work),
            4 => written_out!(@ 4 $constant $work),
            #[expect(non_snake_case)]
            $constant => $work,
        }
    };
    (@ $number:literal $constant:ident $work:expr) => {{
        const $constant: usize = $number;
        $work
    }};
}
pub(super) use written_out;

/// The number in a row of a column.
pub(super) fn entry<T: Number>(column: &[T::Block], row: usize) -> T {
    T::of(&column[row / ROWS], row % ROWS)
}

/// Writes a number into a row of a column.
pub(super) fn put<T: Number>(column: &mut [T::Block], row: usize, number: T) {
    number.put(&mut column[row / ROWS], row % ROWS);
}

/// Exchanges two rows of a column.
pub(super) fn swap<T: Number>(column: &mut [T::Block], first: usize, second: usize) {
    let (x, y) = (entry::<T>(column, first), entry::<T>(column, second));
    put(column, first, y);
    put(column, second, x);
}

/// `column −= factor · other`, over the blocks that both have.
#[inline(always)]
pub(super) fn subtract<T: Number>(column: &mut [T::Block], factor: T, other: &[T::Block]) {
    for (block, other) in column.iter_mut().zip(other) {
        factor.subtract(block, other);
    }
}

/// `column += factor · real`, over the blocks that both have.
#[inline(always)]
pub(super) fn add_real<T: Number>(column: &mut [T::Block], factor: T, real: &[Lanes]) {
    for (block, real) in column.iter_mut().zip(real) {
        factor.add_real(block, real);
    }
}
