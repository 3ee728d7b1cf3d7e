import { describe, expect, test } from 'vitest';
import type { Wait } from '../../../lib/domain/runs/waits.ts';
import { StateError } from '../../../lib/engine/evaluation/failures.ts';
import { rejectionOf } from '../../../lib/engine/run/suspension.ts';
import { toResumeSignal } from '../../../lib/engine/step/resume-signals.ts';

const WAIT: Wait = { number: 1, state: 'a', isWaiting: true, entered: 0, origin: 0, until: 9, wake: 9 };
const REJECTION = { kind: 'uncatchable', code: 'workflow.notfound', own: false, message: 'no such workflow' };
const CALL = { i: 2, k: 1 };

describe('the output of a wait', () => {
  test.each([
    ['a list of calls', [CALL], { kind: 'callsReturned', calls: [CALL] }],
    ['one call', CALL, { kind: 'callsReturned', calls: [CALL] }],
    ['an empty list', [], { kind: 'callsReturned', calls: [] }],
    ['received events', { heard: true }, { kind: 'eventsReceived' }],
    ['an empty object', {}, { kind: 'due' }],
    ['a timeout of Step Functions', { error: 'States.Timeout' }, { kind: 'timedOut' }],
    ['a timeout of a call', { error: 'Weft.Late', cause: '' }, { kind: 'timedOut' }],
    ['a call that won', { error: 'Weft.Won', cause: JSON.stringify(CALL) }, { kind: 'callDecided', call: CALL }],
    [
      'a call that failed',
      { error: 'Weft.Failed', cause: JSON.stringify({ ...CALL, exceeded: true }) },
      { kind: 'callDecided', call: { ...CALL, exceeded: true } },
    ],
    [
      'a call that cannot be made',
      { error: 'Weft.Rejected', cause: JSON.stringify(REJECTION) },
      { kind: 'callRejected', failure: REJECTION },
    ],
    [
      'another error',
      { error: 'States.DataLimitExceeded', cause: 'too large' },
      { kind: 'machineFailed', error: 'States.DataLimitExceeded', cause: 'too large' },
    ],
  ])('that is %s is read', (_what, output, signal) => {
    expect(toResumeSignal(WAIT, output)).toEqual(signal);
  });

  test('that is a call that cannot be made fits the cause of a task, however long its message is', () => {
    const cause = JSON.stringify(rejectionOf(new StateError('catchable', 'a.code', '\u0001'.repeat(1_000_000))));
    expect(cause.length).toBeLessThanOrEqual(32_768);
    expect(toResumeSignal(WAIT, { error: 'Weft.Rejected', cause })).toMatchObject({ failure: { code: 'a.code' } });
  });

  test.each([
    ['the run does not wait', undefined],
    ['the run is at a checkpoint', { ...WAIT, isWaiting: false }],
  ])('is ignored when %s', (_when, wait) => {
    expect(toResumeSignal(wait, { heard: true })).toEqual({ kind: 'due' });
  });

  test('is not needed for a wait for time', () => {
    expect(toResumeSignal(WAIT, undefined)).toEqual({ kind: 'due' });
  });
});
