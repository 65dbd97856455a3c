//! Lines of a text: where a mistake stands.

use std::ops::Range;

/// A text whose lines are counted from 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines<'a>(pub &'a str);

impl Lines<'_> {
    /// The line of a byte.
    pub(super) fn at(self, byte: usize) -> usize {
        1 + self.0.bytes().take(byte).filter(|&b| b == b'\n').count()
    }

    /// The line within `span` that gives `key` a value: `key = ..`, `{ key = .. }` or `[key]` itself.
    fn of_key_in(self, span: Range<usize>, key: &str) -> Option<usize> {
        let (first, last) = (self.at(span.start), self.at(span.end));
        let numbered = self.0.lines().enumerate().map(|(i, line)| (i + 1, line));
        let mut within = numbered.skip_while(|(n, _)| *n < first).take_while(|(n, _)| *n <= last);
        within.find(|(_, line)| gives(line, key)).map(|(number, _)| number)
    }

    /// The line of what the parser complains of. Of a table that is known by its type it tells only
    /// where the table is; its message names the field, the type or the value in quotes.
    pub(super) fn of_mistake(self, span: Range<usize>, message: &str) -> usize {
        let table = self.table(span.clone());
        let quoted = message.split(['`', '"']).nth(1);
        let named = quoted.filter(|name| !name.is_empty() && !message.starts_with("missing"));
        let line = named.and_then(|name| {
            self.of_key_in(table.clone(), name).or_else(|| self.of_value_in(table, name))
        });
        line.unwrap_or(self.at(span.start))
    }

    /// A line without the blanks around it.
    pub(super) fn text(self, line: usize) -> String {
        self.0.lines().nth(line - 1).unwrap_or("").trim().into()
    }

    /// The line within `span` that gives something a value in which `value` stands.
    fn of_value_in(self, span: Range<usize>, value: &str) -> Option<usize> {
        let within = self.0.get(span.clone())?;
        let at = within.match_indices('=').find_map(|(at, _)| {
            let end = within[at..].find('\n').map_or(within.len(), |line| at + line);
            within[at..end].contains(value).then_some(at)
        });
        at.map(|at| self.at(span.start + at))
    }

    /// A span; of the header of a table, the whole table.
    fn table(self, span: Range<usize>) -> Range<usize> {
        let rest = self.0.get(span.start..).unwrap_or("");
        let end = rest.find("\n[").map_or(self.0.len(), |next| span.start + next);
        if rest.starts_with('[') { span.start..end.max(span.end) } else { span }
    }
}

/// Whether a line gives `key` a value.
fn gives(line: &str, key: &str) -> bool {
    let before_comment = line.split('#').next().unwrap_or("");
    before_comment.trim() == key
        || before_comment
            .split(['{', ','])
            .any(|part| part.split_once('=').is_some_and(|(name, _)| name.trim() == key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_lines_and_inline_tables() {
        let lines =
            Lines("[a]\nlr_scale = 1 # lr = 2\nx = { type = \"adam\", lr = 3 }\n[b]\nlr = 4\n");
        assert_eq!(lines.of_key_in(0..60, "lr"), Some(3));
        assert_eq!(lines.of_key_in(60..lines.0.len(), "lr"), Some(5));
        assert_eq!(lines.of_key_in(0..60, "[b]"), Some(4));
        assert_eq!(lines.of_key_in(0..60, "adam"), None);
    }
}
