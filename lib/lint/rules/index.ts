import type { Rule } from '../reports/rule.ts';
import { catchShadowed } from './catch-shadowed.ts';
import { catchWithoutCause } from './catch-without-cause.ts';
import { conditionConstant } from './condition-constant.ts';
import { cronNever } from './cron-never.ts';
import { durationUnchecked } from './duration-unchecked.ts';
import { eventNeverSent } from './event-never-sent.ts';
import { foreachNotObjects } from './foreach-not-objects.ts';
import { functionUnused } from './function-unused.ts';
import { jqSyntax } from './jq-syntax.ts';
import { jqUnknownName } from './jq-unknown-name.ts';
import { jsSyntax } from './js-syntax.ts';
import { jsWithoutResult } from './js-without-result.ts';
import { loopWithoutWait } from './loop-without-wait.ts';
import { memberMissing } from './member-missing.ts';
import { messageArguments } from './message-arguments.ts';
import { oddSpace } from './odd-space.ts';
import { patternSyntax } from './pattern-syntax.ts';
import { querySeveralResults } from './query-several-results.ts';
import { queryWithoutScript } from './query-without-script.ts';
import { retryWithoutCodes } from './retry-without-codes.ts';
import { scriptNotEvaluated } from './script-not-evaluated.ts';
import { scriptUnclosed } from './script-unclosed.ts';
import { secretUndeclared } from './secret-undeclared.ts';
import { secretUnused } from './secret-unused.ts';
import { stateUnreachable } from './state-unreachable.ts';
import { subflowMissing } from './subflow-missing.ts';
import { subflowRecursion } from './subflow-recursion.ts';
import { transformNotObject } from './transform-not-object.ts';
import { variableNeverWritten } from './variable-never-written.ts';
import { waitOutlivesTimeout } from './wait-outlives-timeout.ts';

/** The rules about texts that can be stored, by their ids. The rules of the compiler are in compiler-rules.ts. */
export const RULES = {
  'catch-shadowed': catchShadowed,
  'catch-without-cause': catchWithoutCause,
  'condition-constant': conditionConstant,
  'cron-never': cronNever,
  'duration-unchecked': durationUnchecked,
  'event-never-sent': eventNeverSent,
  'foreach-not-objects': foreachNotObjects,
  'function-unused': functionUnused,
  'jq-syntax': jqSyntax,
  'jq-unknown-name': jqUnknownName,
  'js-syntax': jsSyntax,
  'js-without-result': jsWithoutResult,
  'loop-without-wait': loopWithoutWait,
  'member-missing': memberMissing,
  'message-arguments': messageArguments,
  'odd-space': oddSpace,
  'pattern-syntax': patternSyntax,
  'query-several-results': querySeveralResults,
  'query-without-script': queryWithoutScript,
  'retry-without-codes': retryWithoutCodes,
  'script-not-evaluated': scriptNotEvaluated,
  'script-unclosed': scriptUnclosed,
  'secret-undeclared': secretUndeclared,
  'secret-unused': secretUnused,
  'state-unreachable': stateUnreachable,
  'subflow-missing': subflowMissing,
  'subflow-recursion': subflowRecursion,
  'transform-not-object': transformNotObject,
  'variable-never-written': variableNeverWritten,
  'wait-outlives-timeout': waitOutlivesTimeout,
} as const satisfies Readonly<Record<string, Rule>>;
