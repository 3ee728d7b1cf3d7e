import type { State } from '../../../../compiler/emit/asl.ts';
import { INVOKE, INVOKE_AND_WAIT } from '../../../../compiler/emit/asl.ts';

export type StateType = State['Type'];

export interface StateGrammar {
  /** Fields the type knows beside `Type`, `Comment` and `QueryLanguage`. */
  readonly fields: readonly string[];
  readonly required: readonly string[];
  /** Whether it says where to go with `Next` or `End`. */
  readonly onward: boolean;
}

const EFFECTS = ['Assign', 'Output'];
const ONWARD = ['Next', 'End'];
const GUARDS = ['Retry', 'Catch'];
const TASK = ['Resource', 'Arguments', 'TimeoutSeconds', 'HeartbeatSeconds'];
const MAP = ['ItemProcessor', 'Items', 'ItemSelector', 'MaxConcurrency'];

function onward(fields: readonly string[], required: readonly string[]): StateGrammar {
  return { fields: [...EFFECTS, ...ONWARD, ...fields], required, onward: true };
}

/** What a state of each type may say; everything else is refused by name. */
export const GRAMMAR: Readonly<Record<StateType, StateGrammar>> = {
  Task: onward([...GUARDS, ...TASK], ['Resource']),
  Pass: onward([], []),
  Wait: onward(['Seconds', 'Timestamp'], []),
  Parallel: onward([...GUARDS, 'Branches', 'Arguments'], ['Branches']),
  Map: onward([...GUARDS, ...MAP], ['ItemProcessor']),
  Choice: { fields: [...EFFECTS, 'Choices', 'Default'], required: ['Choices'], onward: false },
  Succeed: { fields: ['Output'], required: [], onward: false },
  Fail: { fields: ['Error', 'Cause'], required: [], onward: false },
};

export const STATE_FIELDS: readonly string[] = ['Type', 'Comment', 'QueryLanguage'];
export const MACHINE_FIELDS: readonly string[] = [
  'Comment',
  'QueryLanguage',
  'StartAt',
  'States',
  'TimeoutSeconds',
  'Version',
];
export const BRANCH_FIELDS: readonly string[] = ['Comment', 'StartAt', 'States'];
export const RULE_FIELDS: readonly string[] = [...EFFECTS, 'Condition', 'Next', 'Comment'];
export const CATCHER_FIELDS: readonly string[] = [...EFFECTS, 'ErrorEquals', 'Next', 'Comment'];
export const RETRIER_FIELDS: readonly string[] = [
  'ErrorEquals',
  'IntervalSeconds',
  'MaxAttempts',
  'BackoffRate',
  'MaxDelaySeconds',
  'JitterStrategy',
  'Comment',
];
export const ARGUMENT_FIELDS: readonly string[] = ['FunctionName', 'Payload'];

/** The integrations the interpreter has; those that wait for a token are for the standard tier alone. */
export const RESOURCES: readonly string[] = [INVOKE, INVOKE_AND_WAIT];

export const LONGEST_NAME = 80;
export const LARGEST_DEFINITION = 1_048_576;
