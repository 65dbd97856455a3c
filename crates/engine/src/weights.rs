//! Parameters in safetensors files: plain row-major layout, by name, whatever the layout in memory.

use crate::{EngineError, Session};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::collections::HashMap;
use std::path::Path;

impl Session {
    /// Saves state values, all or those `keep` accepts, in one file, written atomically.
    pub fn save(
        &self,
        path: &Path,
        keep: impl Fn(&str) -> bool,
        metadata: HashMap<String, String>,
    ) -> Result<(), EngineError> {
        let mut tensors = Vec::new();
        for name in self.state_names().filter(|name| keep(name)) {
            let slot = self.state(name)?;
            let bytes: Vec<u8> =
                self.read_slot(slot).iter().flat_map(|x| x.to_le_bytes()).collect();
            tensors.push((name.to_owned(), self.ty(slot).shape.to_vec(), bytes));
        }
        let views: Result<Vec<_>, _> = tensors
            .iter()
            .map(|(name, shape, bytes)| {
                TensorView::new(Dtype::F32, shape.clone(), bytes).map(|view| (name, view))
            })
            .collect();
        let failed = |e: &dyn std::fmt::Display| weights(path, e.to_string());
        let views = views.map_err(|e| failed(&e))?;
        let file = safetensors::serialize(views, Some(metadata)).map_err(|e| failed(&e))?;
        let temporary = path.with_extension("tmp");
        let write = || -> std::io::Result<()> {
            use std::io::Write;
            let mut out = std::fs::File::create(&temporary)?;
            out.write_all(&file)?;
            out.sync_all()?;
            std::fs::rename(&temporary, path)
        };
        write().map_err(|e| {
            // Best effort: the failure itself is what the caller needs to hear of.
            let _ = std::fs::remove_file(&temporary);
            failed(&e)
        })
    }

    /// Loads every state value the file has; the file may not have others, nor other shapes.
    /// Nothing is changed unless all of it fits.
    pub fn load(&mut self, path: &Path) -> Result<(), EngineError> {
        let bytes = std::fs::read(path).map_err(|e| weights(path, e.to_string()))?;
        let file = SafeTensors::deserialize(&bytes)
            .map_err(|e| weights(path, format!("not a usable safetensors file: {e}")))?;
        let mut contents = Vec::new();
        for (name, view) in file.iter() {
            let slot = self.state(name).map_err(|e| weights(path, e.to_string()))?;
            let ty = self.ty(slot);
            if view.dtype() != Dtype::F32 || view.shape() != &ty.shape[..] {
                let (dtype, shape) = (view.dtype(), view.shape());
                let reason = format!("\"{name}\" is {dtype:?}{shape:?}, the model needs {ty}");
                return Err(weights(path, reason));
            }
            let (words, _) = view.data().as_chunks::<4>();
            contents.push((slot, words.iter().map(|w| f32::from_le_bytes(*w)).collect::<Vec<_>>()));
        }
        for (slot, data) in contents {
            self.write_slot(slot, "state", &data)?;
        }
        Ok(())
    }
}

fn weights(path: &Path, reason: String) -> EngineError {
    EngineError::Weights { path: path.display().to_string(), reason }
}
