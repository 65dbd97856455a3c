//! Networks for other programs: weights under the names and shapes of PyTorch, and ONNX.
//!
//! [`state_dict`] gives the weights of a network that has learned as
//! `torch.nn.Module.load_state_dict` takes them; [`onnx`] the whole network as a file that other
//! engines run. Start reading at `onnx/layers.rs`.

mod description;
mod onnx;
mod state_dict;

pub use description::description;
pub use onnx::onnx;
pub use state_dict::{Weight, input_means, state_dict};
