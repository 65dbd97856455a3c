//! A graph of ONNX under construction: nodes, and tensors they read.
//!
//! The numbers of fields and types are those of `onnx.proto`.

use super::proto::Message;
use crate::export::Weight;
use std::collections::HashMap;

/// The types of elements.
pub const FLOAT: i64 = 1;
pub const INT64: i64 = 7;

/// A setting of a node.
pub enum Attribute<'a> {
    Float(f32),
    Int(i64),
    Text(&'a str),
    Ints(Vec<i64>),
    Texts(Vec<&'a str>),
}

/// A value of the graph: `[batch, ..]`.
#[derive(Clone, Debug)]
pub struct Item {
    pub name: String,
    /// Its sizes without the batch.
    pub shape: Vec<usize>,
}

impl Item {
    /// The size of the last axis.
    pub fn channels(&self) -> usize {
        self.shape.last().copied().unwrap_or(1)
    }

    /// The same shape with other channels, under another name.
    pub fn with_channels(&self, name: String, channels: usize) -> Item {
        let mut shape = self.shape.clone();
        if let Some(last) = shape.last_mut() {
            *last = channels;
        }
        Item { name, shape }
    }
}

/// The graph.
#[derive(Default)]
pub struct Writer {
    weights: HashMap<String, Weight>,
    nodes: Vec<Message>,
    tensors: Vec<Message>,
    /// Tensors that are there, by name.
    written: Vec<String>,
    /// Values made so far.
    count: usize,
}

impl Writer {
    pub fn new(weights: Vec<Weight>) -> Writer {
        let weights = weights.into_iter().map(|weight| (weight.name.clone(), weight));
        Writer { weights: weights.collect(), ..Writer::default() }
    }

    /// A weight of the network; none where the layer has none.
    pub fn weight(&self, name: &str) -> Option<&Weight> {
        self.weights.get(name)
    }

    /// The name of a weight of the network, which the graph then has; none where the layer has none.
    pub fn plain_weight(&mut self, name: &str) -> Option<String> {
        let weight = self.weights.get(name)?.clone();
        Some(self.tensor(name, &weight.shape, &weight.data))
    }

    /// Numbers the graph has under a name.
    pub fn tensor(&mut self, name: &str, shape: &[usize], data: &[f32]) -> String {
        let bytes: Vec<u8> = data.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.store(name, shape, FLOAT, &bytes)
    }

    /// A single number.
    pub fn scalar(&mut self, number: f32) -> String {
        self.tensor(&format!("number {number}"), &[], &[number])
    }

    /// Whole numbers such as sizes, which some nodes read.
    pub fn sizes(&mut self, sizes: &[i64]) -> String {
        let bytes: Vec<u8> = sizes.iter().flat_map(|size| size.to_le_bytes()).collect();
        self.store(&format!("sizes {sizes:?}"), &[sizes.len()], INT64, &bytes)
    }

    /// A node with one result; gives its name.
    pub fn node(&mut self, op: &str, inputs: &[&str], settings: &[(&str, Attribute)]) -> String {
        self.nodes(op, inputs, settings, 1).remove(0)
    }

    /// A node with several results.
    pub fn nodes(
        &mut self,
        op: &str,
        inputs: &[&str],
        settings: &[(&str, Attribute)],
        results: usize,
    ) -> Vec<String> {
        let names: Vec<String> = (0..results).map(|i| format!("{op}_{}", self.count + i)).collect();
        self.count += results;
        let node = Message::default()
            .each(inputs, |node, input| node.text(1, input))
            .each(&names, |node, name| node.text(2, name))
            .text(3, &format!("node {}", names[0]))
            .text(4, op)
            .each(settings, |node, (name, value)| node.message(5, attribute(name, value)));
        self.nodes.push(node);
        names
    }

    /// The graph from its input, with the type of its elements, to its output, whose name becomes `result`.
    pub fn finish(
        mut self,
        name: &str,
        (input, data_type): (&Item, i64),
        output: &Item,
        result: &str,
    ) -> Message {
        let last = Message::default().text(1, &output.name).text(2, result);
        self.nodes.push(last.text(3, &format!("node {result}")).text(4, "Identity"));
        Message::default()
            .each(self.nodes, |graph, node| graph.message(1, node))
            .text(2, name)
            .each(self.tensors, |graph, tensor| graph.message(5, tensor))
            .message(11, value_info(&input.name, data_type, &input.shape))
            .message(12, value_info(result, FLOAT, &output.shape))
    }

    fn store(&mut self, name: &str, shape: &[usize], data_type: i64, bytes: &[u8]) -> String {
        if !self.written.iter().any(|known| known == name) {
            let tensor = Message::default()
                .each(shape, |tensor, &size| tensor.int(1, size as i64))
                .int(2, data_type)
                .text(8, name)
                .bytes(9, bytes);
            self.tensors.push(tensor);
            self.written.push(name.into());
        }
        name.into()
    }
}

/// A setting with its type.
fn attribute(name: &str, value: &Attribute) -> Message {
    let named = Message::default().text(1, name);
    match value {
        Attribute::Float(x) => named.float(2, *x).int(20, 1),
        Attribute::Int(i) => named.int(3, *i).int(20, 2),
        Attribute::Text(text) => named.text(4, text).int(20, 3),
        Attribute::Ints(ints) => named.each(ints, |m, &i| m.int(8, i)).int(20, 7),
        Attribute::Texts(texts) => named.each(texts, |m, text| m.text(9, text)).int(20, 8),
    }
}

/// The type of a value, its batch open.
fn value_info(name: &str, data_type: i64, item: &[usize]) -> Message {
    let size =
        |shape: Message, &size: &usize| shape.message(1, Message::default().int(1, size as i64));
    let batch = Message::default().message(1, Message::default().text(2, "batch"));
    let tensor = Message::default().int(1, data_type).message(2, batch.each(item, size));
    Message::default().text(1, name).message(2, Message::default().message(1, tensor))
}
