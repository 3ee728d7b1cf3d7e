import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openWorkspace, type Workspace } from '../workspace.ts';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await openWorkspace();
});
afterAll(() => workspace.clear());

/** A flow, and the harm that its repetition does; empty: none. */
interface Planted {
  readonly name: string;
  readonly flow: string;
  readonly fields: string;
  readonly harm: readonly string[];
  readonly more?: Readonly<Record<string, string>>;
}

const CHARGE = 'functions: [{id: charge, type: reusable, image: i}]\n';
const DOUBLED = (state: string, path = 'flow', times = 'twice') =>
  `harm: state '${state}': the call of 'charge' of '${path}' was made ${times}`;

const FLOWS: readonly Planted[] = [
  {
    name: 'an action that charges',
    flow: `${CHARGE}states:\n- {id: look, type: noop, transition: pay}\n- {id: pay, type: action, action: {function: charge}}`,
    fields: 'mocks: {charge: {return: {}}}',
    harm: [DOUBLED('pay')],
  },
  {
    name: 'a loop that charges after a wait',
    flow: `${CHARGE}states:\n- {id: nap, type: delay, duration: P3D, transition: all}\n- {id: all, type: foreach, array: 'jq([{n: 1}, {n: 2}])', action: {function: charge, input: jq(.)}}`.replace(
      CHARGE,
      `timeouts: {interrupt: P9D}\n${CHARGE}`,
    ),
    fields: 'mocks: {charge: {return: {}, delay: PT5S}}',
    harm: [DOUBLED('all')],
  },
  {
    name: 'a branch that charges beside one that does not',
    flow: `functions: [{id: charge, type: reusable, image: i}, {id: read, type: reusable, image: i}]
states:
- id: both
  type: parallel
  actions: [{function: read}, {function: charge}]`,
    fields: 'mocks: {charge: {return: {}}, read: {return: {}, idempotent: true}}',
    harm: [DOUBLED('both')],
  },
  {
    name: 'a retried charge',
    flow: `${CHARGE}states:\n- {id: pay, type: action, action: {function: charge, retries: {max_attempts: 2, delay: PT1M, codes: [busy]}}}`,
    fields: 'mocks: {charge: [{error: busy}, {return: {}}]}',
    harm: [DOUBLED('pay')],
  },
  {
    name: 'a subflow that charges',
    flow: 'functions: [{id: sub, type: subflow, workflow: sub}]\nstates: [{id: call, type: action, action: {function: sub}}]',
    fields: "mocks: {'sub#charge': {return: {}}}",
    more: { 'sub.yaml': `${CHARGE}states: [{id: deep, type: action, action: {function: charge}}]` },
    harm: [DOUBLED('deep', 'sub')],
  },
  {
    name: 'a charge that nothing waits for',
    flow: `${CHARGE}states:\n- {id: fire, type: action, async: true, action: {function: charge}, transition: nap}\n- {id: nap, type: delay, duration: PT1M}`,
    fields: 'mocks: {charge: {return: {}}}',
    harm: [DOUBLED('fire')],
  },
  {
    name: 'a flow whose output depends on the order of its events',
    flow: `states:
- id: either
  type: eventsXor
  events:
  - {event: {type: paid}, transform: {said: paid}}
  - {event: {type: cancelled}, transform: {said: cancelled}}`,
    fields: 'events: [{after: PT1M, type: paid}, {after: PT1M, type: cancelled}]',
    harm: ['harm: output.said was "cancelled" instead of "paid"'],
  },
  {
    name: 'a charge that is declared idempotent',
    flow: `${CHARGE}states: [{id: pay, type: action, action: {function: charge}}]`,
    fields: 'mocks: {charge: {return: {}, idempotent: true}}',
    harm: [],
  },
  {
    name: 'a subflow that is mocked, which runs once',
    flow: 'functions: [{id: sub, type: subflow, workflow: sub}]\nstates: [{id: call, type: action, action: {function: sub}}]',
    fields: 'mocks: {sub: {return: {}}}',
    harm: [],
  },
  {
    name: 'events, variables and waits, with an output that depends on the time and on ids',
    flow: `timeouts: {interrupt: P9D}
states:
- {id: read, type: getter, variables: [{key: n, scope: namespace}, {key: instance, scope: system, as: id}, {key: epoch, scope: system, as: at}], transition: count}
- {id: count, type: setter, variables: [{key: n, scope: namespace, value: 'jq((.var.n // 0) + 1)'}], transition: tell}
- {id: tell, type: generateEvent, event: {type: counted, source: flow}, transition: wait}
- {id: wait, type: eventsAnd, timeout: P2D, events: [{type: a}, {type: b}], transition: nap}
- {id: nap, type: delay, duration: P1D, transform: 'jq({id: .var.id, at: .var.at})'}`,
    fields: 'events: [{after: PT1H, type: a}, {after: PT1H, type: b}]',
    harm: [],
  },
];

describe('weft test --crash every-step --events dup,reorder', () => {
  test.each(FLOWS.map((flow) => [flow.name, flow] as const))('%s', async (_name, { flow, fields, harm, more = {} }) => {
    const folder = `flow-${FLOWS.findIndex((one) => one.name === _name)}`;
    const files = {
      'flow.yaml': flow,
      'flow.test.yaml': `workflow: flow.yaml\ncases:\n- name: it\n${fields.replace(/^/gm, '  ')}\n`,
      ...more,
    };
    await workspace.write(Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text])));
    const undisturbed = await workspace.weft(['test'], { cwd: folder });
    expect(undisturbed.out).toContain('1 passed, 0 failed');
    const { code, out } = await workspace.weft(['test', '--crash', 'every-step', '--events', 'dup,reorder'], {
      cwd: folder,
    });
    const found = out.split('\n').filter((line) => line.includes('harm: '));
    expect({ code, found: [...new Set(found.map((line) => line.trim()))] }).toEqual({
      code: harm.length === 0 ? 0 : 1,
      found: harm,
    });
    expect(Number(/(\d+) crashes/.exec(out)?.[1])).toBeGreaterThan(2);
  });

  test('finds the same, however fast the machine is', async () => {
    const branch = FLOWS.find(({ name }) => name === 'a branch that charges beside one that does not');
    await workspace.write({
      'slow/flow.yaml': branch?.flow ?? '',
      'slow/flow.test.yaml': `workflow: flow.yaml\ncases:\n- name: it\n  ${branch?.fields}\n`,
    });
    const { now } = performance;
    let [calls, late] = [0, 0];
    // Some turns of the event loop are long.
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      calls += 1;
      if (Math.sin(calls * calls) > 0.3) late += 20;
      return now.call(performance) + late;
    });
    try {
      const reports = new Set<string>();
      for (let round = 0; round < 6; round += 1) {
        const { out } = await workspace.weft(['test', '--crash', 'every-step'], { cwd: 'slow' });
        reports.add(out.replace(/\(\d+ ms\)/, ''));
      }
      expect([...reports]).toEqual([expect.stringContaining(DOUBLED('both'))]);
    } finally {
      clock.mockRestore();
    }
  });

  test.each([
    ["{id: f, type: http, url: 'http://f'}", 'let the server recognise a repeated call by its Idempotency-Key'],
    ['{id: f, type: worker, queue: q}', 'let the worker recognise a repeated call by the key of its task'],
    ['{id: f, type: lambda, function: f}', 'recognise a repeated call by the idempotencyKey of its client context'],
    [
      '{id: f, type: mail, server: {host: mail.example.com}, from: a@example.com, to: b@example.com}',
      'a mail that is sent again has the same Message-ID',
    ],
    ['{id: f, type: knative-namespace, service: s}', 'recognise a repeated call by its Direktiv-ActionID'],
  ])('names what stays the same in a repeated call of %s', async (called, mend) => {
    await workspace.write({
      'mend/flow.yaml': `functions: [${called}]\nstates: [{id: a, type: action, action: {function: f}}]`,
      'mend/flow.test.yaml': 'cases: [{name: it, workflow: flow.yaml, mocks: {f: {return: {}}}}]',
    });
    const { out } = await workspace.weft(['test', '--crash', 'every-step'], { cwd: 'mend' });
    expect(out.split('\n').find((line) => line.includes('hint: '))).toContain(mend);
  });

  test('names the crash that showed the harm, and what to change', async () => {
    await workspace.write({
      'named/flow.yaml': `${CHARGE}states: [{id: pay, type: action, action: {function: charge}}]`,
      'named/flow.test.yaml': 'cases: [{name: it, workflow: flow.yaml, mocks: {charge: {return: {}}}}]',
    });
    const { out } = await workspace.weft(['test', '--crash', 'every-step'], { cwd: 'named' });
    const [harm, after, hint] = out.split('\n').slice(2, 5);
    expect([harm?.trim(), after?.trim().replace(/ and \d+ more$/, ''), hint?.trim()]).toEqual([
      DOUBLED('pay'),
      "after: a crash after the call of 'charge' of 'flow'",
      'hint: let the function recognise a repeated call by its Direktiv-ActionID, which stays the same, ' +
        "and write 'idempotent: true' in its mock",
    ]);
  });
});
