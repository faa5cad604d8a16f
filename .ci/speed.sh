#!/usr/bin/env bash
# Compares the speed of this commit with that of the commit before, in turn in one run, each figure beside its
# control (this commit again). It takes about three minutes, reports, and fails only if a benchmark fails.
#
#   .ci/speed.sh REPORTS    in a checkout with dependencies
#
# REPORTS is a folder. It receives speed.md with the ratios, what the benchmarks measured in start-figures.json
# and idle-figures.json, and their progress in speed-progress.log.
set -euo pipefail

reports=$(realpath "$1")
project=$(realpath "$(dirname "$0")/..")
cd "$project"

if ! git rev-parse --quiet --verify 'HEAD~1^{commit}' >/dev/null; then
  echo 'speed: skipped, because this clone does not have the commit before (git fetch --deepen 1)' | tee "$reports/speed.md"
  exit 0
fi

work=$(mktemp -d)
before=$work/before
end() {
  git worktree remove --force "$before" 2>/dev/null || true
  rm -rf "$work"
}
trap end EXIT

git worktree add --quiet --detach "$before" HEAD~1
if cmp -s package-lock.json "$before/package-lock.json"; then
  cp -al node_modules "$before/node_modules" 2>/dev/null || cp -a node_modules "$before/node_modules"
else
  (cd "$before" && npm ci --silent)
fi
npm run --silent compile
(cd "$before" && npm run --silent compile)

bench() {
  local name=$1
  shift
  echo "csiflow bench $name $*"
  # The limit is for a benchmark that hangs.
  timeout 600 node dist/api/cli/csiflow.js bench "$name" "$@" --against "$before" --json \
    >"$reports/$name-figures.json" 2>>"$reports/speed-progress.log" || {
    local status=$?
    tail -n 40 "$reports/speed-progress.log"
    return "$status"
  }
}
bench start --rounds 3
bench idle --rounds 2 --seconds 5 --chain motion --frames 1000
node .ci/speed.mjs "$reports" | tee "$reports/speed.md"
