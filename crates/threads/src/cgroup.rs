//! The CPU quota a container runs under, from cgroup v1 or v2.
//!
//! A quota binds everything below it, so the smallest one between the process's group and the root counts. Start at
//! [`quota_cores`]; everything below it is a function of the texts of `/proc` and of a reader of files.

use std::path::{Path, PathBuf};

/// The quota in cores, rounded up; `None` without a quota, or where there are no cgroups.
pub(crate) fn quota_cores() -> Option<usize> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    let groups = read(Path::new("/proc/self/cgroup"))?;
    let mounts = read(Path::new("/proc/self/mountinfo"))?;
    smallest_quota(&groups, &mounts, read)
}

fn smallest_quota(
    groups: &str,
    mounts: &str,
    read: impl Fn(&Path) -> Option<String>,
) -> Option<usize> {
    let mounts = || mounts.lines().filter_map(Mount::parse);
    groups
        .lines()
        .filter_map(Group::parse)
        .flat_map(|group| {
            mounts().filter_map(move |mount| Some((mount.kind, group.place(&mount)?)))
        })
        .filter_map(|(kind, place)| place.smallest(|dir| kind.quota(dir, &read)))
        .min()
}

/// The two generations of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    V1,
    V2,
}

impl Kind {
    /// The quota set on the group at `dir` itself.
    fn quota(self, dir: &Path, read: impl Fn(&Path) -> Option<String>) -> Option<usize> {
        let number = |text: &str| text.trim().parse::<u64>().ok().filter(|&n| n > 0);
        let (quota, period) = match self {
            Kind::V2 => {
                let line = read(&dir.join("cpu.max"))?;
                let (quota, period) = line.trim().split_once(' ')?;
                (number(quota)?, number(period)?)
            }
            Kind::V1 => (
                number(&read(&dir.join("cpu.cfs_quota_us"))?)?,
                number(&read(&dir.join("cpu.cfs_period_us"))?)?,
            ),
        };
        usize::try_from(quota.div_ceil(period)).ok()
    }
}

/// A line of `/proc/self/cgroup`: a group of this process that may limit its CPU time.
#[derive(Clone, Copy)]
struct Group<'a> {
    kind: Kind,
    path: &'a Path,
}

impl<'a> Group<'a> {
    /// `hierarchy:controllers:path`; version 2 has no controllers.
    fn parse(line: &'a str) -> Option<Group<'a>> {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, Path::new(fields.next()?));
        if controllers.is_empty() {
            Some(Group { kind: Kind::V2, path })
        } else {
            let limits_cpu = controllers.split(',').any(|name| name == "cpu");
            limits_cpu.then_some(Group { kind: Kind::V1, path })
        }
    }

    /// Where the group lies under `mount`. A group outside the mounted part of the tree (seen from inside a container)
    /// is taken to be the mount point itself.
    fn place(&self, mount: &Mount<'_>) -> Option<Place> {
        (self.kind == mount.kind).then(|| Place {
            top: mount.point.to_path_buf(),
            below: self.path.strip_prefix(mount.root).unwrap_or(Path::new("")).to_path_buf(),
        })
    }
}

/// A line of `/proc/self/mountinfo`: a mounted hierarchy of groups that limits CPU time.
struct Mount<'a> {
    kind: Kind,
    root: &'a Path,
    point: &'a Path,
}

impl<'a> Mount<'a> {
    /// `id parent device root point options [tags] - type source super-options`.
    fn parse(line: &'a str) -> Option<Mount<'a>> {
        let (front, back) = line.split_once(" - ")?;
        let mut front = front.split(' ').skip(3);
        let (root, point) = (Path::new(front.next()?), Path::new(front.next()?));
        let mut back = back.split(' ');
        let kind = match back.next()? {
            "cgroup2" => Kind::V2,
            "cgroup" if back.nth(1)?.split(',').any(|option| option == "cpu") => Kind::V1,
            _ => return None,
        };
        Some(Mount { kind, root, point })
    }
}

/// A group's directory: `below`, relative to the mount point `top`.
struct Place {
    top: PathBuf,
    below: PathBuf,
}

impl Place {
    fn smallest(&self, quota: impl Fn(&Path) -> Option<usize>) -> Option<usize> {
        self.below.ancestors().filter_map(|below| quota(&self.top.join(below))).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V2_MOUNT: &str = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";
    const V1_MOUNTS: &str = "35 30 0:31 /docker/ab /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n\
         36 30 0:32 /docker/ab /sys/fs/cgroup/cpu,cpuacct ro master:9 - cgroup cgroup rw,cpu,cpuacct\n";

    fn quota(groups: &str, mounts: &str, files: &[(&str, &str)]) -> Option<usize> {
        smallest_quota(groups, mounts, |path| {
            let (_, text) = files.iter().find(|(name, _)| Path::new(name) == path)?;
            Some((*text).to_string())
        })
    }

    #[test]
    fn the_smallest_quota_on_the_way_up_counts_and_is_rounded_up() {
        let files = [
            ("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n"),
            ("/sys/fs/cgroup/a/cpu.max", "150000 100000\n"),
            ("/sys/fs/cgroup/cpu.max", "400000 100000\n"),
        ];
        assert_eq!(quota("0::/a/b\n", V2_MOUNT, &files), Some(2));
        assert_eq!(quota("0::/\n", V2_MOUNT, &files), Some(4));
    }

    #[test]
    fn version_one_reads_the_cpu_controller_relative_to_the_mounted_root() {
        let groups = "5:memory:/docker/ab\n4:cpu,cpuacct:/docker/ab/job\n0::/\n";
        let files = [
            ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"),
            ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
            ("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "50000\n"),
            ("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n"),
        ];
        assert_eq!(quota(groups, V1_MOUNTS, &files), Some(1));
        assert_eq!(quota(groups, V1_MOUNTS, &files[..2]), None);
    }

    #[test]
    fn a_group_outside_the_mount_is_the_mount_point() {
        let files = [
            ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000"),
            ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000"),
        ];
        assert_eq!(quota("4:cpu,cpuacct:/elsewhere\n", V1_MOUNTS, &files), Some(3));
    }

    #[test]
    fn strange_files_mean_no_quota() {
        for text in ["", "max", "max 100000", "0 100000", "100000 0", "-5 100000", "x y"] {
            assert_eq!(quota("0::/\n", V2_MOUNT, &[("/sys/fs/cgroup/cpu.max", text)]), None);
        }
        assert_eq!(quota("nonsense\n:\n::\n", "nonsense\n - \n", &[]), None);
    }
}
