//! The losses, one file each: a struct of settings that makes one number of predictions and targets.
//!
//! Adding one: a file here with a struct that implements [`Criterion`], one line in `losses!`, a case
//! in `tests/golden/make.py`. `mse.rs` is the one to imitate.

mod mse;
mod target;

pub use mse::Mse;
pub use target::Target;

use crate::NnError;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// What every loss can do.
pub trait Criterion {
    /// The loss, a single number: the weighted mean over all elements that count.
    fn loss<'g>(
        &self,
        prediction: Var<'g>,
        target: impl Into<Target<'g>>,
    ) -> Result<Var<'g>, NnError>;
}

/// Declares [`Loss`] and its dispatch.
macro_rules! losses {
    ($($(#[$doc:meta])* $name:ident = $kind:literal,)*) => {
        /// Any loss with its settings; in a file `type` says which.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "type")]
        pub enum Loss {
            $($(#[$doc])* #[serde(rename = $kind)] $name($name),)*
        }

        impl Loss {
            /// Its kind, as files call it.
            pub fn kind(&self) -> &'static str {
                match self { $(Loss::$name(_) => $kind,)* }
            }
        }

        impl Criterion for Loss {
            fn loss<'g>(
                &self,
                prediction: Var<'g>,
                target: impl Into<Target<'g>>,
            ) -> Result<Var<'g>, NnError> {
                let made = match self { $(Loss::$name(loss) => loss.loss(prediction, target),)* };
                made.map_err(|error| error.at(|| format!("loss {}", self.kind())))
            }
        }

        $(impl From<$name> for Loss {
            fn from(loss: $name) -> Loss {
                Loss::$name(loss)
            }
        })*
    };
}

losses! {
    /// The mean squared error.
    Mse = "mse",
}
