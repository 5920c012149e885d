//! Flags of `recall`.

use super::DataArgs;
use clap::Args;

/// Measure how many true neighbors an embedding finds again
///
/// Every row is looked up among the others. Its true neighbors are the nearest in DATA as it is, by Euclidean distance;
/// an embedding ranks the same rows by its own distances. Recall at R is the share of the true neighbors among the first R,
/// precision at R the share of the first R that are true neighbors. Intervals are 95 %, over queries and repeats.
///
/// A method of `fit` is taken by name, with settings as in `compare`; rows are not scaled unless an entry asks for it
/// (pca:scale=standard). ebek stands for ebek:kernel=linear:extension=full, the embedding of its paper. Codes of --bits
/// bits, compared by Hamming distance: pca-rr, itq, lsh, sklsh. In-sample only, without a map for other rows: mds, lle.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearmark recall builtin:digits --methods ebek,pca,itq --neighbors 10 --at 10,50 --repeats 3
  nearmark recall builtin:gestures --methods ebek:extension=ls,kpca,mds,lle --at 1,10
  nearmark recall builtin:gestures --unlabelled --methods ebek,pca --at 1,10
  nearmark recall builtin:digits:train --queries builtin:digits:test --methods ebek,lsh --json")]
pub(crate) struct RecallArgs {
    /// Rows; `nearmark --help` lists the forms of DATA
    pub(crate) data: String,
    /// Methods and codes, separated by commas [default: ebek,pca,pca-rr,itq,lsh,sklsh]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) methods: Vec<String>,
    /// Numbers of true neighbors, separated by commas
    #[arg(long, value_name = "K", value_delimiter = ',', default_value = "10,50", value_parser = count)]
    pub(crate) neighbors: Vec<usize>,
    /// Numbers of candidates to look at, separated by commas
    #[arg(long, value_name = "R", value_delimiter = ',', default_value = "1,10,50,100", value_parser = count)]
    pub(crate) at: Vec<usize>,
    /// Length of real coordinates
    #[arg(long, value_name = "D", default_value = "10", value_parser = count)]
    pub(crate) dim: usize,
    /// Length of binary codes [default: as --dim]
    #[arg(long, value_name = "B", value_parser = count)]
    pub(crate) bits: Option<usize>,
    /// Runs of a method that has something random, with consecutive seeds
    #[arg(long, value_name = "R", default_value = "10", value_parser = count)]
    pub(crate) repeats: usize,
    /// Look up these rows among those of DATA
    #[arg(long, value_name = "DATA")]
    pub(crate) queries: Option<String>,
    /// DATA has no labels, or they are left alone: every column of a table is a feature. Methods that need labels are
    /// refused by name
    #[arg(long)]
    pub(crate) unlabelled: bool,
    /// Seed of the first run
    #[arg(long, value_name = "SEED", default_value = "0")]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) input: DataArgs,
}

fn count(text: &str) -> Result<usize, &'static str> {
    text.trim().parse().ok().filter(|&count| count > 0).ok_or("expected a count above zero")
}
