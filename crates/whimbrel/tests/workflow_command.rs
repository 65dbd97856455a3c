//! A model is fitted, saved, used, cross-validated and evaluated from the command line.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use support::{folder, root, text, whimbrel};

const DATA: &str = "examples/air_passengers.csv";

fn run(arguments: &str) -> Output {
    whimbrel().args(arguments.split_whitespace()).output().unwrap()
}

/// What a command prints that succeeds and says nothing on standard error.
fn done(arguments: &str) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments}: {}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "{arguments}");
    text(&output.stdout)
}

/// What a command says that refuses its input.
fn refused(arguments: &str) -> String {
    let output = run(arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments}: {message}");
    assert!(output.stdout.is_empty() && message.starts_with("error: "), "{message}");
    message
}

/// A file in a folder of the test that is not there yet.
fn fresh(test: &str, name: &str) -> PathBuf {
    let file = folder(&format!("workflow_{test}")).join(name);
    if file.exists() {
        fs::remove_file(&file).unwrap();
    }
    file
}

fn column(csv: &str, name: &str) -> Vec<f32> {
    let place = csv.lines().next().unwrap().split(',').position(|title| title == name).unwrap();
    csv.lines().skip(1).map(|row| row.split(',').nth(place).unwrap().parse().unwrap()).collect()
}

fn fit(save: &Path, options: &str) -> String {
    done(&format!("fit {DATA} --horizon 12 --max-steps 60 --save {} {options}", save.display()))
}

#[test]
fn a_saved_model_forecasts_into_a_table_a_file_and_json() {
    let (model, out) = (fresh("same", "m.safetensors"), fresh("same", "forecast.csv"));
    let said = fit(&model, "--model nlinear");
    assert!(
        said.contains("NLinear, 300 parameters, learned from 120 windows of 24 + 12"),
        "{said}"
    );
    let (load, out_option) = (model.display(), out.display());
    let table = done(&format!("predict {DATA} --load {load} --out {out_option}"));
    assert_eq!(table.lines().count(), 13, "{table}");
    let csv = fs::read_to_string(&out).unwrap();
    assert!(csv.starts_with("unique_id,ds,NLinear\nAirPassengers,1961-01-31,"), "{csv}");
    let json: serde_json::Value =
        serde_json::from_str(&done(&format!("predict {DATA} --load {load} --json"))).unwrap();
    let rows = json.as_array().unwrap();
    let values: Vec<f32> = rows.iter().map(|row| row["NLinear"].as_f64().unwrap() as f32).collect();
    assert_eq!(values, column(&csv, "NLinear"));
    assert_eq!((&rows[0]["ds"], rows.len()), (&"1961-01-31".into(), 12));
}

#[test]
fn results_go_to_files_of_the_format_their_ending_names() {
    let model = fresh("formats", "m.safetensors");
    fit(&model, "--model nlinear --quiet");
    let to = |name: &str| {
        let out = fresh("formats", name);
        done(&format!("predict {DATA} --load {} --quiet --out {}", model.display(), out.display()));
        out
    };
    let csv = to("forecast.csv");
    let scores = |file: &Path| done(&format!("evaluate {} --actual {DATA} --json", file.display()));
    let drawn = |file: &Path| {
        let out = fresh("formats", "forecast.svg");
        done(&format!("plot {} --past {DATA} --out {}", file.display(), out.display()));
        fs::read(out).unwrap()
    };
    for (name, start) in
        [("f.parquet", &b"PAR1"[..]), ("f.arrow", b"ARROW1"), ("f.csv.gz", &[0x1f, 0x8b])]
    {
        let file = to(name);
        assert!(fs::read(&file).unwrap().starts_with(start), "{name}");
        assert_eq!(drawn(&file), drawn(&csv), "{name}");
    }
    // A cross-validation, with its cutoffs, is evaluated from any of them alike.
    let cv = |name: &str| {
        let out = fresh("formats", name);
        let options = "--model seasonalnaive --horizon 12 --n-windows 2 --quiet";
        done(&format!("cv {DATA} {options} --out {}", out.display()));
        out
    };
    assert_eq!(scores(&cv("cv.parquet")), scores(&cv("cv.csv")));
}

#[test]
fn features_are_learned_from_and_computed_again_to_forecast() {
    let model = fresh("features", "m.safetensors");
    let known = "--features month,fourier_12_2";
    fit(&model, &format!("--model mlp --quiet {known}"));
    let load = model.display();
    let table = done(&format!("predict {DATA} --load {load} {known}"));
    assert_eq!(table.lines().count(), 13, "{table}");
    let further = done(&format!("predict {DATA} --load {load} {known} --horizon 20"));
    assert_eq!(further.lines().count(), 21, "{further}");
    // The model knows them, and where in the season the steps of other files lie.
    assert_eq!(done(&format!("predict {DATA} --load {load}")), table);
    let whole = fs::read_to_string(root().join(DATA)).unwrap();
    let rows: Vec<&str> = whole.lines().collect();
    let end = folder("workflow_features").join("end.csv");
    fs::write(&end, [&rows[..1], &rows[rows.len() - 29..]].concat().join("\n")).unwrap();
    // Scaled as what is given of the series is, so that only the model of windows is the same.
    let phases = |data: &str, features: &str| {
        let options = "--horizon 12 --max-steps 60 --model mlp --local-scaler-type identity --scaler-type standard";
        let save = fresh("phases", "m.safetensors");
        done(&format!(
            "fit {DATA} {options} --features {features} --quiet --save {}",
            save.display()
        ));
        done(&format!("predict {data} --load {}", save.display()))
    };
    let end = end.display().to_string();
    assert_eq!(phases(&end, "fourier_12_2"), phases(DATA, "fourier_12_2"));
    let without = refused(&format!("predict {DATA} --load {load} --features lag12"));
    assert!(
        without.contains("futr_exog_list names \"month\", which the data do not have"),
        "{without}"
    );
    assert!(without.contains("help: --features computes columns"), "{without}");
    let unknown = refused(&format!("predict {DATA} --load {load} --features moth"));
    assert!(unknown.contains("there is no feature \"moth\"; there are lagN"), "{unknown}");
    let unused = refused(&format!("cv {DATA} --horizon 12 --model nlinear --features lag12"));
    assert!(unused.contains("NLinear looks at no exogenous columns"), "{unused}");
}

#[test]
fn a_model_forecasts_further_than_it_learned_and_less_far() {
    let model = fresh("far", "m.safetensors");
    fit(&model, "--model mlp --quiet");
    let forecast = |horizon: usize| {
        let out = fresh("far", &format!("{horizon}.csv"));
        let options = format!("--horizon {horizon} --quiet --out {}", out.display());
        assert_eq!(done(&format!("predict {DATA} --load {} {options}", model.display())), "");
        column(&fs::read_to_string(&out).unwrap(), "MLP")
    };
    let (short, usual, far) = (forecast(5), forecast(12), forecast(30));
    assert_eq!((short.len(), usual.len(), far.len()), (5, 12, 30));
    assert_eq!((&short[..], &usual[..]), (&far[..5], &far[..12]));
}

#[test]
fn levels_give_intervals_by_errors_and_by_distributions() {
    for (name, options, others) in [
        ("errors", "--model nlinear --level 80 90 --n-windows 2", "--level 95"),
        ("normal", "--model nlinear --loss normal --level 80,90", "--level 95"),
        ("quantiles", "--model nlinear --loss mqloss --level 80 90", ""),
    ] {
        let (model, out) = (fresh("levels", "m.safetensors"), fresh("levels", "f.csv"));
        fit(&model, options);
        let load = format!("predict {DATA} --load {}", model.display());
        done(&format!("{load} --level 80 90 --out {}", out.display()));
        let csv = fs::read_to_string(&out).unwrap();
        let [low, inner, upper, high] =
            ["lo-90", "lo-80", "hi-80", "hi-90"].map(|end| column(&csv, &format!("NLinear-{end}")));
        for row in 0..12 {
            let edges = [low[row], inner[row], upper[row], high[row]];
            assert!(edges.windows(2).all(|pair| pair[0] <= pair[1]), "{name}: {edges:?}");
            assert!(edges[0] < edges[3], "{name}: {edges:?}");
        }
        match others {
            "" => {
                let message = refused(&format!("{load} --level 55"));
                assert!(
                    message.contains("no intervals of 55 %: it was fitted without; fit it with")
                );
            }
            others => assert!(done(&format!("{load} {others}")).contains("NLinear-hi-95")),
        }
    }
}

#[test]
fn levels_and_quantiles_are_not_both_asked_for() {
    let cv = format!("cv {DATA} --horizon 12 --max-steps 5 --model nlinear --quantiles 0.1 0.9");
    let both = refused(&format!("{cv} --loss mqloss --level 80"));
    assert!(both.contains("--quantiles and --level both say what is forecast"), "{both}");
    let around = refused(&(cv.replace(" 0.9", "") + " --loss quantile --level 80"));
    assert!(around.contains("not around a quantile; use --loss mqloss"), "{around}");
    let odd = fresh("odd_level", "m.safetensors");
    fit(&odd, "--model nlinear --loss mqloss --level 68.27 --quiet");
    let table = done(&format!("predict {DATA} --load {} --level 68.27", odd.display()));
    assert!(table.contains("NLinear-hi-68.27"), "{table}");
}

#[test]
fn rules_beside_a_loss_with_intervals_have_conformal_ones() {
    let cv = format!("cv {DATA} --horizon 12 --max-steps 5 --model nlinear,naive --loss normal");
    let csv = done(&format!("{cv} --level 90 --out -"));
    let header = csv.lines().next().unwrap();
    assert!(header.contains("NLinear-lo-90") && header.contains("Naive-lo-90"), "{header}");
}

#[test]
fn a_saved_model_is_told_by_its_own_frequency_what_few_rows_do_not_tell() {
    let folder = folder("workflow_frequency");
    let (past, week, one) =
        (folder.join("past.csv"), folder.join("week.csv"), folder.join("one.csv"));
    // Working days of January 2024: Monday the 1st on.
    let day = |d: usize| format!("2024-01-{:02}", d + 1 + d / 5 * 2);
    let rows = |days: std::ops::Range<usize>| -> String {
        days.map(|d| format!("a,{},{}\n", day(d), d % 5)).collect()
    };
    let write =
        |path: &Path, rows: String| fs::write(path, format!("unique_id,ds,y\n{rows}")).unwrap();
    write(&past, rows(0..20));
    write(&week, rows(15..20));
    write(&one, "a,2024-01-26,3\nb,2024-01-26,7\n".into());
    let model = fresh("frequency_model", "m.safetensors");
    done(&format!(
        "fit {} --horizon 3 --max-steps 5 --model nlinear --quiet --save {}",
        past.display(),
        model.display()
    ));
    for data in [&week, &one] {
        let csv = done(&format!("predict {} --load {} --out -", data.display(), model.display()));
        assert!(csv.contains("a,2024-01-29,") && csv.contains("a,2024-01-31,"), "{csv}");
    }
}

#[test]
fn settings_without_an_option_are_set_by_name() {
    let (model, json) = (fresh("set", "m.safetensors"), |said: &str| -> serde_json::Value {
        serde_json::from_str(said).unwrap()
    });
    let parameters = |options: &str| json(&fit(&model, options))["parameters"].clone();
    // 24 inputs, hidden layers of 8 and 12 outputs, each with biases.
    let mlp = (24 + 1) * 8 + (8 + 1) * 8 + (8 + 1) * 12;
    assert_eq!(parameters("--json --model mlp --set hidden_size=8"), mlp);
    assert_eq!(
        parameters("--json --model mlp --set num_layers=1 --set hidden_size=8"),
        mlp - (8 + 1) * 8
    );
    fit(
        &model,
        "--quiet --model nbeats --set stack_types=['trend'] --set n_blocks=[1] --set alias=line",
    );
    let table = done(&format!("predict {DATA} --load {}", model.display()));
    assert!(table.lines().next().unwrap().ends_with(" line"), "{table}");
    // A setting goes to the models that have it.
    let cv = "cv examples/air_passengers.csv --horizon 12 --max-steps 5 --json";
    let both = json(&done(&format!("{cv} --model nlinear,mlp --set hidden_size=8")));
    let plain = json(&done(&format!("{cv} --model nlinear,mlp")));
    assert_eq!(both["NLinear"]["mae"], plain["NLinear"]["mae"]);
    assert_ne!(both["MLP"]["mae"], plain["MLP"]["mae"]);

    let fails = |options: &str| refused(&format!("{cv} {options}"));
    let unknown = fails("--model nlinear,mlp --set hidden=8");
    assert!(
        unknown.contains("--set: MLP has no setting \"hidden\"; it has hidden_size"),
        "{unknown}"
    );
    let word = fails("--model mlp --set hidden_size=wide");
    assert!(word.contains("hidden_size \"wide\": invalid type: string"), "{word}");
    for (setting, option) in [
        ("max_steps=10", "max-steps"),
        ("h=3", "horizon"),
        ("random_seed=2", "seed"),
        ("futr_exog_list=['a']", "futr-exog"),
    ] {
        let own = fails(&format!("--model mlp,naive --set {setting}"));
        assert!(own.contains(&format!("has an option of its own; use --{option}\n")), "{own}");
    }
    // An option of this command alone, which is no setting.
    let windows = fails("--model mlp --set n_windows=3");
    assert!(windows.contains("MLP has no setting \"n_windows\""), "{windows}");
    let none = fails("--model theta --set hidden_size=8");
    assert!(none.contains("--set: rules have no settings"), "{none}");
    let bare = fails("--model mlp --set hidden_size");
    assert!(bare.contains("write NAME=VALUE"), "{bare}");
}

#[test]
fn neuralforecasts_own_words_for_off_are_taken() {
    let model = fresh("off", "m.safetensors");
    let off = fit(&model, "--json --early-stop-patience-steps -1 --num-lr-decays -1");
    let zero = fit(&model, "--json --num-lr-decays 0");
    let loss =
        |said: &str| serde_json::from_str::<serde_json::Value>(said).unwrap()["loss"].clone();
    assert!(loss(&off).is_number());
    assert_eq!(loss(&off), loss(&zero));
    for wrong in
        ["--early-stop-patience-steps -2", "--early-stop-patience-steps 0", "--num-lr-decays -2"]
    {
        let said = refused(&format!("fit {DATA} --horizon 12 {wrong} --save {}", model.display()));
        assert!(said.contains("must be a whole number"), "{said}");
    }
}

#[test]
fn a_season_beyond_the_look_back_is_refused_with_a_remedy() {
    let fit =
        "fit examples/air_passengers.csv --horizon 6 --loss mase --max-steps 2 --quiet --save";
    let model = fresh("mase", "m.safetensors");
    let said = refused(&format!("{fit} {}", model.display()));
    assert!(said.contains("below the 12 steps of the history"), "{said}");
    assert!(said.contains("help: --input-size") && said.contains("--set seasonality=1"), "{said}");
    for remedy in ["--input-size 13", "--season-length 11", "--set seasonality=1"] {
        done(&format!("{fit} {} --force {remedy}", model.display()));
    }
}

#[test]
fn a_window_average_has_a_window() {
    let cv =
        "forecast examples/air_passengers.csv --horizon 2 --model windowaverage --quiet --out -";
    let mean = |options: &str| done(&format!("{cv} {options}")).lines().nth(1).unwrap().to_owned();
    // The last three values are 461, 390 and 432.
    let three = mean("--set window_size=3");
    assert!(three.contains("427.6"), "{three}");
    assert_ne!(mean(""), three);
    assert_eq!(mean("--set window_size=12"), mean(""));
    let other = refused(&format!("{cv} --set hidden_size=3"));
    assert!(
        other.contains("WindowAverage has no setting \"hidden_size\"; it has window_size"),
        "{other}"
    );
}

#[test]
fn windows_count_by_a_column_that_models_do_not_look_at() {
    let data = folder("workflow_weights").join("weighted.csv");
    let weight = |t: usize| if t < 40 { 0 } else { 1 };
    let rows = |past: fn(usize) -> usize| {
        let row = |t| format!("{t},{},{}\n", if t < 40 { past(t) } else { t % 4 }, weight(t));
        format!("ds,y,trust\n{}", (0..80).map(row).collect::<String>())
    };
    let learned = |past: fn(usize) -> usize| {
        fs::write(&data, rows(past)).unwrap();
        let model = fresh("weights", "m.safetensors");
        let options = "--horizon 4 --max-steps 20 --model nlinear --sample-weight trust --quiet";
        let identity = "--local-scaler-type identity";
        done(&format!("fit {} {options} {identity} --save {}", data.display(), model.display()));
        fs::write(&data, rows(|_| 0)).unwrap();
        done(&format!("predict {} --load {} --out -", data.display(), model.display()))
    };
    // Of the past without weight nothing is learned but by windows that look back on it.
    let (one, other) = (learned(|t| if t < 28 { t } else { 0 }), learned(|_| 0));
    assert_eq!(one, other);
    let missing = refused(&format!(
        "fit {} --horizon 4 --sample-weight faith --save m.safetensors",
        data.display()
    ));
    assert!(missing.contains("faith"), "{missing}");
}

#[test]
fn learning_goes_on_from_a_saved_model() {
    let (first, second) = (fresh("warm", "m1.safetensors"), fresh("warm", "m2.safetensors"));
    let loss = |json: &str| -> f64 {
        serde_json::from_str::<serde_json::Value>(json).unwrap()["loss"].as_f64().unwrap()
    };
    let start = loss(&fit(&first, "--model nlinear --json"));
    let options = format!("--model nlinear --json --load {}", first.display());
    let further = loss(&fit(&second, &options));
    assert!(further < start, "{further} {start}");
    // A saved model may be replaced without --force.
    fit(&second, &options);
    let other = format!("fit {DATA} --horizon 6 --load {} --save x.safetensors", first.display());
    assert!(refused(&other).contains("weights of another network"));
    assert!(!root().join("x.safetensors").exists());
}

#[test]
fn cross_validation_has_intervals_of_any_loss() {
    let file = fresh("cv_level", "cv.csv");
    let options = "--horizon 12 --n-windows 2 --level 80 90 --max-steps 30";
    let told = done(&format!("cv {DATA} --model nlinear,naive {options} --out {}", file.display()));
    assert!(told.contains("coverage"), "{told}");
    let head = fs::read_to_string(&file).unwrap().lines().next().unwrap().to_owned();
    for column in ["NLinear-lo-90", "NLinear-hi-80", "Naive-lo-80", "Naive-hi-90"] {
        assert!(head.contains(column), "{head}");
    }
}

#[test]
fn cross_validation_is_kept_and_evaluated_alike() {
    let (out, scores) = (fresh("cv", "cv.csv"), fresh("cv", "scores.csv"));
    let cv = format!(
        "cv {DATA} --model nlinear,seasonalnaive,naive2 --horizon 12 --n-windows 3 --max-steps 60"
    );
    let table = done(&format!("{cv} --out {}", out.display()));
    assert!(table.starts_with("model "), "{table}");
    let csv = fs::read_to_string(&out).unwrap();
    assert!(csv.starts_with("unique_id,ds,cutoff,NLinear,SeasonalNaive,Naive2,y\n"), "{csv}");
    assert_eq!(csv.lines().count(), 1 + 3 * 12);
    let evaluate = format!("evaluate {} --train {DATA}", out.display());
    assert_eq!(done(&evaluate), table);
    done(&format!("{evaluate} --out {}", scores.display()));
    let kept = fs::read_to_string(&scores).unwrap();
    assert!(kept.starts_with("unique_id,metric,NLinear,SeasonalNaive,Naive2\n"), "{kept}");
    let json: serde_json::Value =
        serde_json::from_str(&done(&format!("{evaluate} --json"))).unwrap();
    assert_eq!(json["Naive2"]["owa"], 1.0);
    assert!(json["NLinear"]["mase"].as_f64().unwrap() > 0.0);
    let anew = done(&format!("{cv} --refit --json"));
    let anew: serde_json::Value = serde_json::from_str(&anew).unwrap();
    assert_ne!(anew["NLinear"], json["NLinear"]);
    assert_eq!(anew["SeasonalNaive"], json["SeasonalNaive"]);
    assert_ne!(done(&format!("{cv} --step-size 1")), table);
}

#[test]
fn every_command_sees_the_same_season() {
    let values = [3, 9, 1, 5];
    let rows: String = (0..40).map(|t| format!("a,{t},{}\n", values[t % 4])).collect();
    let (file, out) = (fresh("season", "steps.csv"), fresh("season", "cv.csv"));
    fs::write(&file, format!("unique_id,ds,y\n{rows}")).unwrap();
    let cv = format!("cv {} --model naive,seasonalnaive --horizon 4 --json", file.display());
    let found = done(&format!("{cv} --out {}", out.display()));
    let scores: serde_json::Value = serde_json::from_str(&found).unwrap();
    assert_eq!(scores["SeasonalNaive"]["mae"], 0.0);
    assert!(scores["Naive"]["mae"].as_f64().unwrap() > 1.0);
    assert_eq!(done(&format!("{cv} --season-length 4")), found);
    let evaluate = format!("evaluate {} --train {} --json", out.display(), file.display());
    assert_eq!(done(&evaluate), found);
}

#[test]
fn a_dash_is_standard_output() {
    let (out, model) = (fresh("dash", "cv.csv"), fresh("dash", "m.safetensors"));
    let cv = format!("cv {DATA} --model naive --horizon 12");
    done(&format!("{cv} --out {}", out.display()));
    let csv = fs::read_to_string(&out).unwrap();
    assert_eq!(done(&format!("{cv} --out -")), csv);
    assert_eq!(done(&format!("{cv} --out - --quiet")), csv);
    let rows: serde_json::Value =
        serde_json::from_str(&done(&format!("{cv} --out - --json"))).unwrap();
    assert_eq!(rows.as_array().map(Vec::len), Some(12));
    assert_eq!((&rows[0]["cutoff"], &rows[0]["y"]), (&"1959-12-31".into(), &417.0.into()));
    let scores = done(&format!("evaluate {} --out -", out.display()));
    assert!(scores.starts_with("unique_id,metric,Naive\n"), "{scores}");
    let evaluate = format!("evaluate {} --out - --json", out.display());
    let rows: serde_json::Value = serde_json::from_str(&done(&evaluate)).unwrap();
    assert_eq!(rows.as_array().map(Vec::len), Some(scores.lines().count() - 1));
    assert_eq!(rows[0]["metric"], "mae");
    assert_eq!(rows[0]["Naive"].as_f64().map(|x| x as f32), Some(column(&scores, "Naive")[0]));
    fit(&model, "--model nlinear");
    let forecast = done(&format!("predict {DATA} --load {} --out -", model.display()));
    assert!(forecast.starts_with("unique_id,ds,NLinear\n"), "{forecast}");
    assert!(!root().join("-").exists());
}

#[test]
fn series_without_errors_have_no_intervals_and_that_is_said() {
    let (model, other) = (fresh("unknown", "m.safetensors"), fresh("unknown", "other.csv"));
    fit(&model, "--model nlinear --level 90");
    let known = fs::read_to_string(root().join(DATA)).unwrap();
    fs::write(&other, known.replace("AirPassengers,", "Ships,")).unwrap();
    let predict = format!("predict {} --load {} --level 90", other.display(), model.display());
    let message = text(&run(&predict).stderr);
    assert!(message.starts_with("warning: 1 of 1 series have no intervals"), "{message}");
    done(&format!("{predict} --quiet"));
    done(&format!("predict {DATA} --load {} --level 90", model.display()));
}

#[test]
fn names_of_columns_are_those_of_the_data() {
    let (data, cv) = (fresh("renamed", "data.csv"), fresh("renamed", "cv.csv"));
    let picture = fresh("renamed", "cv.svg");
    let rows: String = (1..=30).map(|t| format!("a,{t},{}\n", t * t % 7)).collect();
    fs::write(&data, format!("store,day,sold\n{rows}")).unwrap();
    let names = "--id-col store --time-col day --target-col sold";
    let (data, out) = (data.display(), cv.display());
    let table = done(&format!("cv {data} {names} --model naive --horizon 3 --out {out}"));
    assert_eq!(done(&format!("evaluate {out} --train {data} {names}")), table);
    assert!(done(&format!("evaluate {out} --actual {data} {names}")).starts_with("model"));
    let svg = picture.display();
    done(&format!("plot {out} --past {data} {names} --out {svg}"));
    assert!(fs::read_to_string(&picture).unwrap().contains(">y<"));
    let renamed = fs::read_to_string(&cv).unwrap().replace("unique_id,ds", "store,day");
    fs::write(&cv, renamed.replace(",y\n", ",sold\n")).unwrap();
    assert_eq!(done(&format!("evaluate {out} --train {data} {names}")), table);
}

#[test]
fn forecasts_and_right_values_may_be_in_two_files() {
    let folder = folder("workflow_two");
    let (forecast, actual) = (folder.join("forecast.csv"), folder.join("test.csv"));
    fs::write(&forecast, "unique_id,ds,M,M-lo-90,M-hi-90\na,3,2,1,3\na,4,2,1,3\n").unwrap();
    fs::write(&actual, "unique_id,ds,y\na,3,2\na,4,4\n").unwrap();
    let evaluate = format!("evaluate {} --json", forecast.display());
    let json = done(&format!("{evaluate} --actual {}", actual.display()));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["M"]["mae"], &json["M"]["coverage_level90"]), (&1.0.into(), &0.5.into()));
    let message = refused(&evaluate);
    assert!(message.contains("no column y") && message.contains("help: --actual"), "{message}");
    fs::write(&actual, "unique_id,ds,y\na,3,2\na,5,4\na,7,1\n").unwrap();
    let message = refused(&format!("{evaluate} --actual {}", actual.display()));
    assert!(message.contains("no value of series \"a\" at 4"), "{message}");
}

#[test]
fn nothing_is_overwritten_unasked() {
    let (file, model) = (fresh("force", "precious.csv"), fresh("force", "m.safetensors"));
    fs::write(&file, "precious").unwrap();
    fit(&model, "--model nlinear");
    let file_name = file.display();
    for arguments in [
        format!("fit {DATA} --horizon 12 --save {file_name}"),
        format!("predict {DATA} --load {} --out {file_name}", model.display()),
        format!("cv {DATA} --horizon 12 --model naive --out {file_name}"),
    ] {
        assert!(refused(&arguments).contains("is there already"), "{arguments}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    }
    done(&format!("cv {DATA} --horizon 12 --model naive --out {file_name} --force"));
    assert!(fs::read_to_string(&file).unwrap().starts_with("unique_id,ds,cutoff,Naive,y"));
    let own = format!("cv {DATA} --horizon 12 --model naive --out {DATA} --force");
    assert!(refused(&own).contains("is an input file"));
    assert!(refused(&format!("cv {DATA} --horizon 12 --out .")).contains("is a folder"));
    assert!(refused(&format!("cv {DATA} --horizon 12 --out no/x.csv")).contains("does not exist"));
}

#[test]
fn mistakes_are_named_with_what_helps() {
    let missing = refused(&format!("predict {DATA} --load nowhere.safetensors"));
    assert!(missing.contains("nowhere.safetensors: No such file"), "{missing}");
    let wrong = refused(&format!("predict {DATA} --load {DATA}"));
    assert!(wrong.contains("not a usable safetensors file"), "{wrong}");
    let long = refused(&format!("cv {DATA} --horizon 100 --n-windows 2"));
    assert!(long.contains("201 rows are needed") && long.contains("help: --n-windows"), "{long}");
    let rule = refused(&format!("fit {DATA} --horizon 12 --model theta --save m.safetensors"));
    assert!(rule.contains("fit learns and saves one model"), "{rule}");
    let name = refused(&format!("cv {DATA} --horizon 12 --model oracle"));
    assert!(name.contains("the models are mlp") && name.contains("theta"), "{name}");
    let empty = refused(&format!("evaluate {DATA}"));
    assert!(empty.contains("no forecasts"), "{empty}");
    let level = refused(&format!("fit {DATA} --horizon 3 --level 0 --loss normal --save m.st"));
    assert!(level.contains("level 0: must be above 0"), "{level}");
    let level = refused(&format!("cv {DATA} --horizon 3 --level 100"));
    assert!(level.contains("level 100: must be above 0"), "{level}");
    let many = refused(&format!("cv {DATA} --horizon 3 --loss quantile --quantiles 0.1 0.9"));
    assert!(many.contains("one quantile; use mqloss"), "{many}");
    let daily = folder("workflow_daily").join("daily.csv");
    fs::write(&daily, "unique_id,ds,y\na,2024-01-01,1\na,2024-01-02,2\n").unwrap();
    let model = fresh("daily", "m.safetensors");
    fit(&model, "--model nlinear");
    let other = refused(&format!("predict {} --load {}", daily.display(), model.display()));
    assert!(other.contains("for series at frequency ME; these are at D"), "{other}");
}

#[test]
fn every_command_has_help_with_examples() {
    for command in ["fit", "predict", "cv", "evaluate"] {
        let help = done(&format!("{command} --help"));
        for part in ["Examples:", &format!("whimbrel {command} "), "Exit code:", "--json"] {
            assert!(help.contains(part), "{command}: {help}");
        }
    }
}
