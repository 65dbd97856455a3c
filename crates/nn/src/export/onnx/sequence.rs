//! Layers over time as nodes of ONNX: convolution, pooling, recurrent cells.
//!
//! ONNX convolves and pools `[batch, channel, time]` and runs cells over `[time, batch, channel]`; values
//! are turned before and back after. Engines cancel turns that meet.

use super::shapes::{reshape, transpose};
use super::writer::{Attribute, Item, Writer};
use crate::layers::{AvgPool1d, Conv1d, Layer, MaxPool1d, Nonlinearity};
use Attribute::{Int, Ints, Text, Texts};

pub fn convolution(conv: &Conv1d, x: &Item, place: &str, w: &mut Writer) -> Item {
    let pads = conv.padding_steps();
    let weight = w.plain_weight(&format!("{place}.weight")).unwrap_or_default();
    let bias = w.plain_weight(&format!("{place}.bias"));
    let turned = transpose(&x.name, &[0, 2, 1], w);
    let inputs = [Some(turned.as_str()), Some(&weight), bias.as_deref()];
    let inputs: Vec<&str> = inputs.into_iter().flatten().collect();
    let y = w.node(
        "Conv",
        &inputs,
        &[
            ("kernel_shape", Ints(vec![conv.kernel_size as i64])),
            ("strides", Ints(vec![conv.stride as i64])),
            ("dilations", Ints(vec![conv.dilation as i64])),
            ("group", Int(conv.groups as i64)),
            ("pads", Ints(pads.map(|steps| steps as i64).to_vec())),
        ],
    );
    let span = conv.dilation * (conv.kernel_size - 1) + 1;
    let steps = (x.shape[0] + pads[0] + pads[1] - span) / conv.stride + 1;
    Item { name: transpose(&y, &[0, 2, 1], w), shape: vec![steps, conv.out_channels] }
}

/// The largest of windows.
pub fn max_pool(max: &MaxPool1d, x: &Item, w: &mut Writer) -> Item {
    let (kernel, stride) = (max.kernel_size, max.stride.unwrap_or(max.kernel_size));
    let dilations = ("dilations", Ints(vec![max.dilation as i64]));
    let span = max.dilation * (kernel - 1) + 1;
    pool("MaxPool", x, [kernel, stride, max.padding, span], dilations, w)
}

/// The mean of windows, the padding counted in.
pub fn avg_pool(mean: &AvgPool1d, x: &Item, w: &mut Writer) -> Item {
    let (kernel, stride) = (mean.kernel_size, mean.stride.unwrap_or(mean.kernel_size));
    let counted = ("count_include_pad", Int(1));
    pool("AveragePool", x, [kernel, stride, mean.padding, kernel], counted, w)
}

/// Windows of `kernel` elements that span `span` steps.
fn pool(
    op: &str,
    x: &Item,
    [kernel, stride, padding, span]: [usize; 4],
    special: (&str, Attribute),
    w: &mut Writer,
) -> Item {
    let turned = transpose(&x.name, &[0, 2, 1], w);
    let y = w.node(
        op,
        &[&turned],
        &[
            ("kernel_shape", Ints(vec![kernel as i64])),
            ("strides", Ints(vec![stride as i64])),
            ("pads", Ints(vec![padding as i64; 2])),
            special,
        ],
    );
    let steps = (x.shape[0] + 2 * padding - span) / stride + 1;
    Item { name: transpose(&y, &[0, 2, 1], w), shape: vec![steps, x.channels()] }
}

/// A given number of windows, each reduced to a step; they are those of the layer.
pub fn adaptive_pool(op: &str, x: &Item, count: usize, w: &mut Writer) -> Item {
    let (time, axis) = (x.shape[0], w.sizes(&[1]));
    let mut steps = Vec::new();
    for i in 0..count {
        let start = w.sizes(&[(i * time / count) as i64]);
        let end = w.sizes(&[((i + 1) * time).div_ceil(count) as i64]);
        let window = w.node("Slice", &[&x.name, &start, &end, &axis], &[]);
        steps.push(w.node(op, &[&window, &axis], &[("keepdims", Int(1))]));
    }
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let name = w.node("Concat", &steps, &[("axis", Int(1))]);
    Item { name, shape: vec![count, x.channels()] }
}

/// What tells one kind of cells from another.
struct Cells {
    op: &'static str,
    hidden: usize,
    layers: usize,
    bidirectional: bool,
    /// Where each gate of ONNX stands in PyTorch's order.
    gates: &'static [usize],
    /// The function of plain cells.
    function: Option<&'static str>,
}

impl Cells {
    /// ONNX has the gates of an LSTM as input, output, forget, cell, PyTorch as input, forget, cell,
    /// output; those of a GRU as update, reset, new, PyTorch as reset, update, new.
    fn of(layer: &Layer) -> Option<Cells> {
        Some(match layer {
            Layer::Lstm(lstm) => Cells {
                op: "LSTM",
                hidden: lstm.hidden_size,
                layers: lstm.num_layers,
                bidirectional: lstm.bidirectional,
                gates: &[0, 3, 1, 2],
                function: None,
            },
            Layer::Gru(gru) => Cells {
                op: "GRU",
                hidden: gru.hidden_size,
                layers: gru.num_layers,
                bidirectional: gru.bidirectional,
                gates: &[1, 0, 2],
                function: None,
            },
            Layer::Rnn(rnn) => Cells {
                op: "RNN",
                hidden: rnn.hidden_size,
                layers: rnn.num_layers,
                bidirectional: rnn.bidirectional,
                gates: &[0],
                function: Some(match rnn.nonlinearity {
                    Nonlinearity::Tanh => "Tanh",
                    Nonlinearity::Relu => "Relu",
                }),
            },
            _ => return None,
        })
    }

    fn directions(&self) -> &'static [&'static str] {
        if self.bidirectional { &["", "_reverse"] } else { &[""] }
    }

    /// The weights of a kind of one layer, of all directions one after another, gates in ONNX's order.
    /// Missing ones, which biases can be, are zeros.
    fn gather(
        &self,
        place: &str,
        what: &str,
        layer: usize,
        columns: usize,
        w: &Writer,
    ) -> Vec<f32> {
        let mut all = Vec::new();
        for direction in self.directions() {
            let weight = w.weight(&format!("{place}.{what}_l{layer}{direction}"));
            let len = self.hidden * columns;
            for &gate in self.gates {
                let rows = weight.and_then(|weight| weight.data.get(gate * len..(gate + 1) * len));
                all.extend(rows.unwrap_or(&vec![0.0; len]));
            }
        }
        all
    }

    /// Weights of the input, weights of the states, biases: the tensors of one layer.
    fn tensors(&self, place: &str, layer: usize, inputs: usize, w: &mut Writer) -> [String; 3] {
        let (directions, rows) = (self.directions().len(), self.gates.len() * self.hidden);
        let input = self.gather(place, "weight_ih", layer, inputs, w);
        let state = self.gather(place, "weight_hh", layer, self.hidden, w);
        let [b_ih, b_hh] = ["bias_ih", "bias_hh"].map(|b| self.gather(place, b, layer, 1, w));
        let both = b_ih.chunks(rows).zip(b_hh.chunks(rows));
        let bias: Vec<f32> = both.flat_map(|(b_ih, b_hh)| [b_ih, b_hh].concat()).collect();
        let name = |part: &str| format!("{place}.{part}_l{layer}");
        [
            w.tensor(&name("W"), &[directions, rows, inputs], &input),
            w.tensor(&name("R"), &[directions, rows, self.hidden], &state),
            w.tensor(&name("B"), &[directions, 2 * rows], &bias),
        ]
    }
}

/// Recurrent layers, one node each.
pub fn recurrent(layer: &Layer, x: &Item, place: &str, w: &mut Writer) -> Item {
    let Some(cells) = Cells::of(layer) else { return x.clone() };
    let directions = cells.directions().len();
    let (steps, width) = (x.shape[0], directions * cells.hidden);
    let mut x = x.clone();
    for number in 0..cells.layers {
        let [input, state, bias] = cells.tensors(place, number, x.channels(), w);
        let direction = if cells.bidirectional { "bidirectional" } else { "forward" };
        let mut settings =
            vec![("hidden_size", Int(cells.hidden as i64)), ("direction", Text(direction))];
        settings.extend(cells.function.map(|f| ("activations", Texts(vec![f; directions]))));
        // The new gate of PyTorch's GRU is reset after its product.
        settings.extend((cells.op == "GRU").then_some(("linear_before_reset", Int(1))));
        let turned = transpose(&x.name, &[1, 0, 2], w);
        let y = w.node(cells.op, &[&turned, &input, &state, &bias], &settings);
        // From [time, direction, batch, state] to [batch, time, direction and state].
        let turned = transpose(&y, &[2, 0, 1, 3], w);
        let name = reshape(&turned, &[steps as i64, width as i64], w);
        x = Item { name, shape: vec![steps, width] };
    }
    x
}
