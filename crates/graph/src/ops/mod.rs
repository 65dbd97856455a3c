//! The operations, one file each: shape rule, gradient, reference evaluation, cost.
//!
//! Adding one: a file here with a struct that implements [`Operation`] and the methods it gives
//! to [`Var`], one line in `operations!`, and its lowering in the engine. `unary.rs` is the file
//! to imitate for a primitive, `softmax.rs` for a composite.

use crate::{Array, GraphError, Type, Var};
use whimbrel_tensor::Shape;

/// Arithmetic and memory traffic of one node, for planning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Floating point operations; a fused multiply-add counts two.
    pub flops: f64,
    /// Bytes read and written if nothing stays in cache.
    pub bytes: f64,
}

/// What an operation sees when its gradient is built.
pub struct Backward<'g> {
    /// Its operands.
    pub inputs: Vec<Var<'g>>,
    /// Its results.
    pub outputs: Vec<Var<'g>>,
    /// Gradients of the results; `None` where the loss does not depend on one.
    pub grads: Vec<Option<Var<'g>>>,
    /// Which operands need a gradient.
    pub needed: Vec<bool>,
}

impl<'g> Backward<'g> {
    /// The gradient of the first result; zeros if the loss does not depend on it.
    pub fn grad(&self) -> Result<Var<'g>, GraphError> {
        self.grad_of(0)
    }

    /// The gradient of result `i`; zeros if the loss does not depend on it.
    pub fn grad_of(&self, i: usize) -> Result<Var<'g>, GraphError> {
        match self.grads[i] {
            Some(grad) => Ok(grad),
            None => {
                let output = self.outputs[i];
                output.builder().scalar(0.0).broadcast(output.shape())
            }
        }
    }
}

/// Gradients of the operands, `None` for those that have none.
pub type Gradients<'g> = Result<Vec<Option<Var<'g>>>, GraphError>;

/// What every operation says of itself.
pub trait Operation {
    /// Its name in dumps and errors.
    fn name(&self) -> &'static str;

    /// Its parameters in dumps, e.g. `axes 0 1`.
    fn detail(&self) -> String {
        String::new()
    }

    /// Types of the results, or why the operands do not fit.
    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String>;

    /// The plain definition, in f64.
    fn eval(&self, inputs: &[&Array]) -> Vec<Array>;

    /// Builds the gradients of the operands.
    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        Err(GraphError::NoGradient { op: self.name(), value: format!("{:?}", b.outputs[0]) })
    }

    /// Whether the derivative is zero everywhere by definition.
    fn stops_gradient(&self) -> bool {
        false
    }

    /// Arithmetic and traffic; one operation per result element unless said otherwise.
    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        let flops = outputs.iter().map(Type::numel).sum::<usize>() as f64;
        Cost { flops, bytes: traffic(inputs, outputs) }
    }

    /// For each operand, then each result: whether its last axis is *carried*, that is, if that axis
    /// is the batch then item `i` of every carried result depends only on items `i` of the carried
    /// operands, or the batch is summed away. Operands not carried must not depend on the batch.
    ///
    /// By default all are carried, as in element-wise operations.
    fn carries_batch(&self, inputs: &[Type], outputs: &[Type]) -> Vec<bool> {
        vec![true; inputs.len() + outputs.len()]
    }
}

/// Bytes of all operands and results.
pub fn traffic(inputs: &[Type], outputs: &[Type]) -> f64 {
    inputs.iter().chain(outputs).map(Type::bytes).sum::<usize>() as f64
}

/// Declares the modules, [`Op`] and its dispatch.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident in $module:ident,)*) => {
        /// An operation with its parameters.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Op { $($(#[$doc])* $name($module::$name),)* }

        impl Operation for Op {
            fn name(&self) -> &'static str {
                match self { $(Op::$name(op) => op.name(),)* }
            }
            fn detail(&self) -> String {
                match self { $(Op::$name(op) => op.detail(),)* }
            }
            fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
                match self { $(Op::$name(op) => op.infer(inputs),)* }
            }
            fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
                match self { $(Op::$name(op) => op.eval(inputs),)* }
            }
            fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
                match self { $(Op::$name(op) => op.grad(b),)* }
            }
            fn stops_gradient(&self) -> bool {
                match self { $(Op::$name(op) => op.stops_gradient(),)* }
            }
            fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
                match self { $(Op::$name(op) => op.cost(inputs, outputs),)* }
            }
            fn carries_batch(&self, inputs: &[Type], outputs: &[Type]) -> Vec<bool> {
                match self { $(Op::$name(op) => op.carries_batch(inputs, outputs),)* }
            }
        }
    };
}

mod adam;
mod attention;
mod attention_grad;
mod batch_norm;
mod binary;
mod broadcast;
mod cast;
mod concat;
mod constant;
mod conv1d;
mod cross_entropy;
mod cumsum;
mod dense;
mod dot;
mod fused;
mod gather;
mod gru;
mod input;
mod iota;
mod layer_norm;
mod lstm;
mod pad;
mod permute;
mod pool1d;
mod random;
mod reduce;
mod reshape;
mod reverse;
mod rnn;
mod scatter_add;
mod select;
mod sgd;
mod slice;
mod softmax;
mod state;
mod stop_gradient;
mod unary;

operations! {
    /// Bound before each run.
    Input in input,
    /// Lives as long as the session.
    State in state,
    /// Known when the graph is built.
    Constant in constant,
    /// One operand, element by element.
    Unary in unary,
    /// Two operands of one shape, element by element.
    Binary in binary,
    /// Picks from two operands by a mask.
    Select in select,
    /// A chain of element-wise operations as one.
    Fused in fused,
    /// Repeats along axes of size 1.
    Broadcast in broadcast,
    /// The same elements under another shape.
    Reshape in reshape,
    /// Axes in another order.
    Permute in permute,
    /// A range of one axis.
    Slice in slice,
    /// Operands one after another along an axis.
    Concat in concat,
    /// Sums or extremes along axes.
    Reduce in reduce,
    /// Matrix products.
    Dot in dot,
    /// A product and the element-wise steps after it as one.
    Dense in dense,
    /// Rows of a table by index, as batch items.
    Gather in gather,
    /// Passes its operand on, but no gradient back.
    StopGradient in stop_gradient,
    /// More elements before and after axes.
    Pad in pad,
    /// Running sums along an axis.
    Cumsum in cumsum,
    /// Last first along an axis.
    Reverse in reverse,
    /// 0, 1, 2, .. along an axis.
    Iota in iota,
    /// Another element type.
    Cast in cast,
    /// Random numbers.
    Random in random,
    /// Batch items added to rows of a table.
    ScatterAdd in scatter_add,
    /// Shares along an axis that sum to 1.
    Softmax in softmax,
    /// Their logarithms.
    LogSoftmax in softmax,
    /// The loss of classifying.
    CrossEntropy in cross_entropy,
    /// Its gradient.
    CrossEntropyGrad in cross_entropy,
    /// Mean 0 and variance 1 along an axis.
    LayerNorm in layer_norm,
    /// Convolution over time.
    Conv1d in conv1d,
    /// Its gradient with respect to the input.
    Conv1dGradInput in conv1d,
    /// Its gradient with respect to the weight.
    Conv1dGradWeight in conv1d,
    /// Windows over time.
    Pool1d in pool1d,
    /// Their gradient.
    Pool1dGrad in pool1d,
    /// Plain recurrent cells over a sequence.
    Rnn in rnn,
    /// The way back through them.
    RnnGrad in rnn,
    /// LSTM cells over a sequence.
    Lstm in lstm,
    /// The way back through them.
    LstmGrad in lstm,
    /// GRU cells over a sequence.
    Gru in gru,
    /// The way back through them.
    GruGrad in gru,
    /// Queries reading values by keys.
    Attention in attention,
    /// The way back through it.
    AttentionGrad in attention_grad,
    /// Step size and bias correction of Adam.
    AdamRate in adam,
    /// One Adam or AdamW update.
    Adam in adam,
    /// One update of gradient descent.
    Sgd in sgd,
}

pub use adam::{Adam, AdamRate};
pub use attention::{Attention, AttentionOutput};
pub use attention_grad::AttentionGrad;
pub use batch_norm::BatchNorm;
pub use binary::{Binary, BinaryOp};
pub use broadcast::Broadcast;
pub use cast::Cast;
pub use concat::Concat;
pub use constant::Constant;
pub use conv1d::{Conv1d, Conv1dGradInput, Conv1dGradWeight};
pub use cross_entropy::{CrossEntropy, CrossEntropyGrad};
pub use cumsum::Cumsum;
pub use dense::Dense;
pub use dot::Dot;
pub use fused::{Expr, Fused};
pub use gather::Gather;
pub use gru::{Gru, GruGrad};
pub use input::Input;
pub use iota::Iota;
pub use layer_norm::LayerNorm;
pub use lstm::{Lstm, LstmGrad, LstmOutput};
pub use pad::Pad;
pub use permute::Permute;
pub use pool1d::{Pool1d, Pool1dGrad, PoolOp};
pub use random::{Distribution, Random, philox};
pub use reduce::{Reduce, ReduceOp};
pub use reshape::Reshape;
pub use reverse::Reverse;
pub use rnn::{RecurrentOutput, Rnn, RnnActivation, RnnGrad};
pub use scatter_add::ScatterAdd;
pub use select::Select;
pub use sgd::Sgd;
pub use slice::Slice;
pub use softmax::{LogSoftmax, Softmax};
pub use state::{Init, Role, State};
pub use stop_gradient::StopGradient;
pub use unary::{Unary, UnaryOp};

/// The number of operands an operation takes, checked.
pub(crate) fn operands<const N: usize>(inputs: &[Type]) -> Result<[Type; N], String> {
    inputs.try_into().map_err(|_| format!("takes {N} operands, was given {}", inputs.len()))
}

/// Checks that operands are f32.
pub(crate) fn floats(inputs: &[Type]) -> Result<(), String> {
    match inputs.iter().find(|ty| ty.dtype != whimbrel_tensor::DType::F32) {
        Some(ty) => Err(format!("needs f32, was given {}", ty.dtype.name().to_lowercase())),
        None => Ok(()),
    }
}

/// The sizes of an operand of `N` axes.
pub(crate) fn axes<const N: usize>(ty: Type, what: &str) -> Result<[usize; N], String> {
    let rank = ty.shape.rank();
    ty.shape[..].try_into().map_err(|_| format!("{what} needs {N} axes, has {rank}"))
}

/// Checks the shape of an operand.
pub(crate) fn expect(ty: Type, what: &str, shape: impl Into<Shape>) -> Result<(), String> {
    let shape = shape.into();
    if ty.shape == shape { Ok(()) } else { Err(format!("{what} must be {shape}")) }
}

/// Checks that an axis is there and is not the last, which is the batch.
pub(crate) fn inner_axis(ty: Type, axis: usize) -> Result<(), String> {
    match ty.shape.rank() {
        rank if axis >= rank => Err(format!("has no axis {axis}")),
        rank if axis + 1 == rank => Err(format!("axis {axis} is the last, the batch")),
        _ => Ok(()),
    }
}
