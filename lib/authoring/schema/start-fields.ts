import type { Start } from '../../compiler/plan/plan.ts';

/** The types of starts. */
export const START_DESCRIPTIONS: Readonly<Record<Start['type'], string>> = {
  default: 'Requests start the workflow.',
  scheduled: 'A cron expression starts the workflow.',
  webhook: 'Requests to a URL of the workflow start it, without an API key. They are verified by a secret.',
  event: 'Each event of a type starts a run. The event is in the data under its type.',
  eventsXor: 'Each event of one of several types starts a run.',
  eventsAnd: 'One event of each of several types together start a run.',
};

/** The fields of each type of starts, with their meanings. */
export const START_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  scheduled: {
    cron: 'A cron expression with five fields, in UTC: minute, hour, day, month, day of the week.',
    missed:
      'Of the times at which no run could start within five minutes: `latest` starts the newest, `all` each of them, `none` none.',
  },
  webhook: {
    verify: 'How requests are verified: `github`, `stripe`, `slack`, `standard`, `hmac`, `basic`, `url` or `none`.',
    reply: '`wait`: the sender gets the output of the run. Default: 202 with the id of the run.',
    event: 'Each request is sent to the namespace as an event and starts no run.',
  },
  event: { event: 'The event that starts a run.', batch: 'One run for several events, its `events`.' },
  eventsXor: { events: 'The events, each of which starts a run.' },
  eventsAnd: {
    events: 'The events that start a run together.',
    lifespan: 'How long an event waits for the others, as an ISO 8601 duration. Default: no limit.',
  },
};
