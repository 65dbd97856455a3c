//! New networks. `whimbrel-fann` makes them, with random numbers of the program's `rand`; here they are
//! laid out as C sees them.

use std::ffi::c_uint;

use whimbrel_fann::{Error, Network, NetworkType};

use crate::allocate::{
    fann_allocate_connections, fann_allocate_neurons, fann_allocate_structure, fann_destroy,
};
use crate::edge::export;
use crate::error::report;
use crate::layout::{Ann, Neuron, Real};
use crate::random::{fann_seed_rand, source};
use crate::view::slice;

/// The sizes a program passes; nothing where there are none.
fn sizes(count: c_uint, sizes: *const c_uint) -> Vec<usize> {
    // SAFETY: as many as are counted.
    unsafe { slice(sizes, count as usize) }.iter().map(|size| *size as usize).collect()
}

/// A new network as C sees it, or NULL and an error that belongs to no network.
pub(crate) fn hand_over(made: Result<Network<Real>, Error>) -> *mut Ann {
    made.and_then(|network| adopt(&network)).unwrap_or_else(|error| {
        report(None, &error);
        std::ptr::null_mut()
    })
}

/// Lays out a network as C sees it.
fn adopt(network: &Network<Real>) -> Result<*mut Ann, Error> {
    // SAFETY: any number of layers may be asked for.
    let ann = unsafe { fann_allocate_structure(network.num_layers() as c_uint) };
    // SAFETY: NULL or new.
    let done = unsafe { ann.as_mut() }.map(|new| fill(new, network));
    match done {
        Some(Ok(())) => Ok(ann),
        _ => {
            // SAFETY: NULL, or made above and known to nobody else.
            unsafe { fann_destroy(ann) };
            Err(Error::CantAllocateMem)
        }
    }
}

fn fill(ann: &mut Ann, network: &Network<Real>) -> Result<(), Error> {
    let number = |n: usize| c_uint::try_from(n).map_err(|_| Error::CantAllocateMem);
    ann.apply(&network.training, &network.cascade);
    ann.network_type = network.network_type().code();
    ann.connection_rate = network.connection_rate();
    ann.num_input = number(network.num_input())?;
    ann.num_output = number(network.num_output())?;
    ann.total_connections = number(network.total_connections())?;
    let total = sizes_with_biases(network).sum();
    for (layer, neurons) in ann.layers_mut().iter_mut().zip(sizes_with_biases(network)) {
        let nothing: *mut Neuron = std::ptr::null_mut();
        layer.first_neuron = nothing;
        layer.last_neuron = nothing.wrapping_add(neurons);
    }
    ann.total_neurons = number(total)?;
    // SAFETY: a network of this library.
    unsafe {
        fann_allocate_neurons(ann);
        fann_allocate_connections(ann);
    }
    if ann.errno_f != 0 {
        return Err(Error::CantAllocateMem);
    }
    lay_out(ann, network);
    match network.scaling() {
        Some(scaling) if !ann.adopt_scaling(scaling) => Err(Error::CantAllocateMem),
        _ => Ok(()),
    }
}

/// The neurons of every layer, the unused bias of the last included.
fn sizes_with_biases(network: &Network<Real>) -> impl Iterator<Item = usize> {
    let layered = network.network_type() == NetworkType::Layer;
    let sizes = network.layer_sizes().into_iter().enumerate();
    sizes.map(move |(index, size)| size + usize::from(layered || index == 0))
}

/// Fills layers, neurons, connections and weights, for which there is room.
pub(crate) fn lay_out(ann: &mut Ann, network: &Network<Real>) {
    let mut next = ann.layers_mut().first().map_or(std::ptr::null_mut(), |l| l.first_neuron);
    for (layer, neurons) in ann.layers_mut().iter_mut().zip(sizes_with_biases(network)) {
        layer.first_neuron = next;
        next = next.wrapping_add(neurons);
        layer.last_neuron = next;
    }
    let kinds = network.functions().iter().zip(network.steepnesses());
    for (neuron, (function, steepness)) in ann.neurons_mut().iter_mut().zip(kinds) {
        *neuron = Neuron {
            activation_function: function.code(),
            activation_steepness: *steepness,
            ..Neuron::default()
        };
    }
    for (index, connection) in network.connections().enumerate() {
        let into = &mut ann.neurons_mut()[connection.to];
        if into.last_con == 0 {
            into.first_con = index as c_uint;
        }
        into.last_con = index as c_uint + 1;
        ann.set_source(index, connection.from);
        ann.weights_mut()[index] = connection.weight;
    }
    // Neurons without connections, the biases, stand where those of the one before end.
    let mut end = 0;
    for neuron in ann.neurons_mut() {
        if neuron.last_con == 0 {
            (neuron.first_con, neuron.last_con) = (end, end);
        }
        end = neuron.last_con;
    }
}

export! {
    fn fann_create_standard_array(num_layers: c_uint, layers: *const c_uint) -> *mut Ann {
        // SAFETY: the program's promise goes on.
        unsafe { fann_create_sparse_array(1.0, num_layers, layers) }
    }

    fn fann_create_sparse_array(
        rate: f32, num_layers: c_uint, layers: *const c_uint,
    ) -> *mut Ann {
        // SAFETY: may always be called.
        unsafe { fann_seed_rand() };
        hand_over(Network::sparse_with(rate, &sizes(num_layers, layers), source()))
    }

    fn fann_create_shortcut_array(num_layers: c_uint, layers: *const c_uint) -> *mut Ann {
        // SAFETY: may always be called.
        unsafe { fann_seed_rand() };
        hand_over(Network::shortcut_with(&sizes(num_layers, layers), source()))
    }
}
