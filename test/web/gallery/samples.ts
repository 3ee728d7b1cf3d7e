import type { LogLine } from '../../../clients/api/operations.ts';
import type { Bucket } from '../../../web/data/runs/statistics.ts';
import type { Step } from '../../../web/data/runs/steps.ts';
import { toGraph } from '../../../web/data/workflow/graph.ts';
import type { Way } from '../../../web/parts/diagram/diagram.tsx';

const START = Date.UTC(2026, 10, 22, 9, 0, 0);
const at = (ms: number): string => new Date(START + ms).toISOString();

/** A text that would do harm as markup; here it is a name. */
export const HOSTILE = '<img src=x onerror=alert(1)>';

const TEXTS: readonly (readonly [LogLine['level'], string])[] = [
  ['info', 'Preparing workflow triggered by api.'],
  ['debug', 'Loaded revision 01a202f2.'],
  ['info', 'Running state logic (step:1) -- reserve'],
  ['warn', 'The call took 12 s.'],
  ['error', `State failed with error 'bank.refused': the card is blocked ${HOSTILE}`],
  ['info', 'Workflow completed.'],
];

/** Lines of a log, of every level. */
export const LINES: readonly LogLine[] = TEXTS.map(([level, msg], index) => ({
  t: at(index * 420),
  level,
  msg,
  tags: { 'state-id': index < 2 ? '' : 'reserve', workflow: '/orders/saga.yaml', invoker: 'api' },
}));

type Span = readonly [from: number, to: number | undefined];

const step = (number: number, state: string, [from, to]: Span, more: Partial<Step> = {}): Step => ({
  number,
  state,
  from: START + from,
  to: to === undefined ? undefined : START + to,
  waits: [],
  attempts: 0,
  error: undefined,
  isCaught: false,
  isHandled: false,
  children: [],
  startsRuns: false,
  ...more,
});

const wait = (kind: Step['waits'][number]['kind'], from: number, to: number | undefined) => ({
  kind,
  from: START + from,
  to: to === undefined ? undefined : START + to,
});

/** Steps with waits, attempts, a caught error, and one that runs. */
export const STEPS: readonly Step[] = [
  step(1, 'reserve', [0, 900], {
    waits: [wait('child', 100, 850)],
    children: ['01a202f2-c34d-71ea-a7f8-80f4091648ea'],
  }),
  step(2, 'charge', [900, 4200], { attempts: 2, waits: [wait('retry', 1300, 2300), wait('retry', 2600, 3900)] }),
  step(3, 'ship', [4200, 4700], { error: "'carrier.unknown-country': no way to XX", isCaught: true }),
  step(4, 'refund', [4700, 5100]),
  step(5, 'await-answer', [5100, undefined], { waits: [wait('event', 5150, undefined)] }),
];

export const STEPS_FROM = START;
export const STEPS_TO = START + 9000;

/** A workflow with a choice, a loop and errors. */
export const GRAPH = toGraph({
  states: [
    { id: 'reserve', type: 'action', transition: 'charge', catch: [{ error: 'stock.short', transition: 'refuse' }] },
    { id: 'charge', type: 'action', transition: 'ship', catch: [{ error: '*', transition: 'put-back' }] },
    {
      id: 'ship',
      type: 'switch',
      conditions: [{ condition: 'jq(.parts > 1)', transition: 'ship-part' }],
      defaultTransition: 'await-answer',
    },
    { id: 'ship-part', type: 'action', transition: 'ship' },
    { id: 'await-answer', type: 'consumeEvent', transition: 'done' },
    { id: 'done', type: 'noop' },
    { id: 'put-back', type: 'action', transition: 'refuse' },
    { id: 'refuse', type: 'noop' },
  ],
});

/** A run that waits after two rounds of the loop. */
export const WAY: Way = {
  visits: new Map([
    ['reserve', 1],
    ['charge', 1],
    ['ship', 3],
    ['ship-part', 2],
    ['await-answer', 1],
  ]),
  taken: new Map([
    ['reserve>charge', 1],
    ['charge>ship', 1],
    ['ship>ship-part', 2],
    ['ship-part>ship', 2],
    ['ship>await-answer', 1],
  ]),
  current: 'await-answer',
  mood: 'waiting',
};

/** Eighty states in straight chains with some choices. */
export const LARGE_GRAPH = toGraph({
  states: Array.from({ length: 80 }, (_, index) => ({
    id: `state-${index + 1}`,
    type: index % 9 === 4 ? 'switch' : 'action',
    ...(index % 9 === 4
      ? { conditions: [{ condition: 'jq(.a)', transition: `state-${Math.min(80, index + 6)}` }] }
      : {}),
    ...(index === 79 ? {} : { [index % 9 === 4 ? 'defaultTransition' : 'transition']: `state-${index + 2}` }),
  })),
});

/** JSON of every kind. */
export const VALUE: unknown = {
  id: 'o-77',
  customer: { name: 'Ada Lovelace', address: { city: 'London', lines: ['12 St James’s Square', HOSTILE] } },
  items: Array.from({ length: 260 }, (_, index) => ({ article: `a-${index}`, count: index % 7 })),
  paid: true,
  note: 'Two lines\nof text, and one that is longer than what fits into one row of a tree of this width, so it is cut.',
  discount: null,
  total: 129.9,
  empty: [],
};

/** A day by hour. */
export const BUCKETS: readonly Bucket[] = Array.from({ length: 24 }, (_, hour) => {
  const started = Math.round(40 + 35 * Math.sin(hour / 3));
  const failed = hour === 9 ? 18 : hour % 5 === 0 ? 3 : 0;
  const open = hour > 21 ? 4 : 0;
  return {
    from: START + hour * 3_600_000,
    to: START + (hour + 1) * 3_600_000,
    started,
    failed,
    open,
    complete: started - failed - open,
    p50: 120 + hour * 8,
    p95: hour === 9 ? 4200 : 600 + hour * 15,
  };
});

export const SOURCE = `states:
- id: reserve
  type: action
  action: {function: stock}
  transition: charge
- id: charge
  type: action
  action:
    function: bank
    retries: {max_attempts: 2, delay: PT1S, codes: [bank.busy]}
`;

export const CHANGED_SOURCE = SOURCE.replace('PT1S', 'PT5S').replace('max_attempts: 2', 'max_attempts: 4');

/** A problem as the compiler reports it. */
export const PROBLEMS = [
  {
    message: "workflow state[0] 'transition' transition 'charg' does not exist",
    line: 5,
    column: 15,
    hint: "did you mean 'charge'?",
    text: '',
  },
];
