import { describe, expect, test } from 'vitest';
import { type ResumeSignal, type TaskReply, toAnswer, toResumeSignal } from '../../lib/compiler/emit/task-protocol.ts';
import { StateError } from '../../lib/engine/evaluation/failures.ts';
import { rejectionOf } from '../../lib/engine/run/suspension.ts';

const REJECTION = { kind: 'uncatchable', code: 'workflow.notfound', own: false, message: 'no such workflow' };
const CALL = { i: 2, k: 1 };

describe('the output of a wait', () => {
  test.each([
    ['a list of calls', { returned: [CALL] }, { kind: 'callsReturned', calls: [CALL] }],
    ['an empty list', { returned: [] }, { kind: 'callsReturned', calls: [] }],
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
    expect(toResumeSignal(output)).toEqual(signal);
  });

  test('that is a call that cannot be made fits the cause of a task, however long its message is', () => {
    const cause = JSON.stringify(rejectionOf(new StateError('catchable', 'a.code', '\u0001'.repeat(1_000_000))));
    expect(cause.length).toBeLessThanOrEqual(32_768);
    expect(toResumeSignal({ error: 'Weft.Rejected', cause })).toMatchObject({ failure: { code: 'a.code' } });
  });

  test('is not needed for a wait for time', () => {
    expect(toResumeSignal(undefined)).toEqual({ kind: 'due' });
  });
});

describe('a reply to a task', () => {
  const call = { ...CALL, exceeded: true };
  test.each<[string, TaskReply, ResumeSignal]>([
    ['received events', { reply: 'eventsReceived' }, { kind: 'eventsReceived' }],
    ['a time that has come', { reply: 'due' }, { kind: 'due' }],
    ['a time that is over', { reply: 'timedOut' }, { kind: 'timedOut' }],
    ['the only call, which returned', { reply: 'returned', call }, { kind: 'callsReturned', calls: [call] }],
    ['a call that won', { reply: 'won', call }, { kind: 'callDecided', call }],
    ['a call that failed', { reply: 'failed', call }, { kind: 'callDecided', call }],
  ])('about %s reaches the step after the wait as its signal', (_what, reply, signal) => {
    expect(toResumeSignal(toAnswer(reply))).toEqual(signal);
  });
});
