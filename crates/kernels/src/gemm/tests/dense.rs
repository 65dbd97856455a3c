//! The forward product.

use super::*;

fn check(d: DenseDims, start: Start) {
    let w = values(d.rows * d.inputs, 1);
    let p = packed(d.rows, d.inputs, &w);
    let x = values(d.inputs * d.lanes, 2);
    let before = values(d.rows * d.lanes, 3);
    for isa in isas() {
        let (mut got, mut want) = (before.clone(), before.clone());
        dense_forward_on(isa, d, &p, &x, &mut got, start);
        reference::dense(isa, d, &w, &x, &mut want, start);
        assert_same_bits(isa, "y", &got, &want);
        let (mut got, mut next) = (before.clone(), 0);
        dense_forward_rows_on(isa, d, &p, &x, &mut got, start, |rows, y| {
            assert_eq!(rows.start, next, "rows in order");
            next = rows.end;
            assert_same_bits(isa, "rows", y, &want[rows.start * d.lanes..rows.end * d.lanes]);
        });
        assert_eq!(next, d.rows, "all rows are handed out");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn equals_the_plain_chain(
        rows in awkward(), inputs in awkward(), lanes in awkward(), start in starts(),
    ) {
        check(DenseDims { rows, inputs, lanes }, start);
    }

    #[test]
    fn few_lanes_equal_the_plain_chain(
        rows in awkward(), inputs in awkward(), lanes in 1usize..16, start in starts(),
    ) {
        check(DenseDims { rows, inputs, lanes }, start);
    }
}

#[test]
fn long_reductions_and_many_lanes_equal_the_plain_chain() {
    check(DenseDims { rows: 37, inputs: 1100, lanes: 33 }, Start::Zero);
    check(DenseDims { rows: 17, inputs: 515, lanes: 100 }, Start::Dst);
    check(DenseDims { rows: 200, inputs: 700, lanes: 1 }, Start::Dst);
    check(DenseDims { rows: 2069, inputs: 2050, lanes: 1 }, Start::Dst);
    check(DenseDims { rows: 33, inputs: 600, lanes: 400 }, Start::Zero);
    check(DenseDims { rows: 64, inputs: 260, lanes: 145 }, Start::Dst);
    check(DenseDims { rows: 9, inputs: 130, lanes: 1000 }, Start::Zero);
}

#[test]
fn tiles_across_panels_equal_the_plain_chain() {
    for start in [Start::Zero, Start::Dst] {
        for (rows, inputs, lanes) in
            [(48, 24, 32), (64, 0, 32), (64, 1, 32), (101, 60, 31), (150, 95, 18)]
        {
            check(DenseDims { rows, inputs, lanes }, start);
        }
    }
}

#[test]
fn turned_results_equal_the_plain_chain() {
    for start in [Start::Zero, Start::Dst] {
        for (rows, inputs, lanes) in [(100, 600, 40), (64, 520, 16), (130, 100, 24), (53, 30, 8)] {
            check(DenseDims { rows, inputs, lanes }, start);
        }
    }
}

#[test]
fn eight_lanes_over_few_steps_equal_the_plain_chain() {
    for start in [Start::Zero, Start::Dst] {
        for (rows, inputs) in [(16, 0), (16, 1), (33, 7), (64, 24), (101, 96), (112, 97)] {
            check(DenseDims { rows, inputs, lanes: 8 }, start);
        }
    }
}

#[test]
fn one_lane_by_a_weight_in_the_second_cache_equals_the_plain_chain() {
    for start in [Start::Zero, Start::Dst] {
        for (rows, inputs) in [(600, 200), (512, 128), (129, 257), (63, 600), (1000, 48)] {
            check(DenseDims { rows, inputs, lanes: 1 }, start);
        }
    }
}

#[test]
fn a_turned_weight_is_the_packed_transpose() {
    for (outputs, inputs) in [(1, 1), (16, 16), (40, 21), (33, 64), (0, 5), (5, 0)] {
        let w = values(outputs * inputs, 1);
        let transpose: Vec<f32> =
            (0..inputs * outputs).map(|i| w[i % outputs * inputs + i / outputs]).collect();
        let mut turned = vec![f32::NAN; packed_len(inputs, outputs)];
        turn(outputs, inputs, &packed(outputs, inputs, &w), &mut turned);
        assert_eq!(turned, packed(inputs, outputs, &transpose));
    }
}

#[test]
fn a_lane_does_not_depend_on_the_lanes_beside_it() {
    let (rows, inputs, lanes) = (50, 300, 64);
    let p = packed(rows, inputs, &values(rows * inputs, 1));
    let x = values(inputs * lanes, 2);
    for isa in isas() {
        let mut crowd = vec![0.0; rows * lanes];
        dense_forward_on(isa, DenseDims { rows, inputs, lanes }, &p, &x, &mut crowd, Start::Zero);
        for lane in [0, 1, 17, 63] {
            let one: Vec<f32> = x.chunks(lanes).map(|row| row[lane]).collect();
            let mut alone = vec![0.0; rows];
            let d = DenseDims { rows, inputs, lanes: 1 };
            dense_forward_on(isa, d, &p, &one, &mut alone, Start::Zero);
            let from_crowd: Vec<f32> = crowd.chunks(lanes).map(|row| row[lane]).collect();
            assert_same_bits(isa, "y", &alone, &from_crowd);
        }
    }
}

#[test]
fn leading_panels_compute_the_leading_rows() {
    let (rows, inputs, lanes) = (70, 40, 24);
    let p = packed(rows, inputs, &values(rows * inputs, 1));
    let x = values(inputs * lanes, 2);
    let mut whole = vec![0.0; rows * lanes];
    dense_forward(DenseDims { rows, inputs, lanes }, &p, &x, &mut whole, Start::Zero);
    let mut part = vec![0.0; 32 * lanes];
    let d = DenseDims { rows: 32, inputs, lanes };
    dense_forward(d, &p[..packed_len(32, inputs)], &x, &mut part, Start::Zero);
    assert_same_bits(Isa::current(), "y", &part, &whole[..32 * lanes]);
}

#[test]
fn errors_stay_within_the_bound_of_a_chain() {
    let d = DenseDims { rows: 33, inputs: 777, lanes: 20 };
    let w = values(d.rows * d.inputs, 1);
    let p = packed(d.rows, d.inputs, &w);
    let x = values(d.inputs * d.lanes, 2);
    for isa in isas() {
        let mut y = vec![0.0; d.rows * d.lanes];
        dense_forward_on(isa, d, &p, &x, &mut y, Start::Zero);
        for row in 0..d.rows {
            for lane in 0..d.lanes {
                let terms = (0..d.inputs)
                    .map(|k| f64::from(w[row * d.inputs + k]) * f64::from(x[k * d.lanes + lane]));
                let (exact, size) = terms.fold((0.0, 0.0), |(e, m), t| (e + t, m + t.abs()));
                let error = (f64::from(y[row * d.lanes + lane]) - exact).abs();
                let bound = 2.0 * d.inputs as f64 * f64::from(f32::EPSILON) * size;
                assert!(error <= bound, "{}: error {error} > {bound}", isa.name());
            }
        }
    }
}
