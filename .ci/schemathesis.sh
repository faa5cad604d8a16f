#!/usr/bin/env bash
# Checks a running csiflow against its OpenAPI documents, Form A's and Form B's, with requests that
# schemathesis (PyPI) generates from them, in two minutes at most, with a fixed seed.
#
#   .ci/schemathesis.sh [REPORT]    needs dist/ (npm run compile)
#
# $SERVICES_DIR (default: .services in the project) caches schemathesis: later calls take no time.
# schemathesis.toml lists the skipped parts and the findings that are not errors, with their reasons. REPORT
# receives the counts in the format of a test's report.
set -euo pipefail

version=4.32.5
seconds=${SCHEMATHESIS_SECONDS:-45}
here=$(realpath "$(dirname "$0")")
project=$(realpath "$here/..")
report=${1:-}
services=${SERVICES_DIR:-$project/.services}
mkdir -p "$services"
home=$(realpath "$services")/schemathesis-$version
work=$(mktemp -d)
csiflow=

end() {
  local status=$?
  if [ -n "$csiflow" ]; then kill "$csiflow" 2>/dev/null && wait "$csiflow" || true; fi
  if [ -n "$report" ]; then
    node -e '
      const failed = Number(process.argv[2] !== "0");
      const counts = { numPassedTests: 1 - failed, numFailedTests: failed, numPendingTests: 0, numTodoTests: 0 };
      require("node:fs").writeFileSync(process.argv[1], JSON.stringify(counts));
    ' "$report" "$status"
  fi
  [ "$status" = 0 ] || tail -n 40 "$work/csiflow.log" 2>/dev/null || true
  rm -rf "$work"
  exit "$status"
}
trap end EXIT

if [ ! -e "$home/.complete" ]; then
  rm -rf "$home"
  python3 -m venv "$home" 2>/dev/null || { # A separate package on Debian.
    apt-get install -y -qq --no-install-recommends python3-venv >/dev/null
    python3 -m venv "$home"
  }
  "$home/bin/pip" install -q --disable-pip-version-check "schemathesis==$version"
  touch "$home/.complete"
fi

# Otherwise most answers would be 429.
node -e '
  const names = ["form_a", "authentication", "pose_data", "pose_processing", "configuration", "analytics", "health"];
  const many = { requests: 1_000_000, seconds: 3_600 };
  console.log(JSON.stringify(Object.fromEntries(names.map((name) => [name, many]))));
' >"$work/limits.json"

cd "$project"
CSIFLOW_DATA=$work/data node dist/api/cli/csiflow.js run topologies/demo.yaml --port 0 --log warn \
  --limits "$work/limits.json" >"$work/csiflow.log" 2>&1 &
csiflow=$!

# Prints the first group of a pattern, once csiflow's output matches it.
printed() {
  for _ in $(seq 300); do
    sed -nE "s#.*$1.*#\1#p" "$work/csiflow.log" | grep -m1 . && return
    kill -0 "$csiflow" || return 1
    sleep 0.2
  done
  return 1
}
address=$(printed 'live page +(http://[0-9.:]+)')
password=$(printed 'admin / ([^ ]+)')

token=$(node -e '
  const [address, username, password] = process.argv.slice(1);
  const response = await fetch(`${address}/form-a/api/v1/auth/token`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ username, password }),
  });
  console.log((await response.json()).access_token);
' --input-type=module "$address" admin "$password")

failed=
for form in a b; do
  "$home/bin/schemathesis" --config-file "$here/schemathesis.toml" run "$address/docs/openapi-$form.json" \
    --origin "$address" --header "Authorization: Bearer $token" --max-time "$seconds" --seed 7 \
    --request-timeout 20 --generation-database :memory: || failed+=" $form"
  kill -0 "$csiflow" || { echo 'csiflow has ended' >&2; exit 1; }
done
if [ -n "$failed" ]; then
  echo "findings in the form:$failed" >&2
  exit 1
fi
