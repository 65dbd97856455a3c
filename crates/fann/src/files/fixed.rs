//! Networks in fixed point: export, reading, writing.

use super::Description;
use super::net::{parse, print};
use crate::error::Result;
use crate::fixed::FixedNetwork;
use crate::network::Network;
use crate::real::Real;
use std::path::Path;

impl<T: Real> Network<T> {
    /// The network in fixed point, with as many bits behind the point as sums have room for.
    ///
    /// # Errors
    /// There is none for a network that exists.
    pub fn to_fixed(&self) -> Result<FixedNetwork> {
        let sums = (0..self.layout.neurons).map(|neuron| {
            let weights = &self.weights()[self.layout.connections_of(neuron)];
            weights.iter().fold(T::ZERO, |sum, weight| sum + weight.abs())
        });
        let mut most = sums.fold(T::ZERO, |most, sum| if sum > most { sum } else { most });
        let mut bits = 0;
        // A bit for the sign, one for differences, half of the rest for each factor of a product.
        while most >= T::ONE && bits < 30 {
            most /= T::of_f32(2.0);
            bits += 1;
        }
        let decimal_point = (30 - bits) / 2;
        let multiplier = T::of_f32(2f32.powi(decimal_point));
        let mut description = Description::of(self).map(|x| {
            let scaled = (x * multiplier).f64() + 0.5;
            scaled.floor() as i32
        });
        description.decimal_point = decimal_point as u32;
        description.scaling = None;
        FixedNetwork::of("", description)
    }

    /// Writes the network in fixed point and returns the bits behind the point.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save_to_fixed(&self, path: impl AsRef<Path>) -> Result<u32> {
        let fixed = self.to_fixed()?;
        fixed.save(path)?;
        Ok(fixed.decimal_point())
    }
}

impl FixedNetwork {
    /// Reads a network in fixed point from a `.net` file.
    ///
    /// # Errors
    /// As [`Network::load`].
    pub fn load(path: impl AsRef<Path>) -> Result<FixedNetwork> {
        let path = path.as_ref();
        FixedNetwork::from_bytes(&path.display().to_string(), &super::read(path)?)
    }

    /// Reads the bytes of such a file, which errors call `file`.
    ///
    /// # Errors
    /// As [`Network::load`].
    pub fn from_bytes(file: &str, mut bytes: &[u8]) -> Result<FixedNetwork> {
        FixedNetwork::of(file, parse::<i32>(file, &mut bytes)?)
    }

    /// Writes the network to a `.net` file that libfixedfann reads.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        super::write(path.as_ref(), &self.to_text())
    }

    /// The text of the network's `.net` file.
    pub fn to_text(&self) -> String {
        print(&self.description)
    }
}
