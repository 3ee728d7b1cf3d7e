#!/usr/bin/env bash
# Writes the report as a comment on the pull request; a later report replaces it.
set -euo pipefail
report="$RUNNER_TEMP/weft-report.md"
api="repos/$GITHUB_REPOSITORY/issues"
earlier=$(gh api --paginate "$api/$PULL_REQUEST/comments" --jq '.[] | select(.body | startswith("<!-- weft-report -->")) | .id' | head -1)
if [ -n "$earlier" ]; then
  gh api --method PATCH "$api/comments/$earlier" --field "body=@$report" --silent
else
  gh api --method POST "$api/$PULL_REQUEST/comments" --field "body=@$report" --silent
fi
