import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { containersContract, GREETING } from '../../../../contract/containers.ts';
import { recordingHost } from '../../../local/containers/fixtures/caller.ts';
import { type OpenedEnvironments, openEnvironments } from '../fixtures/ready-revision.ts';

const MIB = 1024 * 1024;

describe('a call of a container on Lambda', () => {
  containersContract(async () => {
    const opened = await openEnvironments({ environment: { GREETING } });
    return { ...opened, folder: opened.environments.root };
  });
});

describe('the channel of a call in the bucket', () => {
  let opened: OpenedEnvironments;
  beforeEach(async () => {
    opened = await openEnvironments();
  });
  afterEach(() => opened.close());

  const writes = () => opened.bucket.requests.filter((request) => /^(PUT|POST)/.test(request));

  test('stores nothing for a small input, files, log entries and outputs', async () => {
    const { logs, host } = recordingHost();
    const files = [{ name: 'a.txt', type: 'plain' as const, bytes: Buffer.from('1') }];
    const steps = [{ path: '/log?aid=ID&log=one' }, { path: '/log?aid=ID&log=two' }];
    const answer = await opened.call({ do: 'helper', steps }, { files, host });
    expect(answer.json()).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(logs).toEqual(['one', 'two']);
    expect((await opened.call({ do: 'leave', files: { 'instance/a': '1' } })).outputs).toHaveLength(1);
    expect(writes()).toEqual([]);
  });

  test('stores an object for each answer, and deletes them at the end of the call', async () => {
    const { host } = recordingHost();
    const steps = [{ path: '/var?aid=ID&key=a' }, { path: '/var?aid=ID&key=b' }];
    await opened.call({ do: 'helper', steps }, { actionId: 'asking', host });
    expect(writes()).toEqual([
      expect.stringMatching(/^PUT calls\/asking\/[0-9a-f-]{36}\/1 200$/),
      expect.stringMatching(/^PUT calls\/asking\/[0-9a-f-]{36}\/2 200$/),
      expect.stringMatching(/^POST/),
    ]);
    expect([...opened.bucket.objects.keys()]).toEqual([]);
  });

  test('stores an object for an input that is too large for an event, and deletes it', async () => {
    await opened.call({ do: 'size', text: 'x'.repeat(4 * MIB) }, { actionId: 'large' });
    expect(writes()[0]).toMatch(/^PUT calls\/large\/[0-9a-f-]{36}\/0 200$/);
    expect([...opened.bucket.objects.keys()]).toEqual([]);
  });

  test('is read again when the bucket is busy', async () => {
    opened.bucket.nextStatuses['GET'] = [503, 500, 503];
    const { host, variables } = recordingHost();
    variables.set('instance/a', { text: '1' });
    const steps = [{ path: '/var?aid=ID&key=a' }];
    expect((await opened.call({ do: 'helper', steps }, { host })).json()).toEqual([{ status: 200, text: '1' }]);
  });

  test('answers a request of the container with an error when the bucket denies reading the answer', async () => {
    opened.bucket.nextStatuses['GET'] = Array.from({ length: 100 }, () => 403);
    const answer = await opened.call({ do: 'helper', steps: [{ path: '/var?aid=ID&key=a' }] });
    expect(answer.json()).toEqual([{ status: 500, text: 'the answer cannot be fetched: the storage answers 403' }]);
  });

  test('fails the call when an answer cannot be stored, because the container waits for it', async () => {
    opened.bucket.nextStatuses['PUT'] = [500];
    const { failure } = await opened.call({ do: 'helper', steps: [{ path: '/var?aid=ID&key=a' }] });
    expect(failure).toEqual({ code: '', message: expect.stringMatching(/^the container could not be answered: /) });
  });
});
