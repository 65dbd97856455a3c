//! The models, one file each. `nlinear.rs` is the one to imitate for a network.

mod naive;
mod nlinear;
mod seasonal_naive;

pub use naive::naive;
pub use nlinear::NLinear;
pub use seasonal_naive::seasonal_naive;
