//! Where the time of one model's training step goes.
//!
//!     cargo run --release -p whimbrel-bench --example profile -- nbeats 32 [threads] [trace.json]

use whimbrel_bench::models::{MODELS, Model};
use whimbrel_bench::suites::steps::training;
use whimbrel_engine::{Options, Session};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let name = args.first().map_or("mlp-1m", String::as_str);
    let batch = args.get(1).map_or(Ok(32), |text| text.parse())?;
    let threads = args.get(2).map_or(Ok(1), |text| text.parse())?;
    let Some(model) = Model::named(name) else {
        let names: Vec<_> = MODELS.iter().map(|model| model.name).collect();
        return Err(
            format!("no model is called \"{name}\"; there are: {}", names.join(", ")).into()
        );
    };
    let graph = training::graph(model, batch, false)?;
    let options = Options { threads, ..Options::default() };
    let mut session = Session::with_options(&[graph], &options)?;
    session.write("lr", &[1e-3])?;
    session.write("step", &[1.0])?;
    session.profile(0, 20)?;
    let profile = session.profile(0, 200)?;
    println!("{}\n{}", profile.report, profile.table(None));
    if let Some(path) = args.get(3) {
        std::fs::write(path, profile.trace())?;
    }
    Ok(())
}
