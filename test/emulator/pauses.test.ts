import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { emit } from '../../lib/compiler/emit/emit.ts';
import { planOf } from '../compiler/texts.ts';
import { type Emulator, openEmulator, type Steps } from './emulator.ts';
import { Unavailable } from './ministack.ts';

const INSTALLING_MS = 180_000;
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
const OVER = { next: '', pause: 0, seconds: 0 };

/** How the tasks that wait are ended: by `answer`, as the engine would. */
type Ending = Parameters<Parameters<Steps>[1]['answer']>[1];

/** Steps that pause once at the state `p`, and tell what the machine brought back. */
function pausing(answer: (payload: Payload) => Ending) {
  const brought: Payload[] = [];
  const answers: Promise<boolean>[] = [];
  const steps: Steps = (given, executions) => {
    const payload = given as Payload;
    if (payload.token !== undefined) {
      answers.push(executions.answer(payload.token, answer(payload)));
      return {};
    }
    if (payload.resume === undefined) return { next: 'p', pause: 1, seconds: 50, calls: CALLS };
    brought.push(payload);
    return OVER;
  };
  return { steps, brought, answers };
}

const returned = ({ call }: Payload): Ending => ({ output: { i: call?.i, k: call?.k } });

/** The first attempt is to be made again in a second, the next one is the last. */
const again = ({ call }: Payload): Ending => {
  const { i = 0, k = 0 } = call ?? {};
  return k === 0 ? { output: { i, k: 1, again: 1, seconds: 50 } } : { output: { i, k } };
};

const failed = ({ call }: Payload): Ending => ({ error: 'Weft.Failed', cause: JSON.stringify(call) });

const BOTH = [
  { i: 0, k: 0 },
  { i: 1, k: 0 },
];

/** Every kind of pause, and what its end brings to the next step. */
const KINDS: readonly (readonly [name: string, yaml: string, answer: (payload: Payload) => Ending, brings: unknown])[] =
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
      'a call made again',
      `${CALLING}- {id: p, type: action, action: {function: f, ${RETRIES}}, ${NEXT}`,
      again,
      { i: 0, k: 1 },
    ],
    ['a foreach', `${CALLING}- {id: p, type: foreach, array: jq(.a), action: {function: f}, ${NEXT}`, returned, BOTH],
    [
      'a foreach with calls made again',
      `${CALLING}- {id: p, type: foreach, array: jq(.a), action: {function: f, ${RETRIES}}, ${NEXT}`,
      again,
      BOTH.map(({ i }) => expect.objectContaining({ i, k: 1 })),
    ],
    [
      'a parallel that fails',
      `${CALLING}- {id: p, type: parallel, actions: [{function: f}, {function: f}], ${NEXT}`,
      failed,
      { error: 'Weft.Failed', cause: expect.stringContaining('"k":0') },
    ],
  ];

/** The states that wait, as they are emitted, on an interpreter of Step Functions that nobody here wrote. */
describe('a pause on another interpreter', () => {
  let emulator: Emulator;
  let missing: string | undefined;

  beforeAll(async () => {
    try {
      emulator = await openEmulator();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      missing = error.message;
      console.warn(`Pauses are not tried on another interpreter: ${missing}`);
    }
  }, INSTALLING_MS);
  afterAll(() => emulator?.close());
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test.each(KINDS)('%s is left by the step that it leads to, with what it brought', async (_, yaml, answer, brings) => {
    const { definition } = emit(planOf(yaml), 'anywhere');
    const { steps, brought, answers } = pausing(answer);
    expect(await emulator.run(definition, steps, { run: RUN })).toMatchObject({ status: 'SUCCEEDED' });
    expect(brought).toEqual([expect.objectContaining({ run: RUN, resume: 1 })]);
    expect(brought[0]?.with).toMatchObject(brings as object);
    expect((await Promise.all(answers)).includes(true)).toBe(answers.length > 0);
  });
});
