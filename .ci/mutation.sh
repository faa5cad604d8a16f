#!/usr/bin/env bash
# Mutation testing (Stryker): makes many small changes to some files, and lists those that no test notices.
# docs/reports/mutation.md has the figures. Takes ten minutes of processor time; Stryker is installed for this
# run only.
set -euo pipefail
cd "$(dirname "$0")/.."
npm install --silent --no-save @stryker-mutator/core@9.6.1 @stryker-mutator/vitest-runner@9.6.1
npx stryker run .ci/mutation/stryker.json "$@"
