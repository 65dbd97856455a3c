//! What RNN, LSTM and GRU have in common: layers stacked, read from one end or from both.

use super::{Dropout, Forward, expect_channels, expect_few, expect_positive, sequence};
use crate::{NnError, Scope};
use whimbrel_graph::{GraphError, Init, Var};

/// The sizes of stacked recurrent layers, and how their parameters are made.
pub(super) struct Stack {
    pub kind: &'static str,
    /// Rows of the weights for each cell.
    pub gates: usize,
    pub input_size: Option<usize>,
    pub hidden_size: usize,
    pub num_layers: usize,
    pub bias: bool,
    pub dropout: f32,
    pub bidirectional: bool,
}

/// The parameters of one layer in one direction; biases are zeros where there are none.
pub(super) struct Weights<'g> {
    pub w_ih: Var<'g>,
    pub w_hh: Var<'g>,
    pub b_ih: Var<'g>,
    pub b_hh: Var<'g>,
}

impl Stack {
    /// From `[time, input_size, batch]` to the states of the last layer, `[time, hidden, batch]`,
    /// those of both directions one after the other. `cells` is one layer in one direction.
    pub fn forward<'g>(
        &self,
        x: Var<'g>,
        scope: &Scope<'g>,
        cells: impl Fn(Var<'g>, &Weights<'g>) -> Result<Var<'g>, GraphError>,
    ) -> Result<Var<'g>, NnError> {
        expect_positive(scope, self.kind, "hidden_size", self.hidden_size)?;
        expect_positive(scope, self.kind, "num_layers", self.num_layers)?;
        expect_few(scope, self.kind, "num_layers", self.num_layers)?;
        sequence(x, scope, self.kind)?;
        expect_channels(x, scope, self.kind, "input_size", self.input_size)?;
        let mut x = x;
        for layer in 0..self.num_layers {
            if layer > 0 {
                let place = scope.child(&format!("dropout_l{}", layer - 1));
                x = Dropout { p: self.dropout }.forward(x, &place)?;
            }
            let forward = cells(x, &self.weights(x, scope, &format!("l{layer}"))?)?;
            if !self.bidirectional {
                x = forward;
                continue;
            }
            let weights = self.weights(x, scope, &format!("l{layer}_reverse"))?;
            let backward = cells(x.reverse(0)?, &weights)?.reverse(0)?;
            x = Var::concat(&[forward, backward], 1)?;
        }
        Ok(x)
    }

    /// Declares the parameters of one layer in one direction under PyTorch's names.
    fn weights<'g>(
        &self,
        x: Var<'g>,
        scope: &Scope<'g>,
        suffix: &str,
    ) -> Result<Weights<'g>, GraphError> {
        let (rows, inputs) = (self.gates * self.hidden_size, x.shape()[1]);
        // PyTorch has one bound for all, that of the sums over the states.
        let init = Init::Uniform { bound: 1.0 / (self.hidden_size as f32).sqrt() };
        let parameter = |what: &str, columns: usize| {
            scope.parameter(&format!("{what}_{suffix}"), [rows, columns], init)
        };
        let bias = |what: &str| match self.bias {
            true => parameter(what, 1),
            false => scope.builder().scalar(0.0).broadcast([rows, 1]),
        };
        Ok(Weights {
            w_ih: parameter("weight_ih", inputs)?,
            w_hh: parameter("weight_hh", self.hidden_size)?,
            b_ih: bias("bias_ih")?,
            b_hh: bias("bias_hh")?,
        })
    }
}
