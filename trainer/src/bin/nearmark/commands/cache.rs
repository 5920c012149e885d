//! `nearmark cache`

use crate::args::CacheArgs;
use crate::output::{self, grouped, say};
use crate::setup::Console;
use anyhow::Result;
use nearmark_train::emulator::vendored::{self, Build, BuildKind, Contents};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, SystemTime};

pub(crate) fn run(args: &CacheArgs, console: &Console) -> Result<()> {
    let folder = vendored::cache_dir()?;
    let limit = vendored::cache_limit()?;
    let contents = vendored::contents(&folder)?;
    if args.clear {
        return clear(&folder, &contents, console);
    }
    if console.json {
        return output::json(&json!({
            "cache": folder,
            "bytes": contents.bytes,
            "limit_bytes": limit,
            "builds": contents.builds.iter().map(object).collect::<Vec<_>>(),
        }));
    }
    output::stdout(&text(&folder, limit, &contents))
}

fn clear(folder: &Path, before: &Contents, console: &Console) -> Result<()> {
    let left = vendored::clear(folder)?;
    let removed = before.bytes.saturating_sub(left.bytes);
    say(&format!("{}: {} bytes removed", folder.display(), grouped(removed)));
    for build in &left.builds {
        say(&format!("note: {} stays, another process is using it", title(build)));
    }
    console.object(|| {
        json!({
            "cache": folder,
            "removed_bytes": removed,
            "bytes": left.bytes,
            "builds": left.builds.iter().map(object).collect::<Vec<_>>(),
        })
    })
}

fn text(folder: &Path, limit: u64, contents: &Contents) -> String {
    let mut text = format!("folder  {}\n", folder.display());
    let (bytes, limit) = (grouped(contents.bytes), grouped(limit));
    let _ = writeln!(text, "size    {bytes} bytes; builds used longest ago are removed beyond {limit}");
    text.push_str(if contents.builds.is_empty() { "builds  none\n" } else { "builds\n" });
    for build in contents.builds.iter().rev() {
        let age = age(build.used.elapsed().unwrap_or_default());
        let _ = writeln!(text, "{:>15} bytes  used {age:<16} {}", grouped(build.bytes), title(build));
    }
    text
}

fn title(build: &Build) -> String {
    let what = match build.kind {
        // Where cargo puts what runs on this machine during a build.
        BuildKind::Crates if build.name == "release" => "build scripts and macros".to_owned(),
        BuildKind::Crates => format!("crates for {}", build.name),
        BuildKind::Programs => format!("programs for {}", build.name),
    };
    format!("{what} ({})", build.version)
}

fn object(build: &Build) -> Value {
    let used = build.used.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    json!({
        "kind": format!("{:?}", build.kind).to_lowercase(),
        "name": build.name,
        "version": build.version,
        "bytes": build.bytes,
        "used_unix_seconds": used.as_secs(),
    })
}

/// `3 hours ago`.
fn age(elapsed: Duration) -> String {
    let minutes = elapsed.as_secs() / 60;
    let (count, unit) = match minutes {
        0 => return "just now".to_owned(),
        1..60 => (minutes, "minute"),
        60..1440 => (minutes / 60, "hour"),
        _ => (minutes / 1440, "day"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_rounded_down_to_a_unit() {
        for (seconds, text) in [
            (59, "just now"),
            (60, "1 minute ago"),
            (7200, "2 hours ago"),
            (86_399, "23 hours ago"),
            (259_200, "3 days ago"),
        ] {
            assert_eq!(age(Duration::from_secs(seconds)), text);
        }
    }
}
