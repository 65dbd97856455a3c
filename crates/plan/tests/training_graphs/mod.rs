//! Random buffers shaped like those of a training step: forward values, some of them kept for the
//! backward pass, gradients flowing back, workspaces of one step, weight gradients.

use whimbrel_plan::Lifetime;

/// A splitmix64 generator: the same seed gives the same graphs everywhere.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `lo..=hi`.
    pub fn between(&mut self, lo: usize, hi: usize) -> usize {
        lo + (self.next() % (hi - lo + 1) as u64) as usize
    }

    pub fn percent(&mut self, chance: usize) -> bool {
        self.between(0, 99) < chance
    }
}

/// The buffers of one training step over `ops` random operations.
///
/// Operation `i` runs forward at step `i` and backward at step `2 * ops - 1 - i`; the optimiser
/// runs at step `2 * ops`.
pub fn training_graph(random: &mut Random, ops: usize) -> Vec<Lifetime> {
    let batch = [1, 16, 32, 100, 256][random.between(0, 4)];
    let usual_width = random.between(1, 512);
    let clips_gradients = random.percent(30);
    let backward = |op: usize| (2 * ops - 1 - op) as u32;

    let mut buffers = Vec::new();
    let mut values: Vec<Lifetime> = Vec::new();
    let mut last_consumer: Vec<usize> = Vec::new();
    for op in 0..ops {
        let width = if random.percent(50) { usual_width } else { random.between(1, 1024) };
        let bytes = 4 * batch * width;

        let operands = if random.percent(25) { 2 } else { 1 };
        for operand in 0..operands.min(op) {
            // The first operand is mostly the value just made; the second is a skip connection.
            let reach = if operand == 0 && random.percent(80) { 1 } else { 12 };
            let source = op - random.between(1, reach.min(op));
            let last = if random.percent(50) { backward(op) } else { op as u32 };
            values[source].last = values[source].last.max(last);
            last_consumer[source] = op;
        }
        let last = if random.percent(30) { backward(op) } else { op as u32 };
        values.push(Lifetime { bytes, first: op as u32, last });
        last_consumer.push(op);

        for step in [op as u32, backward(op)] {
            if random.percent(30) {
                let bytes = random.between(1, 2 * bytes);
                buffers.push(Lifetime { bytes, first: step, last: step });
            }
        }
        if random.percent(40) {
            let first = backward(op);
            let last = if clips_gradients { 2 * ops as u32 } else { first + 1 };
            buffers.push(Lifetime { bytes: 4 * width * random.between(1, 512), first, last });
        }
    }
    for (op, value) in values.iter().enumerate() {
        // A gradient lives from its value's last consumer back to the operation that made it.
        let (first, last) = (backward(last_consumer[op]), backward(op));
        buffers.push(Lifetime { bytes: value.bytes, first, last });
    }
    buffers.extend(values);
    buffers
}

/// `count` buffers of any size, alive for up to `longest` of `count` steps: nothing nests.
pub fn scattered(random: &mut Random, count: usize, longest: usize) -> Vec<Lifetime> {
    let mut buffer = || {
        let first = random.between(0, count) as u32;
        let last = first + random.between(0, longest - 1) as u32;
        Lifetime { bytes: random.between(0, 100_000), first, last }
    };
    (0..count).map(|_| buffer()).collect()
}
