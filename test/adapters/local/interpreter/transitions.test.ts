import { expect, test } from 'vitest';
import { localExecutions } from '../../../../lib/adapters/local/executions/executions.ts';
import { owning } from '../owning.ts';
import { VirtualTime } from '../virtual-time.ts';

const TASK = {
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the definition has this placeholder
  Arguments: { FunctionName: '${TaskFunction}', Payload: {} },
  Retry: [{ ErrorEquals: ['Busy'], IntervalSeconds: 1, MaxAttempts: 3 }],
  Next: 'Each',
};
const DEFINITION = {
  QueryLanguage: 'JSONata',
  StartAt: 'First',
  States: {
    First: { Type: 'Pass', Next: 'Call' },
    Call: TASK,
    Each: {
      Type: 'Map',
      Items: [1, 2],
      ItemProcessor: { StartAt: 'One', States: { One: { Type: 'Pass', End: true } } },
      Next: 'Rest',
    },
    Rest: { Type: 'Wait', Seconds: 1, Next: 'Which' },
    Which: { Type: 'Choice', Choices: [{ Condition: '{% true %}', Next: 'Last' }], Default: 'Last' },
    Last: { Type: 'Succeed' },
  },
};

/** The history that Step Functions has of an execution whose task fails twice: the types of its events. */
const HISTORY = `
  ExecutionStarted
  PassStateEntered PassStateExited
  TaskStateEntered TaskScheduled TaskStarted TaskFailed TaskScheduled TaskStarted TaskFailed
  TaskScheduled TaskStarted TaskSucceeded TaskStateExited
  MapStateEntered MapStateStarted
  MapIterationStarted PassStateEntered PassStateExited MapIterationSucceeded
  MapIterationStarted PassStateEntered PassStateExited MapIterationSucceeded
  MapStateSucceeded MapStateExited
  WaitStateEntered WaitStateExited
  ChoiceStateEntered ChoiceStateExited
  SucceedStateEntered SucceedStateExited
  ExecutionSucceeded`
  .trim()
  .split(/\s+/);

/**
 * The transitions that AWS bills for a history: "each time a step of your workflow is executed", "including retries"
 * (aws.amazon.com/step-functions/pricing). The start, the end and the iterations of an inline Map execute no step.
 */
function billedFor(history: readonly string[]): number {
  const count = (type: RegExp): number => history.filter((event) => type.test(event)).length;
  const retries = count(/^TaskScheduled$/) - count(/^TaskStateEntered$/);
  return count(/StateEntered$/) + retries;
}

test('what the interpreter counts as transitions are the states that are entered, and the retries of tasks', async () => {
  const time = new VirtualTime();
  let transitions = 0;
  let calls = 0;
  const invoke = async (): Promise<unknown> => {
    calls += 1;
    if (calls < 3) throw Object.assign(new Error('busy'), { name: 'Busy' });
    return {};
  };
  const onTransition = (): void => {
    transitions += 1;
  };
  const executions = owning(':memory:', (database) => localExecutions({ database, ...time, invoke, onTransition }));
  const handle = await executions.define({ name: 'm', definition: JSON.stringify(DEFINITION), tier: 'STANDARD' });
  await executions.start(handle, 'one', {});
  while (executions.describe(handle, 'one')?.ended === undefined) await time.sleep(100);
  expect(executions.describe(handle, 'one')).toMatchObject({ status: 'SUCCEEDED' });
  await executions.close();
  expect([transitions, calls]).toEqual([billedFor(HISTORY), 3]);
});
