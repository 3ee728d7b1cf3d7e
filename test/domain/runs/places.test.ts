import { expect, test } from 'vitest';
import { callPathOf, storedCallPath } from '../../../lib/domain/runs/places.ts';

test('the call path names the callers from the top, and is stored only where it does not follow', () => {
  const callers = ['top', 'second', 'third', 'fourth'];
  let run: Parameters<typeof storedCallPath>[0] = { id: 'top', depth: 0, invoker: 'api' };
  const paths = [callPathOf(run)];
  for (const id of [...callers.slice(1), 'last']) {
    const callPath = storedCallPath(run);
    expect(callPath === undefined).toBe(run.depth < 2);
    run = {
      id,
      depth: run.depth + 1,
      invoker: `instance:${run.id}`,
      root: 'top',
      ...(callPath === undefined ? {} : { callPath }),
    };
    paths.push(callPathOf(run));
  }
  expect(paths).toEqual(['/', '/top', '/top/second', '/top/second/third', '/top/second/third/fourth']);
});
