import * as z from 'zod/mini';
import { RECORD_MODES } from '../../../domain/record-modes.ts';
import { paged } from './pages.ts';
import { base64, holdField, time, uuid } from './scalars.ts';
import { holder } from './tasks.ts';
import { revision } from './tree.ts';

export const instanceRecord = z.object({
  createdAt: time,
  updatedAt: time,
  id: uuid,
  as: z.string(),
  // Web interfaces show an empty page for any other status; a cancelled run is `failed` with an error code of its own.
  status: z.enum(['pending', 'complete', 'failed', 'crashed']),
  errorCode: z.string(),
  errorMessage: z.string(),
  invoker: z.string(),
  // A queued run is `pending`, for the same reason.
  queued: z.optional(z.literal(true)),
});

const failure = z.object({ code: z.string(), message: z.string() });
const data = z.record(z.string(), z.unknown());
/**
 * `at` is the place of the expression, or of the state, in the source of the revision; both count from 1. `unmatched`: the
 * patterns of the state's catch.
 */
const stepFailure = z.object({
  code: z.string(),
  message: z.string(),
  at: z.optional(z.object({ file: z.string(), line: z.int(), column: z.int() })),
  expression: z.optional(z.string()),
  saw: z.optional(z.object({ type: z.string(), sample: z.string() })),
  near: z.optional(z.array(z.string())),
  unmatched: z.optional(z.array(z.string())),
});
/** The failure of a run: that of the state which ended it. */
const runFailure = z.extend(stepFailure, { state: z.string() });
export const started = z.object({ namespace: z.string(), instance: uuid });
export const instanceRow = z.extend(instanceRecord, { labels: z.optional(z.record(z.string(), z.string())) });
export const instances = z.object({ instances: z.object(paged(instanceRow)), namespace: z.string() });
export const instance = z.object({
  namespace: z.string(),
  instance: instanceRecord,
  invokedBy: z.string(),
  flow: z.array(z.string()),
  workflow: z.object({ path: z.string(), name: z.string(), parent: z.string(), revision: z.string() }),
  labels: z.optional(z.record(z.string(), z.string())),
  // Of the brand `direktiv` it is absent.
  error: z.optional(runFailure),
});
export const instanceData = z.object({ namespace: z.string(), instance: instanceRecord, data: base64 });

/** The size of a value that is not kept, bytes. */
const omitted = z.object({ omitted: z.int() });
/** RFC 6902, against the data at the entry. */
const operation = z.object({ op: z.enum(['add', 'remove']), path: z.string(), value: z.optional(z.unknown()) });

/** A visit of a state. `left` is absent while the state runs or waits. */
export const step = z.object({
  n: z.int(),
  state: z.string(),
  type: z.string(),
  entered: time,
  left: z.optional(time),
  to: z.optional(z.string()),
  because: z.optional(z.string()),
  change: z.optional(z.union([z.object({ patch: z.array(operation) }), omitted])),
  error: z.optional(stepFailure),
  calls: z.optional(
    z.array(
      z.object({
        call: z.int(),
        attempt: z.int(),
        instance: z.string(),
        kind: z.optional(z.enum(['http', 'lambda', 'mail'])),
        to: z.optional(z.string()),
        status: z.optional(z.int()),
        ms: z.optional(z.number()),
        error: z.optional(failure),
        retryInMs: z.optional(z.number()),
        queuedMs: z.optional(z.number()),
        reused: z.optional(z.literal(true)),
        unawaited: z.optional(z.literal(true)),
      }),
    ),
  ),
  callCount: z.optional(z.int()),
  events: z.optional(z.array(z.string())),
});

/** `elided` counts the visits in the middle of a loop, which are left out: from and to the step of that number. */
export const timeline = z.object({
  namespace: z.string(),
  instance: instanceRecord,
  workflow: z.object({ path: z.string(), revision: z.string() }),
  record: z.enum(RECORD_MODES),
  steps: z.array(step),
  elided: z.optional(z.object({ from: z.int(), to: z.int(), by: z.record(z.string(), z.int()) })),
  rerunOf: z.optional(uuid),
  reruns: z.array(uuid),
});

/** `in` and `out` are absent where the data is not known: it was too large, or the visit follows a gap. */
export const timelineStep = z.object({
  namespace: z.string(),
  instance: instanceRecord,
  step,
  in: z.optional(data),
  out: z.optional(data),
  // `more`: the visit has further lines.
  log: z.object({
    lines: z.array(z.object({ t: time, level: z.string(), msg: z.string() })),
    more: z.optional(z.literal(true)),
  }),
});

const nearMiss = z.object({
  event: z.string(),
  receivedAt: time,
  type: z.string(),
  attribute: z.string(),
  expected: z.unknown(),
  found: z.unknown(),
});

/** The next attempt of a call, and why the last one failed. */
const retry = z.object({ attempt: z.int(), of: z.optional(z.int()), at: time, error: z.optional(failure) });

/** The place in a queue, from 1, and the runs that have the places; or the field that holds a run or a call back, and its starts. */
const queued = { key: z.string(), place: z.int(), heldBy: z.array(uuid) };
const held = { by: holdField, key: z.string(), until: time, starts: z.int() };

/** `waiting` is absent for a run that has ended or runs at this moment. */
export const waiting = z.object({
  namespace: z.string(),
  instance: instanceRecord,
  cancelOn: z.optional(z.object({ type: z.string(), context: data })),
  // Of a queued run.
  concurrency: z.optional(z.object({ workflow: z.string(), ...queued })),
  held: z.optional(z.object({ workflow: z.string(), ...held })),
  waiting: z.optional(
    z.object({
      state: z.string(),
      since: time,
      until: time,
      for: z.object({
        delay: z.optional(time),
        approval: z.optional(z.object({ subject: z.string(), assignees: z.array(z.string()), reminders: z.int() })),
        events: z.optional(
          z.object({
            mode: z.enum(['one', 'all']),
            filters: z.array(z.object({ type: z.string(), context: data, received: z.boolean() })),
          }),
        ),
        calls: z.optional(
          z.object({
            total: z.int(),
            returned: z.int(),
            open: z.array(
              z.object({
                call: z.int(),
                attempt: z.int(),
                instance: z.string(),
                status: z.enum(['not begun', 'pending', 'complete', 'failed', 'crashed']),
                workflow: z.string(),
                worker: z.optional(z.object({ queue: z.string(), ...holder })),
                // Of a call that waits for the limits of its function.
                concurrency: z.optional(z.object({ scope: z.string(), ...queued })),
                held: z.optional(z.object({ scope: z.string(), ...held })),
                retry: z.optional(retry),
              }),
            ),
          }),
        ),
      }),
      nearMisses: z.array(nearMiss),
    }),
  ),
});

/** The workflow as it was when the run started; `path` is its path then, and `revision.source` its text as base64. */
export const instanceSource = z.object({ namespace: z.string(), instance: uuid, path: z.string(), revision });
/** The bundle that `weft replay` reads. Times are milliseconds after the start of the run; secrets are only named. */
export const bundle = z.object({
  weftBundle: z.literal(1),
  instance: z.object({ id: uuid, namespace: z.string(), revision: z.string(), startedAt: time }),
  workflow: z.object({ path: z.string(), source: z.string() }),
  input: z.unknown(),
  calls: z.array(
    z.object({
      function: z.string(),
      state: z.string(),
      after: z.int(),
      took: z.int(),
      return: z.optional(z.unknown()),
      error: z.optional(z.object({ code: z.string(), message: z.string() })),
    }),
  ),
  events: z.array(z.object({ after: z.int(), event: data })),
  decisions: z.array(
    z.object({
      after: z.int(),
      state: z.string(),
      choice: z.string(),
      form: z.optional(data),
      by: z.optional(z.string()),
      from: z.optional(z.string()),
    }),
  ),
  variables: z.object({ namespace: data, workflow: data }),
  secrets: z.array(z.string()),
  outcome: z.object({
    status: z.enum(['complete', 'failed', 'crashed']),
    error: z.optional(z.object({ code: z.string(), message: z.string() })),
    output: z.optional(data),
    states: z.array(z.string()),
    took: z.int(),
  }),
  notes: z.array(z.string()),
});

const CALLS = ['http', 'lambda', 'mail', 'container', 'worker', 'workflow'] as const;
const EFFECTS = [...CALLS, 'event', 'variable', 'approval', 'missing'] as const;

/** An effect that a repetition has again outside the run, or a part that it lacks. */
const warning = z.object({
  state: z.string(),
  effect: z.enum(EFFECTS),
  message: z.string(),
});

/** `total` in a dry run; `next`: there may be more, and the next request has it as `after`, with the same `at`. */
export const rerunMany = z.object({
  namespace: z.string(),
  dryRun: z.boolean(),
  at: time,
  total: z.optional(z.int()),
  instances: z.array(
    z.object({
      instance: uuid,
      rerun: z.optional(uuid),
      skipped: z.optional(z.string()),
      warnings: z.optional(z.array(warning)),
    }),
  ),
  next: z.optional(z.string()),
  retryAfter: z.optional(z.number()),
});

const jobRecord = z.object({
  id: uuid,
  action: z.enum(['cancel', 'rerun']),
  state: z.enum(['running', 'over', 'stopped', 'failed']),
  total: z.optional(z.int()),
  done: z.int(),
  skipped: z.int(),
  held: z.optional(z.int()),
  createdAt: time,
  createdBy: z.optional(z.string()),
  filter: z.array(z.object({ field: z.string(), type: z.string(), val: z.string() })),
  error: z.optional(z.string()),
  waitsUntil: z.optional(time),
});
/** `total` is absent for more than 10,000 runs. `waitsUntil`: a limit is waited for. `held`: runs whose workflows have no place for them yet. */
export const job = z.object({ namespace: z.string(), job: jobRecord });
/** The newest first, at most 100; an ended job is listed for 30 days. */
export const jobs = z.object({ namespace: z.string(), jobs: z.array(jobRecord) });

/** In a dry run, `instance` is absent. */
export const rerun = z.object({
  namespace: z.string(),
  instance: z.optional(uuid),
  rerunOf: uuid,
  warnings: z.array(warning),
});
