import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type LocalTable, openLocalTable } from '../../lib/adapters/local/table/table.ts';
import * as namespaces from '../../lib/domain/namespaces/namespaces.ts';
import type * as runs from '../../lib/domain/runs/runs.ts';
import { allPostponed, countPostponed, progressOf } from '../../lib/domain/tree/postponed-definitions.ts';
import { deleteNode } from '../../lib/engine/changes/publishing.ts';
import type { RunnerPorts } from '../../lib/engine/ports.ts';
import { reconcile } from '../../lib/engine/recovery/reconciler.ts';
import { execute } from '../../lib/engine/requests/start/start.ts';
import { BusyError } from '../../lib/ports/executions.ts';
import { HOUR_MS, MINUTE_MS } from '../../lib/time/units.ts';
import { QuotaSpace } from './space.ts';

const NAP = 'timeouts: {interrupt: PT48H}\nstates: [{id: nap, type: delay, duration: PT40S}]\n';

/** Step Functions defines this number of machines at once, and then one a second. */
const BURST = 100;
/** The period of the calls of the function `sweep`, and the time after which its reconciler stops. */
const [PERIOD_MS, RECONCILER_MS] = [15 * MINUTE_MS, 9 * MINUTE_MS];

let database: LocalTable;
beforeAll(async () => {
  database = await openLocalTable();
});
afterAll(() => database.close());

let space: QuotaSpace;
const start = async (path: string): Promise<runs.Run> => {
  const invocation = { namespace: 'demo', path: `/${path}`, ref: '', input: Buffer.from('{}') };
  return (await space.pass(execute(space.ports, invocation))).run;
};
const machines = () => space.aws.machines.size;

/** A call of the function `sweep` that begins at a time. */
async function passAt(at: number): Promise<void> {
  space.time.advance(at - space.time.clock.now());
  await space.pass(reconcile(space.ports, { isExclusive: false, until: at + RECONCILER_MS }));
}

const WORKFLOWS = 800;
/** A pass defines the burst, and one a second of its nine minutes. */
const [PASSES, HOURS] = [2, 0.52];

describe(`an import of ${WORKFLOWS} workflows within the quota of definitions`, () => {
  beforeAll(async () => {
    space = new QuotaSpace(database);
    for (let n = 0; n < WORKFLOWS; n += 1) await space.store(`w${n}`, NAP);
  });

  test('is stored at once; starts are refused with the number of definitions that wait', async () => {
    expect(machines()).toBe(BURST);
    expect(await countPostponed(space.ports)).toBe(WORKFLOWS - BURST);
    const starts = Array.from({ length: 60 }, (_, n) => start(`w${WORKFLOWS - 100 + n}`));
    const settled = await Promise.allSettled(starts);
    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused.length).toBeGreaterThan(0);
    const minutes = Math.ceil((WORKFLOWS - BURST) / 60);
    for (const reason of refused) {
      expect(reason).toBeInstanceOf(BusyError);
      expect(reason.message).toContain(`: ${WORKFLOWS - BURST} of an import wait for theirs`);
      expect(reason.message).toContain(`${minutes} minutes or more`);
    }
  });

  test(`is defined in ${PASSES} passes of the sweep, after ${HOURS} hours, at the pace of the quota`, async () => {
    const { id } = await namespaces.need(space.ports, 'demo');
    await deleteNode(space.ports, 'demo', `/w${WORKFLOWS - 2}`, true);
    const began = space.time.clock.now();
    const left: number[] = [];
    while (left.at(-1) !== 0) {
      await passAt(began + (left.length + 1) * PERIOD_MS);
      left.push(await countPostponed(space.ports));
      const { defined, waiting } = await progressOf(space.ports, id);
      expect(waiting).toBe(left.at(-1));
      expect([WORKFLOWS - BURST, WORKFLOWS - BURST - 1]).toContain(defined + waiting);
    }
    expect(left).toHaveLength(PASSES);
    expect((space.time.clock.now() - began) / HOUR_MS).toBeCloseTo(HOURS, 1);
    expect(await progressOf(space.ports, id)).toMatchObject({ waiting: 0, failed: [] });
    const before = machines();
    for (const n of [0, WORKFLOWS / 2, WORKFLOWS - 1]) await start(`w${n}`);
    expect(machines()).toBe(before);
  });
});

describe('a definition that was postponed', () => {
  beforeEach(() => {
    space = new QuotaSpace();
  });

  test('and fails is shown with its reason, stops no other one, and is tried again', async () => {
    for (let n = 0; n < 104; n += 1) await space.store(`w${n}`, NAP);
    space.time.advance(200_000);
    const { executions } = space.ports;
    const first = (await allPostponed(space.ports).next()).value;
    if (!first) throw new Error('nothing was postponed');
    const define: typeof executions.define = (machine, isPatient) =>
      machine.name.startsWith(first.workflow)
        ? Promise.reject(new Error('InvalidDefinition: too deep'))
        : executions.define(machine, isPatient);
    const pass = (ports: RunnerPorts) => space.pass(reconcile(ports, { isExclusive: false }));
    const { id } = await namespaces.need(space.ports, 'demo');
    const failing = { ...space.ports, executions: { ...executions, define } };
    await expect(pass(failing)).rejects.toThrow('too deep');
    const failed = [{ path: first.path, error: 'InvalidDefinition: too deep' }];
    expect(await progressOf(space.ports, id)).toMatchObject({ defined: 3, waiting: 0, failed });
    space.time.advance(60_000);
    await pass(space.ports);
    expect(await progressOf(space.ports, id)).toMatchObject({ defined: 4, waiting: 0, failed: [] });
  });
});
