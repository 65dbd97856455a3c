//! Batches of products, and matrix times vector, at awkward sizes.

use super::*;

fn contiguous(rows: usize, cols: usize, transposed: bool) -> Matrix {
    if transposed { Matrix::transposed(rows) } else { Matrix::plain(cols) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn a_batch_is_its_products_at_any_size(
        batch in 0usize..5, m in awkward(), k in awkward(), n in awkward(),
        flips in (any::<bool>(), any::<bool>()), shared in (any::<bool>(), any::<bool>()),
        gap in 0usize..3, start in starts(),
    ) {
        let (a, b) = (contiguous(m, k, flips.0), contiguous(k, n, flips.1));
        let gemm = GemmDims { m, n, k, a, b, c_row: n };
        let next = |len: usize, shared: bool| if shared { 0 } else { len + gap };
        let (a_next, b_next) = (next(m * k, shared.0), next(k * n, shared.1));
        let dims = BatchedGemmDims { gemm, batch, a_next, b_next, c_next: m * n + gap };
        let a = values(m * k + batch * a_next, 1);
        let b = values(k * n + batch * b_next, 2);
        let before = values(batch * dims.c_next, 3);
        for isa in isas() {
            let mut scratch = vec![f32::NAN; gemm.scratch_len()];
            let (mut got, mut want) = (before.clone(), before.clone());
            batched_gemm_on(isa, dims, &a, &b, &mut got, start, &mut scratch);
            for i in 0..batch {
                let (a, b) = (&a[i * a_next..], &b[i * b_next..]);
                reference::gemm(isa, gemm, a, b, &mut want[i * dims.c_next..], start);
            }
            assert_same_bits(isa, "c", &got, &want);
        }
    }

    #[test]
    fn matrix_times_vector_equals_the_plain_chain(
        rows in awkward(), cols in awkward(), transposed in any::<bool>(), gap in 0usize..3,
        start in starts(),
    ) {
        let (row, stored) = if transposed { (rows + gap, cols) } else { (cols + gap, rows) };
        let layout = Matrix { row, transposed };
        let (a, x, before) = (values(stored * row, 1), values(cols, 2), values(rows, 3));
        let mut scratch = vec![f32::NAN; gemv_scratch_len((rows, cols), layout)];
        let (mut got, mut want) = (before.clone(), before);
        gemv((rows, cols), layout, &a, &x, &mut got, start, &mut scratch);
        let d = GemmDims { m: rows, n: 1, k: cols, a: layout, b: Matrix::plain(1), c_row: 1 };
        reference::gemm(Isa::current(), d, &a, &x, &mut want, start);
        assert_same_bits(Isa::current(), "y", &got, &want);
    }
}
