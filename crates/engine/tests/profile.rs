//! Profiles name every instruction and account for every piece.

mod agreement;

use whimbrel_engine::{Limits, Options};
use whimbrel_graph::{Builder, Init};

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
    assert!(table.contains("dot") && table.contains("fused[in0; Tanh 0]"), "{table}");
    let trace = profile.trace();
    assert_eq!(trace.matches("\"ph\":\"X\"").count(), profile.events.len());
    assert!(trace.starts_with("{\"traceEvents\":[") && trace.ends_with("]}\n"));
}

#[test]
fn a_report_shows_bytes_by_class() {
    let g = Builder::new();
    let x = g.batch("x", [40, 64]).unwrap();
    let w = g.parameter("w", [32, 40], Init::Zeros).unwrap();
    g.output("y", w.dot(x).unwrap());
    let session = agreement::session(&g.finish().unwrap(), &Options::default());
    let report = session.report(0);
    assert_eq!(report.usage.parameters, 4 * 32 * 40);
    assert_eq!(report.usage.interface, 4 * (40 * 64 + 32 * 64));
    assert!(report.to_string().contains("parameters         5120 bytes"), "{report}");
}
