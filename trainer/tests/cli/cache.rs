//! `nearmark cache`, and the limit of the cache that `device` and `export` build in.

use crate::sandbox::{Outcome, Ran, Sandbox, clouds};
use std::fs::{self, File};
use std::time::{Duration, SystemTime};

/// Runs with a cache of its own.
fn run(sandbox: &Sandbox, line: &str, settings: &[(&str, &str)]) -> Outcome<Ran> {
    let mut command = sandbox.command();
    command.args(line.split_whitespace()).env("NEARMARK_CACHE", "cache").env_remove("NEARMARK_CACHE_LIMIT");
    Ran::of(command.envs(settings.iter().copied()).output()?)
}

fn ok(sandbox: &Sandbox, line: &str) -> Outcome<Ran> {
    let ran = run(sandbox, line, &[])?;
    assert_eq!(ran.code, 0, "{line}\n{}", ran.stderr);
    Ok(ran)
}

/// A build of an older version of the tool, used so many hours ago.
fn build(sandbox: &Sandbox, version: &str, name: &str, bytes: usize, hours: u64) -> Outcome {
    let root = sandbox.path("cache").join(version);
    let folder = root.join(name);
    fs::create_dir_all(&folder)?;
    fs::write(root.join(".lock"), "")?;
    fs::write(folder.join("artifact"), vec![0; bytes])?;
    let used = File::create(folder.join(".used"))?;
    Ok(used.set_modified(SystemTime::now() - Duration::from_secs(3600 * hours))?)
}

fn with_builds() -> Outcome<Sandbox> {
    let sandbox = Sandbox::new()?;
    build(&sandbox, "0.0.1-aa", "target/thumbv6m-none-eabi", 100_000, 50)?;
    build(&sandbox, "0.0.1-aa", "boards/m0-f32-gaussian", 20_000, 3)?;
    build(&sandbox, "0.0.2-bb", "target/thumbv7em-none-eabihf", 300_000, 1)?;
    sandbox.write("cache/mine.txt", "a file of the user")?;
    Ok(sandbox)
}

#[test]
fn the_folder_its_size_and_its_builds_are_printed() -> Outcome {
    let sandbox = with_builds()?;
    let text = ok(&sandbox, "cache")?.stdout;
    let folder = format!("folder  {}", sandbox.path("").canonicalize()?.join("cache").display());
    for part in [
        &*folder,
        "420 000 bytes",
        "2 147 483 648",
        "used 2 days ago",
        "crates for thumbv6m-none-eabi (0.0.1-aa)",
        "programs for m0-f32-gaussian (0.0.1-aa)",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let json = ok(&sandbox, "cache --json")?.json()?;
    assert_eq!((json["bytes"].as_u64(), json["limit_bytes"].as_u64()), (Some(420_000), Some(2 << 30)));
    assert_eq!(json["builds"].as_array().map(Vec::len), Some(3));
    assert_eq!(json["builds"][0]["name"], "thumbv6m-none-eabi");
    let limited = run(&sandbox, "cache --json", &[("NEARMARK_CACHE_LIMIT", "500M")])?.json()?;
    assert_eq!(limited["limit_bytes"].as_u64(), Some(500 << 20));
    let wrong = run(&sandbox, "cache", &[("NEARMARK_CACHE_LIMIT", "much")])?;
    assert_eq!(wrong.code, 1);
    assert!(wrong.stderr.contains("NEARMARK_CACHE_LIMIT is `much`"), "{}", wrong.stderr);
    Ok(())
}

#[test]
fn a_cache_that_does_not_exist_is_empty() -> Outcome {
    let sandbox = Sandbox::new()?;
    assert!(ok(&sandbox, "cache")?.stdout.contains("builds  none"));
    ok(&sandbox, "cache --clear")?;
    assert!(!sandbox.path("cache").exists());
    Ok(())
}

#[test]
fn clearing_removes_every_build_but_those_in_use() -> Outcome {
    let sandbox = with_builds()?;
    let lock = File::options().write(true).open(sandbox.path("cache/0.0.2-bb/.lock"))?;
    lock.lock()?;
    let cleared = ok(&sandbox, "cache --clear --json")?;
    let json = cleared.json()?;
    assert_eq!((json["removed_bytes"].as_u64(), json["bytes"].as_u64()), (Some(120_000), Some(300_000)));
    let note = "note: crates for thumbv7em-none-eabihf (0.0.2-bb) stays, another process is using it";
    assert!(cleared.stderr.contains(note), "{}", cleared.stderr);
    drop(lock);
    ok(&sandbox, "cache --clear")?;
    assert_eq!(ok(&sandbox, "cache --json")?.json()?["bytes"].as_u64(), Some(0));
    assert!(sandbox.path("cache/mine.txt").is_file());
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_new_build_removes_those_used_longest_ago() -> Outcome {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = with_builds()?;
    sandbox.write("rows.csv", clouds(6))?;
    sandbox.ok("fit rows.csv -o m.nmk")?;
    // A compiler that builds nothing: what counts happens before.
    fs::create_dir(sandbox.path("tools"))?;
    let script = |name: &str, text: &str| -> Outcome {
        sandbox.write(name, format!("#!/bin/sh\n{text}\n"))?;
        Ok(fs::set_permissions(sandbox.path(name), fs::Permissions::from_mode(0o755))?)
    };
    script("tools/cargo", "case $1 in --version) exit 0;; *) echo error: nothing is built >&2; exit 1;; esac")?;
    script("tools/rustc", "case $2 in target-list) echo thumbv6m-none-eabi;; *) echo /;; esac")?;
    let tools = sandbox.path("tools").display().to_string();
    let export = |limit: &str| {
        run(&sandbox, "export m.nmk --lang c -o out --target m0", &[("PATH", &tools), ("NEARMARK_CACHE_LIMIT", limit)])
    };
    let names = || -> Outcome<Vec<String>> {
        let json = ok(&sandbox, "cache --json")?.json()?;
        let builds = json["builds"].as_array().ok_or("no builds")?.iter();
        let old = builds.filter(|build| build["version"].as_str().is_some_and(|version| version.starts_with("0.0.")));
        Ok(old.filter_map(|build| build["name"].as_str().map(str::to_owned)).collect())
    };
    assert!(export("1G")?.stderr.contains("nothing is built"));
    assert_eq!(names()?.len(), 3);
    // The sources of this version count too.
    let bytes = ok(&sandbox, "cache --json")?.json()?["bytes"].as_u64().ok_or("no bytes")?;
    export(&(bytes - 50_000).to_string())?;
    assert_eq!(names()?, ["m0-f32-gaussian", "thumbv7em-none-eabihf"]);
    let lock = File::options().write(true).open(sandbox.path("cache/0.0.2-bb/.lock"))?;
    lock.lock()?;
    export("0")?;
    assert_eq!(names()?, ["thumbv7em-none-eabihf"]);
    drop(lock);
    export("0")?;
    assert!(names()?.is_empty());
    Ok(())
}

#[test]
fn the_help_says_where_the_cache_lies() -> Outcome {
    let sandbox = Sandbox::new()?;
    for command in ["cache", "device", "export"] {
        let help = sandbox.ok(&format!("{command} --help"))?.stdout;
        for part in ["~/.cache/nearmark", "NEARMARK_CACHE", "nearmark cache"] {
            assert!(help.contains(part), "{command}: {part}\n{help}");
        }
    }
    Ok(())
}
