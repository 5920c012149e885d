//! Counts and statistics of a series: the walk over its features, the same in both profiles.
//!
//! The features of a channel come sorted, so that neighbors share work: the sums of nine taps of a dilation, and the
//! outputs of an operator, which are compared with two thresholds at a time. (More would not fit the registers.)

use nearmark_format::{
    Layout,
    series::{self, DIFFERENCE, DISTANCE, KERNELS, SUM, VALUE, Word},
};

use crate::slices::take;

/// How a profile computes outputs, and what it makes of them.
pub(crate) trait Numbers {
    /// A value of the series.
    type Value: Copy;
    /// An output of an operator.
    type Output: Copy;

    /// Words of an entry.
    const WORDS: usize;

    /// The value itself.
    fn output(value: Self::Value) -> Self::Output;

    /// `3 (a + b + c) − sum` of a kernel's taps and the sum of all nine.
    fn kernel(taps: [Self::Value; 3], sum: Self::Output) -> Self::Output;

    /// `later − earlier`.
    fn difference(later: Self::Value, earlier: Self::Value) -> Self::Output;

    /// Its absolute value.
    fn distance(later: Self::Value, earlier: Self::Value) -> Self::Output;

    /// Writes the sums of nine values, each `dilation` after the one before.
    fn sums(values: &[Self::Value], dilation: usize, sums: &mut [Self::Output]);

    /// The threshold of an entry.
    fn threshold(entry: &[u32]) -> Self::Output;

    /// 1 if an output exceeds a threshold, else 0.
    fn exceeds(output: Self::Output, threshold: Self::Output) -> u32;

    /// Takes the number of so many outputs that exceed a threshold as the next feature.
    fn count(&mut self, count: u32, outputs: u32);

    /// Takes statistics of the values as the next features: entries of different operators in their order.
    fn statistics(&mut self, entries: &[u32], values: &[Self::Value]);
}

/// Bits of an entry that neighbors with the same outputs share: operator, part and dilation.
const OUTPUTS: u32 = 0x3FFF;

/// Runs through the channels that have features: `gather` fetches the values of a channel.
pub(crate) fn describe<N: Numbers>(
    layout: &Layout<'_>,
    numbers: &mut N,
    values: &mut [N::Value],
    sums: &mut [N::Output],
    gather: impl Fn(&mut [N::Value], Steps),
) {
    let meta = layout.meta();
    let (counts, mut entries) = layout.series();
    for (channel, &count) in counts.iter().enumerate() {
        let entries = take(&mut entries, usize::from(count).wrapping_mul(N::WORDS));
        if !entries.is_empty() {
            gather(values, Steps::new(meta.interleaved != 0, channel, meta.channels as usize, meta.cols as usize));
            describe_channel(numbers, values, sums, entries);
        }
    }
}

/// Where the values of a channel lie in a sample.
#[derive(Copy, Clone)]
pub(crate) struct Steps {
    first: usize,
    stride: usize,
}

impl Steps {
    fn new(interleaved: bool, channel: usize, channels: usize, steps: usize) -> Self {
        if interleaved {
            Self { first: channel, stride: channels }
        } else {
            Self { first: channel.wrapping_mul(steps), stride: 1 }
        }
    }

    /// Copies them, each as `value` has it.
    #[inline(always)]
    pub(crate) fn gather<T: Copy, V>(self, x: &[T], values: &mut [V], value: impl Fn(T) -> V) {
        let mut rest = x.get(self.first..).unwrap_or_default();
        for slot in values {
            if let Some(&v) = rest.first() {
                *slot = value(v);
            }
            rest = rest.get(self.stride..).unwrap_or_default();
        }
    }
}

#[inline(never)] // one copy for samples of every type
fn describe_channel<N: Numbers>(numbers: &mut N, values: &[N::Value], sums: &mut [N::Output], entries: &[u32]) {
    let (steps, mut rest, mut summed) = (values.len() as u32, entries, 0);
    while let Some(&first) = rest.first() {
        let word = Word(first);
        let operator = word.operator();
        if !series::is_counted(operator) {
            let (start, len) = series::part(steps, word.part());
            let words = run(rest, N::WORDS);
            numbers.statistics(take(&mut rest, words), within(values, start as usize, len as usize));
            continue;
        }
        let dilation = if series::is_dilated(operator) { series::dilation(steps, word.dilation()) } else { 0 };
        let outputs = series::outputs(steps, operator, dilation);
        if (operator < KERNELS || operator == SUM) && dilation != summed {
            N::sums(values, dilation as usize, sums.get_mut(..outputs as usize).unwrap_or_default());
            summed = dilation;
        }
        let (start, len) = series::part(outputs, word.part());
        let of =
            Part::<N> { operator, values, sums, dilation: dilation as usize, start: start as usize, len: len as usize };
        let threshold = N::threshold(take(&mut rest, N::WORDS));
        if rest.first().is_some_and(|next| (next ^ first) & OUTPUTS == 0) {
            let second = N::threshold(take(&mut rest, N::WORDS));
            for count in of.count([threshold, second]) {
                numbers.count(count, len);
            }
        } else {
            let [count] = of.count([threshold]);
            numbers.count(count, len);
        }
    }
}

/// Words of the statistics at the start of `entries` that one pass gives: of one part, in the order of their operators.
fn run(entries: &[u32], words: usize) -> usize {
    let (mut len, mut last, mut part) = (0, 0, None);
    for entry in entries.chunks(words) {
        let word = Word(entry.first().map_or(0, |word| *word));
        if word.operator() <= last || part.is_some_and(|part| part != word.part()) {
            break;
        }
        (last, part) = (word.operator(), Some(word.part()));
        len += words;
    }
    len
}

/// The outputs of an operator over a part.
struct Part<'a, N: Numbers> {
    operator: u8,
    values: &'a [N::Value],
    sums: &'a [N::Output],
    dilation: usize,
    start: usize,
    len: usize,
}

impl<N: Numbers> Part<'_, N> {
    /// How many exceed each threshold.
    #[inline(never)] // registers for the loops alone
    fn count<const K: usize>(&self, thresholds: [N::Output; K]) -> [u32; K] {
        let values = |tap: usize| {
            let from = self.start.wrapping_add(tap.wrapping_mul(self.dilation));
            within(self.values, from, self.len).iter()
        };
        let sums = within(self.sums, self.start, self.len).iter();
        let pairs = values(1).zip(values(0));
        match self.operator {
            VALUE => count::<N, K>(values(0).map(|&v| N::output(v)), thresholds),
            SUM => count::<N, K>(sums.copied(), thresholds),
            DIFFERENCE => count::<N, K>(pairs.map(|(&later, &earlier)| N::difference(later, earlier)), thresholds),
            DISTANCE => count::<N, K>(pairs.map(|(&later, &earlier)| N::distance(later, earlier)), thresholds),
            _ => {
                let [a, b, c] = series::taps(self.operator).map(|tap| values(tap.into()));
                let outputs = a.zip(b).zip(c).zip(sums).map(|(((&a, &b), &c), &sum)| N::kernel([a, b, c], sum));
                count::<N, K>(outputs, thresholds)
            }
        }
    }
}

#[inline(always)]
fn count<N: Numbers, const K: usize>(outputs: impl Iterator<Item = N::Output>, thresholds: [N::Output; K]) -> [u32; K] {
    let mut counts = [0u32; K];
    for output in outputs {
        for (count, &threshold) in counts.iter_mut().zip(&thresholds) {
            *count = count.wrapping_add(N::exceeds(output, threshold));
        }
    }
    counts
}

/// `len` values from a place; none where there are not so many.
#[inline(always)]
fn within<T>(values: &[T], from: usize, len: usize) -> &[T] {
    values.get(from..).and_then(|values| values.get(..len)).unwrap_or_default()
}
