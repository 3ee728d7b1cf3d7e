import { expect, test } from 'vitest';
import { logAsJson } from '../../bin/server/log-format.ts';

/** What is written to standard output and to standard error, as objects. */
function written(log: (to: Pick<Console, 'log' | 'info' | 'warn' | 'error'>) => void) {
  const lines: Record<'out' | 'err', unknown[]> = { out: [], err: [] };
  const streamOf = (name: 'out' | 'err') => ({ write: (text: string) => lines[name].push(...linesIn(text)) });
  const [out, err] = [streamOf('out'), streamOf('err')];
  const target = { ...console };
  logAsJson(target, { log: out, info: out, warn: err, error: err });
  log(target);
  return lines;
}

function linesIn(text: string): unknown[] {
  const lines = text.split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => JSON.parse(line));
}

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('each line of the log is a JSON object with its time, level and message', () => {
  const lines = written((to) => {
    to.log('%s on\nport %d', 'listening', 80);
    to.warn('slow', { a: 1 });
  });
  expect(lines).toEqual({
    out: [{ timestamp, level: 'INFO', message: 'listening on\nport 80' }],
    err: [{ timestamp, level: 'WARN', message: 'slow { a: 1 }' }],
  });
});

test('an error of a line is in members of its own', () => {
  const error = new TypeError('broken');
  const lines = written((to) => {
    to.error('cannot write', error);
    to.error(error);
  });
  const members = { errorType: 'TypeError', errorMessage: 'broken', stackTrace: expect.arrayContaining([]) };
  expect(lines.err).toEqual([
    { timestamp, level: 'ERROR', message: 'cannot write', ...members },
    { timestamp, level: 'ERROR', message: 'broken', ...members },
  ]);
  expect((lines.err[0] as { readonly stackTrace: string[] }).stackTrace[0]).toBe('TypeError: broken');
});
