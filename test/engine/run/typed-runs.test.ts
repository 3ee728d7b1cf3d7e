import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../lib/domain/errors.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { createWorkflow, updateWorkflow } from '../../../lib/engine/changes/publishing.ts';
import { receive } from '../../../lib/engine/events/broadcasting.ts';
import { rerun } from '../../../lib/engine/requests/start/rerun.ts';
import { execute } from '../../../lib/engine/requests/start/start.ts';
import { startByClock } from '../../../lib/engine/routing/starts.ts';
import type { World } from '../world/engine-world.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';
import { openWorlds } from '../world/worlds.ts';

const worldWith = openWorlds();

const settle = async (world: World): Promise<void> => {
  for (let round = 0; round < 2; round += 1) {
    await world.pass(world.time.clock.now() + 60_000);
    await world.deliver();
  }
};

async function endOf(world: World, id: string): Promise<runs.Run> {
  const run = await runs.find(world.reliable, id);
  if (run === undefined) throw new Error(`no run ${id}`);
  return run;
}

async function onlyRun(world: World): Promise<runs.Run> {
  const [run, ...more] = await runsOf(world);
  if (run === undefined || more.length > 0) throw new Error('there is not one run');
  return run;
}

const INPUT = `input:
  type: object
  required: [order]
  properties: {order: {type: string}, express: {type: boolean, default: false}}
`;
const HANDLED = `onFailure: sorry
finally: last
`;
const CHAINS = `- {id: sorry, type: noop, transform: 'jq(. + {why: .error.code})'}
- {id: last, type: noop}
`;
const NOOP = 'states: [{id: a, type: noop}]\n';
const UNFIT = 'the input does not match the schema of the workflow: (root): order is required';

describe('a workflow with an input schema', () => {
  test('begins with the defaults, and keeps the input as it was sent', async () => {
    const world = await worldWith({ main: INPUT + NOOP });
    const { data, input, status } = await world.execute('main', '{"order":"o-1"}');
    expect({ data, status }).toEqual({ data: { order: 'o-1', express: false }, status: 'complete' });
    expect(Buffer.from(input).toString()).toBe('{"order":"o-1"}');
  });

  test('rejects a request before a run exists, with every mistake', async () => {
    const world = await worldWith({ main: INPUT + NOOP });
    const rejected = world.execute('main', '{"express":1}');
    const express = 'express: Invalid type. Expected: boolean, given: integer';
    const violations = expect.arrayContaining(['(root): order is required', express]);
    await expect(rejected).rejects.toMatchObject({ code: 'malformed', status: 400, details: { violations } });
    expect(await runsOf(world)).toEqual([]);
  });

  test('takes a key again whose request it rejected, and returns the run of a key whatever the schema is by then', async () => {
    const world = await worldWith({ main: INPUT + NOOP });
    const invocation = { namespace: world.namespace, path: '/main', ref: '', key: 'k' };
    const start = (input: string) => execute(world.ports, { ...invocation, input: Buffer.from(input) });
    await expect(start('{}')).rejects.toMatchObject({ code: 'malformed' });
    const { run, existing } = await start('{"order":"o-1"}');
    expect({ existing, data: run.data }).toEqual({ existing: false, data: { order: 'o-1', express: false } });
    const source = `input: {required: [more]}\n${NOOP}`;
    await updateWorkflow(world.ports, { namespace: world.namespace, path: '/main', source });
    expect(await start('{"order":"o-1"}')).toMatchObject({ existing: true, run: { id: run.id } });
  });

  test('rejects a request with the first mistakes of many', async () => {
    const list = 'input: {properties: {list: {items: {type: string}}}}\n';
    const world = await worldWith({ main: list + NOOP });
    const many = JSON.stringify({ list: Array.from({ length: 3000 }, (_, index) => index) });
    const error = await world.execute('main', many).catch((thrown: unknown) => thrown as ServiceError);
    if (!(error instanceof ServiceError)) throw new Error('it was not rejected');
    expect(error.message).toMatch(/: list\.0: Invalid type\. Expected: string, given: integer; .*; and 990 more$/);
    expect(error.details['violations']).toHaveLength(100);
  });

  test('fails a call in the caller, which can catch it', async () => {
    const call = (input: string) => `functions: [{id: kid, type: subflow, workflow: kid}]
states:
- id: go
  type: action
  action: {function: kid, input: ${input}}
  catch: [{error: service.input.invalid, transition: caught}]
- {id: caught, type: noop, transform: 'jq({caught: .error.msg})'}
`;
    const world = await worldWith({ kid: INPUT + NOOP, bad: call('{}'), good: call('{order: x}') });
    expect(await world.execute('bad', '{}')).toMatchObject({ status: 'complete', data: { caught: UNFIT } });
    expect(await runsOf(world)).toHaveLength(1);
    expect(await world.execute('good', '{}')).toMatchObject({ data: { return: { order: 'x', express: false } } });
  });

  test('fails a call that a machine makes, and an asynchronous one', async () => {
    const functions = 'functions: [{id: kid, type: subflow, workflow: kid}]\n';
    const nap = '- {id: nap, type: delay, duration: PT2S, transition: go}\n';
    const each = "- {id: go, type: foreach, array: 'jq([range(12)|{}])', action: {function: kid}}\n";
    const apart = '- {id: go, type: action, async: true, action: {function: kid, input: {}}}\n';
    const kid = `${INPUT}states: [{id: a, type: delay, duration: PT1S}]\n`;
    const world = await worldWith({
      kid,
      each: `${functions}states:\n${nap}${each}`,
      apart: `${functions}states:\n${nap}${apart}`,
    });
    const begun = [await world.execute('each', '{}'), await world.execute('apart', '{}')];
    await settle(world);
    for (const { id } of begun)
      expect(await endOf(world, id)).toMatchObject({ status: 'failed', code: 'service.input.invalid', message: UNFIT });
    expect(unfinishedOf(world)).toEqual([]);
  });

  test('makes a failed run of an event that does not fit, with its handlers', async () => {
    const start = 'start: {type: event, event: {type: order.placed}}\n';
    const schema = 'input: {properties: {order.placed: {required: [order]}, express: {default: false}}}\n';
    const world = await worldWith({ main: `${start}${schema}${HANDLED}states:\n- {id: a, type: noop}\n${CHAINS}` });
    const namespace = await namespaces.need(world.reliable, world.namespace);
    await receive(world.ports, namespace, { specversion: '1.0', id: '1', source: 's', type: 'order.placed' });
    await settle(world);
    const run = await onlyRun(world);
    const message = 'the input does not match the schema of the workflow: order.placed: order is required';
    expect(run).toMatchObject({ status: 'failed', code: 'service.input.invalid', message, flow: ['sorry', 'last'] });
    expect(run.data).toMatchObject({ why: 'service.input.invalid' });
    expect(run.tail.map(({ text }) => text)).toContain(
      `Workflow failed with error 'service.input.invalid': ${message}`,
    );
    expect(unfinishedOf(world)).toEqual([]);
  });

  test('makes no call of such a run, which begins in a machine', async () => {
    const start = 'start: {type: event, event: {type: order.placed}}\ninput: {required: [order]}\n';
    const http = "functions: [{id: f, type: http, url: 'https://api.test/'}]\n";
    const world = await worldWith({ main: `${start}${http}states: [{id: a, type: action, action: {function: f}}]\n` });
    const namespace = await namespaces.need(world.reliable, world.namespace);
    await receive(world.ports, namespace, { specversion: '1.0', id: '1', source: 's', type: 'order.placed' });
    await settle(world);
    expect(await onlyRun(world)).toMatchObject({ status: 'failed', code: 'service.input.invalid', flow: [] });
    expect(world.started.size).toBe(1);
    expect(unfinishedOf(world)).toEqual([]);
  });

  test('makes a failed run of a tick that does not fit', async () => {
    const world = await worldWith({});
    const source = `start: {type: scheduled, cron: '0 8 * * *'}\n${INPUT}${NOOP}`;
    await createWorkflow(world.ports, { namespace: world.namespace, path: '/main', source });
    const [schedule] = world.schedules.values();
    if (schedule === undefined) throw new Error('no schedule');
    await startByClock(world.ports, schedule.target, world.time.clock.now());
    await settle(world);
    expect(await onlyRun(world)).toMatchObject({ status: 'failed', code: 'service.input.invalid', message: UNFIT });
    expect((await onlyRun(world)).flow).toEqual([]);
  });

  test('reads an input of no bytes as an object without members', async () => {
    const closed = 'input: {properties: {limit: {default: 5}}, additionalProperties: false}\n';
    const world = await worldWith({ main: closed + NOOP });
    const run = await world.execute('main', '');
    expect(run.data).toEqual({ limit: 5 });
    const how = {
      from: '',
      revision: 'pinned',
      repeat: 'all',
      patch: [{ op: 'add', path: '/limit', value: 6 }],
    } as const;
    expect((await rerun(world.ports, run, how)).run.data).toEqual({ limit: 6 });
  });

  test('is applied to the patched input of a repetition, and not to the data of a later state', async () => {
    const world = await worldWith({
      main: `${INPUT}states:\n- {id: a, type: noop, transform: {}, transition: b}\n- {id: b, type: noop}\n`,
    });
    const run = await world.execute('main', '{"order":"o-1"}');
    const again = (from: string, patch: readonly unknown[]) =>
      rerun(world.ports, run, { from, revision: 'pinned', patch, repeat: 'all' });
    await expect(again('', [{ op: 'remove', path: '/order' }])).rejects.toMatchObject({ code: 'malformed' });
    const { run: repeated } = await again('', [{ op: 'replace', path: '/order', value: 'o-2' }]);
    expect(repeated.data).toEqual({ order: 'o-2', express: false });
    await again('b', []);
  });
});

describe('a workflow with an output schema', () => {
  const OUTPUT = 'output: {required: [paid], properties: {paid: {type: boolean}}}\n';
  const MESSAGE = 'the output does not match the schema of the workflow: (root): paid is required';

  test('completes a run whose output fits', async () => {
    const world = await worldWith({ main: `${OUTPUT}states: [{id: a, type: noop, transform: {paid: true}}]\n` });
    const run = await world.execute('main', '{}');
    expect(run).toMatchObject({ status: 'complete', data: { paid: true } });
    expect(run.tail.filter(({ text }) => text === 'Workflow completed.')).toHaveLength(1);
  });

  test('fails a run whose output does not fit, after its handlers; the catch of the last state does not apply', async () => {
    const last = "- {id: a, type: noop, catch: [{error: '*', transition: a}]}\n";
    const world = await worldWith({ main: `${OUTPUT}${HANDLED}states:\n${last}${CHAINS}` });
    const run = await world.execute('main', '{}');
    expect(run).toMatchObject({ status: 'failed', code: 'service.output.invalid', message: MESSAGE });
    expect(run.flow).toEqual(['a', 'sorry', 'last']);
    expect(run.data).toMatchObject({ why: 'service.output.invalid' });
    expect(run.tail.map(({ text }) => text)).not.toContain('Workflow completed.');
    expect(run.record.steps[0]).toMatchObject({ error: { code: 'service.output.invalid' } });
  });

  test('fails a run that ends by a catch, in a machine', async () => {
    const states = `states:
- {id: nap, type: delay, duration: PT2S, transition: go}
- {id: go, type: noop, transform: jq(.a.b.c | error), catch: [{error: '*'}]}
`;
    const world = await worldWith({ main: OUTPUT + states });
    const { id } = await world.execute('main', '{}');
    await settle(world);
    expect(await endOf(world, id)).toMatchObject({ status: 'failed', code: 'service.output.invalid' });
    expect(unfinishedOf(world)).toEqual([]);
  });

  test('applies to what finally makes of the data, and not to a run that fails', async () => {
    const finish = (states: string) =>
      `${OUTPUT}finally: last\nstates:\n${states}- {id: last, type: noop, transform: {}}\n`;
    const world = await worldWith({
      spoilt: finish('- {id: a, type: noop, transform: {paid: true}}\n'),
      failed: finish('- {id: a, type: error, error: shop.closed, message: shut}\n'),
    });
    expect(await world.execute('spoilt', '{}')).toMatchObject({ status: 'failed', code: 'service.output.invalid' });
    expect(await world.execute('failed', '{}')).toMatchObject({ status: 'failed', code: 'shop.closed' });
  });
});
