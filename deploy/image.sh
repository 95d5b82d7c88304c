#!/bin/sh
# Gathers all that the container's image consists of: the program with its production dependencies, node, a shell
# and nice (which lanes are started through, for the system's limits) and the libraries that these load. Nothing else:
# no package manager, no tools. The Dockerfile runs it, and so does test/deploy/image.test.ts.
#
#   image.sh SOURCE OUT    SOURCE: package.json, LICENSE, dist/, data/samples/, node_modules/ without devDependencies
set -eu
source=$1
out=$2
platform=$(node -p 'process.platform + "-" + process.arch')

mkdir -p "$out/app/data" "$out/usr/local/bin" "$out/bin" "$out/etc" "$out/tmp" "$out/proc" "$out/dev"
chmod 1777 "$out/tmp"
cp -R "$source/package.json" "$source/LICENSE" "$source/dist" "$source/node_modules" "$out/app/"
cp -R "$source/data/samples" "$out/app/data/"

# What this platform never loads: others' binaries, sources in C, declarations and maps of TypeScript.
modules=$out/app/node_modules
find "$modules" -path '*/prebuilds/*' -prune -type d ! -name "$platform" -exec rm -rf {} +
rm -rf "$modules/@photostructure/sqlite/src" "$modules/@photostructure/sqlite/scripts" "$modules/.bin" \
  "$modules/.package-lock.json"
find "$modules" "$out/app/dist" -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' -o -name '*.md' \
  -o -name '*.c' -o -name '*.cc' -o -name '*.cpp' -o -name '*.h' -o -name '*.gyp' -o -name '*.gypi' \) \
  ! -iname 'LICEN[CS]E*' -delete
find "$modules" -type d \( -name test -o -name tests -o -name 'test-*' -o -name docs -o -name examples \
  -o -name benchmarks -o -name bench -o -name .github \) -prune -exec rm -rf {} +
find "$out/app" -type d -empty -delete

node=$(node -p 'require("fs").realpathSync(process.execPath)')
cp "$node" "$out/usr/local/bin/node"
# A quarter of it are names for debuggers.
if command -v strip >/dev/null; then strip "$out/usr/local/bin/node"; fi
# What src/lane/confine.ts starts lanes with.
cp -L /bin/sh "$(command -v nice)" "$out/bin/"

# Libraries at the very places where the loader looks for them. musl's binaries are never loaded here.
{ echo "$node"; echo /bin/sh; command -v nice; find "$modules" \( -name '*.node' -o -name '*.so' \) ! -name '*musl*'; } |
  while read -r file; do ldd "$file" | grep -o '/[^ ]*lib[^ ]*' || true; done |
  grep -v "^$out" | sort -u |
  while read -r library; do
    mkdir -p "$out$(dirname "$library")"
    cp -L "$library" "$out$library"
  done

echo 'tablegate:x:10001:10001::/data:/nonexistent' >"$out/etc/passwd"
echo 'tablegate:x:10001:' >"$out/etc/group"
