#!/usr/bin/env bash
# Changes the code of some files a little, again and again, and lists the changes that no test notices (Stryker).
# docs/reports/mutation.md has the figures. Takes half an hour of a processor; Stryker is installed for the run only.
set -euo pipefail
cd "$(dirname "$0")/.."
npm install --silent --no-save @stryker-mutator/core@9.6.1 @stryker-mutator/vitest-runner@9.6.1
npx stryker run .ci/mutation/stryker.json "$@"
