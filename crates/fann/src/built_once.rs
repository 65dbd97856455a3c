//! The code of networks of singles and of doubles, in this crate.
//!
//! Without optimisation across crates, programs take generic code from where it is: tests, programs and the C library
//! share these two instances and need not compile their own.

use crate::{Network, Pool, Result, TrainData};

type Everything<T> = fn(&mut [Network<T>], &TrainData<T>, &Pool) -> Result<()>;

#[used]
static SINGLE: Everything<f32> = everything;
#[used]
static DOUBLE: Everything<f64> = everything;

/// Calls what has kernels. It is never called itself.
fn everything<T: crate::Real>(
    networks: &mut [Network<T>],
    data: &TrainData<T>,
    pool: &Pool,
) -> Result<()> {
    Network::train_many(networks, data, 1, 0.0, pool)?;
    for network in networks {
        network.run(&[])?;
        network.test_data(data)?;
        network.train(&[], &[])?;
        network.train_epoch_on(pool, data)?;
        network.cascade_train_on_data(data, 1, 0.0)?;
    }
    Ok(())
}
