#!/usr/bin/env bash
# Writes the report to the summary of the job and to $RUNNER_TEMP/weft-report.md: the plan with differences and prices
# against a namespace, if one is given, and the diagrams and prices of the changed workflows. Fails if the plan fails.
set -euo pipefail
report="$RUNNER_TEMP/weft-report.md"
# Without the base of a pull request, all workflows are described, up to this number.
most=20
# The environment of a step without these inputs has empty texts, which must not select a service.
for name in WEFT_URL WEFT_KEY WEFT_NAMESPACE; do [ -n "${!name:-}" ] || unset "$name"; done

changed() {
  local base="${GITHUB_BASE_REF:-}"
  if [ -n "$base" ] && git rev-parse --verify --quiet "origin/$base" > /dev/null; then
    git -c core.quotePath=false diff --name-only --diff-filter=AMR "origin/$base...HEAD" -- "$WEFT_FOLDER"
  else
    find "$WEFT_FOLDER" -type f -not -path '*/node_modules/*' -not -path '*/.*/*' | sort
  fi
}

# A text for HTML. The names of files and the texts of workflows may be those of a stranger's pull request.
escaped() {
  sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g' <<< "$1"
}

# A block of code in Markdown, from the language, the fence and the text. The fence becomes longer than any in the text.
fenced() {
  local fence="$2"
  while [[ "$3" == *"$fence"* ]]; do fence+="${2:0:1}"; done
  printf '%s%s\n%s\n%s\n' "$fence" "$1" "$3" "$fence"
}

# The diagram and the price of a workflow. A file that is none is left out; the lint has named the mistakes.
describe() {
  local diagram price
  diagram=$(weft graph --format mermaid -- "$1" 2> /dev/null) || return 0
  price=$(weft cost -- "$1")
  printf '\n<details><summary><code>%s</code></summary>\n\n' "$(escaped "$1")"
  fenced mermaid '```' "$diagram"
  echo
  grep -E '^op=|one million runs' <<< "$price" | sed 's/^/    /'
  printf '\n</details>\n'
}

status=0
{
  echo '<!-- weft-report -->'
  echo '### Weft'
  if [ -n "${WEFT_NAMESPACE:-}" ]; then
    printf '\nPlan for the namespace `%s`:\n\n' "$WEFT_NAMESPACE"
    plan=$(weft push "$WEFT_FOLDER" --dry-run 2>&1) || status=$?
    fenced diff '~~~' "$plan"
  fi
  mapfile -t files < <(changed | grep -E '\.ya?ml$' | grep -vE '\.test\.ya?ml$')
  for file in "${files[@]:0:most}"; do describe "$file"; done
  if [ "${#files[@]}" -gt "$most" ]; then printf '\nNot described: %d more\n' "$((${#files[@]} - most))"; fi
} > "$report"
cat "$report" >> "$GITHUB_STEP_SUMMARY"
exit "$status"
