//! What a chart looks like, as far as a program can tell.

use tiny_skia::Pixmap;
use whimbrel_chart::{Chart, Line};

fn losses() -> Chart {
    let training = (1..=40).map(|i| (f64::from(i), 2.0 / f64::from(i) + 0.3));
    let validation = (1..=40).map(|i| (f64::from(i), 2.0 / f64::from(i) + 0.004 * f64::from(i)));
    Chart::new("Loss by epoch")
        .axes("epoch", "loss")
        .line(Line::new("training", training))
        .line(Line::new("validation", validation).best("best: epoch 22", (22.0, 0.179)))
}

fn pixels(chart: &Chart, scale: f32) -> Pixmap {
    Pixmap::decode_png(&chart.png(scale).unwrap()).unwrap()
}

/// Whether a colour is somewhere in a rectangle: left, top, right, bottom.
fn has(picture: &Pixmap, [left, top, right, bottom]: [u32; 4], rgb: [u8; 3]) -> bool {
    let same = |x, y| {
        let pixel = picture.pixel(x, y).map(|p| [p.red(), p.green(), p.blue()]);
        pixel.is_some_and(|pixel| pixel.iter().zip(rgb).all(|(a, b)| a.abs_diff(b) < 12))
    };
    (top..bottom).any(|y| (left..right).any(|x| same(x, y)))
}

const BLUE: [u8; 3] = [0x2b, 0x6c, 0xb0];
const ORANGE: [u8; 3] = [0xdd, 0x6b, 0x20];
const INK: [u8; 3] = [0x1a, 0x20, 0x2c];

#[test]
fn a_png_has_its_size_its_words_and_its_lines() {
    let picture = pixels(&losses(), 2.0);
    assert_eq!((picture.width(), picture.height()), (1600, 1000));
    assert!(has(&picture, [40, 40, 300, 90], INK), "the title");
    assert!(has(&picture, [700, 940, 900, 999], INK), "the name of the x axis");
    assert!(has(&picture, [20, 400, 80, 600], INK), "the name of the y axis");
    assert!(has(&picture, [1200, 180, 1500, 900], BLUE), "the first line");
    assert!(has(&picture, [1200, 180, 1500, 900], ORANGE), "the second line");
    assert!(!has(&picture, [1200, 180, 1500, 400], BLUE), "nothing where no line is");
}

#[test]
fn an_svg_has_all_names_and_nothing_that_xml_would_misread() {
    let name = "a < b & \"c\" > d\u{1}";
    let chart = losses().line(Line::new(name, [(1.0, 1.0), (40.0, 2.0)]));
    let svg = chart.svg();
    for words in [
        "Loss by epoch",
        "epoch",
        "training",
        "best: epoch 22",
        "a &lt; b &amp; &quot;c&quot; &gt; d ",
    ] {
        assert!(svg.contains(&format!(">{words}</text>")), "{words}");
    }
    assert_eq!(svg.matches('<').count(), svg.matches('>').count());
    assert!(svg.chars().all(|c| c == '\n' || !c.is_control()));
}

#[test]
fn the_same_chart_is_the_same_file() {
    assert_eq!(losses().svg(), losses().svg());
    assert_eq!(losses().png(1.0).unwrap(), losses().png(1.0).unwrap());
}

#[test]
fn odd_data_make_a_chart_too() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let odd: [Vec<(f64, f64)>; 7] = [
        vec![],
        vec![(1.0, 0.5)],
        vec![(nan, 1.0), (1.0, inf), (2.0, -inf)],
        vec![(1.0, 1.0), (2.0, nan), (3.0, 1.0)],
        vec![(1.0, 1e300), (2.0, -1e300)],
        vec![(1.0, 0.0), (2.0, 4.9e-324)],
        vec![(5.0, 1.0), (1.0, 2.0), (1e18, 3.0)],
    ];
    for points in odd {
        let best = points.first().copied().unwrap_or((nan, nan));
        let chart = Chart::new("").line(Line::new("", points.clone()).best("", best));
        let svg = chart.svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{points:?}: {svg}");
        assert_eq!(pixels(&chart, 1.0).width(), 800);
    }
    assert!(has(
        &pixels(&Chart::new("").line(Line::new("", [(1.0, 0.5)])), 1.0),
        [300, 100, 600, 430],
        BLUE
    ));
}

#[test]
fn many_points_make_no_larger_file() {
    let wave = (0..1_000_000).map(|i| (f64::from(i), f64::from(i).sin() + 2.0));
    let svg = Chart::new("wave").line(Line::new("sine", wave)).svg();
    assert!(svg.len() < 100_000, "{} bytes", svg.len());
}

#[test]
fn a_picture_without_pixels_or_with_too_many_is_refused() {
    for scale in [0.0, -1.0, f32::NAN, 1e9, 100.0] {
        assert!(
            losses().png(scale).unwrap_err().to_string().contains("cannot be painted"),
            "{scale}"
        );
    }
}

/// A line over three years with bands around its second half.
fn forecast() -> Chart {
    let month = 2_629_746.0;
    let at = |t: i32| f64::from(t) * month;
    let band = |room: f64| (18..36).map(move |t| (at(t), 10.0 - room, 10.0 + room));
    Chart::new("Forecast").dates().line(Line::new("y", (0..18).map(|t| (at(t), 12.0)))).line(
        Line::new("model", (18..36).map(|t| (at(t), 10.0)))
            .band("90 %", band(4.0))
            .band("80 %", band(2.0)),
    )
}

#[test]
fn bands_are_shaded_where_they_are_and_darker_where_they_overlap() {
    let chart = forecast();
    let picture = pixels(&chart, 1.0);
    let shade = |opacity: f64| ORANGE.map(|c| (255.0 - opacity * f64::from(255 - c)) as u8);
    let (light, dark) = (shade(0.18), shade(1.0 - 0.82 * 0.82));
    assert!(has(&picture, [600, 95, 700, 430], light), "the wide band");
    assert!(has(&picture, [600, 95, 700, 430], dark), "the narrow band");
    assert!(!has(&picture, [100, 95, 380, 430], light), "no band before the forecast");
    let svg = chart.svg();
    assert_eq!(svg.matches("Z\" fill=\"#dd6b20\" fill-opacity=\"0.18\"").count(), 3);
    for words in ["90 %", "80 %"] {
        assert!(svg.contains(&format!(">{words}</text>")), "{words}");
    }
}

#[test]
fn an_axis_of_seconds_can_show_dates() {
    let svg = forecast().svg();
    for words in ["Jul 1970", "Jan 1972"] {
        assert!(svg.contains(&format!(">{words}</text>")), "{words}: {svg}");
    }
}

#[test]
fn bands_are_interrupted_where_an_edge_is_missing() {
    let edges = [
        (1.0, 0.0, 1.0),
        (2.0, 0.0, 1.0),
        (3.0, f64::NAN, 1.0),
        (4.0, 0.0, 1.0),
        (5.0, 0.0, 2.0),
        (6.0, 0.0, f64::INFINITY),
        (7.0, 0.0, 1.0),
    ];
    let svg = Chart::new("").line(Line::new("", []).band("", edges)).svg();
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    // Two parts, and the sample of the legend; one step alone has no width.
    assert_eq!(svg.matches("fill-opacity").count(), 3, "{svg}");
}

#[test]
fn marks_of_several_lines_have_no_halo() {
    let line = |name: &str| Line::new(name, (0..12).map(|i| (f64::from(i), f64::from(i % 5))));
    let halos = |chart: Chart| chart.svg().matches("stroke=\"#ffffff\"").count();
    assert_eq!(halos(Chart::new("").line(line("a"))), 12);
    assert_eq!(halos(Chart::new("").line(line("a")).line(line("b"))), 0);
}

#[test]
fn letters_that_the_font_lacks_leave_a_trace() {
    let title = |text: &str| has(&pixels(&Chart::new(text), 2.0), [40, 40, 300, 90], INK);
    assert!(title("東京") && title("№") && !title("  "));
}
