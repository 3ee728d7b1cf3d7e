import { INVOKE, INVOKE_AND_WAIT, type State } from '../../../../compiler/emit/asl.ts';

/** The value of a state's `Type`. */
export type StateType = State['Type'];

/** The fields of a state type. */
export interface StateGrammar {
  /** The fields besides `Type`, `Comment` and `QueryLanguage`. */
  readonly fields: readonly string[];
  readonly required: readonly string[];
  /** Whether it names its successor with `Next`, or none with `End`. */
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

/** The fields of each state type; a definition with any other field is rejected. */
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

/** The fields of every state. */
export const STATE_FIELDS: readonly string[] = ['Type', 'Comment', 'QueryLanguage'];
/** The fields of a state machine. */
export const MACHINE_FIELDS: readonly string[] = [
  'Comment',
  'QueryLanguage',
  'StartAt',
  'States',
  'TimeoutSeconds',
  'Version',
];
/** The fields of a branch. */
export const BRANCH_FIELDS: readonly string[] = ['Comment', 'StartAt', 'States'];
/** The fields of a rule of a Choice. */
export const RULE_FIELDS: readonly string[] = [...EFFECTS, 'Condition', 'Next', 'Comment'];
/** The fields of a rule of Catch. */
export const CATCHER_FIELDS: readonly string[] = [...EFFECTS, 'ErrorEquals', 'Next', 'Comment'];
/** The fields of a rule of Retry. */
export const RETRIER_FIELDS: readonly string[] = [
  'ErrorEquals',
  'IntervalSeconds',
  'MaxAttempts',
  'BackoffRate',
  'MaxDelaySeconds',
  'JitterStrategy',
  'Comment',
];
/** The fields of a task's Arguments. */
export const ARGUMENT_FIELDS: readonly string[] = ['FunctionName', 'Payload', 'ClientContext'];

/** The service integrations of the interpreter. The one with a task token is for STANDARD machines only. */
export const RESOURCES: readonly string[] = [INVOKE, INVOKE_AND_WAIT];

/** The most characters of a state's name in Step Functions. */
export const MAX_NAME_LENGTH = 80;
/** The most bytes of a definition in Step Functions. */
export const MAX_DEFINITION_BYTES = 1_048_576;
