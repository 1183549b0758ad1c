# shellcheck shell=bash
# What the scripts share: the one build configuration, stages with their times, installing what is missing.
# Sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# The one configuration that everything is built in, so that demo, tests and examples share every object file.
# shellcheck disable=SC2034  # used by the scripts that source this file
configuration=(-c release -Xswiftc -enable-testing)
logs=$root/.build/logs
name=$(basename "$0")

# What a build and its tests need from Debian 12, and from Homebrew on macOS.
debian_packages=(git ca-certificates pkg-config python3 python3-venv libc6-dev libstdc++-12-dev libproj-dev libgeos-dev libgdal-dev zlib1g-dev
  libzstd-dev liblzma-dev libbz2-dev libsqlite3-dev)
homebrew_packages=(pkgconf proj geos gdal zlib zstd xz) # SQLite and bzip2 come with the system

# The oldest Swift that compiles all of the package: VicinityC has functions marked @c. The library alone needs 6.2, whose package
# manager reads Package.swift.
minimum_swift=6.3

say() { printf '%s\n' "$*"; }

fail() {
  printf '%s: error: %s\n' "$name" "$*" >&2
  exit 1
}

# stage NAME COMMAND...: runs the command and prints how long it took, also when it fails.
stage_times=()
stage() {
  local title=$1 start=$SECONDS status=0
  shift
  # Not "if ! ...": the command's own failures must end it (set -e).
  set +e
  (set -e; "$@")
  status=$?
  set -e
  local line="stage $title: $((SECONDS - start)) s"
  stage_times+=("$line")
  if [ "$status" != 0 ]; then
    say "$line, failed"
    exit "$status"
  fi
  say "$line"
}

# logged NAME COMMAND...: runs the command with its output in a log; the end of it is shown when it fails.
logged() {
  local log=$logs/$1.log status=0
  shift
  mkdir -p "$logs"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if [ "$status" != 0 ]; then
    {
      # Where no line says "error" grep fails, and that must not end this.
      grep -E '(error|✘|: Fatal)' "$log" | awk '!seen[$0]++' | head -n 40 || true
      say "--- the last lines of ${log#"$root"/}"
      tail -n 40 "$log"
    } >&2
    printf '%s: error: "%s" failed with status %s\n' "$name" "$*" "$status" >&2
  fi
  return "$status"
}

# limited SECONDS COMMAND...: ends the command after so long, where the system can.
limited() {
  local seconds=$1
  shift
  if command -v timeout >/dev/null; then timeout --kill-after=20 "$seconds" "$@"; else "$@"; fi
}

has_package() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

# As root, by being it or through sudo; without a terminal sudo must not ask.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    if [ -t 0 ]; then sudo "$@"; else sudo -n "$@"; fi
  else
    say "neither root nor sudo is there to run: $*" >&2
    return 1
  fi
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$@"
}

# install_packages PACKAGE...: the Debian packages that are missing; the lists are updated only when they are stale.
install_packages() {
  local missing=() package
  for package in "$@"; do has_package "$package" || missing+=("$package"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing ${missing[*]}"
  mkdir -p "$logs"
  apt_install "${missing[@]}" >"$logs/apt.log" 2>&1 && return 0
  say "updating the package lists first"
  if ! { as_root apt-get update && apt_install "${missing[@]}"; } >>"$logs/apt.log" 2>&1; then
    tail -n 15 "$logs/apt.log" >&2
    fail "cannot install; as root: apt-get install ${missing[*]}"
  fi
}

# The version of the program, of the wheel and of the packages.
program_version() {
  sed -n 's/^ *static let version = "\(.*\)".*/\1/p' "$root/Sources/VicinityCLI/BuildDescription.swift" | grep . ||
    fail "no version in BuildDescription.swift"
}

check_swift() {
  command -v swift >/dev/null ||
    fail "no swift on the path; Swift $minimum_swift or later is needed: https://www.swift.org/install"
  local version
  version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p')
  [ "$(printf '%s\n' "$minimum_swift" "${version:-0}" | sort -V | head -n 1)" = "$minimum_swift" ] ||
    fail "Swift $minimum_swift or later is needed; found ${version:-an unknown version}"
}

# Installs what a build needs, or says what is missing.
install_missing() {
  check_swift
  if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
    install_packages "${debian_packages[@]}"
  fi
  local library absent=()
  if ! command -v pkg-config >/dev/null; then
    absent=(pkg-config)
  else
    for library in proj geos gdal zlib libzstd liblzma sqlite3; do pkg-config --exists "$library" || absent+=("$library"); done
  fi
  if [ ${#absent[@]} -gt 0 ]; then
    say "missing: ${absent[*]}" >&2
    case $(uname -s) in
      Darwin) fail "install them: brew install ${homebrew_packages[*]}" ;;
      *) fail "install them with your package manager; on Debian: apt-get install ${debian_packages[*]}" ;;
    esac
  fi
}

# Where the build's products lie.
products() { swift build --package-path "$root" "${configuration[@]}" --show-bin-path; }

# build [OPTION...]: everything the options name, in the one configuration.
build() { logged build swift build --package-path "$root" "${configuration[@]}" "$@"; }

# module_options BIN: puts into the array `modules` what a compiler needs to import any module that was built in BIN: the folders of
# Swift's modules and of C's, and those of the system's headers, which the package manager asks pkg-config for. The cache is its own: one
# that others use may have a module ready whose headers these options do not find.
module_options() {
  local module headers
  modules=(-module-cache-path "$root/.build/examples-cache" -I "$1/Modules" -I "$root/.build/checkouts/GRDB.swift/Sources/GRDBSQLite")
  for module in "$root"/Sources/*/module.modulemap "$root"/Sources/*/include/module.modulemap; do
    modules+=(-Xcc "-fmodule-map-file=$module")
  done
  read -ra headers <<<"$(pkg-config --cflags-only-I gdal geos proj)"
  modules+=("${headers[@]}")
}

# compile_with_library PROGRAM BIN FILE...: a program that imports Vicinity, of the objects built in BIN.
compile_with_library() {
  local program=$1 bin=$2 options module objects=() object libraries
  shift 2
  options=(-O -swift-version 6 -I "$bin/Modules")
  for module in "$root/Sources/CMath" "$root/Sources/CPROJ" "$root/Sources/CVicinityKernels/include"; do
    options+=(-Xcc "-fmodule-map-file=$module/module.modulemap")
  done
  # Objects of sources that are no more may still lie among the others.
  for module in Vicinity VicinityMonitor VicinityPlanner VicinityCrossings VicinityIndex VicinityPolygon VicinityGeodesy CVicinityKernels; do
    for object in "$bin/$module.build"/*.o; do
      if [ -n "$(find "$root/Sources/$module" -name "$(basename "$object" .o)" -print -quit)" ]; then
        objects+=("$object")
      fi
    done
  done
  read -ra libraries <<<"$(pkg-config --libs proj)"
  swiftc "${options[@]}" "$@" -o "$program" "${objects[@]}" "${libraries[@]}"
}

# test_interface LIBRARY [ROUNDS]: builds the C program that tests the C interface, with the address sanitizer, and runs it on the library
# in the folder LIBRARY, with so many streams of a hostile producer.
test_interface() {
  local folder
  folder=$(mktemp -d)
  # What the sanitizer adds to the program need not be seen by the library.
  clang -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -g -fsanitize=address,undefined -fno-sanitize-recover=undefined \
    -fno-omit-frame-pointer -I "$root/Sources/CVicinity" "$root/Tests/C/interface.c" -o "$folder/interface" \
    -L "$1" -lVicinityC -lm -Wl,-rpath,"$1" 2>&1 | grep -v 'Cannot export local symbol' >&2 || true
  [ -x "$folder/interface" ] || return 1
  (cd "$folder" && limited 600 ./interface "${2:-2000}") || return 1
  rm -rf "$folder"
}

# A bare Debian 12, as debootstrap makes it, is kept for the next time; each trial gets a copy: what it does not install is not there.
bare=$root/.build-package/bare
rootfs=$root/.build-package/rootfs

# make_bare_debian: makes the copy. The packages that an earlier trial has fetched need not be fetched again.
make_bare_debian() {
  if [ ! -e "$bare/.complete" ]; then
    has_package debootstrap || logged package-tools apt_install debootstrap
    rm -rf --one-file-system "$bare"
    mkdir -p "$(dirname "$bare")"
    logged debootstrap debootstrap --variant=minbase bookworm "$bare" http://deb.debian.org/debian
    touch "$bare/.complete"
  fi
  if [ -d "$rootfs" ]; then
    cp --no-clobber "$rootfs"/var/cache/apt/archives/*.deb "$bare/var/cache/apt/archives/" 2>/dev/null || true
    if mountpoint -q "$rootfs/proc"; then umount "$rootfs/proc"; fi
    rm -rf --one-file-system "$rootfs"
  fi
  cp -a --reflink=auto "$bare" "$rootfs"
}

in_rootfs() { chroot "$rootfs" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
