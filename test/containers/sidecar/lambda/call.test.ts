import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { InvokeWithResponseStreamCommand } from '@aws-sdk/client-lambda';
import { afterEach, describe, expect, test } from 'vitest';
import { escapeVariable } from '../../../../lib/containers/sidecar/lambda/image-environment.ts';
import { type EnvironmentsOptions, FUNCTION } from '../../../adapters/aws/containers/fixtures/environments.ts';
import {
  containersWith,
  ID,
  type OpenedEnvironments,
  openEnvironments,
} from '../../../adapters/aws/containers/fixtures/ready-revision.ts';
import { startRuntimeApi } from '../../../adapters/aws/containers/fixtures/runtime-api-server.ts';
import { recordingHost, until } from '../../../adapters/local/containers/fixtures/caller.ts';

/** Resolves when a process has ended and its parent has collected its exit code. */
const endOf = (pid: number): Promise<boolean> =>
  until(
    async () => existsSync(`/proc/${pid}`),
    (exists) => !exists,
  );

const opened: OpenedEnvironments[] = [];
async function open(options: EnvironmentsOptions = {}): Promise<OpenedEnvironments> {
  const one = await openEnvironments(options);
  opened.push(one);
  return one;
}
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

/** Calls the function with an event as it is, and returns the errors that Lambda reports. */
async function invoke({ environments }: OpenedEnvironments, event: string): Promise<unknown[]> {
  const { EventStream = [] } = await environments.client.send(
    new InvokeWithResponseStreamCommand({ FunctionName: ID, Payload: Buffer.from(event) }),
  );
  const errors: unknown[] = [];
  for await (const { InvokeComplete } of EventStream) if (InvokeComplete) errors.push(InvokeComplete.ErrorDetails);
  return errors;
}

describe('the program of a container on Lambda', () => {
  test('sees no variables of Lambda, and its output is passed on', async () => {
    const variables = ['AWS_BUCKET=b', 'AWS_REGION=mars', 'NODE_DEBUG=x'].map(escapeVariable);
    const { call, environments } = await open({
      environment: Object.fromEntries(variables.map((variable) => variable.split('='))),
    });
    const names: string[] = (await call({ do: 'echo' })).json().names;
    const found = names.filter((name) => /^(_?AWS|LAMBDA|_X_AMZN|NODE|WEFT)_/.test(name));
    expect(found.toSorted()).toEqual(['AWS_BUCKET', 'AWS_REGION', 'NODE_DEBUG']);
    await call({ do: 'print', words: 'Grüße' });
    await until(
      async () => environments.output(),
      (output) => output.includes('begun serve true\nGrüße\n'),
    );
  });

  test.each([
    ['fail', 60_000, /^the container ended with exit code 3 before it listened on port 8080: cannot go on$/],
    ['silent', 600, /^the container did not listen on port 8080 within 1 seconds$/],
  ])('that does not listen (%s) fails each call with the reason', async (mode, listenMs, message) => {
    const { call } = await open({ command: [process.execPath, FUNCTION, mode], timeouts: { listenMs } });
    const failed = { text: '', outputs: [], failure: { code: '', message: expect.stringMatching(message) } };
    expect(await call({ do: 'echo' })).toMatchObject(failed);
    expect(await call({ do: 'echo' })).toMatchObject(failed);
  });

  test('that does not exist fails a call with the reason', async () => {
    const { call } = await open({ command: ['/nowhere'] });
    const message = 'the container could not be started: spawn /nowhere ENOENT';
    expect((await call({ do: 'echo' })).failure).toEqual({ code: '', message });
  });

  test('that is no executable file fails a call with its name', async () => {
    // A script without an interpreter line fails in the same way with some C libraries.
    const program = `${FUNCTION}/start`;
    const { call } = await open({ command: [program] });
    const message = `the container could not be started: spawn ${program} ENOTDIR`;
    expect((await call({})).failure).toEqual({ code: '', message });
  });

  test('may listen late', async () => {
    const { call } = await open({ command: [process.execPath, FUNCTION, 'serve', '800'] });
    expect((await call({ do: 'text', text: 'late' })).text).toBe('late');
  });

  test('that ended between two calls is started again', async () => {
    const { call, environments } = await open();
    await endOf(Number((await call({ do: 'exitAfter' })).text));
    expect((await call({ do: 'text', text: 'back' })).text).toBe('back');
    expect(environments.output().split('begun serve')).toHaveLength(3);
    expect(environments.count()).toBe(1);
  });

  test('is killed when the sidecar ends, also if it ignores SIGTERM', async () => {
    const program =
      "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('pid', process.pid, '.')";
    const one = await open({
      command: [process.execPath, '-e', program],
      timeouts: { listenMs: 1 },
    });
    await invoke(one, '{}');
    const output = await until(
      async () => one.environments.output(),
      (text) => text.includes('.'),
    );
    const pid = Number(/pid (\d+) \./.exec(output)?.[1]);
    expect(() => process.kill(pid, 0)).not.toThrow();
    opened.splice(0);
    await one.close();
    await endOf(pid);
  });
});

describe('a call in an execution environment', () => {
  test('uses the environment of the call before; two calls at once use two', async () => {
    const { call, environments } = await open();
    await call({ do: 'echo' });
    await call({ do: 'echo' });
    expect(environments.count()).toBe(1);
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()];
    const variable = () => {
      begun.resolve();
      return gate.promise;
    };
    const slow = call(
      { do: 'helper', steps: [{ path: '/var?aid=ID&key=a' }] },
      { host: { ...recordingHost().host, variable } },
    );
    await begun.promise;
    await call({ do: 'echo' });
    gate.resolve(undefined);
    expect((await slow).failure).toBeUndefined();
    expect(environments.count()).toBe(2);
  });

  test('notifies the function, and fails with the limit, before Lambda times out', async () => {
    const { call, environments } = await open({ timeouts: { cancelMs: 500 } });
    await call({ do: 'echo' });
    environments.setTimeout(5_000);
    const { failure } = await call({ do: 'sleep', ms: 60_000 }, { actionId: 'too-long' });
    expect(failure).toEqual({ code: '', message: expect.stringContaining('did not answer within 14 minutes') });
    environments.setTimeout(900_000);
    expect((await call({ do: 'deleted' })).json()).toContain('too-long');
  });

  test('fails at its deadline also while the program does not listen', async () => {
    const { call } = await open({ command: [process.execPath, FUNCTION, 'silent'] });
    const { failure } = await call({ do: 'echo' }, { deadline: Date.now() + 300 });
    expect(failure).toEqual({ code: '', message: 'the call was not answered before its deadline' });
  });

  test('is cancelled also by another process than the caller', async () => {
    const { call, environments, bucket } = await open();
    const other = await containersWith(bucket, environments.client);
    const begun = Promise.withResolvers<void>();
    const host = { ...recordingHost().host, log: async () => begun.resolve() };
    const slow = call({ do: 'sleep', ms: 60_000, logs: true }, { actionId: 'far', host });
    await begun.promise;
    await other.cancel(ID, 'far');
    expect((await slow).failure).toEqual({ code: '', message: 'the call was cancelled' });
    expect((await call({ do: 'deleted' })).json()).toEqual(['far']);
    expect([...bucket.objects.keys()]).toEqual([]);
  });

  test('notifies the function when Lambda breaks its response off, and the next call is served', async () => {
    const { call, environments } = await open();
    environments.breakNextResponse();
    const { failure } = await call({ do: 'sleep', ms: 60_000, logs: true }, { actionId: 'cut' });
    expect(failure?.message).toMatch(/^the connection to the container ended before/);
    expect((await call({ do: 'deleted' })).json()).toEqual(['cut']);
    expect(environments.count()).toBe(1);
  });

  test('rejects an event that is not of the service, and takes the next', async () => {
    const one = await open();
    for (const event of ['{}', '[1]', 'null', 'no json']) {
      expect(await invoke(one, event)).toEqual([expect.stringContaining('called only by the service')]);
    }
    expect(one.environments.count()).toBe(1);
  });
});

test('a sidecar without a command reports to Lambda that it cannot start', async () => {
  const main = fileURLToPath(new URL('../../../../lib/containers/sidecar/lambda/main.ts', import.meta.url));
  const runtime = await startRuntimeApi((env) => spawn(process.execPath, [main], { env, stdio: 'ignore' }));
  expect(await runtime.ended).toBe(1);
  expect(runtime.initErrors).toEqual(['there is no program of the container to start']);
  await runtime.close();
});
