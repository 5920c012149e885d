//! CRC-32/ISO-HDLC by nibbles: a table of 64 bytes instead of the usual kilobyte of flash.

const TABLE: [u32; 16] = table();

const fn table() -> [u32; 16] {
    let mut table = [0u32; 16];
    let mut nibble = 0;
    while nibble < 16 {
        let mut crc = nibble as u32;
        let mut bit = 0;
        while bit < 4 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
            bit += 1;
        }
        table[nibble] = crc;
        nibble += 1;
    }
    table
}

/// A running checksum.
#[derive(Copy, Clone, Debug)]
pub struct Crc32(u32);

impl Crc32 {
    /// The checksum of nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(!0)
    }

    /// Takes more bytes in.
    #[inline(never)] // asked for in several places
    pub fn update(&mut self, bytes: &[u8]) {
        let mut crc = self.0;
        for &byte in bytes {
            crc ^= byte as u32;
            crc = (crc >> 4) ^ TABLE[(crc & 15) as usize];
            crc = (crc >> 4) ^ TABLE[(crc & 15) as usize];
        }
        self.0 = crc;
    }

    /// The checksum of all bytes so far.
    #[must_use]
    pub const fn finish(self) -> u32 {
        !self.0
    }
}

impl Default for Crc32 {
    fn default() -> Self {
        Self::new()
    }
}

/// The checksum of `bytes`.
#[must_use]
pub fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = Crc32::new();
    crc.update(bytes);
    crc.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_value_of_the_catalogue_is_met() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn bytes_may_come_in_pieces() {
        let mut crc = Crc32::new();
        crc.update(b"1234");
        crc.update(b"");
        crc.update(b"56789");
        assert_eq!(crc.finish(), crc32(b"123456789"));
    }
}
