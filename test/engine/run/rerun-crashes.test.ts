import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import { readSteps } from '../../../lib/domain/runs/record-steps.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { derivedId, spreadId } from '../../../lib/domain/storage/ids.ts';
import { rerun } from '../../../lib/engine/requests/start/rerun.ts';
import type { WebRequest } from '../../../lib/ports/callees/web.ts';
import { json, ProgrammedWeb } from '../../contract/programmed-web.ts';
import { type Crash, CrashedError } from '../world/crashing-ports.ts';
import { openDatabase, World } from '../world/engine-world.ts';
import { unfinishedOf } from '../world/snapshot.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const numberIn = ({ body }: WebRequest): number => (JSON.parse(Buffer.from(body ?? []).toString()) as { n: number }).n;

const HTTP = "{id: f, type: http, url: 'https://bank.test/pay', method: POST, body: 'jq({n})'}";
const LOOP = `functions: [{id: kid, type: subflow, workflow: kid}]
states:
- {id: go, type: foreach, array: 'jq([.list[] | {n: .}])', collect: errors, action: {function: kid}, transform: 'jq({sum: ([.return.results[] | .double // 0] | add), failed: (.return.errors | length)})', transition: b}
- {id: b, type: noop, transform: 'jq({sum: (.sum + 1), failed})'}
`;

/** For each of them: the subflow that the loop calls. */
const KIDS: Readonly<Record<string, string>> = {
  'ends in place': `functions: [${HTTP}]
states: [{id: a, type: action, action: {function: f}, transform: 'jq({double: .return.body.double})'}]
`,
  waits: `functions: [${HTTP}]
states:
- {id: a, type: action, action: {function: f}, transform: 'jq({double: .return.body.double})', transition: b}
- {id: b, type: delay, duration: PT2S}
`,
};

const WANTED = { from: 'go', revision: 'pinned', patch: [], repeat: 'failed' } as const;

class Chain {
  broken = [2, 4];
  readonly sent: number[] = [];
  readonly world: World;

  constructor() {
    const web = new ProgrammedWeb((request) => {
      const n = numberIn(request);
      this.sent.push(n);
      return this.broken.includes(n) ? json({}, 500) : json({ double: 2 * n });
    });
    this.world = new World(database, { web });
  }

  async need(id: string): Promise<runs.Run> {
    const run = await runs.find(this.world.reliable, id);
    if (run === undefined) throw new Error('the run is gone');
    return run;
  }

  /** Runs the workflow, of which two calls fail. */
  async begin(kid: string): Promise<runs.Run> {
    await this.world.store({ kid, main: LOOP });
    const { id } = await this.world.execute('main', '{"list": [1, 2, 3, 4]}');
    await this.world.pass();
    return this.need(id);
  }

  /** Repeats a run in a process that may crash; the request is sent again after a crash, as bulk repetitions are. */
  async repeat(run: runs.Run, crash?: Crash): Promise<{ readonly run: runs.Run; readonly operations: number }> {
    const { world } = this;
    await world.restart(crash);
    const id = spreadId(derivedId(run.created, run.id, 'rerun'));
    const request = () => world.process.work(() => rerun(world.ports, run, WANTED, id));
    await request().catch((error: unknown) => {
      if (!(error instanceof CrashedError)) throw error;
    });
    await world.pass();
    const { operations } = world.process;
    if (world.process.hasCrashed) {
      await world.restart();
      await request();
      await world.pass();
    }
    expect(unfinishedOf(world)).toEqual([]);
    return { run: await this.need(id), operations };
  }

  /** The part of a run's outcome that does not depend on crashes. */
  async outcomeOf({ id }: runs.Run): Promise<unknown> {
    const run = await this.need(id);
    const steps = await readSteps(this.world.reliable, run);
    const { status, code, data, flow, reruns = [] } = run;
    const shown = steps.map(({ state, to, calls, callCount }) => ({
      state,
      to,
      callCount,
      calls: calls?.map(({ i, k, code, reused }) => ({ i, k, code, reused })).toSorted((a, b) => a.i - b.i),
    }));
    return { status, code, data, flow, reruns: reruns.length, steps: shown };
  }
}

async function play(kid: string, crashes: readonly (Crash | undefined)[]) {
  const chain = new Chain();
  try {
    const first = await chain.begin(kid);
    chain.broken = [4];
    const second = await chain.repeat(first, crashes[0]);
    chain.broken = [];
    const third = await chain.repeat(second.run, crashes[1]);
    const all = [first, second.run, third.run];
    const outcomes = await Promise.all(all.map((run) => chain.outcomeOf(run)));
    return { outcomes, sent: chain.sent, operations: [second.operations, third.operations] };
  } finally {
    await chain.world.close();
  }
}

describe.each(Object.entries(KIDS))('a chain of repetitions of a foreach over a subflow that %s', (_, kid) => {
  test('has the same runs and records when the process dies after any durable operation', async () => {
    const clean = await play(kid, []);
    expect(clean.outcomes.at(-1)).toMatchObject({ status: 'complete', data: { sum: 21, failed: 0 } });
    expect(clean.sent.toSorted()).toEqual([1, 2, 2, 3, 4, 4, 4].toSorted());
    for (const [which, operations] of clean.operations.entries()) {
      expect(operations).toBeGreaterThan(3);
      for (let at = 1; at <= operations; at += 1) {
        const crash = { at, when: 'after' } as const;
        const found = await play(kid, which === 0 ? [crash] : [undefined, crash]);
        expect(found.outcomes, JSON.stringify({ which, crash })).toEqual(clean.outcomes);
        // A request that was under way is sent again; no call that had succeeded before is made.
        expect(found.sent.filter((n) => n % 2 === 1).toSorted()).toEqual([1, 3]);
      }
    }
  });
});
