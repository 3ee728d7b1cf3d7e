import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { emit } from '../../lib/compiler/emit/emit.ts';
import { planOf } from '../compiler/texts.ts';
import { type Emulator, openEmulator, type Steps } from './emulator.ts';
import { UnavailableError } from './python-packages.ts';

/** The time to install the emulator, which happens once. */
const MAX_INSTALL_MS = 180_000;
const RUN = '0192f0c1-2d3e-7f40-8a51-b62c73d84e95';

const CALLING = 'functions: [{id: f, type: subflow, workflow: w}]\nstates:\n';
const RETRIES = 'retries: {max_attempts: 2, delay: PT1S, codes: [x]}';
const NEXT = 'transition: end}\n- {id: end, type: noop}';

interface Payload {
  readonly resume?: number;
  readonly with?: unknown;
  readonly call?: { readonly i: number; readonly k: number };
  readonly listen?: number;
  readonly token?: string;
}

const CALLS = [0, 1].map((i) => ({ i, k: 0, seconds: 50 }));
const DONE = { next: '', pause: 0, seconds: 0 };

/** The answer that ends a task with a token. */
type Ending = Parameters<Parameters<Steps>[1]['answer']>[1];

/** A steps function that waits once at the state `p`, and records the payloads with which it is resumed. */
function waitingOnce(answer: (payload: Payload) => Ending) {
  const resumed: Payload[] = [];
  const answers: Promise<boolean>[] = [];
  const steps: Steps = (given, executions) => {
    const payload = given as Payload;
    if (payload.token !== undefined) {
      answers.push(executions.answer(payload.token, answer(payload)));
      return {};
    }
    if (payload.resume === undefined) return { next: 'p', pause: 1, seconds: 50, calls: CALLS };
    resumed.push(payload);
    return DONE;
  };
  return { steps, resumed, answers };
}

const returned = ({ call }: Payload): Ending => ({ output: { i: call?.i, k: call?.k } });

/** The first attempt is retried, the second succeeds. */
const retried = ({ call }: Payload): Ending => {
  const { i = 0, k = 0 } = call ?? {};
  return k === 0 ? { output: { i, k: 1, again: 1, seconds: 50 } } : { output: { i, k } };
};

const failed = ({ call }: Payload): Ending => ({ error: 'Weft.Failed', cause: JSON.stringify(call) });

const BOTH = [
  { i: 0, k: 0 },
  { i: 1, k: 0 },
];

/** Every kind of wait, and the resume signal at its end. */
const KINDS: readonly (readonly [name: string, yaml: string, answer: (payload: Payload) => Ending, signal: unknown])[] =
  [
    ['a delay', `states:\n- {id: p, type: delay, duration: PT1H, ${NEXT}`, returned, { next: 'p' }],
    [
      'a wait for an event',
      `states:\n- {id: p, type: consumeEvent, event: {type: x}, ${NEXT}`,
      () => ({ output: { heard: true } }),
      { heard: true },
    ],
    ['a call', `${CALLING}- {id: p, type: action, action: {function: f}, ${NEXT}`, returned, { i: 0, k: 0 }],
    [
      'a call that fails',
      `${CALLING}- {id: p, type: action, action: {function: f}, ${NEXT}`,
      failed,
      { error: 'Weft.Failed', cause: expect.stringContaining('"i":0') },
    ],
    [
      'a call that is retried',
      `${CALLING}- {id: p, type: action, action: {function: f, ${RETRIES}}, ${NEXT}`,
      retried,
      { i: 0, k: 1 },
    ],
    ['a foreach', `${CALLING}- {id: p, type: foreach, array: jq(.a), action: {function: f}, ${NEXT}`, returned, BOTH],
    [
      'a foreach whose calls are retried',
      `${CALLING}- {id: p, type: foreach, array: jq(.a), action: {function: f, ${RETRIES}}, ${NEXT}`,
      retried,
      BOTH.map(({ i }) => expect.objectContaining({ i, k: 1 })),
    ],
    [
      'a parallel that fails',
      `${CALLING}- {id: p, type: parallel, actions: [{function: f}, {function: f}], ${NEXT}`,
      failed,
      { error: 'Weft.Failed', cause: expect.stringContaining('"k":0') },
    ],
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

  test.each(KINDS)('%s ends with one step, which gets the resume signal', async (_, yaml, answer, signal) => {
    const { definition } = emit(planOf(yaml), 'anywhere');
    const { steps, resumed, answers } = waitingOnce(answer);
    expect(await emulator.run(definition, steps, { run: RUN })).toMatchObject({ status: 'SUCCEEDED' });
    expect(resumed).toEqual([expect.objectContaining({ run: RUN, resume: 1 })]);
    expect(resumed[0]?.with).toMatchObject(signal as object);
    expect((await Promise.all(answers)).includes(true)).toBe(answers.length > 0);
  });
});
