use super::*;
use std::{
    fs,
    sync::{Arc, Barrier, mpsc},
    time::Duration,
};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// A vendored file by its path in the repository.
fn file(path: &str) -> Option<&'static str> {
    FILES.iter().find(|(name, _)| *name == path).map(|(_, text)| *text)
}

#[test]
fn every_crate_is_there_as_in_the_repository() {
    let repository = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    assert!(FILES.is_sorted());
    for name in
        ["runtime/src/lib.rs", "runtime/dsp/build.rs", "runtime/c/include/nearmark.h", "model-format/src/lib.rs"]
    {
        assert_eq!(file(name), fs::read_to_string(repository.join(name)).ok().as_deref(), "{name}");
    }
    assert_eq!(file("trainer/Cargo.toml"), None);
    let manifest = file("runtime/c/Cargo.toml").unwrap_or_default();
    assert!(manifest.contains("[dependencies]") && manifest.contains("[lints.clippy]"), "{manifest}");
    assert!(!manifest.contains("nearmark-tests"), "{manifest}");
}

#[test]
fn what_is_lost_or_changed_is_written_again_and_the_rest_left_alone() -> Outcome {
    let cache = tempfile::tempdir()?;
    let root = unpack(cache.path(), || ())?.root.clone();
    let path = |name: &str| root.join(name);
    let written = |name: &str| fs::metadata(path(name)).and_then(|found| found.modified());
    fs::write(path("runtime/src/lib.rs"), "changed")?;
    fs::remove_file(path("runtime/c/Cargo.toml"))?;
    fs::write(path("Cargo.lock"), "as cargo left it")?;
    let untouched = written("model-format/src/lib.rs")?;
    assert_eq!(unpack(cache.path(), || ())?.root, root);
    for name in ["runtime/src/lib.rs", "runtime/c/Cargo.toml"] {
        assert_eq!(Some(fs::read_to_string(path(name))?.as_str()), file(name), "{name}");
    }
    assert_eq!(fs::read_to_string(path("Cargo.lock"))?, "as cargo left it");
    assert_eq!(written("model-format/src/lib.rs")?, untouched);
    Ok(())
}

#[test]
fn a_second_process_waits_and_is_notified() -> Outcome {
    let cache = Arc::new(tempfile::tempdir()?);
    let first = unpack(cache.path(), || ())?;
    let (waiting, done) = (Arc::new(Barrier::new(2)), mpsc::channel());
    let thread = std::thread::spawn({
        let (cache, waiting, done) = (cache.clone(), waiting.clone(), done.0);
        move || {
            let second = unpack(cache.path(), || {
                waiting.wait();
            });
            done.send(second.is_ok())
        }
    });
    waiting.wait();
    assert!(done.1.recv_timeout(Duration::from_millis(200)).is_err(), "it does not wait");
    drop(first);
    assert!(done.1.recv_timeout(Duration::from_secs(20))?);
    thread.join().map_err(|_| "the thread panicked")??;
    Ok(())
}

#[test]
fn builds_of_other_projects_leave_this_one_alone() {
    for name in
        ["RUSTFLAGS", "CARGO_TARGET_THUMBV6M_NONE_EABI_RUSTFLAGS", "CARGO_PROFILE_RELEASE_LTO", "CARGO_TARGET_DIR"]
    {
        assert!(toolchain::configures_builds(name), "{name}");
    }
    for name in ["PATH", "CARGO_HOME", "RUSTUP_TOOLCHAIN", "CARGO_NET_OFFLINE", "CARGO_HTTP_PROXY"] {
        assert!(!toolchain::configures_builds(name), "{name}");
    }
}

#[test]
fn missing_targets_are_distinguished_from_unknown_ones() {
    let message = |target: &str| ensure_target(target).err().map(|why| why.to_string());
    assert!(host().is_ok_and(|host| ensure_target(&host).is_ok()));
    assert!(message("thumbv9-none-eabi").is_some_and(|why| why.contains("knows no target 'thumbv9-none-eabi'")));
    // Tier 3: rustup has no libraries for it.
    assert!(message("avr-none").is_some_and(|why| why.contains("rustup target add avr-none")));
}

/// A build of so many bytes in a workspace, used so many hours ago.
fn fake(root: &std::path::Path, name: &str, bytes: usize, hours: u64) -> Outcome {
    let folder = root.join(name);
    fs::create_dir_all(&folder)?;
    fs::write(root.join(".lock"), "")?;
    fs::write(folder.join("artifact"), vec![0; bytes])?;
    cache::mark(&folder)?;
    let then = std::time::SystemTime::now() - Duration::from_secs(3600 * hours);
    Ok(cache::open(&folder.join(".used"))?.set_modified(then)?)
}

#[test]
fn the_builds_used_longest_ago_make_room() -> Outcome {
    let folder = tempfile::tempdir()?;
    let (old, own) = (folder.path().join("0.0.1-aa"), folder.path().join("0.1.0-bb"));
    fake(&old, "target/thumbv6m-none-eabi", 1000, 9)?;
    fake(&old, "boards/m0-f32", 1000, 8)?;
    fake(&own, "target/riscv32imc-unknown-none-elf", 1000, 7)?;
    fake(&own, "target/thumbv7em-none-eabihf", 1000, 6)?;
    let names = || -> Result<Vec<String>, VendoredError> {
        Ok(contents(folder.path())?.builds.into_iter().map(|build| build.name).collect())
    };
    // Enough room: nothing goes.
    cache::make_room(&own, "riscv32imc-unknown-none-elf", 4000)?;
    assert_eq!(names()?.len(), 4);
    cache::make_room(&own, "riscv32imc-unknown-none-elf", 3500)?;
    assert_eq!(names()?, ["m0-f32", "riscv32imc-unknown-none-elf", "thumbv7em-none-eabihf"]);
    // What is about to be built stays, though it was used before the other.
    cache::make_room(&own, "riscv32imc-unknown-none-elf", 0)?;
    assert_eq!(names()?, ["riscv32imc-unknown-none-elf"]);
    Ok(())
}

#[test]
fn what_is_in_use_is_not_removed() -> Outcome {
    let folder = tempfile::tempdir()?;
    let (old, own) = (folder.path().join("0.0.1-aa"), folder.path().join("0.1.0-bb"));
    fake(&old, "target/thumbv6m-none-eabi", 1000, 9)?;
    fake(&own, "boards/m0-f32", 1000, 8)?;
    let (building, running) = (cache::open(&old.join(".lock"))?, cache::open(&own.join(".running"))?);
    building.lock()?;
    running.lock_shared()?;
    cache::make_room(&own, "thumbv6m-none-eabi", 0)?;
    assert_eq!(clear(folder.path())?.builds.len(), 2);
    drop((building, running));
    cache::make_room(&own, "thumbv6m-none-eabi", 0)?;
    assert_eq!(contents(folder.path())?.builds, []);
    Ok(())
}

#[test]
fn a_cleared_cache_is_empty_and_works_again() -> Outcome {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("mine.txt"), "not of the tool")?;
    drop(unpack(folder.path(), || ())?);
    assert!(contents(folder.path())?.bytes > 100_000);
    assert_eq!(clear(folder.path())?, Contents { bytes: 0, builds: Vec::new() });
    assert!(folder.path().join("mine.txt").is_file());
    let workspace = unpack(folder.path(), || ())?;
    assert!(workspace.root.join("runtime/src/lib.rs").is_file());
    Ok(())
}
