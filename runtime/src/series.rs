//! Counts and statistics of a series: the walk over its features, the same in both profiles.
//!
//! The features of a channel come sorted, so that neighbors share work: the sums of nine taps of a dilation, the
//! outputs of an operator, which are compared with two thresholds at a time (more would not fit the registers), and the
//! statistics of a part.

use nearmark_format::{
    Layout,
    series::{self, DISTANCE, KERNELS, SUM, Span, VALUE, Word},
};

use crate::slices::take;

/// How a profile computes outputs, and what it makes of them.
pub(crate) trait Numbers {
    /// A value of the series, and an output of an operator.
    type Number: Copy;

    /// Words of an entry.
    const WORDS: usize;

    /// `3 (a + b + c) − sum` of a kernel's taps and the sum of all nine.
    fn kernel(taps: [Self::Number; 3], sum: Self::Number) -> Self::Number;

    /// `later − earlier`, or its absolute value.
    fn difference(later: Self::Number, earlier: Self::Number, absolute: bool) -> Self::Number;

    /// Writes the sums of nine values, each `dilation` after the one before, to the place of the last of them.
    fn sums(values: &[Self::Number], dilation: usize, sums: &mut [Self::Number]);

    /// The threshold of an entry.
    fn threshold(entry: &[u32]) -> Self::Number;

    /// 1 if an output exceeds a threshold, else 0.
    fn exceeds(output: Self::Number, threshold: Self::Number) -> u32;

    /// Takes the number of so many outputs that exceed a threshold as the next feature.
    fn count(&mut self, count: u32, outputs: u32);

    /// Takes statistics of the values as the next features: entries of different operators in their order.
    fn statistics(&mut self, entries: &[u32], values: &[Self::Number]);
}

/// Bits of an entry that neighbors with the same outputs share: operator, part and dilation.
const OUTPUTS: u32 = 0x3FFF;

/// Runs through the channels that have features: `gather` fetches the values of a channel, which lie at a place and then
/// at every so manieth.
pub(crate) fn describe<N: Numbers>(
    layout: &Layout<'_>,
    numbers: &mut N,
    values: &mut [N::Number],
    sums: &mut [N::Number],
    gather: impl Fn(&mut [N::Number], usize, usize),
) {
    let meta = layout.meta();
    let (between, stride) = if meta.interleaved == 0 { (meta.cols, 1) } else { (1, meta.channels) };
    let (counts, mut entries) = layout.series();
    let mut first = 0usize;
    for &count in counts {
        if count != 0 {
            gather(values, first, stride as usize);
            describe_channel(numbers, values, sums, take(&mut entries, usize::from(count).wrapping_mul(N::WORDS)));
        }
        first = first.wrapping_add(between as usize);
    }
}

/// Copies every so manieth value from a place on, as `value` has it.
#[inline(always)]
pub(crate) fn gather<T: Copy, V>(x: &[T], first: usize, stride: usize, values: &mut [V], value: impl Fn(T) -> V) {
    let mut at = first;
    for slot in values {
        if let Some(&v) = x.get(at) {
            *slot = value(v);
        }
        at = at.wrapping_add(stride);
    }
}

#[inline(never)] // one copy for samples of every type
fn describe_channel<N: Numbers>(numbers: &mut N, values: &[N::Number], sums: &mut [N::Number], entries: &[u32]) {
    let (mut rest, mut summed) = (entries, 0);
    while let Some(&first) = rest.first() {
        let word = Word(first);
        let span = word.span(values.len() as u32);
        if !series::is_counted(word.operator()) {
            let run = run(rest, N::WORDS);
            numbers.statistics(take(&mut rest, run), within(values, span.start as usize, span.len as usize));
            continue;
        }
        if word.operator() <= SUM && word.operator() != VALUE && span.dilation != summed {
            summed = span.dilation;
            N::sums(values, summed as usize, sums);
        }
        let mut thresholds = [N::threshold(take(&mut rest, N::WORDS)); 2];
        let both = rest.first().is_some_and(|next| (next ^ first) & OUTPUTS == 0);
        if both {
            thresholds = [thresholds[0], N::threshold(take(&mut rest, N::WORDS))];
        }
        let [low, high] = count::<N>(word.operator(), span, values, sums, thresholds, both);
        numbers.count(low, span.len);
        if both {
            numbers.count(high, span.len);
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

/// How many outputs exceed each threshold; the second one counts if `both`.
#[inline(never)] // registers for the loops alone
fn count<N: Numbers>(
    operator: u8,
    span: Span,
    values: &[N::Number],
    sums: &[N::Number],
    [low, high]: [N::Number; 2],
    both: bool,
) -> [u32; 2] {
    let (start, dilation) = (span.start as usize, span.dilation as usize);
    // From a tap on; outputs end where the first of their inputs do.
    let tap = |tap: u8| values.get(start.wrapping_add(dilation.wrapping_mul(tap.into()))..).unwrap_or_default();
    let sums = within(sums, start.wrapping_add(dilation.wrapping_mul(8)), span.len as usize);
    if operator < KERNELS {
        let [a, b, c] = series::taps(operator);
        let outputs = sums.iter().zip(tap(a)).zip(tap(b)).zip(tap(c));
        let outputs = outputs.map(|(((&sum, &a), &b), &c)| N::kernel([a, b, c], sum));
        if both {
            return count_both::<N>(outputs, low, high);
        }
        return [outputs.fold(0, |count, output| N::exceeds(output, low).wrapping_add(count)), 0];
    }
    let first = within(values, start, span.len as usize);
    let absolute = operator == DISTANCE;
    if operator <= SUM {
        return count_both::<N>(if operator == SUM { sums } else { first }.iter().copied(), low, high);
    }
    count_both::<N>(first.iter().zip(tap(1)).map(|(&v, &later)| N::difference(later, v, absolute)), low, high)
}

#[inline(always)]
fn count_both<N: Numbers>(outputs: impl Iterator<Item = N::Number>, low: N::Number, high: N::Number) -> [u32; 2] {
    let mut counts = [0u32; 2];
    for output in outputs {
        counts[0] = N::exceeds(output, low).wrapping_add(counts[0]);
        counts[1] = N::exceeds(output, high).wrapping_add(counts[1]);
    }
    counts
}

/// `len` values from a place; none where there are not so many.
#[inline(always)]
fn within<T>(values: &[T], from: usize, len: usize) -> &[T] {
    values.get(from..).and_then(|values| values.get(..len)).unwrap_or_default()
}
