//! Finite differences for any piece of graph: the loss is a weighted sum of all it makes.
#![allow(dead_code, reason = "each test binary uses a part")]

use whimbrel_graph::{Array, Builder, Graph, GraphError, Type, ValueId, Var, passes};
use whimbrel_tensor::DType;

/// A small generator of numbers, the same on every run.
pub struct Numbers(pub u64);

impl Numbers {
    /// Even over `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    pub fn array(&mut self, ty: Type, range: std::ops::Range<f64>) -> Array {
        let span = range.end - range.start;
        Array::from_fn(ty.shape, |_| range.start + span * self.unit())
    }
}

/// An input of the piece under test and its content.
pub struct Leaf {
    pub ty: Type,
    pub content: Array,
}

/// f32 content away from 0, of both signs, where most functions are smooth.
pub fn signed(shape: &[usize]) -> Leaf {
    let ty = Type::f32(whimbrel_tensor::Shape::from_slice(shape).unwrap());
    let mut numbers = Numbers(shape.iter().fold(7, |seed, &n| seed * 31 + n as u64));
    let mut content = numbers.array(ty, 0.2..1.2);
    for x in &mut content.data {
        *x *= if numbers.unit() < 0.5 { -1.0 } else { 1.0 };
    }
    Leaf { ty, content }
}

/// f32 content between 0.3 and 1.7.
pub fn positive(shape: &[usize]) -> Leaf {
    let ty = Type::f32(whimbrel_tensor::Shape::from_slice(shape).unwrap());
    let mut numbers = Numbers(shape.iter().fold(11, |seed, &n| seed * 37 + n as u64));
    Leaf { ty, content: numbers.array(ty, 0.3..1.7) }
}

/// i32 content as given, with one axis.
pub fn integers(content: &[i32]) -> Leaf {
    let data = content.iter().map(|&x| f64::from(x)).collect();
    Leaf { ty: Type::i32([content.len()]), content: Array::new([content.len()], data) }
}

impl Leaf {
    /// The same leaf with other content than leaves of the same shape have.
    pub fn seeded(mut self, seed: u64) -> Leaf {
        let mut numbers = Numbers(seed);
        for x in &mut self.content.data {
            *x = x.signum() * (0.2 + numbers.unit());
        }
        self
    }

    /// The same content under another shape.
    pub fn shaped(mut self, shape: &[usize]) -> Leaf {
        self.ty = self.ty.with_shape(whimbrel_tensor::Shape::from_slice(shape).unwrap());
        self.content.shape = self.ty.shape;
        self
    }

    fn differentiable(&self) -> bool {
        self.ty.dtype == DType::F32
    }
}

/// Writes a piece of graph over its leaves.
pub trait Piece: for<'g> Fn(&'g Builder, &[Var<'g>]) -> Result<Vec<Var<'g>>, GraphError> {}
impl<F: for<'g> Fn(&'g Builder, &[Var<'g>]) -> Result<Vec<Var<'g>>, GraphError>> Piece for F {}

/// Helps inference give a closure the lifetimes of a [`Piece`].
pub fn piece<F>(f: F) -> F
where
    F: for<'g> Fn(&'g Builder, &[Var<'g>]) -> Result<Vec<Var<'g>>, GraphError>,
{
    f
}

fn loss<'g>(g: &'g Builder, outputs: &[Var<'g>]) -> Result<Var<'g>, GraphError> {
    let mut numbers = Numbers(99);
    let mut loss = g.scalar(0.0);
    for output in outputs {
        let weights = numbers.array(output.ty(), -1.0..1.0);
        let weights = weights.data.iter().map(|&x| x as f32).collect();
        loss = loss.add(output.mul(g.constant(output.shape(), weights))?.sum()?)?;
    }
    Ok(loss)
}

fn inputs<'g>(g: &'g Builder, leaves: &[Leaf]) -> Vec<Var<'g>> {
    let input = |(i, leaf): (usize, &Leaf)| g.input(&format!("x{i}"), leaf.ty).unwrap();
    leaves.iter().enumerate().map(input).collect()
}

/// The values of a graph's outputs, with contents for inputs and zeros for state.
pub fn outputs(graph: &Graph, contents: &[Array]) -> Vec<Array> {
    let leaves: Vec<ValueId> = graph.inputs().collect();
    let content = |id: ValueId| {
        let position = leaves.iter().position(|&leaf| leaf == id);
        Some(position.map_or_else(|| Array::full(graph.ty(id).shape, 0.0), |i| contents[i].clone()))
    };
    let arrays = graph.evaluate(content).unwrap();
    graph.outputs().iter().map(|o| arrays[o.value.index()].clone().unwrap()).collect()
}

/// What a piece makes of its leaves.
pub fn values(leaves: &[Leaf], build: &impl Piece) -> Vec<Array> {
    let g = Builder::new();
    let made = build(&g, &inputs(&g, leaves)).unwrap();
    for value in made {
        g.output("y", value);
    }
    let contents: Vec<_> = leaves.iter().map(|leaf| leaf.content.clone()).collect();
    outputs(&g.finish().unwrap(), &contents)
}

/// Checks gradients of all f32 leaves against central differences, and that no pass changes them.
pub fn check(leaves: &[Leaf], build: impl Piece) {
    let forward = {
        let g = Builder::new();
        let value = loss(&g, &build(&g, &inputs(&g, leaves)).unwrap()).unwrap();
        g.output("loss", value);
        g.finish().unwrap()
    };
    let backward = {
        let g = Builder::new();
        let vars = inputs(&g, leaves);
        let value = loss(&g, &build(&g, &vars).unwrap()).unwrap();
        let wanted: Vec<_> =
            vars.iter().zip(leaves).filter(|(_, l)| l.differentiable()).map(|(v, _)| *v).collect();
        g.output("loss", value);
        for grad in g.gradients(value, &wanted).unwrap() {
            g.output("grad", grad);
        }
        g.finish().unwrap()
    };
    let mut contents: Vec<_> = leaves.iter().map(|leaf| leaf.content.clone()).collect();
    let made = outputs(&backward, &contents);
    let differentiable = (0..leaves.len()).filter(|&i| leaves[i].differentiable());
    for (leaf, grad) in differentiable.zip(&made[1..]) {
        assert_eq!(grad.shape, leaves[leaf].ty.shape);
        for at in 0..contents[leaf].data.len() {
            let here = contents[leaf].data[at];
            let mut loss_at = |x: f64| {
                contents[leaf].data[at] = x;
                outputs(&forward, &contents)[0].data[0]
            };
            let step = 1e-5;
            let slope = (loss_at(here + step) - loss_at(here - step)) / (2.0 * step);
            loss_at(here);
            assert!(
                (slope - grad.data[at]).abs() <= 1e-6 * (1.0 + slope.abs()),
                "x{leaf}[{at}]: gradient {}, difference {slope}\n{backward}",
                grad.data[at]
            );
        }
    }
    check_passes(&backward, &contents);
}

/// Checks that every pass alone and all together keep the outputs.
pub fn check_passes(graph: &Graph, contents: &[Array]) {
    let before = outputs(graph, contents);
    let alone = passes::PIPELINE.iter().map(|pass| (pass.name, (pass.apply)(graph)));
    let all = [("all", passes::run(graph, None).unwrap())];
    for (name, after) in alone.chain(all) {
        after.verify().unwrap();
        for (a, b) in before.iter().zip(outputs(&after, contents)) {
            // Folded constants are rounded to f32.
            close(a, &b, 1e-6, &format!("pass {name}\n{after}"));
        }
    }
}

/// Asserts that two arrays are equal up to a relative tolerance.
#[track_caller]
pub fn close(a: &Array, b: &Array, tolerance: f64, context: &str) {
    assert_eq!(a.shape, b.shape, "{context}");
    for (i, (x, y)) in a.data.iter().zip(&b.data).enumerate() {
        let same = x == y || (x.is_nan() && y.is_nan());
        let near = (x - y).abs() <= tolerance * (1.0 + x.abs().max(y.abs()));
        assert!(same || near, "element {i}: {x} != {y}: {context}");
    }
}
