//! Wide files that cannot be used, and what cannot lie beside the series.

use super::{Case, DAYS, case};

const fn beside(
    name: &'static str,
    other: &'static [u8],
    options: &'static str,
    says: &'static [&'static str],
) -> Case {
    Case { name, series: DAYS, other, options, says }
}

pub const WIDE: &[Case] = &[
    case(
        "wide_word",
        b"ds,north,south\n1,1,2\n2,3,x\n",
        "--wide",
        &["in.csv:3, column \"south\": \"x\" is not a number"],
    ),
    case("wide_alone", b"ds\n1\n2\n", "--wide", &["has no column beside that of the times"]),
    case(
        "wide_unnamed",
        b",north\n1,1\n2,3\n",
        "--wide",
        &["the first column, that of the times, has no name"],
    ),
    case(
        "wide_gap_in_names",
        b"ds,,south\n1,1,2\n2,3,4\n",
        "--wide",
        &["in.csv: column 2 has no name; name its series, or remove it"],
    ),
    case("wide_no_time", b"ds,north\n1,1\n2,3\n", "--wide --time-col day", &["no column \"day\""]),
    case(
        "wide_empty",
        b"ds,north,south\n1,,1\n2,,2\n",
        "--wide",
        &["column \"north\": series \"north\" has no value at all"],
    ),
    case(
        "wide_hole",
        b"ds,north,south\n1,1,1\n2,,2\n3,3,3\n",
        "--wide",
        &["in.csv:3, column \"north\": series \"north\" has no value at 2"],
    ),
    case("wide_twice", b"ds,north\n1,1\n1,2\n", "--wide", &["in.csv:3", "already has a row for 1"]),
    case(
        "wide_long",
        b"unique_id,ds,y\na,1,2\na,2,2\n",
        "--wide",
        &["column \"unique_id\": \"a\" is not a number"],
    ),
    case(
        "wide_exogenous",
        DAYS,
        "--wide --futr-exog price",
        &["--wide", "cannot be used with", "--futr-exog"],
    ),
];

pub const BESIDE: &[Case] = &[
    beside(
        "not_taken",
        b"",
        "--hist-exog price",
        &[
            "NLinear looks at no exogenous columns, but --hist-exog or --features names \"price\"",
            "help: --model",
        ],
    ),
    beside(
        "no_column",
        b"",
        "--model mlp --hist-exog cost",
        &["in.csv:1: there is no column \"cost\""],
    ),
    beside(
        "text_column",
        b"",
        "--model mlp --hist-exog unique_id",
        &[
            "in.csv: column \"unique_id\" is read as series, time or target, and cannot be an exogenous",
        ],
    ),
    beside(
        "no_future",
        b"",
        "--model mlp --futr-exog price",
        &[
            "column \"price\" is not known ahead: series \"a\" at 2024-01-05, 2024-01-06; add the rows",
            "help: --future",
        ],
    ),
    beside(
        "half_a_future",
        b"unique_id,ds,price\na,2024-01-05,1\n",
        "--model mlp --future OTHER",
        &["is not known ahead: series \"a\" at 2024-01-06; add the rows to ", "other.csv"],
    ),
    beside(
        "future_of_other_rows",
        b"unique_id,ds,price\na,2024-01-04,1\n",
        "--model mlp --future OTHER --horizon 5",
        &["is not known ahead: series \"a\" at 2024-01-05 to 2024-01-09; add the rows"],
    ),
    beside(
        "rules_alone",
        b"",
        "--model naive --hist-exog price",
        &["Naive looks at no exogenous columns, but --hist-exog or --features names \"price\""],
    ),
    beside(
        "future_hole",
        b"unique_id,ds,price\na,2024-01-06,1\n",
        "--model mlp --future OTHER",
        &["is not known ahead: series \"a\" at 2024-01-05;"],
    ),
    beside(
        "other_series",
        b"unique_id,ds,price\nb,2024-01-05,1\nb,2024-01-06,1\n",
        "--model mlp --future OTHER",
        &["is not known ahead: series \"a\" at 2024-01-05, 2024-01-06"],
    ),
    beside(
        "future_text",
        b"unique_id,ds,price\na,2024-01-05,dear\n",
        "--model mlp --future OTHER",
        &["other.csv:2, column \"price\": \"dear\" is not a number"],
    ),
    beside(
        "future_blank",
        b"unique_id,ds,price\na,2024-01-05,\n",
        "--model mlp --future OTHER",
        &["other.csv:2, column \"price\": is empty; fill it in"],
    ),
    beside(
        "future_huge",
        b"unique_id,ds,price\na,2024-01-05,1e300\n",
        "--model mlp --future OTHER",
        &["other.csv:2, column \"price\": \"1e300\" is beyond 1e30; divide the whole column"],
    ),
    beside(
        "future_twice",
        b"unique_id,ds,price\na,2024-01-05,1\na,2024-01-05,2\n",
        "--model mlp --future OTHER",
        &["other.csv:3", "already has a row for 2024-01-05, in line 2"],
    ),
    beside(
        "future_off",
        b"unique_id,ds,price\na,2024-01-05 07:00,1\n",
        "--model mlp --future OTHER",
        &[
            "other.csv:2",
            "2024-01-05 07:00:00 follows 2024-01-04, but at frequency D 2024-01-05 does",
        ],
    ),
    beside(
        "future_far",
        b"unique_id,ds,price\na,9999-01-05,1\n",
        "--model mlp --future OTHER",
        &["other.csv:2", "rows are missing at frequency D, too many"],
    ),
    beside(
        "future_numbers",
        b"unique_id,ds,price\na,5,1\n",
        "--model mlp --future OTHER",
        &["other.csv:2", "5 follows 2024-01-04"],
    ),
    beside(
        "future_unknown",
        b"unique_id,ds,cost\na,2024-01-05,1\n",
        "--model mlp --future OTHER",
        &["in.csv:1: there is no column \"cost\""],
    ),
    beside(
        "static_missing",
        b"unique_id,size\nb,1\n",
        "--model mlp --static OTHER",
        &["other.csv: has no row for series \"a\"; add it"],
    ),
    beside(
        "static_twice",
        b"unique_id,size\na,1\na,1\n",
        "--model mlp --static OTHER",
        &["other.csv:3", "series \"a\" already has a row, in line 2; remove one"],
    ),
    beside(
        "static_text",
        b"unique_id,size\na,large\n",
        "--model mlp --static OTHER",
        &["other.csv:2, column \"size\": \"large\" is not a number"],
    ),
    beside(
        "static_blank",
        b"unique_id,size\na,\n",
        "--model mlp --static OTHER",
        &["other.csv:2, column \"size\": is empty"],
    ),
    beside(
        "static_no_id",
        b"id,size\na,1\n",
        "--model mlp --static OTHER",
        &["other.csv:1: there is no column \"unique_id\""],
    ),
    beside(
        "static_no_column",
        b"unique_id,size\na,1\n",
        "--model mlp --static OTHER --stat-exog age",
        &["other.csv:1: there is no column \"age\""],
    ),
    beside(
        "static_no_file",
        b"",
        "--model mlp --static no/such.csv",
        &["no/such.csv: cannot be read: No such file"],
    ),
    beside(
        "future_no_file",
        b"",
        "--model mlp --future no/such.csv",
        &["no/such.csv: cannot be read: No such file"],
    ),
    beside("stat_alone", b"", "--model mlp --stat-exog size", &["--static <FILE>"]),
];
