//! Files of series that cannot be used: the message names the place and the remedy, the exit code is 2, and
//! nothing is written.

mod support;

use support::{folder, forecast, text, whimbrel};

/// A file that is refused.
struct Case {
    name: &'static str,
    /// The file of the series.
    series: &'static [u8],
    /// The file of the future or of static numbers, where the options name it as `OTHER`.
    other: &'static [u8],
    options: &'static str,
    /// What the message says.
    says: &'static [&'static str],
}

const fn case(
    name: &'static str,
    series: &'static [u8],
    options: &'static str,
    says: &'static [&'static str],
) -> Case {
    Case { name, series, other: b"", options, says }
}

/// Four days, with a column that may be known ahead.
const DAYS: &[u8] = b"unique_id,ds,y,price\na,2024-01-01,1,5\na,2024-01-02,2,6\na,2024-01-03,3,7\n\
a,2024-01-04,4,8\n";

const fn beside(
    name: &'static str,
    other: &'static [u8],
    options: &'static str,
    says: &'static [&'static str],
) -> Case {
    Case { name, series: DAYS, other, options, says }
}

const FILES: &[Case] = &[
    case("empty", b"", "", &["in.csv: is empty; the first line must name the columns"]),
    case("blank", b"\n\n  \n", "", &["in.csv: is empty; the first line must name the columns"]),
    case("no_rows", b"unique_id,ds,y\n", "", &["in.csv: has a header but no rows"]),
    case("zero_bytes", b"\0\0\0\0", "", &["in.csv:1", "is not UTF-8 text (byte 0x00)"]),
    case(
        "utf16_cut",
        b"\xff\xfeu\0n\0i",
        "",
        &["in.csv: is UTF-16 text that is cut short within the character at byte 6; copy it again"],
    ),
    case(
        "utf16_lone",
        b"\xfe\xff\xd8\0\0a",
        "",
        &["in.csv: is UTF-16 text that is damaged at byte 2,", "save it as UTF-8"],
    ),
    case(
        "latin1_id",
        b"unique_id,ds,y\ncaf\xe9,1,2\n",
        "",
        &["in.csv:2, column \"unique_id\"", "0xe9", "UTF-8"],
    ),
    case(
        "latin1_header",
        b"unique_id,ds,y,gr\xf6\xdfe\na,1,2,3\n",
        "",
        &["in.csv:1", "0xf6", "save the file as CSV in UTF-8"],
    ),
    case(
        "gzip_cut",
        b"\x1f\x8b\x08\0\0\0\0\0\0\xff",
        "",
        &["in.csv: its compressed data are cut short; copy it again, or pack it again"],
    ),
    case(
        "parquet",
        b"PAR1\x15\x04\x15\x10\x15\x14",
        "",
        &["in.csv: cannot be read as a table: ", "write it again"],
    ),
    case(
        "arrow",
        b"ARROW1\0\0\xff\xff\xff\xff",
        "",
        &["in.csv: cannot be read as a table: ", "write it again"],
    ),
    case(
        "zip",
        b"PK\x03\x04\x14\0\0\0",
        "",
        &["in.csv: is a zip archive, perhaps a spreadsheet; unpack it"],
    ),
    case(
        "column_like_bzip2",
        b"BZhours,ds\n1,2\n",
        "",
        &["in.csv:1: there is no column \"unique_id\"; the header names \"BZhours\""],
    ),
    case("xz", b"\xfd7zXZ\0\0\x04", "", &["in.csv: is packed by xz; unpack it"]),
    case(
        "utf16_unmarked",
        b"u\0n\0i\0,\0d\0s\0\n\0",
        "",
        &["in.csv:1", "is not UTF-8 text (byte 0x00); save the file as CSV in UTF-8"],
    ),
    case(
        "same_name",
        b"unique_id,ds,y,y\na,1,2,3\n",
        "",
        &["in.csv:1: two columns are called \"y\"; rename"],
    ),
    case(
        "ragged",
        b"unique_id,ds,y\na,1,2\na,2\n",
        "",
        &["in.csv:3: has 2 fields, the header names 3"],
    ),
    case(
        "too_many",
        b"unique_id,ds,y\na,1,2,5\n",
        "",
        &["in.csv:2: has 4 fields, the header names 3"],
    ),
    case(
        "open_quote",
        b"unique_id,ds,y\n\"a,1,2\n",
        "",
        &["in.csv:2: a quote opens here and is never closed"],
    ),
    case(
        "after_quote",
        b"unique_id,ds,y\n\"a\"b,1,2\n",
        "",
        &["in.csv:2: text follows a closing quote"],
    ),
    case(
        "semicolons",
        b"unique_id;ds;y\na;1;2\n",
        "",
        &["no column \"unique_id\"", "by commas, not semicolons"],
    ),
    case(
        "tabs",
        b"unique_id\tds\ty\na\t1\t2\n",
        "",
        &["no column \"unique_id\"", "by commas, not tabs"],
    ),
    case(
        "case",
        b"unique_id,DS,y\na,1,2\n",
        "",
        &["no column \"ds\"", "did you mean \"DS\"?", "help: --id-col, --time-col"],
    ),
    case(
        "no_target",
        b"unique_id,ds,sales\na,1,2\n",
        "",
        &["no column \"y\"", "\"sales\"", "--target-col"],
    ),
    case("no_header", b"a,2024-01-01,5\na,2024-01-02,6\n", "", &["in.csv:1: there is no column"]),
    case("other_id", b"unique_id,ds,y\na,1,2\n", "--id-col shop", &["no column \"shop\""]),
    case(
        "asked_twice",
        b"unique_id,ds,y\na,1,2\n",
        "--target-col ds",
        &["column \"ds\" is asked for twice"],
    ),
];

const FIELDS: &[Case] = &[
    case(
        "word",
        b"unique_id,ds,y\na,1,2\na,2,many\n",
        "",
        &["in.csv:3, column \"y\": \"many\" is not a number; write it like 1234.5"],
    ),
    case(
        "decimal_comma",
        b"unique_id,ds,y\na,1,\"1,5\"\n",
        "",
        &["in.csv:2, column \"y\": \"1,5\" is not a number"],
    ),
    case("thousands", b"unique_id,ds,y\na,1,\"1,500.0\"\n", "", &["\"1,500.0\" is not a number"]),
    case("currency", b"unique_id,ds,y\na,1,$5\n", "", &["\"$5\" is not a number"]),
    case("infinite", b"unique_id,ds,y\na,1,inf\n", "", &["\"inf\" is not a finite number"]),
    case(
        "too_large",
        b"unique_id,ds,y\na,1,1\na,2,1e39\n",
        "",
        &[
            "in.csv:3, column \"y\": \"1e39\" is beyond 1e30; divide the whole column by the same number",
        ],
    ),
    case(
        "too_low",
        b"unique_id,ds,y\na,1,1\na,2,-4e38\n",
        "--fill zero",
        &["\"-4e38\" is beyond 1e30"],
    ),
    case(
        "no_value",
        b"unique_id,ds,y\na,2024-01-01,1\na,2024-01-02,\na,2024-01-03,3\n",
        "",
        &[
            "in.csv:3, column \"y\": series \"a\" has no value at 2024-01-02; write it, or have it filled",
            "help: --fill says",
        ],
    ),
    case(
        "nan",
        b"unique_id,ds,y\na,1,1\na,2,NaN\na,3,3\n",
        "",
        &["in.csv:3", "series \"a\" has no value at 2"],
    ),
    case(
        "last_nan",
        b"unique_id,ds,y\na,1,1\na,2,2\na,3,null\n",
        "",
        &["in.csv:4", "has no value at 3"],
    ),
    case(
        "nothing",
        b"unique_id,ds,y\na,1,1\na,2,2\nb,1,\nb,2,NA\n",
        "--fill mask",
        &["in.csv:4, column \"y\": series \"b\" has no value at all; remove it"],
    ),
    case(
        "nothing_zero",
        b"unique_id,ds,y\nb,1,\nb,2,NA\n",
        "--fill zero",
        &["series \"b\" has no value at all"],
    ),
    case("no_id", b"unique_id,ds,y\n,1,2\n", "", &["in.csv:2, column \"unique_id\": is empty"]),
    case(
        "no_time",
        b"unique_id,ds,y\na,,2\n",
        "",
        &["in.csv:2, column \"ds\": is empty; fill it in, or remove the row"],
    ),
];

const TIMES: &[Case] = &[
    case("slashes", b"unique_id,ds,y\na,01/02/2024,2\na,02/02/2024,2\n", "", &["in.csv:2, column \"ds\": \"01/02/2024\" may have the month first or the day first", "say which, or write dates like 2024-01-31", "help: --date-order"]),
    case("two_orders", b"unique_id,ds,y\na,31/01/2024,2\na,02/01/2024,2\na,01/31/2024,2\n", "", &["in.csv:4, column \"ds\": dates with the month first among dates with the day first"]),
    case("other_order", b"unique_id,ds,y\na,01/31/2024,2\n", "--date-order dmy", &["in.csv:2, column \"ds\": dates with the month first among dates with the day first"]),
    case("no_order", b"", "--date-order ymd", &["invalid value 'ymd' for '--date-order <ORDER>'", "mdy, dmy"]),
    case("words", b"unique_id,ds,y\na,yesterday,2\n", "", &["\"yesterday\" is not a time"]),
    case("no_such_day", b"unique_id,ds,y\na,2023-02-29,2\n", "", &["\"2023-02-29\" is not a time"]),
    case("no_such_month", b"unique_id,ds,y\na,2023-13-01,2\n", "", &["\"2023-13-01\" is not a time"]),
    case("no_such_hour", b"unique_id,ds,y\na,2023-02-01 24:00,2\n", "", &["\"2023-02-01 24:00\" is not a time"]),
    case("fraction", b"unique_id,ds,y\na,2023-02-01 01:00:00.5,2\n", "", &["01:00:00.5\" is not a time"]),
    case("decimal", b"unique_id,ds,y\na,1.5,2\na,2.5,2\n", "", &["\"1.5\" is not a time"]),
    case("control", b"unique_id,ds,y\na,\x1b[31m,2\n", "", &["\" [31m\" is not a time"]),
    case("mixed", b"unique_id,ds,y\na,2024-01-01,2\nb,5,2\n", "", &["in.csv:3, column \"ds\": whole numbers among dates; use one kind"]),
    case("mixed_zones", b"unique_id,ds,y\na,2024-01-01T00:00Z,2\na,2024-01-01T01:00,2\n", "", &["in.csv:3, column \"ds\": times without a zone among times with one"]),
    case("twice", b"unique_id,ds,y\na,1,1\na,2,2\na,1,3\n", "", &["in.csv:4, column \"ds\": series \"a\" already has a row for 1, in line 2; remove one"]),
    case("twice_filled", b"unique_id,ds,y\na,1,1\na,2,2\na,1,3\n", "--fill mask", &["already has a row for 1"]),
    case("no_names", b"ds,y\n1,1\n2,2\n1,3\n", "", &["series \"in\" already has a row for 1", "help: --id-col"]),
    case("zones_meet", b"unique_id,ds,y\na,2024-01-01T00:00Z,2\na,2024-01-01T01:00+01:00,2\n", "", &["already has a row for 2024-01-01"]),
    case("gap", b"unique_id,ds,y\na,2024-01-01,1\na,2024-01-02,2\na,2024-01-04,4\n", "--freq D", &["in.csv:4, column \"ds\": series \"a\": 2024-01-04 follows 2024-01-02, but at frequency D 2024-01-03 does", "add the missing row,", "help: --fill"]),
    case("long_gap", b"unique_id,ds,y\na,1,1\na,2,2\na,9,9\n", "", &["9 follows 2, but at frequency 1 3 does; add the missing 6 rows"]),
    case("endless_gap", b"unique_id,ds,y\na,1,1\na,2,2\na,9000000000000,9\n", "--fill zero", &["between 2 and 9000000000000 8999999999997 rows are missing at frequency 1, too many to fill"]),
    case("holiday", b"unique_id,ds,y\na,2024-01-04,1\na,2024-01-05,2\na,2024-01-08,3\na,2024-01-10,4\n", "", &["at frequency B 2024-01-09 does", "--fill"]),
    case("weekend", b"unique_id,ds,y\na,2024-01-05,1\na,2024-01-06,2\n", "--freq B", &["2024-01-06 follows 2024-01-05, but at frequency B 2024-01-08 does; say which"]),
    case("off_axis", b"unique_id,ds,y\na,2024-01-01,1\na,2024-01-02,2\na,2024-01-03 12:00,4\n", "--freq D --fill mask", &["in.csv:4", "2024-01-03 12:00:00 follows 2024-01-02", "say which frequency it is", "help: --freq"]),
    case("other_frequency", b"unique_id,ds,y\na,2024-01-01,1\na,2024-01-02,2\n", "--freq MS", &["at frequency MS 2024-02-01 does"]),
    case("off_axis_first", b"unique_id,ds,y\na,2024-01-15,1\na,2024-02-01,2\n", "--freq MS", &["in.csv:2, column \"ds\": series \"a\" begins at 2024-01-15, but frequency MS comes to 2024-01-01", "help: --freq"]),
    case("off_axis_alone", b"unique_id,ds,y\na,2024-01-01,1\na,2024-02-01,2\nb,2024-03-15,2\n", "--freq MS", &["in.csv:4, column \"ds\": series \"b\" begins at 2024-03-15"]),
    case("begins_on_sunday", b"unique_id,ds,y\na,2024-01-07,1\na,2024-01-08,2\n", "--freq B", &["begins at 2024-01-07, but frequency B comes to 2024-01-08"]),
    case("numbers_not_dates", b"unique_id,ds,y\na,1,1\na,2,2\n", "--freq D", &["frequency D does not fit times that are whole numbers"]),
    case("dates_not_numbers", b"unique_id,ds,y\na,2024-01-01,1\na,2024-01-02,2\n", "--freq 1", &["frequency 1 does not fit times that are dates"]),
    case("one_row", b"unique_id,ds,y\na,2024-01-01,1\nb,2024-01-01,1\n", "", &["in.csv: no series has two rows", "help: --freq"]),
    case("one_row_named", b"unique_id,ds,y\na,2024-01-01,1\n", "--freq D", &["no series is long enough to learn from", "(\"a\") has 1"]),
    case("end_of_time", b"unique_id,ds,y\na,9999-12-29,1\na,9999-12-30,2\na,9999-12-31,2\n", "", &["series \"a\" ends at 9999-12-31; the forecast would leave the calendar"]),
    case("end_of_numbers", b"unique_id,ds,y\na,9223372036854775805,1\na,9223372036854775806,2\na,9223372036854775807,2\n", "", &["ends at 9223372036854775807"]),
    case("bad_frequency", b"", "--freq fortnight", &["\"fortnight\" is not a frequency; use one like h, D"]),
    case("bad_anchor", b"", "--freq W-JAN", &["\"W-JAN\" is not a frequency"]),
    case("bad_fill", b"", "--fill linear", &["invalid value 'linear' for '--fill <HOW>'", "interpolate"]),
];

const WIDE: &[Case] = &[
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

const BESIDE: &[Case] = &[
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

/// `forecast.csv` and `forecast.html` of an earlier run.
const EARLIER: [&str; 2] =
    ["unique_id,ds,Ensemble\na,2024-01-05,5\n", include_str!("../../forecast/src/page/page.html")];

/// Runs every case: exit code 2, all that the message shall say, and nothing written.
fn refuse(cases: &[Case]) {
    let mut wrong = Vec::new();
    for Case { name, series, other, options, says } in cases {
        let folder = folder(&format!("refused_{name}"));
        let [file, beside, out] = ["in.csv", "other.csv", "out"].map(|name| folder.join(name));
        let results = ["forecast.csv", "forecast.html"].map(|name| out.join(name));
        std::fs::create_dir_all(&out).unwrap();
        // Ours, so that only the refusal keeps them.
        results.iter().zip(EARLIER).for_each(|(path, text)| std::fs::write(path, text).unwrap());
        std::fs::write(&file, series).unwrap();
        std::fs::write(&beside, other).unwrap();
        let mut options = options.replace("OTHER", &beside.display().to_string());
        if !options.contains("--horizon") {
            options += " --horizon 2";
        }
        let model = if options.contains("--model") { "" } else { "--model nlinear" };
        let output = forecast(&format!(
            "{} {model} --max-steps 3 --out {} {options}",
            file.display(),
            out.display()
        ));
        let message = text(&output.stderr);
        let told = message.starts_with("error: ") && says.iter().all(|part| message.contains(part));
        let earlier = results.iter().zip(EARLIER);
        let intact = std::fs::read(&file).unwrap() == *series
            && std::fs::read_dir(&out).unwrap().count() == results.len()
            && earlier
                .into_iter()
                .all(|(path, text)| std::fs::read_to_string(path).unwrap() == text);
        if output.status.code() != Some(2) || !told || !intact || !output.stdout.is_empty() {
            let code = output.status.code();
            wrong.push(format!(
                "{name}: {code:?}, untouched {intact}: {message}\n  lacks one of {says:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn files_that_are_no_tables_are_refused() {
    refuse(FILES);
}

#[test]
fn fields_that_are_no_values_are_refused() {
    refuse(FIELDS);
}

#[test]
fn times_that_are_no_axis_are_refused() {
    refuse(TIMES);
}

#[test]
fn wide_files_that_cannot_be_used_are_refused() {
    refuse(WIDE);
}

#[test]
fn what_is_not_known_beside_the_series_is_refused() {
    refuse(BESIDE);
}

#[test]
fn no_output_replaces_a_file_that_is_read() {
    let folder = folder("refused_out");
    let [series, other] = ["in.csv", "forecast.csv"].map(|name| folder.join(name));
    let future = "unique_id,ds,price\na,2024-01-05,1\n";
    std::fs::write(&series, DAYS).unwrap();
    std::fs::write(&other, future).unwrap();
    let options = format!("--horizon 1 --model mlp --max-steps 1 --future {}", other.display());
    let output =
        forecast(&format!("{} {options} --out {} --force", series.display(), folder.display()));
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("forecast.csv: is an input file; name another"));
    assert_eq!(std::fs::read_to_string(&other).unwrap(), future);
}

#[test]
fn names_that_no_file_can_have_are_refused_before_the_work() {
    let folder = folder("refused_names");
    let long = "x".repeat(300);
    for (name, says) in
        [("made/", "names a folder; name a file in it"), (&long[..], "cannot be written there")]
    {
        let save = format!("{}/{name}", folder.display());
        let mut command = whimbrel();
        command.args(["fit", "no/such.csv", "--horizon", "1", "--save", &save]);
        let output = command.output().unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(says), "{message}");
    }
}

#[test]
fn models_that_look_at_no_columns_are_not_fitted_with_some() {
    let folder = folder("refused_fit");
    let [series, save] = ["in.csv", "model.safetensors"].map(|name| folder.join(name));
    std::fs::write(&series, DAYS).unwrap();
    let mut command = whimbrel();
    command.arg("fit").arg(&series).arg("--save").arg(&save);
    command.args(["--horizon", "1", "--model", "nlinear", "--hist-exog", "price"]);
    let output = command.output().unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(
        message.contains("NLinear looks at no exogenous columns, but --hist-exog"),
        "{message}"
    );
    assert!(!save.exists());
}
