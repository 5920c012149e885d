//! A series as it comes: one time step after the other, an answer every few steps.

use core::cell::Cell;

use nearmark_format::{Layout, meta::code};

use crate::{Error, Model, Prediction, Sample, error::input_len};

/// The last steps of a series, for a model that takes a window of it: `N` is the number of the model's inputs.
///
/// Answers have the bits of [`Model::classify`] on the window in the order of time. The window is all that is stored, in the
/// type of the sensor's values; scratch is that of the model.
///
/// ```
/// # use nearmark_format::{AlignedBuf, Head, ModelBuf, Num, Shape, Tensor, Window, meta::code};
/// # let bytes = AlignedBuf::from(ModelBuf {
/// #     shape: Some(Shape { channels: 2, rows: 1, cols: 3 }),
/// #     window: Some(Window { segments: 1, stats: code::STAT_MAX, interleaved: true }),
/// #     head: Head::Means(Tensor::F32(vec![0.0, 0.0, 9.0, 9.0])), ..ModelBuf::new(6, 2, 2)
/// # }.encode()?.as_slice());
/// # let model = nearmark::Model::from_bytes(&bytes)?;
/// # let mut scratch = [0; 16];
/// // Windows of three steps of two channels, each two steps after the one before.
/// let mut stream = nearmark::Stream::<i16, 6>::new(&model, 2)?;
/// let mut classes = vec![];
/// for step in [[0, 0], [1, 0], [0, 1], [8, 9], [9, 8]] {
///     if let Some(answer) = stream.push(&step, &mut scratch)? {
///         classes.push(answer.class().0);
///     }
/// }
/// assert_eq!(classes, [0, 1]);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stream<'m, T, const N: usize> {
    model: &'m Model<'m>,
    window: [T; N],
    place: Place,
}

impl<'m, T: Copy + Default, const N: usize> Stream<'m, T, N>
where
    [T]: Sample,
{
    /// An empty window for one model, which answers when it is full and then every `hop` steps (0 counts as 1).
    ///
    /// # Errors
    /// If the model takes no series, or has another number of inputs than `N`.
    pub fn new(model: &'m Model<'m>, hop: usize) -> Result<Self, Error> {
        Ok(Self { model, window: [T::default(); N], place: Place::new(model, N, hop)? })
    }

    /// Takes the values of all channels at the next time step, and answers if a window is complete.
    ///
    /// # Errors
    /// If the step has another number of values than the model has channels: then nothing has changed. Else as
    /// [`Model::classify`]: then the step is taken, and the next window is a `hop` later.
    pub fn push(&mut self, step: &[T], scratch: &mut [u32]) -> Result<Option<Prediction>, Error> {
        push(self.model, &mut self.place, &mut self.window, step, scratch)
    }

    /// Drops all steps: after a gap in the series.
    pub fn clear(&mut self) {
        self.place.clear();
    }
}

/// Where a stream is in its window.
#[derive(Copy, Clone, Debug, Default)]
pub struct Place {
    /// Steps from one answer to the next.
    pub hop: usize,
    /// Steps in the window.
    pub filled: usize,
    /// Steps to drop before the next one that is taken: where answers are farther apart than a window is long.
    pub dropped: usize,
}

impl Place {
    /// The start of a window of so many values.
    ///
    /// # Errors
    /// As [`Stream::new`].
    pub fn new(model: &Model<'_>, values: usize, hop: usize) -> Result<Self, Error> {
        let series = Geometry::of(model.layout()).ok_or(Error::NotASeries)?;
        input_len(model.inputs(), values)?;
        // A build without stages that use the geometry does not check it on load.
        input_len(series.steps.saturating_mul(series.channels), values)?;
        Ok(Self { hop: hop.max(1), filled: 0, dropped: 0 })
    }

    /// Drops all steps.
    pub fn clear(&mut self) {
        (self.filled, self.dropped) = (0, 0);
    }
}

/// As [`Stream::push`], over a window of any length.
///
/// # Errors
/// As [`Stream::push`], and if the window is not as long as the model's inputs.
pub fn push<T: Copy>(
    model: &Model<'_>,
    place: &mut Place,
    window: &mut [T],
    step: &[T],
    scratch: &mut [u32],
) -> Result<Option<Prediction>, Error>
where
    [T]: Sample,
{
    let series = Geometry::of(model.layout()).ok_or(Error::NotASeries)?;
    input_len(series.channels, step.len())?;
    input_len(model.inputs(), window.len())?;
    model.check_scratch(scratch)?;
    if place.dropped != 0 {
        place.dropped -= 1;
        return Ok(None);
    }
    if place.filled >= series.steps {
        let hop = place.hop.clamp(1, series.steps.max(1));
        series.shift(window, hop);
        // The step at hand is the first of those that are dropped.
        (place.filled, place.dropped) = (series.steps.saturating_sub(hop), place.hop.saturating_sub(hop));
        if place.dropped != 0 {
            place.dropped -= 1;
            return Ok(None);
        }
    }
    for (channel, &value) in step.iter().enumerate() {
        if let Some(slot) = window.get_mut(series.at(channel, place.filled)) {
            *slot = value;
        }
    }
    place.filled = place.filled.wrapping_add(1);
    if place.filled < series.steps { Ok(None) } else { model.classify(&*window, scratch).map(Some) }
}

/// How a window lies in memory.
struct Geometry {
    channels: usize,
    steps: usize,
    interleaved: bool,
}

impl Geometry {
    /// Of models with a stage over a series, or of a series with one channel, in which there is one order only.
    fn of(layout: &Layout<'_>) -> Option<Self> {
        let meta = layout.meta();
        let staged = meta.has_window() || meta.has_counts();
        let plain = meta.shape == code::SHAPE_ONLY && meta.rows == 1 && meta.channels == 1;
        let (channels, steps) = (meta.channels as usize, meta.cols as usize);
        (staged || plain).then_some(Self { channels, steps, interleaved: staged && meta.interleaved != 0 })
    }

    /// The place of a value.
    fn at(&self, channel: usize, step: usize) -> usize {
        if self.interleaved {
            step.wrapping_mul(self.channels).wrapping_add(channel)
        } else {
            channel.wrapping_mul(self.steps).wrapping_add(step)
        }
    }

    /// Drops the oldest steps: what follows them moves to their place.
    fn shift<T: Copy>(&self, window: &mut [T], steps: usize) {
        let (row, by) =
            if self.interleaved { (window.len(), steps.wrapping_mul(self.channels)) } else { (self.steps, steps) };
        for row in window.chunks_mut(row.max(1)) {
            let cells = Cell::from_mut(row).as_slice_of_cells();
            for (to, from) in cells.iter().zip(cells.get(by..).unwrap_or_default()) {
                to.set(from.get());
            }
        }
    }
}
