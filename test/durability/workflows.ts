/** Counts in its data and in a variable: a round that is lost or repeated makes the two differ. */
const COUNTER = `
states:
- id: look
  type: getter
  variables: [{key: count, scope: instance}]
  transform: 'jq(. + {count: ((.var.count // 0) + 1), n: ((.n // 0) + 1)})'
  transition: write
- id: write
  type: setter
  variables: [{key: count, scope: instance, value: jq(.count), mimeType: application/json}]
  transition: again
- id: again
  type: switch
  conditions:
  - condition: jq(.n < .rounds)
    transition: look
  defaultTransform: 'jq({id: .id, n: .n, count: .count, rounds: .rounds})'
`;

/** Is started by an event and calls a subflow, whose execution is another one. */
const LISTENER = `
start:
  type: event
  event: {type: durable}
functions:
- id: counter
  type: subflow
  workflow: counter
states:
- id: call
  type: action
  action: {function: counter, input: 'jq({id: ("sub-" + .durable.data.id), rounds: 2})'}
  transform: 'jq({id: .durable.data.id, n: .return.n, count: .return.count, rounds: .return.rounds})'
`;

/** The workflows of every namespace, by name. */
export const WORKFLOWS: Readonly<Record<string, string>> = { counter: COUNTER, listener: LISTENER };

/** The source of a workflow that the load creates: its revision is a blob. */
export const sourceOf = (name: string): string =>
  `# ${name} ${'x'.repeat(17_000)}\nstates:\n- id: ${name}\n  type: noop\n`;
