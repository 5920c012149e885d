//! Replaces the driver of a motion sensor: frames of a recording, as its FIFO would deliver them.

/// Acceleration and rotation about three axes each, in the sensor's own counts.
pub const CHANNELS: usize = 6;

/// Two windows of each class that the model has not been trained on.
static RECORDING: &[u8] = include_bytes!("../gesture.bin");

/// The sensor.
pub struct Imu {
    fifo: &'static [u8],
}

impl Imu {
    /// A sensor with its FIFO full.
    pub fn new() -> Self {
        Self { fifo: RECORDING }
    }

    /// Fills a window, frame after frame; returns whether there were enough frames.
    pub fn read(&mut self, window: &mut [i16]) -> bool {
        window.chunks_exact_mut(CHANNELS).all(|frame| self.read_frame(frame))
    }

    /// A frame: two bytes a channel, the lower one first.
    fn read_frame(&mut self, frame: &mut [i16]) -> bool {
        frame.iter_mut().all(|value| {
            let Some((bytes, rest)) = self.fifo.split_first_chunk() else { return false };
            *value = i16::from_le_bytes(*bytes);
            self.fifo = rest;
            true
        })
    }
}
