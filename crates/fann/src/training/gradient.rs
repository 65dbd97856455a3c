//! The slope of the error for every weight, summed over samples.
//!
//! Small networks and sparse ones take sixteen samples at a time, or four, one in each lane; large ones take whole blocks
//! of samples by matrix products. Which way is taken follows from the network and the number of samples alone, and no
//! cut of the work changes the order of any sum: any number of threads gives the same bits.

use crate::data::Samples;
use crate::error::Result;
use crate::network::Network;
use crate::real::Real;
use whimbrel_threads::Pool;

/// Connections from which matrix products pay.
const LARGE: usize = 1024;
/// Samples from which they do.
const MANY: usize = 16;

impl<T: Real> Network<T> {
    /// Adds the slopes of all samples to those of the state, and their errors to the tally.
    pub(crate) fn add_slopes(
        &mut self,
        samples: Samples<'_, T>,
        pool: Option<&Pool>,
    ) -> Result<()> {
        self.state.need_slopes(self.layout.connections)?;
        let large = self.layout.connections >= LARGE && samples.len() >= MANY;
        if large && matches!(self.layout.wiring, crate::layout::Wiring::Full) {
            self.add_slopes_by_products(samples, pool)
        } else {
            self.add_slopes_by_lanes(samples, pool)
        }
    }
}
