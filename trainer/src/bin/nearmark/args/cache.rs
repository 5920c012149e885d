//! The flags of `cache`.

use clap::Args;

/// Where the cache lies by default, for the help of the commands that build.
pub(crate) const CACHE: &str = "\
Cache: builds are kept in ~/.cache/nearmark (Linux), ~/Library/Caches/nearmark (macOS) or
%LOCALAPPDATA%\\nearmark (Windows), or in the folder NEARMARK_CACHE. `nearmark cache` shows it.";

/// Show or clear the cache of builds
///
/// `device` and `export --lang c` compile the runtime with cargo and keep what they have built: compiled crates and
/// programs for emulated boards. Without flags, `cache` prints the folder, its size and every build in it.
///
/// The folder is `~/.cache/nearmark` on Linux, `~/Library/Caches/nearmark` on macOS, `%LOCALAPPDATA%\nearmark` on Windows,
/// or the one that the environment variable `NEARMARK_CACHE` names. Before a new build, if the cache is larger than
/// 2 GiB, the builds that were used longest ago are removed. `NEARMARK_CACHE_LIMIT` changes the limit: 500M, 4G.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  nearmark cache\n  nearmark cache --clear")]
pub(crate) struct CacheArgs {
    /// Remove all builds, except those that another process is using
    #[arg(long)]
    pub(crate) clear: bool,
}
