#!/usr/bin/env bash
# Writes the report to the summary of the job and to $RUNNER_TEMP/weft-report.md: the plan with differences and prices
# against a namespace, if one is given, and the diagrams of the changed workflows.
set -euo pipefail
report="$RUNNER_TEMP/weft-report.md"
# The environment of a step without these inputs has empty texts, which must not select a service.
for name in WEFT_URL WEFT_KEY WEFT_NAMESPACE; do [ -n "${!name:-}" ] || unset "$name"; done
{
  echo '<!-- weft-report -->'
  echo '### Weft'
  if [ -n "${WEFT_NAMESPACE:-}" ]; then
    echo
    echo "Plan for the namespace \`$WEFT_NAMESPACE\`:"
    echo
    echo '~~~diff'
    weft push "$WEFT_FOLDER" --dry-run 2>&1 || true
    echo '~~~'
  fi
  base="${GITHUB_BASE_REF:-}"
  if [ -n "$base" ] && git rev-parse --verify --quiet "origin/$base" > /dev/null; then
    files=$(git diff --name-only --diff-filter=AM "origin/$base...HEAD" -- "$WEFT_FOLDER")
  else
    files=$(find "$WEFT_FOLDER" -name '*.y*ml' -not -path '*/node_modules/*' -not -path '*/.*' | sort | head -20)
  fi
  while IFS= read -r file; do
    case "$file" in *.test.yaml | *.test.yml) continue ;; *.yaml | *.yml) ;; *) continue ;; esac
    diagram=$(weft graph "$file" --format mermaid 2> /dev/null) || continue
    echo
    echo "<details><summary><code>$file</code></summary>"
    echo
    echo '```mermaid'
    echo "$diagram"
    echo '```'
    weft cost "$file" | grep -E '^op=|one million runs' | sed 's/^/    /' || true
    echo
    echo '</details>'
  done <<< "$files"
} > "$report"
cat "$report" >> "$GITHUB_STEP_SUMMARY"
