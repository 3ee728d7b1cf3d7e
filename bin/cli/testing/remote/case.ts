import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { failuresOf } from '../../../../lib/testing/checking.ts';
import { milliseconds } from '../../../../lib/testing/format/moments.ts';
import type { TestEvent } from '../../../../lib/testing/format/suite.ts';
import { mockSubflow } from '../../../../lib/testing/mocking/subflows.ts';
import type { CaseResult } from '../../../../lib/testing/results.ts';
import { textAt } from '../../client/replies.ts';
import { namespacePath, type Service, treePath } from '../../client/service.ts';
import { beginningOf, type PreparedCase } from '../cases/prepared.ts';
import { createNamespace, deleteNamespace, type TestNamespace } from './namespace.ts';
import { isWaitingForEvents, observeRemote, readRuns } from './observing.ts';

/** How cases are run by a service. */
export interface RemoteOptions {
  readonly service: Service;
  /** The real time that a case may take, milliseconds. */
  readonly patience: number;
}

const POLL_MS = 100;
/** How long an event without a time waits for a run that waits for events. */
const READY_MS = 2_000;

/** Why a service cannot run a case; undefined if it can. */
function obstacleOf(prepared: PreparedCase, patience: number): string | undefined {
  const { test, mocks } = prepared;
  if (beginningOf(prepared) === 'clock') return 'the clock starts its workflow';
  if (test.now !== undefined) return 'it sets the time';
  const times = [test.expect.took?.least, ...test.events.map(({ after }) => after)];
  const longest = Math.max(0, ...times.map((time) => (time === undefined ? 0 : milliseconds(time))));
  if (longest > patience) return `it takes longer than ${patience / 1000} s of real time (--timeout)`;
  const made = [...mocks.values()].map(mockSubflow).find((one) => 'reason' in one);
  return made !== undefined && 'reason' in made ? made.reason : undefined;
}

async function sendEvent({ service, name }: TestNamespace, event: TestEvent, index: number): Promise<void> {
  const { type, source = 'test', id = `test-event-${index + 1}`, data, context } = event;
  const content = data === undefined ? {} : { datacontenttype: 'application/json', data };
  const body = JSON.stringify({ specversion: '1.0', ...context, id, source, type, ...content });
  const headers = { 'Content-Type': 'application/cloudevents+json' };
  await service.upload('POST', `${namespacePath(name)}/broadcast`, { body, headers });
}

/** Runs one case in a namespace of its own. */
class RemoteCase {
  readonly #namespace: TestNamespace;
  readonly #prepared: PreparedCase;
  readonly #begun = Date.now();
  readonly #until: number;
  #root: string | undefined;

  constructor(namespace: TestNamespace, prepared: PreparedCase, patience: number) {
    this.#namespace = namespace;
    this.#prepared = prepared;
    this.#until = this.#begun + patience;
  }

  /** Returns the id of the run of the workflow, once all runs have ended or the time is over. */
  async run(): Promise<string | undefined> {
    if (beginningOf(this.#prepared) === 'request') await this.#execute();
    for (const [index, event] of this.#prepared.test.events.entries()) {
      if (event.after === undefined) await this.#untilReady();
      else await this.#sleepUntil(this.#begun + milliseconds(event.after));
      await sendEvent(this.#namespace, event, index);
    }
    while (!(await this.#isOver()) && Date.now() < this.#until) await setTimeout(POLL_MS);
    return this.#root;
  }

  async #execute(): Promise<void> {
    const { service, name } = this.#namespace;
    const { test, main } = this.#prepared;
    const path = `${treePath(name, main.path)}?op=execute`;
    const headers = { 'Content-Type': 'application/json' };
    const reply = await service.upload('POST', path, { body: JSON.stringify(test.input ?? {}), headers });
    this.#root = textAt(reply, 'instance');
  }

  async #untilReady(): Promise<void> {
    const late = Math.min(Date.now() + READY_MS, this.#until);
    while (this.#root !== undefined && Date.now() < late) {
      if (await isWaitingForEvents(this.#namespace, this.#root)) return;
      await setTimeout(POLL_MS);
    }
  }

  #sleepUntil(time: number): Promise<void> {
    return setTimeout(Math.max(time - Date.now(), 0));
  }

  async #isOver(): Promise<boolean> {
    const all = await readRuns(this.#namespace);
    this.#root ??= all.find(({ path }) => path === this.#prepared.main.path)?.id;
    return this.#root !== undefined && all.every(({ status }) => status !== 'pending');
  }
}

/** Runs a case by a service, in a new namespace, which is deleted. Throws what requests throw. */
export async function runRemote(
  file: string,
  prepared: PreparedCase,
  { service, patience }: RemoteOptions,
): Promise<CaseResult> {
  const { test, main } = prepared;
  const begun = performance.now();
  const head = { name: test.name, file, line: test.line, harms: [], crashes: 0 };
  const reason = obstacleOf(prepared, patience);
  if (reason !== undefined) return { ...head, status: 'skipped', failures: [], reason, seen: undefined, ms: 0 };
  const name = `weft-test-${randomUUID()}`;
  try {
    const namespace = await createNamespace(service, name, prepared);
    const root = await new RemoteCase(namespace, prepared, patience).run();
    const seen = await observeRemote(namespace, prepared, root);
    const failures = failuresOf({ ...test.expect, took: undefined, events: undefined }, seen, main.path);
    const status = failures.length === 0 ? 'passed' : 'failed';
    return { ...head, status, failures, reason: undefined, seen, ms: performance.now() - begun };
  } finally {
    await deleteNamespace(service, name);
  }
}
