//! Every name that libfann exports is exported here, for data where it is data. The list is kept in
//! `symbols.txt` and compared with the installed library where there is one.
#![cfg(target_os = "linux")]

mod libraries;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The names a library defines, with the kind `nm` gives them; nothing where there is no `nm` or no such file.
fn defined(library: &Path) -> Option<BTreeMap<String, char>> {
    let output = Command::new("nm").args(["-D", "--defined-only"]).arg(library).output().ok()?;
    let text = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
    let symbol = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        let kind = words.next()?.chars().next()?;
        Some((words.next()?.to_owned(), kind))
    };
    Some(text.lines().filter_map(symbol).collect())
}

#[test]
fn every_name_of_libfann_is_exported() {
    let Some(ours) = defined(&libraries::ours(&libraries::folder("symbols"))) else {
        return println!("skipped: nm is not installed");
    };
    let listed: Vec<&str> = include_str!("symbols.txt").lines().collect();
    assert_eq!(listed.len(), 201);
    let missing: Vec<_> = listed.iter().filter(|name| !ours.contains_key(**name)).collect();
    assert!(missing.is_empty(), "missing: {missing:?}");
    let more: Vec<_> = ours.keys().filter(|name| !listed.contains(&name.as_str())).collect();
    assert!(more.is_empty(), "exported without need: {more:?}");
}

#[test]
fn the_installed_library_has_the_names_of_the_list() {
    let folders =
        ["/usr/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"];
    let file = format!("lib{}.so.2", libraries::NAME);
    let found = folders.iter().find_map(|folder| defined(&Path::new(folder).join(&file)));
    let Some(theirs) = found else {
        return println!("skipped: {file} or nm is not installed");
    };
    let Some(ours) = defined(&libraries::ours(&libraries::folder("symbols-of-both"))) else {
        return println!("skipped: nm is not installed");
    };
    let is_data = |kind: &char| "DdBbRr".contains(*kind);
    for (name, kind) in &theirs {
        let own = ours.get(name).unwrap_or_else(|| panic!("{name} is missing"));
        assert_eq!(is_data(kind), is_data(own), "{name}");
    }
    assert_eq!(
        theirs.keys().collect::<Vec<_>>(),
        include_str!("symbols.txt").lines().collect::<Vec<_>>()
    );
}
