//! General, batched and matrix-vector products, and their cut.

use super::*;

fn matrix(rows: usize, cols: usize, transposed: bool, gap: usize) -> (Matrix, usize) {
    let (stored, row) = if transposed { (cols, rows + gap) } else { (rows, cols + gap) };
    (Matrix { row, transposed }, stored * row)
}

fn check(size: (usize, usize, usize), flips: (bool, bool), gap: usize, start: Start) {
    let (m, k, n) = size;
    let (a_layout, a_len) = matrix(m, k, flips.0, gap);
    let (b_layout, b_len) = matrix(k, n, flips.1, gap);
    let d = GemmDims { m, n, k, a: a_layout, b: b_layout, c_row: n + gap };
    let (a, b, before) = (values(a_len, 1), values(b_len, 2), values(m * d.c_row, 3));
    for isa in isas() {
        let mut scratch = vec![f32::NAN; d.scratch_len()];
        let (mut got, mut want) = (before.clone(), before.clone());
        gemm_on(isa, d, &a, &b, &mut got, start, &mut scratch);
        reference::gemm(isa, d, &a, &b, &mut want, start);
        assert_same_bits(isa, "c", &got, &want);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn equals_the_plain_chain(
        m in awkward(), k in awkward(), n in awkward(),
        flips in (any::<bool>(), any::<bool>()), gap in 0usize..3, start in starts(),
    ) {
        check((m, k, n), flips, gap, start);
    }

    #[test]
    fn narrow_products_equal_the_plain_chain(
        m in 1usize..20, k in awkward(), n in 1usize..20, wide in awkward(),
        flips in (any::<bool>(), any::<bool>()), gap in 0usize..3, start in starts(),
    ) {
        check((m, k, wide), flips, gap, start);
        check((wide, k, n), flips, gap, start);
    }

    #[test]
    fn fewer_rows_need_no_more_scratch(
        m in 0usize..600, fewer in 0usize..600, k in 0usize..2000, n in 0usize..2000,
        flips in (any::<bool>(), any::<bool>()), gap in 0usize..17,
    ) {
        let dims = |m: usize| {
            let (a, b) = (matrix(m, k, flips.0, gap).0, matrix(k, n, flips.1, gap).0);
            GemmDims { m, n, k, a, b, c_row: n }
        };
        prop_assert!(dims(fewer.min(m)).scratch_len() <= dims(m).scratch_len());
    }

    #[test]
    fn pieces_cover_the_result_once(
        m in 0usize..2000, n in 0usize..2000, k in 0usize..600, most in 0usize..20,
    ) {
        let pieces: Vec<Piece> = cut(m, n, k, most).collect();
        prop_assert!(!pieces.is_empty() && pieces.len() <= most.max(1));
        let area: usize = pieces.iter().map(|p| p.rows.len() * p.cols.len()).sum();
        prop_assert_eq!(area, m * n);
        for pair in pieces.windows(2) {
            prop_assert!(
                pair[0].rows.end == pair[1].rows.start || pair[0].cols.end == pair[1].cols.start
            );
        }
    }
}

#[test]
fn several_blocks_equal_the_plain_chain() {
    for flips in [(false, false), (true, false), (false, true), (true, true)] {
        check((1030, 20, 70), flips, 0, Start::Zero);
        check((70, 400, 81), flips, 1, Start::Dst);
        check((75, 170, 560), flips, 0, Start::Zero);
        check((30, 530, 130), flips, 1, Start::Dst);
        check((70, 530, 300), flips, 1, Start::Dst);
        check((520, 96, 144), flips, 0, Start::Zero);
        check((1040, 390, 9), flips, 0, Start::Zero);
        check((3, 600, 450), flips, 0, Start::Zero);
        check((1, 2050, 2069), flips, 1, Start::Dst);
    }
}

#[test]
fn a_right_side_that_passes_by_equals_the_plain_chain() {
    for (size, gap, start) in [
        ((13, 620, 430), 0, Start::Zero),
        ((20, 300, 330), 1, Start::Dst),
        ((33, 140, 1100), 2, Start::Zero),
        ((65, 130, 1040), 0, Start::Dst),
    ] {
        check(size, (false, false), gap, start);
    }
}

#[test]
fn pieces_compute_what_the_whole_computes() {
    let (m, k, n) = (100, 90, 200);
    let d = GemmDims::contiguous(m, k, n);
    let (a, b) = (values(m * k, 1), values(k * n, 2));
    let mut scratch = vec![0.0; d.scratch_len()];
    let mut whole = vec![0.0; m * n];
    gemm(d, &a, &b, &mut whole, Start::Zero, &mut scratch);
    let mut parts = vec![0.0; m * n];
    for piece in cut(m, n, k, 3) {
        let part = GemmDims { m: piece.rows.len(), n: piece.cols.len(), ..d };
        let (a, b) = (&a[piece.rows.start * k..], &b[piece.cols.start..]);
        let c = &mut parts[piece.rows.start * n + piece.cols.start..];
        gemm(part, a, b, c, Start::Zero, &mut scratch);
    }
    assert_same_bits(Isa::current(), "c", &parts, &whole);
}

#[test]
fn a_batch_is_its_products() {
    let gemm = GemmDims::contiguous(9, 20, 33);
    let dims = BatchedGemmDims { gemm, batch: 3, a_next: 180, b_next: 0, c_next: 300 };
    let (a, b) = (values(3 * 180, 1), values(20 * 33, 2));
    for isa in isas() {
        let mut got = vec![0.5; 3 * 300];
        let mut scratch = vec![0.0; gemm.scratch_len()];
        batched_gemm_on(isa, dims, &a, &b, &mut got, Start::Dst, &mut scratch);
        let mut want = vec![0.5; 3 * 300];
        for i in 0..3 {
            let (a, c) = (&a[i * 180..], &mut want[i * 300..]);
            reference::gemm(isa, gemm, a, &b, c, Start::Dst);
        }
        assert_same_bits(isa, "c", &got, &want);
    }
}

#[test]
fn matrix_times_vector_is_a_product_with_one_column() {
    let (rows, cols) = (70, 300);
    let (a, x) = (values(rows * cols, 1), values(cols, 2));
    for layout in [Matrix::plain(cols), Matrix::transposed(rows)] {
        let mut scratch = vec![0.0; gemv_scratch_len((rows, cols), layout)];
        let (mut got, mut want) = (vec![0.0; rows], vec![0.0; rows]);
        gemv((rows, cols), layout, &a, &x, &mut got, Start::Zero, &mut scratch);
        let d = GemmDims { m: rows, n: 1, k: cols, a: layout, b: Matrix::plain(1), c_row: 1 };
        reference::gemm(Isa::current(), d, &a, &x, &mut want, Start::Zero);
        assert_same_bits(Isa::current(), "c", &got, &want);
    }
}
