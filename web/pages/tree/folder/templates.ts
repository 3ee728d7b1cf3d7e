/** Templates of new workflows. */
export const TEMPLATES = [
  {
    value: 'greet',
    label: 'One state',
    source: `description: Greets by name.
states:
- id: greet
  type: noop
  transform:
    greeting: 'Hello, jq(.name // "world")!'
`,
  },
  {
    value: 'choose',
    label: 'A choice',
    source: `description: Treats large amounts in another way than small ones.
states:
- id: check
  type: switch
  conditions:
  - condition: jq(.amount > 1000)
    transition: review
  defaultTransition: accept
- id: review
  type: noop
  transform: 'jq(.status = "in review")'
- id: accept
  type: noop
  transform: 'jq(.status = "accepted")'
`,
  },
  {
    value: 'wait',
    label: 'Waiting for an event',
    source: `description: Waits for an approval, for one hour at most.
states:
- id: wait
  type: consumeEvent
  timeout: PT1H
  event:
    type: request.approved
    context: {request: jq(.id)}
  catch:
  - {error: service.cancels.timeout.soft, transition: late}
  transition: done
- id: done
  type: noop
  transform: {status: approved}
- id: late
  type: noop
  transform: {status: timed out}
`,
  },
  {
    value: 'scheduled',
    label: 'Every morning',
    source: `description: Runs each day at six.
start:
  type: scheduled
  cron: 0 6 * * *
states:
- id: report
  type: noop
  log: jq("good morning")
`,
  },
] as const;
