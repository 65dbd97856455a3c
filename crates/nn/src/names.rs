//! Patterns of names of parameters.

/// Whether `name` is as `pattern` says: its pieces between the stars, in order.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let pieces: Vec<&str> = rest.split('*').collect();
    let Some((end, middle)) = pieces.split_last() else { return true };
    for piece in middle {
        // The earliest place leaves the most for the pieces after it.
        let Some(at) = name.find(piece) else { return false };
        name = &name[at + piece.len()..];
    }
    name.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name, expected) in [
            ("0.weight", "0.weight", true),
            ("0.weight", "10.weight", false),
            ("*.bias", "0.bias", true),
            ("*.bias", "0.bias_ih_l0", false),
            ("*bias*", "0.bias_ih_l0", true),
            ("encoder.*.weight", "encoder.3.linear.weight", true),
            ("encoder.*.weight", "decoder.3.weight", false),
            ("*", "anything", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
