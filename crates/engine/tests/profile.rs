//! Profiles name every instruction and account for every piece.

mod agreement;

use whimbrel_engine::cpu::Cpu;
use whimbrel_engine::{Class, Limits, Options, Session};
use whimbrel_graph::ops::Adam;
use whimbrel_graph::{Builder, Graph, Init};

#[test]
fn a_profile_has_every_piece_of_every_run() {
    let g = Builder::new();
    let x = g.batch("x", [40, 64]).unwrap();
    let w = g.parameter("w", [30, 40], Init::Zeros).unwrap();
    g.output("y", w.dot(x).unwrap().tanh().unwrap());
    let graph = g.finish().unwrap();
    let options = Options { threads: 2, lanes: Some(16), ..Options::default() };
    let mut session = agreement::session(&graph, &options);
    let profile = session.profile(0, 3).unwrap();
    let pieces: usize = profile.report.lines.iter().map(|line| line.pieces).sum();
    assert_eq!(profile.events.len(), 3 * pieces);
    assert_eq!(profile.report.blocks, 4);
    let table = profile.table(Some(Limits { flops: 1e11, bytes: 1e10 }));
    assert!(table.contains("dense[in0; Tanh 0]"), "{table}");
    let trace = profile.trace();
    assert_eq!(trace.matches("\"ph\":\"X\"").count(), profile.events.len());
    assert!(trace.starts_with("{\"traceEvents\":[") && trace.ends_with("]}\n"));
}

/// A function of so few values would not be worth a meeting.
#[test]
fn what_follows_a_product_goes_on_with_its_pieces() {
    let g = Builder::new();
    let x = g.batch("x", [512, 32]).unwrap();
    let w = g.parameter("w", [512, 512], Init::Zeros).unwrap();
    let product = w.dot(x).unwrap();
    g.output("product", product);
    g.output("y", product.tanh().unwrap());
    let options = Options { threads: 2, ..Options::default() };
    let session = agreement::session(&g.finish().unwrap(), &options);
    let report = session.report(0);
    let pieces: Vec<usize> = report.lines.iter().map(|line| line.pieces).collect();
    assert_eq!((pieces, report.stages), (vec![2, 2], 1), "{report}");
}

#[test]
fn a_report_shows_bytes_by_class() {
    let g = Builder::new();
    let x = g.batch("x", [40, 64]).unwrap();
    let w = g.parameter("w", [32, 40], Init::Zeros).unwrap();
    g.output("y", w.dot(x).unwrap());
    let session = agreement::session(&g.finish().unwrap(), &Options::default());
    let report = session.report(0);
    assert_eq!(report.usage.bytes(Class::Parameters), 4 * 32 * 40);
    assert_eq!(report.usage.bytes(Class::Interface), 4 * (40 * 64 + 32 * 64));
    assert!(report.to_string().contains("parameters         5120 bytes"), "{report}");
}

#[test]
fn a_report_of_three_layers_is_what_one_computes_by_hand() {
    let g = Builder::new();
    let mut value = g.batch("x", [8, 16]).unwrap();
    for (name, shape) in [("w1", [32, 8]), ("w2", [4, 32]), ("w3", [2, 4])] {
        value = g.parameter(name, shape, Init::Zeros).unwrap().dot(value).unwrap();
    }
    g.output("y", value);
    let session = agreement::session(&g.finish().unwrap(), &Options::default());
    let report = session.report(0);
    // The most is alive in the second layer: what goes in, and what the first two make. An input
    // stays for the next run.
    let most = 4 * 16 * (8 + 32 + 4);
    assert_eq!((report.usage.lower_bound, report.usage.working), (most, most));
    assert_eq!(report.cost.flops, f64::from(2 * 16 * (32 * 8 + 4 * 32 + 2 * 4)));
    // Each layer reads its weight and what goes in, and writes what comes out.
    let moved = [32 * 8 + 16 * (8 + 32), 4 * 32 + 16 * (32 + 4), 2 * 4 + 16 * (4 + 2)];
    let moved = moved.map(|words| f64::from(4 * words));
    assert_eq!(report.cost.bytes, moved.iter().sum::<f64>());
    let lines: Vec<f64> = report.lines.iter().map(|line| line.cost.bytes).collect();
    assert_eq!(lines, moved);
    let text = report.to_string();
    for line in [
        "  working region         2816 bytes, 1.000 of its lower bound\n",
        "     lower bound         2816 bytes, the most alive at once\n",
        "3 instructions in 1 stages, 1 blocks of the batch; 0.013 MFLOP, 0.007 MB moved\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

/// A dense layer, a function, a dense layer; with the way back if it learns.
fn two_layers(learns: bool) -> Graph {
    let g = Builder::new();
    let (x, y) = (g.batch("x", [40, 64]).unwrap(), g.batch("y", [1, 64]).unwrap());
    let w1 = g.parameter("w1", [32, 40], Init::Zeros).unwrap();
    let w2 = g.parameter("w2", [1, 32], Init::Zeros).unwrap();
    let hidden = w1.dot(x).unwrap().tanh().unwrap();
    let loss = w2.dot(hidden).unwrap().sub(y).unwrap().square().unwrap().mean().unwrap();
    if learns {
        let gradients = g.gradients(loss, &[w1, w2]).unwrap();
        let [lr, step] = ["lr", "step"].map(|name| g.input(name, []).unwrap());
        g.adam(Adam::default(), &[w1, w2], &gradients, lr, step).unwrap();
    }
    g.output("loss", loss);
    g.finish().unwrap()
}

#[test]
fn a_plan_tells_what_a_session_occupies_and_what_no_machine_has() {
    let (graphs, options) = ([two_layers(true), two_layers(false)], Options::default());
    let planned = Session::plan(&Cpu::new(&options), &graphs).unwrap();
    let session = Session::with_options(&graphs, &options).unwrap();
    assert_eq!(planned.arena_bytes, session.arena_bytes());
    for (graph, report) in planned.reports.iter().enumerate() {
        assert_eq!(report.to_string(), session.report(graph).to_string());
    }
    let g = Builder::new();
    let x = g.batch("x", [1 << 20, 1]).unwrap();
    let w = g.parameter("w", [1 << 30, 1 << 20], Init::Zeros).unwrap();
    g.output("y", w.dot(x).unwrap());
    let graphs = [g.finish().unwrap()];
    let planned = Session::plan(&Cpu::new(&options), &graphs).unwrap();
    assert!(planned.arena_bytes > 4 << 50, "{}", planned.arena_bytes);
    let refused = Session::with_options(&graphs, &options).map(|_| ()).unwrap_err();
    assert!(refused.to_string().starts_with("out of memory"), "{refused}");
}

#[test]
fn activations_are_what_the_way_back_reads() {
    let kept = |learns: bool| {
        let session = agreement::session(&two_layers(learns), &Options::default());
        let report = session.report(0);
        let named = report.buffers.iter().filter(|buffer| buffer.class == Class::Activations);
        let summed: usize = named.map(|buffer| buffer.bytes).sum();
        assert_eq!(summed, report.usage.bytes(Class::Activations));
        (summed, report.usage.bytes(Class::Gradients))
    };
    let hidden = 4 * 32 * 64;
    let (activations, gradients) = kept(true);
    // The error may be kept too, one number for each item.
    assert!((hidden..=hidden + 4 * 64).contains(&activations), "{activations}");
    assert!(gradients > 0);
    let session = agreement::session(&two_layers(true), &Options::default());
    let inputs = session.report(0).usage.kept - activations;
    assert!([4 * 40 * 64, 4 * 41 * 64].contains(&inputs), "x, perhaps y: {inputs}");
    assert_eq!(kept(false), (0, 0));
}

#[test]
fn buffers_alive_at_once_do_not_overlap_and_lie_in_the_arena() {
    let session = agreement::session(&two_layers(true), &Options::default());
    let report = session.report(0);
    for (i, a) in report.buffers.iter().enumerate() {
        assert!(a.offset + a.bytes <= session.arena_bytes(), "{a:?}");
        assert!(a.first <= a.last && a.last < report.instructions, "{a:?}");
        for b in &report.buffers[i + 1..] {
            // Where one ends and the other begins, a result may take over the place of an operand.
            let together = a.first < b.last && b.first < a.last;
            let apart = a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
            assert!(!together || apart, "{a:?} {b:?}");
        }
    }
}
