//! Host throughput: one row after the other against a batch.
fn main() {
    divan::main();
}
