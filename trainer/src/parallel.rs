//! Parallel loops whose result does not depend on the number of threads.
//!
//! Work is cut into pieces whose size follows from the problem alone; threads take pieces as they come,
//! and results are put back in the order of the pieces. No sum ever crosses a piece in another order.

use std::sync::Mutex;

/// Calls `f(i, piece)` for every piece, on up to `threads` threads.
pub(crate) fn each<T: Send>(threads: usize, pieces: Vec<T>, f: impl Fn(usize, T) + Sync) {
    let threads = threads.clamp(1, pieces.len().max(1));
    if threads == 1 {
        pieces.into_iter().enumerate().for_each(|(i, piece)| f(i, piece));
        return;
    }
    let queue = Mutex::new(pieces.into_iter().enumerate());
    // The lock is held only while taking a piece; a poisoned queue means that a sibling panicked, and the
    // scope will hand that panic on.
    let next = || queue.lock().ok().and_then(|mut pieces| pieces.next());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((i, piece)) = next() {
                    f(i, piece);
                }
            });
        }
    });
}

/// `(0..count).map(f)`, on up to `threads` threads, results in order.
pub(crate) fn map<T: Send>(threads: usize, count: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut results: Vec<Option<T>> = (0..count).map(|_| None).collect();
    each(threads, results.iter_mut().collect(), |i, slot| *slot = Some(f(i)));
    results.into_iter().flatten().collect()
}

/// Start and length of consecutive blocks of at most `size` that cover `0..total`.
pub(crate) fn blocks(total: usize, size: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..total).step_by(size.max(1)).map(move |start| (start, size.min(total - start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_their_order_for_any_thread_count() {
        for threads in [1, 2, 7] {
            assert_eq!(map(threads, 100, |i| i * i), (0..100).map(|i| i * i).collect::<Vec<_>>());
        }
    }

    #[test]
    fn blocks_cover_everything_once() {
        assert_eq!(blocks(7, 3).collect::<Vec<_>>(), [(0, 3), (3, 3), (6, 1)]);
        assert_eq!(blocks(0, 3).count(), 0);
    }
}
