//! A candidate becomes a neuron: a layer of its own before the outputs.

use super::candidates::Best;
use crate::error::Result;
use crate::layout::Layout;
use crate::network::Network;
use crate::parameters::NetworkType;
use crate::real::Real;

impl<T: Real> Network<T> {
    /// Puts the candidate between the hidden neurons and the outputs. Its weights are taken over; the outputs take it
    /// with its output weights times the weight multiplier.
    pub(super) fn install(&mut self, best: &Best<T>) -> Result<()> {
        let mut sizes: Vec<usize> = self.layout.layers.iter().map(|layer| layer.size).collect();
        sizes.insert(sizes.len() - 1, 1);
        let layout = Layout::full(NetworkType::Shortcut, &sizes)?;
        let old = *self.layout.output();
        let mut grown = Network::of(layout, self.connection_rate)?;
        let new = *grown.layout.output();
        let weights = grown.weights_mut();
        let hidden = old.first_weight;
        weights[..hidden].copy_from_slice(&self.block[..hidden]);
        weights[hidden..new.first_weight].copy_from_slice(&best.weights);
        let rows = weights[new.weights()].chunks_exact_mut(new.sources);
        let old_rows = self.weights()[old.weights()].chunks_exact(old.sources);
        for ((row, old_row), weight) in rows.zip(old_rows).zip(&best.output_weights) {
            row[..old.sources].copy_from_slice(old_row);
            row[old.sources] = *weight * self.cascade.weight_multiplier;
        }
        let with = |own: &[T], new: T| [&own[..old.first], &[new], &own[old.first..]].concat();
        let steepness = with(self.steepness(), best.steepness);
        grown.steepness_mut().copy_from_slice(&steepness);
        self.functions.insert(old.first, best.function);
        (self.layout, self.block) = (grown.layout, grown.block);
        self.state.restart(&self.training, self.layout.connections)?;
        self.notice_uniform();
        Ok(())
    }
}
