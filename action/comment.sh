#!/usr/bin/env bash
# Writes the report as a comment on the pull request; a later report replaces it.
set -euo pipefail
report="$RUNNER_TEMP/weft-report.md"
api="repos/$GITHUB_REPOSITORY/issues"
# A comment may have 65,536 characters.
if [ "$(wc -m < "$report")" -gt 65000 ]; then
  run="$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID"
  report="$RUNNER_TEMP/weft-comment.md"
  printf '<!-- weft-report -->\n### Weft\n\nThe report is too long for a comment: it is in the [summary of the job](%s).\n' "$run" > "$report"
fi
own='[.[] | select(.user.type == "Bot" and (.body | startswith("<!-- weft-report -->")))][0].id // empty'
earlier=$(gh api --paginate "$api/$PULL_REQUEST/comments" --jq "$own" | sed -n 1p)
if [ -n "$earlier" ]; then
  gh api --method PATCH "$api/comments/$earlier" --field "body=@$report" --silent
else
  gh api --method POST "$api/$PULL_REQUEST/comments" --field "body=@$report" --silent
fi
