//! Conv1d: convolution over time.

use super::{Forward, expect_channels, expect_positive, expect_windows};
use crate::{NnError, Scope, init};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::{Var, ops};

/// What stands before the first and after the last step: zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "`padding` must be a number of steps, \"valid\", \"same\" or \"causal\""
)]
pub enum Padding {
    /// As many steps at both ends.
    Both(usize),
    /// As many steps as a rule says.
    Named(PaddingRule),
}

/// How many steps are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaddingRule {
    /// None.
    Valid,
    /// So many that with a stride of 1 as many steps go out as come in.
    Same,
    /// The same, all of them before the first step: no output sees a later input.
    Causal,
}

/// x `[time, in_channels, batch]` to `[time_out, out_channels, batch]`.
///
/// Parameters: `weight` `[kernel_size, out_channels, in_channels / groups]`, `bias`
/// `[out_channels, 1]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Conv1d {
    /// Channels in; taken from what arrives unless given.
    #[serde(default)]
    pub in_channels: Option<usize>,
    /// Channels out.
    pub out_channels: usize,
    /// Steps an output looks at.
    pub kernel_size: usize,
    /// Steps between two outputs.
    #[serde(default = "super::one")]
    pub stride: usize,
    /// Zeros before the first and after the last step.
    #[serde(default = "no_padding")]
    pub padding: Padding,
    /// Steps between two steps an output looks at.
    #[serde(default = "super::one")]
    pub dilation: usize,
    /// Into how many parts the channels are divided, each convolved on its own.
    #[serde(default = "super::one")]
    pub groups: usize,
    /// Whether there is a bias.
    #[serde(default = "super::yes")]
    pub bias: bool,
}

fn no_padding() -> Padding {
    Padding::Both(0)
}

impl Conv1d {
    /// A convolution of neighbouring steps, without padding.
    pub fn new(out_channels: usize, kernel_size: usize) -> Conv1d {
        Conv1d {
            in_channels: None,
            out_channels,
            kernel_size,
            stride: 1,
            padding: no_padding(),
            dilation: 1,
            groups: 1,
            bias: true,
        }
    }

    /// Steps added before the first and after the last.
    pub(crate) fn padding_steps(&self) -> [usize; 2] {
        let span = self.reach();
        match self.padding {
            Padding::Both(steps) => [steps, steps],
            Padding::Named(PaddingRule::Valid) => [0, 0],
            Padding::Named(PaddingRule::Same) => [span / 2, span - span / 2],
            Padding::Named(PaddingRule::Causal) => [span, 0],
        }
    }

    /// Steps from the first to the last an output looks at.
    fn reach(&self) -> usize {
        self.dilation.saturating_mul(self.kernel_size.saturating_sub(1))
    }

    fn check(&self, scope: &Scope) -> Result<(), NnError> {
        for (field, value) in [
            ("out_channels", self.out_channels),
            ("kernel_size", self.kernel_size),
            ("stride", self.stride),
            ("dilation", self.dilation),
            ("groups", self.groups),
        ] {
            expect_positive(scope, "conv1d", field, value)?;
        }
        if self.padding == Padding::Named(PaddingRule::Same) && self.stride != 1 {
            let reason = "padding \"same\" works with a stride of 1 only";
            return Err(NnError::setting(scope.place("conv1d"), "stride", self.stride, reason));
        }
        Ok(())
    }
}

impl Forward for Conv1d {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        self.check(scope)?;
        let [pad_left, pad_right] = self.padding_steps();
        let padding = pad_left.saturating_add(pad_right);
        expect_windows(x, scope, "conv1d", self.reach().saturating_add(1), padding)?;
        let inputs = expect_channels(x, scope, "conv1d", "in_channels", self.in_channels)?;
        let groups = self.groups;
        if !inputs.is_multiple_of(groups) || !self.out_channels.is_multiple_of(groups) {
            let problem = format!(
                "divides channels in and {} channels out into {groups} groups",
                self.out_channels
            );
            let remedy = "choose groups that divide both";
            return Err(scope.refuse("conv1d", problem, x, remedy));
        }
        let of_a_group = inputs / groups;
        let init = init::default_uniform(of_a_group * self.kernel_size);
        let shape = [self.kernel_size, self.out_channels, of_a_group];
        let weight = scope.parameter("weight", shape, init)?;
        let Conv1d { stride, dilation, .. } = *self;
        let y = x.conv1d(weight, ops::Conv1d { stride, dilation, groups, pad_left, pad_right })?;
        match self.bias {
            true => Ok(y.add(scope.parameter("bias", [self.out_channels, 1], init)?)?),
            false => Ok(y),
        }
    }
}
