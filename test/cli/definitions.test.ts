import { afterEach, expect, test } from 'vitest';
import { awaitDefinitions, definitionLines, definitionsOf } from '../../bin/cli/client/definitions.ts';

const drawn: string[] = [];
afterEach(() => void drawn.splice(0));

const terminal = { drawStatus: (line: string) => void drawn.push(line), signal: new AbortController().signal };

/** A namespace of a service that answers so, one after another; the last answer is repeated. */
function remoteWith(...answers: readonly Response[]) {
  let nth = 0;
  const send = async (): Promise<Response> => {
    nth += 1;
    return (answers[nth - 1] ?? answers.at(-1) ?? Response.error()).clone();
  };
  return { service: { send }, namespace: 'demo' };
}

const progress = (defined: number, waiting: number, failed: readonly object[] = []): Response =>
  Response.json({ defined, waiting, waitingInAll: waiting * 2, failed });

test('an import names the state machines that wait for the quota, and those that failed', async () => {
  const definitions = await definitionsOf(remoteWith(progress(100, 300, [{ path: '/a/b', error: 'too large' }])));
  if (definitions === undefined) throw new Error('the server has no definitions');
  expect(definitionLines(definitions)).toEqual([
    expect.stringMatching(/^300 state machines wait .*; 100 were defined .* about 10 minutes or more/),
    'the state machine of /a/b could not be defined, and is tried again: too large',
  ]);
});

test('an import into a service without such progress names nothing', async () => {
  expect(await definitionsOf(remoteWith(new Response('{"code":404}', { status: 404 })))).toBeUndefined();
  expect(await definitionsOf(remoteWith(new Response('<html>')))).toBeUndefined();
  expect(definitionLines({ defined: 3, waiting: 0, waitingInAll: 0, failed: [] })).toEqual([]);
});

test('--wait follows the definitions until none waits', async () => {
  const remote = remoteWith(progress(0, 2), progress(1, 1), progress(2, 0));
  expect(await awaitDefinitions(remote, terminal, 1)).toMatchObject({ defined: 2, waiting: 0 });
  expect(drawn.map((line) => line.replace(/^.*\] {2}/, ''))).toEqual(['0/2', '1/2', '']);
});
