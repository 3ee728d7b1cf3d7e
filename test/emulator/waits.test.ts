import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { emit, type MachineKind } from '../../lib/compiler/emit/emit.ts';
import { TASK_ERROR } from '../../lib/compiler/emit/task-protocol.ts';
import { END } from '../../lib/engine/machines/outcomes.ts';
import { planOf } from '../compiler/texts.ts';
import { type Emulator, openEmulator, type Steps } from './emulator.ts';
import { UnavailableError } from './python-packages.ts';

/** The time to install the emulator, which happens once. */
const MAX_INSTALL_MS = 180_000;
const RUN = '0192f0c1-2d3e-7f40-8a51-b62c73d84e95';

const CALLING = 'functions: [{id: f, type: subflow, workflow: w}]\nstates:\n';
const RETRIES = 'retries: {max_attempts: 2, delay: PT1S, codes: [x]}';
const NEXT = 'transition: end}\n- {id: end, type: noop}';
const THEN_DELAY = 'transition: q}\n- {id: q, type: delay, duration: PT1S}';

interface Payload {
  readonly resume?: number;
  readonly with?: unknown;
  readonly pause?: number;
  readonly call?: { readonly i: number; readonly k: number };
  readonly alone?: boolean;
  readonly listen?: number;
  readonly token?: string;
}

/** The wait at the state `p`, as a step returns it and as the input of an execution has it. */
const WAIT = {
  next: 'p',
  pause: 1,
  seconds: 50,
  calls: [0, 1].map((i) => ({ i, k: 0, seconds: 50, pause: 1 })),
};

/** The wait at the state `q`, to which a run has gone on. */
const NEXT_WAIT = { next: 'q', pause: 2, seconds: 1 };

/** The answer that ends a task with a token. */
type Ending = Parameters<Parameters<Steps>[1]['answer']>[1];

/** A steps function that waits once at the state `p`, and records the payloads of steps after a wait and of tasks. */
function waitingOnce(answer: (payload: Payload) => Ending) {
  const resumed: Payload[] = [];
  const tasks: Payload[] = [];
  const answers: Promise<boolean>[] = [];
  const steps: Steps = (given, executions) => {
    const payload = given as Payload;
    if (payload.token !== undefined) {
      tasks.push(payload);
      answers.push(executions.answer(payload.token, answer(payload)));
      return {};
    }
    if (payload.resume === undefined) return WAIT;
    resumed.push(payload);
    return END;
  };
  return { steps, resumed, tasks, answers };
}

/** The step that ended the wait has resumed the run as well, up to its end or its next wait. */
const ended = (): Ending => ({ output: END });
const wentOn = (): Ending => ({ output: NEXT_WAIT });

const failedBy =
  (error: string) =>
  ({ call = { i: 0, k: 0 } }: Payload): Ending => ({ error, cause: JSON.stringify({ i: call.i, k: call.k }) });
const failed = failedBy(TASK_ERROR.callFailed);

/** One of many calls. */
const returned = ({ call }: Payload): Ending => ({ output: { i: call?.i, k: call?.k } });

/** One of many calls, whose first attempt is retried. */
const retried = (payload: Payload): Ending => {
  const { i = 0, k = 0 } = payload.call ?? {};
  return k === 0 ? { output: { i, k: 1, again: 1, seconds: 50 } } : returned(payload);
};

/** The only call, whose first attempt is retried. */
const retriedAlone = ({ call }: Payload): Ending =>
  call?.k === 0
    ? { error: TASK_ERROR.retry, cause: JSON.stringify({ i: 0, k: 1, again: 1, seconds: 50 }) }
    : { output: END };

const LISTENING = { listen: 1 };
const SLEEPING = { sleep: 1 };
const callOf = (i: number, k: number) => ({ pause: 1, call: expect.objectContaining({ i, k }) });
const onlyCall = (k: number) => ({ ...callOf(0, k), alone: true });
const BOTH = [callOf(0, 0), callOf(1, 0)];

interface Kind {
  readonly name: string;
  readonly yaml: string;
  readonly answer?: (payload: Payload) => Ending;
  /** The payloads that the tasks get, in any order. */
  readonly tasks?: readonly object[];
  /** The step after a wait; undefined if the task has ended with the outcome. */
  readonly resumed?: { readonly resume: number; readonly with: object };
}

const delay = (duration: string) => `states:\n- {id: p, type: delay, duration: ${duration}, ${NEXT}`;
const event = (next: string) => `states:\n- {id: p, type: consumeEvent, event: {type: x}, ${next}`;
const action = (next: string, retries = '') =>
  `${CALLING}- {id: p, type: action, action: {function: f${retries}}, ${next}`;
const foreach = (retries = '') =>
  `${CALLING}- {id: p, type: foreach, array: jq(.a), action: {function: f${retries}}, ${NEXT}`;

const after = (signal: object) => ({ resume: 1, with: { pause: 1, ...signal } });
const afterNext = { resume: 2, with: NEXT_WAIT };

/** Every kind of wait and of its end, with the payloads that the steps function gets. */
const KINDS: readonly Kind[] = [
  {
    name: 'a delay',
    yaml: delay('PT30S'),
    resumed: after({ next: 'p' }),
  },
  { name: 'a delay that a timer ends', yaml: delay('PT1H'), answer: ended, tasks: [SLEEPING] },
  {
    name: 'a delay of which the machine waits for the rest',
    yaml: delay('PT1H'),
    answer: () => ({ error: TASK_ERROR.rest, cause: JSON.stringify({ seconds: 1 }) }),
    tasks: [SLEEPING],
    resumed: after({ seconds: 1 }),
  },
  { name: 'an event that ends the run', yaml: event(NEXT), answer: ended, tasks: [LISTENING] },
  {
    name: 'an event after which the run waits again',
    yaml: event(THEN_DELAY),
    answer: wentOn,
    tasks: [LISTENING],
    resumed: afterNext,
  },
  {
    name: 'an event after which the machine resumes the run',
    yaml: event(NEXT),
    answer: failedBy(TASK_ERROR.eventsReceived),
    tasks: [LISTENING],
    resumed: after({ error: TASK_ERROR.eventsReceived }),
  },
  { name: 'a call that ends the run', yaml: action(NEXT), answer: ended, tasks: [onlyCall(0)] },
  {
    name: 'a call after which the run waits again',
    yaml: action(THEN_DELAY),
    answer: wentOn,
    tasks: [onlyCall(0)],
    resumed: afterNext,
  },
  {
    name: 'a call after which the machine resumes the run',
    yaml: action(NEXT),
    answer: failedBy(TASK_ERROR.returned),
    tasks: [onlyCall(0)],
    resumed: after({ error: TASK_ERROR.returned, cause: JSON.stringify({ i: 0, k: 0 }) }),
  },
  {
    name: 'a call that is retried',
    yaml: action(NEXT, `, ${RETRIES}`),
    answer: retriedAlone,
    tasks: [onlyCall(0), onlyCall(1)],
  },
  {
    name: 'a call that fails and could be retried',
    yaml: action(NEXT, `, ${RETRIES}`),
    answer: failed,
    tasks: [onlyCall(0)],
    resumed: after({ error: TASK_ERROR.callFailed, cause: JSON.stringify({ i: 0, k: 0 }) }),
  },
  {
    name: 'a foreach',
    yaml: foreach(),
    answer: returned,
    tasks: BOTH,
    resumed: after({ returned: [0, 1].map((i) => ({ i, k: 0, pause: 1 })) }),
  },
  {
    name: 'a foreach whose calls are retried',
    yaml: foreach(`, ${RETRIES}`),
    answer: retried,
    tasks: [...BOTH, callOf(0, 1), callOf(1, 1)],
    resumed: after({ returned: [0, 1].map((i) => ({ i, k: 1, pause: 1 })) }),
  },
  {
    name: 'a parallel that fails',
    yaml: `${CALLING}- {id: p, type: parallel, actions: [{function: f}, {function: f}], ${NEXT}`,
    answer: failed,
    tasks: BOTH,
    resumed: after({ error: TASK_ERROR.callFailed, cause: expect.stringContaining('"k":0') }),
  },
];

/** A machine begins with a step that returns the wait, or with the wait, which is its input then. */
const ENTRIES: readonly (readonly [kind: MachineKind, input: object])[] = [
  ['anyState', { run: RUN }],
  ['firstWait', { run: RUN, ...WAIT }],
];

describe('a wait on an emulator of Step Functions', () => {
  let emulator: Emulator;
  let missing: string | undefined;

  beforeAll(async () => {
    try {
      emulator = await openEmulator();
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      missing = error.message;
      console.warn(`Waits are not tested on the emulator: ${missing}`);
    }
  }, MAX_INSTALL_MS);
  afterAll(() => emulator?.close());
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  describe.each(ENTRIES)('in a machine of the kind %s', (kind, input) => {
    test.each(KINDS)('$name', async ({ yaml, answer = ended, tasks: expectedTasks = [], resumed: expected }) => {
      const { definition } = emit(planOf(yaml), kind);
      const { steps, resumed, tasks, answers } = waitingOnce(answer);
      expect(await emulator.run(definition, steps, input)).toMatchObject({ status: 'SUCCEEDED' });
      expect(resumed).toMatchObject(expected === undefined ? [] : [{ run: RUN, ...expected }]);
      expect(tasks).toHaveLength(expectedTasks.length);
      expect(tasks).toEqual(expect.arrayContaining(expectedTasks.map((one) => expect.objectContaining(one))));
      expect((await Promise.all(answers)).includes(true)).toBe(answers.length > 0);
    });
  });
});
