//! Messages of Protocol Buffers, written by field number: all that ONNX needs of the format.
//!
//! A field is a key (number and wire type) and a value: a number of variable length, four bytes, or
//! bytes after their length.

/// A message under construction.
#[derive(Clone, Debug, Default)]
pub struct Message {
    bytes: Vec<u8>,
}

const VARINT: u64 = 0;
const BYTES: u64 = 2;
const FIXED32: u64 = 5;

impl Message {
    /// The message as it is written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The same message with an integer more.
    pub fn int(mut self, field: u64, value: i64) -> Message {
        self.varint(field << 3 | VARINT);
        // Negative numbers are written as the same 64 bits without a sign.
        self.varint(value as u64);
        self
    }

    /// The same message with a float more.
    pub fn float(mut self, field: u64, value: f32) -> Message {
        self.varint(field << 3 | FIXED32);
        self.bytes.extend(value.to_le_bytes());
        self
    }

    /// The same message with bytes more.
    pub fn bytes(mut self, field: u64, value: &[u8]) -> Message {
        self.varint(field << 3 | BYTES);
        self.varint(value.len() as u64);
        self.bytes.extend(value);
        self
    }

    /// The same message with a text more.
    pub fn text(self, field: u64, value: &str) -> Message {
        self.bytes(field, value.as_bytes())
    }

    /// The same message with another in it.
    pub fn message(self, field: u64, value: Message) -> Message {
        self.bytes(field, &value.bytes)
    }

    /// The same message with a field repeated for each of some values.
    pub fn each<T>(
        self,
        values: impl IntoIterator<Item = T>,
        add: impl Fn(Message, T) -> Message,
    ) -> Message {
        values.into_iter().fold(self, add)
    }

    /// Seven bits a byte, the lowest first; the eighth says that more follow.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::Message;

    /// The examples of the format's own documentation.
    #[test]
    fn fields_are_written_as_the_format_says() {
        assert_eq!(Message::default().int(1, 150).into_bytes(), [0x08, 0x96, 0x01]);
        let text = Message::default().text(2, "testing");
        assert_eq!(text.clone().into_bytes(), *b"\x12\x07testing");
        let inner = Message::default().message(3, Message::default().int(1, 150));
        assert_eq!(inner.into_bytes(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
        let negative = Message::default().int(1, -2).into_bytes();
        assert_eq!(negative, [8, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]);
        assert_eq!(Message::default().float(5, 1.0).into_bytes(), [0x2d, 0, 0, 0x80, 0x3f]);
    }
}
