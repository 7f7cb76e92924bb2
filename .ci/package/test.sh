#!/usr/bin/env bash
# What a user gets: packs the tree, installs the tarball into an empty project and uses it there with the `node` that is
# first on PATH. Types must resolve, the README's example must run, the command must answer, and importing the registry
# must load nothing but the archive's binding. Until there is a registry to import it says so and stops, green.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/rollcall-package-XXXXXX")
trap 'rm -rf "$scratch"' EXIT

echo "node $(node --version)"
if [ ! -e "$root/src/index.ts" ]; then
  echo "not yet: there is no src/index.ts, so there is no package to try"
  exit 0
fi

failed=0
part() { # name, command…: runs it quietly, shows what it said only when it fails
  local name=$1 said
  shift
  if said=$("$@" 2>&1); then
    echo "  ok      $name"
  else
    echo "  FAILED  $name"
    printf '%s\n' "$said" | sed 's/^/          /'
    failed=$((failed + 1))
  fi
}
must() { # the rest has no meaning without this part
  local before=$failed
  part "$@"
  [ "$failed" -eq "$before" ] || exit 1
}

pack() { (cd "$root" && npm pack --pack-destination "$scratch" --silent); }
contents() {
  local listed
  listed=$(tar -tzf "$scratch"/rollcall-*.tgz) || return 1
  for wanted in package/LICENSE package/README.md package/dist/rollcall.js package/dist/src/index.d.ts; do
    grep -qx "$wanted" <<<"$listed" || { echo "the tarball lacks $wanted"; return 1; }
  done
  # Tests, benchmarks and sources are for people who have the repository.
  ! grep -E '\.test\.|dist/bench/|\.tsbuildinfo|\.ts$' <<<"$listed" | grep -v '\.d\.ts$'
}
project() {
  mkdir "$scratch/project" && cd "$scratch/project" || return 1
  printf '{"name":"empty","version":"1.0.0","private":true,"type":"module"}\n' >package.json
  cp "$here"/{surface.ts,loaded.mjs,mine.test.js,tsconfig.json} .
  local typescript types
  typescript=$(node -p 'require(process.argv[1]).devDependencies.typescript' "$root/package.json")
  types=$(node -p 'require(process.argv[1]).devDependencies["@types/node"]' "$root/package.json")
  npm install --no-audit --no-fund "$scratch"/rollcall-*.tgz "typescript@$typescript" "@types/node@$types"
}
# The first ```ts block after the marker, so that what a reader copies is what is tried here.
example() {
  awk '/<!-- example -->/ {found = 1} found && /^```ts/ {inside = 1; next} inside && /^```/ {exit} inside' \
    "$root/README.md" >"$scratch/project/example.ts"
  [ -s "$scratch/project/example.ts" ] || { echo 'README.md has no ```ts block after <!-- example -->'; return 1; }
}
types() { cd "$scratch/project" && npx --no-install tsc; }
# Somebody with another resolver, without Node's types of ours in view, must be able to compile it as well.
bundled() { cd "$scratch/project" && npx --no-install tsc --noEmit --module esnext --moduleResolution bundler; }
run_example() { cd "$scratch/project" && timeout 60 node example.js; }
loaded() { cd "$scratch/project" && timeout 60 node loaded.mjs; }
# The peer that only `rollcall/vitest` needs is not there before this; a green run must name every law.
conformance() {
  cd "$scratch/project" || return 1
  local vitest vite said
  vitest=$(node -p 'require(process.argv[1]).devDependencies.vitest' "$root/package.json")
  vite=$(node -p 'require(process.argv[1]).overrides.vite' "$root/package.json")
  npm install --no-audit --no-fund "vitest@$vitest" "vite@$vite" || return 1
  said=$(timeout 120 npx --no-install vitest run --reporter=verbose mine.test.js 2>&1) || { echo "$said"; return 1; }
  for law in "L1 Every path" "L8 An active record" "L41 If gates"; do
    grep -qF "$law" <<<"$said" || { echo "no test for $law: $said"; return 1; }
  done
}
command_line() {
  cd "$scratch/project" || return 1
  local version
  version=$(timeout 30 npx --no-install rollcall --version) || return 1
  grep -qF "$(node -p 'require(process.argv[1]).version' "$root/package.json")" <<<"$version" || { echo "$version"; return 1; }
  timeout 30 npx --no-install rollcall --help >/dev/null
}

must "packs" pack
part "holds what it should and nothing else" contents
must "installs into an empty project" project
must "README has an example" example
part "types resolve, the example's too (nodenext)" types
part "types resolve (bundler)" bundled
part "the README's example runs" run_example
part "import \"rollcall\" loads the archive's binding and nothing else" loaded
part "the command answers" command_line
part "a user's vitest runs rollcall/vitest" conformance

[ "$failed" -eq 0 ]
