//! Batch norm, written in primitives: mean 0 and variance 1 of each channel over everything else.
//!
//! In training the statistics are those of the batch, and running ones are kept as state for
//! inference. There is no operation of its own: this file shows how a layer with state is built.

use crate::ops::{Init, Role};
use crate::{GraphError, Var};

/// How a channel is normalised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchNorm {
    /// The axis of the channels.
    pub axis: usize,
    /// Added to the variance.
    pub eps: f32,
    /// The weight of the newest batch in the running statistics.
    pub momentum: f32,
    /// What the names of the running statistics end in, where others are used than those kept.
    pub suffix: &'static str,
}

impl BatchNorm {
    /// PyTorch's defaults for channels along `axis`.
    pub fn new(axis: usize) -> BatchNorm {
        BatchNorm { axis, eps: 1e-5, momentum: 0.1, suffix: "" }
    }
}

impl<'g> Var<'g> {
    /// Normalises each channel. The state `<name>.running_mean` and `<name>.running_var`, with size
    /// 1 along all other axes, is updated if `training`, else used; without a name, `running_mean`
    /// and `running_var`.
    #[track_caller]
    pub fn batch_norm(
        self,
        name: &str,
        norm: BatchNorm,
        training: bool,
    ) -> Result<Var<'g>, GraphError> {
        let (mean, rstd) = self.statistics(name, norm, training)?;
        self.sub(mean)?.mul(rstd)
    }

    /// Normalises each channel as [`Var::batch_norm`] does, then scales it by a weight and adds a bias, both of
    /// one value a channel. The weight is multiplied into the scale of the channel first, so that what
    /// is kept for the way back is the centred value alone.
    #[track_caller]
    pub fn batch_norm_affine(
        self,
        name: &str,
        norm: BatchNorm,
        training: bool,
        [weight, bias]: [Var<'g>; 2],
    ) -> Result<Var<'g>, GraphError> {
        let (mean, rstd) = self.statistics(name, norm, training)?;
        self.sub(mean)?.mul(rstd.mul(weight)?)?.add(bias)
    }

    /// The mean of each channel and one over its deviation: of the batch, or running.
    #[track_caller]
    fn statistics(
        self,
        name: &str,
        norm: BatchNorm,
        training: bool,
    ) -> Result<(Var<'g>, Var<'g>), GraphError> {
        let (g, shape) = (self.builder(), self.shape());
        let rstd = |var: Var<'g>| var.add(g.scalar(norm.eps))?.rsqrt();
        if norm.axis >= shape.rank() {
            return Err(self.mismatch("batch_norm", format!("has no axis {}", norm.axis)));
        }
        let others: Vec<_> = (0..shape.rank()).filter(|&axis| axis != norm.axis).collect();
        let kept = others.iter().fold(shape, |kept, &axis| kept.with(axis, 1).unwrap_or(kept));
        let running = |what: &str, start: f32| {
            let dot = if name.is_empty() { "" } else { "." };
            let name = format!("{name}{dot}{what}{}", norm.suffix);
            g.state(&name, kept, Init::Constant(start), Role::Table)
        };
        let (running_mean, running_var) =
            (running("running_mean", 0.0)?, running("running_var", 1.0)?);
        if !training {
            return Ok((running_mean, rstd(running_var)?));
        }
        let mean = self.mean_axes(&others)?;
        let var = self.sub(mean)?.square()?.mean_axes(&others)?;
        // The running variance estimates that of the population, hence n / (n - 1).
        let n = others.iter().map(|&axis| shape[axis]).product::<usize>() as f32;
        let unbiased = var.mul(g.scalar(n / (n - 1.0).max(1.0)))?;
        for (state, new) in [(running_mean, mean), (running_var, unbiased)] {
            let old = state.mul(g.scalar(1.0 - norm.momentum))?;
            g.update(state, old.add(new.stop_gradient()?.mul(g.scalar(norm.momentum))?)?)?;
        }
        Ok((mean, rstd(var)?))
    }
}
