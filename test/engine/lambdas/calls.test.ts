import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as secrets from '../../../lib/domain/credentials/secrets.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import type { Run } from '../../../lib/domain/runs/runs.ts';
import { cancel } from '../../../lib/engine/delivery/deliver.ts';
import { type InvocationReply, LambdaError } from '../../../lib/ports/callees/lambdas.ts';
import { type Answer, ProgrammedLambdas, payloadOf, result } from '../../contract/programmed-lambdas.ts';
import { linesOf } from '../containers/service-space.ts';
import { World } from '../world/engine-world.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openLocalTable();
});
afterAll(() => database.close());

const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** A workflow with the lambda function `score`, and these states. */
const workflowOf = (fields: string, states: string): string => `functions:
- {id: score, type: lambda, function: fraud-score${fields}}
states:
${states}`;

const CALL = '- {id: go, type: action, action: {function: score, input: jq(.)}}\n';
const LONG = ', timeout: PT10M';

interface Given {
  readonly answer?: Answer;
  readonly input?: unknown;
  readonly secrets?: Readonly<Record<string, string>>;
}

async function begin(main: string, { answer, input = {}, secrets: values = {} }: Given = {}) {
  const lambdas = new ProgrammedLambdas(answer);
  const world = new World(database, { lambdas });
  worlds.push(world);
  await world.store({ main });
  const namespace = await namespaces.need(world.reliable, world.namespace);
  for (const [name, value] of Object.entries(values)) {
    await secrets.set(world.reliable, namespace, name, Buffer.from(value));
  }
  const { id } = await world.execute('main', JSON.stringify(input));
  const mainOf = async (): Promise<Run> => {
    const found = (await runsOf(world)).find((one) => one.id === id);
    if (found === undefined) throw new Error('the run is not stored');
    return found;
  };
  return { world, lambdas, mainOf };
}

async function run(main: string, given: Given = {}) {
  const { world, lambdas, mainOf } = await begin(main, given);
  await world.pass();
  expect(await unfinishedOf(world)).toEqual([]);
  return { world, lambdas, main: await mainOf(), machines: [...world.started.values()] };
}

const throwing =
  (type: string, message = 'no'): Answer =>
  () => ({ error: { type, message } });
const refusing =
  (problem: LambdaError['problem']): Answer =>
  () => {
    throw new LambdaError(problem, 'refused by the test');
  };
const isLambdaCall = (handle: string): boolean => handle.startsWith('lambda-call:');

describe('a short invocation', () => {
  test('sends the input and returns what the function answers', async () => {
    const { main, lambdas, machines } = await run(workflowOf('', CALL), {
      input: { amount: 7 },
      answer: (one) => result({ got: payloadOf(one) }),
    });
    expect(main).toMatchObject({ status: 'complete', data: { return: { got: { amount: 7 } } } });
    expect(lambdas.invocations).toHaveLength(1);
    expect(lambdas.invocations[0]).toMatchObject({ function: 'fraud-score', ms: 30_000 });
    expect(machines.filter(isLambdaCall)).toEqual([]);
  });

  test('passes an idempotency key and the trace to the function', async () => {
    const { lambdas } = await run(workflowOf('', CALL));
    const { idempotencyKey, traceparent } = lambdas.invocations[0]?.context ?? {};
    expect(idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
    expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  test('computes the name, the qualifier and the timeout', async () => {
    const fields = ', qualifier: "jq(.stage)", timeout: "jq(.limit)"';
    const { lambdas } = await run(workflowOf(fields, CALL), { input: { stage: 'live', limit: 'PT5S' } });
    expect(lambdas.invocations[0]).toMatchObject({ function: 'fraud-score:live', ms: 5_000 });
  });

  test.each([
    ['null', null],
    ['a list with one element', [1]],
    ['text', 'ok'],
  ])('returns %s', async (_name, value) => {
    const { main } = await run(workflowOf('', CALL), { answer: () => result(value) });
    expect(main.data).toEqual({ return: value });
  });

  test.each<[string, Answer, string]>([
    ['an error of the function', throwing('CardError'), 'service.lambda.CardError'],
    ['an error of Java', throwing('java.lang.IllegalStateException'), 'service.lambda.java.lang.IllegalStateException'],
    ['an error without a type', throwing(''), 'service.lambda.failed'],
    ['a type that is no code', throwing('a b'), 'service.lambda.failed'],
    ['a function that takes too long', throwing('Sandbox.Timedout'), 'service.lambda.timeout'],
    ['one that older runtimes name', throwing('', 'x Task timed out after 3.00 seconds'), 'service.lambda.timeout'],
    ['a throttled invocation', refusing('throttled'), 'service.lambda.throttled'],
    ['a function that does not exist', refusing('notFound'), 'service.lambda.notFound'],
    ['a missing right', refusing('access'), 'service.lambda.access'],
    ['a fault of Lambda', refusing('service'), 'service.lambda.service'],
    ['no JSON', () => ({ payload: Buffer.from('{') }), 'service.lambda.response'],
  ])('fails with a code for %s, which the state catches', async (_name, answer, code) => {
    const states = `${CALL.replace('}}\n', "}, catch: [{error: '*', transition: caught}]}\n")}- {id: caught, type: noop}\n`;
    const { main } = await run(workflowOf('', states), { answer });
    expect(main).toMatchObject({ status: 'complete', data: { error: { code } } });
  });

  test.each([
    ['a computed name that is none', ', qualifier: jq(.q)', { q: 'a b' }],
    ['a computed timeout that is none', ', timeout: jq(.q)', { q: 'soon' }],
  ])('fails with lambda.request for %s', async (_name, fields, input) => {
    const { main, lambdas } = await run(workflowOf(fields, CALL), { input });
    expect(main).toMatchObject({ status: 'failed', code: 'service.lambda.request' });
    expect(lambdas.invocations).toEqual([]);
  });

  test('an input over the limit of Lambda fails before it is sent', async () => {
    const input = { text: 'x'.repeat(6 * 1024 * 1024) };
    const { main, lambdas } = await run(workflowOf('', CALL), { input });
    expect(main).toMatchObject({ status: 'failed', code: 'service.lambda.tooLarge' });
    expect(lambdas.invocations).toEqual([]);
  });

  test('a retry follows the policy of the action and has the same idempotency key', async () => {
    let count = 0;
    const answer: Answer = () => {
      count += 1;
      if (count < 3) throw new LambdaError('throttled', 'too many');
      return result(count);
    };
    const retries = "retries: {max_attempts: 3, delay: PT1S, codes: ['lambda.throttled']}";
    const states = `- {id: go, type: action, action: {function: score, ${retries}}}\n`;
    const { main, lambdas } = await run(workflowOf('', states), { answer });
    expect(main.data).toEqual({ return: 3 });
    expect(new Set(lambdas.invocations.map(({ context }) => context['idempotencyKey'])).size).toBe(1);
    expect(new Set(lambdas.invocations.map(({ context }) => context['traceparent'])).size).toBe(3);
  });

  test('a loop invokes once for each element', async () => {
    const states =
      "- {id: go, type: foreach, array: 'jq([range(20) | {n: .}])', action: {function: score, input: jq(.n)}}\n";
    const { main } = await run(workflowOf('', states), { answer: (one) => result(payloadOf(one)) });
    expect(main.data['return']).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  test('a secret of the input is in no message', async () => {
    const states = '- {id: go, type: action, action: {function: score, secrets: [TOKEN], input: jq(.secrets)}}\n';
    const { main, world } = await run(workflowOf('', states), {
      secrets: { TOKEN: 'very-hidden' },
      answer: (one) => ({ error: { type: 'Refused', message: `bad ${JSON.stringify(payloadOf(one))}` } }),
    });
    expect(main).toMatchObject({ status: 'failed', code: 'service.lambda.Refused' });
    expect(main.message).toContain('bad {"TOKEN":"***"}');
    expect(JSON.stringify([await runsOf(world), await linesOf(world, main)])).not.toContain('very-hidden');
  });
});

describe('a long invocation', () => {
  test('is made by a machine of its own: no step waits for it', async () => {
    const reply = Promise.withResolvers<InvocationReply>();
    const { world, lambdas, mainOf } = await begin(workflowOf(LONG, CALL), {
      input: { amount: 7 },
      answer: () => reply.promise,
    });
    await world.pass(world.time.clock.now() + 60_000);
    expect((await mainOf()).status).toBe('pending');
    expect(world.process.busy).toBe(0);
    expect([...world.started.values()].filter(isLambdaCall)).toHaveLength(1);
    expect(lambdas.invocations.map(payloadOf)).toEqual([{ amount: 7 }]);
    reply.resolve(result({ risk: [3] }));
    await world.pass();
    expect(await mainOf()).toMatchObject({ status: 'complete', data: { return: { risk: [3] } } });
    expect(await unfinishedOf(world)).toEqual([]);
  });

  test.each([
    ['a list with one element', [1]],
    ['a list in a list', [[1]]],
    ['text that looks like an expression', '{% 1 %}'],
  ])('takes and returns %s unchanged', async (_name, value) => {
    const states = '- {id: go, type: action, action: {function: score, input: jq(.v)}}\n';
    const { main, lambdas } = await run(workflowOf(LONG, states), {
      input: { v: value },
      answer: (one) => result(payloadOf(one)),
    });
    expect(lambdas.invocations.map(payloadOf)).toEqual([value]);
    expect(main.data).toMatchObject({ return: value });
  });

  test('returns null of a function that returns nothing', async () => {
    const { main } = await run(workflowOf(LONG, CALL), { answer: () => result(null) });
    expect(main).toMatchObject({ status: 'complete', data: { return: null } });
  });

  test.each<[string, Answer, string]>([
    ['an error of the function', throwing('CardError', 'declined'), 'service.lambda.CardError'],
    ['a throttled invocation', refusing('throttled'), 'service.lambda.throttled'],
    ['a missing right', refusing('access'), 'service.lambda.access'],
    ['a function that does not exist', refusing('notFound'), 'service.lambda.notFound'],
    ['a result over the limit of a machine', () => result('x'.repeat(300_000)), 'service.lambda.tooLarge'],
    ['a function that hangs', () => new Promise(() => {}), 'service.lambda.timeout'],
  ])('fails with the code of %s', async (_name, answer, code) => {
    const { main, world } = await run(workflowOf(LONG, CALL), { answer });
    expect(main).toMatchObject({ status: 'failed', code });
    expect([...world.started.values()].filter(isLambdaCall)).toHaveLength(1);
  });

  test('is retried in another execution with the same idempotency key', async () => {
    let count = 0;
    const answer: Answer = () => {
      count += 1;
      return count === 1 ? { error: { type: 'Busy', message: 'later' } } : result('done');
    };
    const retries = 'retries: {max_attempts: 1, delay: PT1S, codes: [lambda.Busy]}';
    const states = `- {id: go, type: action, action: {function: score, ${retries}}}\n`;
    const { main, lambdas } = await run(workflowOf(LONG, states), { answer });
    expect(main.data).toEqual({ return: 'done' });
    expect(new Set(lambdas.invocations.map(({ context }) => context['idempotencyKey'])).size).toBe(1);
  });

  test('passes no machine when its input holds a secret, or is large', async () => {
    const states = '- {id: go, type: action, action: {function: score, secrets: [TOKEN], input: jq(.secrets)}}\n';
    const withSecret = await run(workflowOf(LONG, states), { secrets: { TOKEN: 'hidden' }, answer: () => result(1) });
    expect(withSecret.main.data).toEqual({ return: 1 });
    expect(withSecret.machines.filter(isLambdaCall)).toEqual([]);
    const large = await run(workflowOf(LONG, CALL), { input: { t: 'x'.repeat(250_000) }, answer: () => result(1) });
    expect(large.main.data).toMatchObject({ return: 1 });
    expect(large.machines.filter(isLambdaCall)).toEqual([]);
  });

  test('ends with the run that is cancelled', async () => {
    const { world, mainOf } = await begin(workflowOf(LONG, CALL), { answer: () => new Promise(() => {}) });
    await world.pass(world.time.clock.now() + 60_000);
    const main = await mainOf();
    await world.process.work(() => cancel(world.ports, main));
    await world.pass();
    expect(await unfinishedOf(world)).toEqual([]);
    expect((await mainOf()).code).toBe('service.cancels.api');
    const [name, handle] = [...world.started].find(([, one]) => isLambdaCall(one)) ?? ['', ''];
    expect(world.executions.describe(handle, name)).toMatchObject({ status: 'ABORTED' });
  });

  test('that nothing waits for goes on when its caller has ended', async () => {
    const states = '- {id: go, type: action, async: true, action: {function: score, input: jq(.)}}\n';
    const { main, lambdas, machines } = await run(workflowOf(LONG, states), { answer: () => result(1) });
    expect(main.status).toBe('complete');
    expect(lambdas.invocations).toHaveLength(1);
    expect(machines.filter(isLambdaCall)).toHaveLength(1);
  });
});
