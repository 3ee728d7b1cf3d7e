#!/bin/sh
# A worker in shell, with curl and jq: WEFT_URL, WEFT_KEY, WEFT_NAMESPACE and a queue.
set -eu
url="$WEFT_URL/api/namespaces/$WEFT_NAMESPACE/workers/$1"

call() {
  curl -fsS -X POST "$url?op=$1" -H "Service-Api-Key: $WEFT_KEY" -H 'Content-Type: application/json' -d "$2"
}

while true; do
  call poll '{"worker": "shell", "max": 1, "wait": "PT20S"}' | jq -c '.tasks[]' | while read -r task; do
    # Your work: it reads the input of the task, and prints the result as JSON.
    output=$(printf '%s' "$task" | jq -c '{label: ("image " + .input.image)}')
    call complete "$(printf '%s' "$task" | jq -c --argjson output "$output" '{task, lease, output: $output}')" > /dev/null
  done
done
