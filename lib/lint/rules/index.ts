import type { Rule } from '../reports/rule.ts';
import { catchShadowed } from './flow/catch-shadowed.ts';
import { catchWithoutCause } from './flow/catch-without-cause.ts';
import { cronNever } from './flow/cron-never.ts';
import { durationUnchecked } from './flow/duration-unchecked.ts';
import { expectedNeverLate } from './flow/expected-never-late.ts';
import { limitsOfScope } from './flow/limits-of-scope.ts';
import { loopWithoutWait } from './flow/loop-without-wait.ts';
import { patternSyntax } from './flow/pattern-syntax.ts';
import { priorityWithoutQueue } from './flow/priority-without-queue.ts';
import { retryUnawaited } from './flow/retry-unawaited.ts';
import { retryWithoutCodes } from './flow/retry-without-codes.ts';
import { stateUnreachable } from './flow/state-unreachable.ts';
import { waitOutlivesTimeout } from './flow/wait-outlives-timeout.ts';
import { conditionConstant } from './queries/condition-constant.ts';
import { foreachNotObjects } from './queries/foreach-not-objects.ts';
import { jqDiffers } from './queries/jq-differs.ts';
import { jqSyntax } from './queries/jq-syntax.ts';
import { jqUnknownName } from './queries/jq-unknown-name.ts';
import { jsSyntax } from './queries/js-syntax.ts';
import { jsWithoutResult } from './queries/js-without-result.ts';
import { numberImprecise } from './queries/number-imprecise.ts';
import { oddSpace } from './queries/odd-space.ts';
import { querySeveralResults } from './queries/query-several-results.ts';
import { queryWithoutScript } from './queries/query-without-script.ts';
import { scriptNotEvaluated } from './queries/script-not-evaluated.ts';
import { scriptUnclosed } from './queries/script-unclosed.ts';
import { transformNotObject } from './queries/transform-not-object.ts';
import { contextNotText } from './references/context-not-text.ts';
import { eventNeverSent } from './references/event-never-sent.ts';
import { functionUnused } from './references/function-unused.ts';
import { inputFields } from './references/input-fields.ts';
import { mailFields } from './references/mail-fields.ts';
import { memberMissing } from './references/member-missing.ts';
import { messageArguments } from './references/message-arguments.ts';
import { secretUndeclared } from './references/secret-undeclared.ts';
import { secretUnused } from './references/secret-unused.ts';
import { subflowMissing } from './references/subflow-missing.ts';
import { subflowRecursion } from './references/subflow-recursion.ts';
import { variableNeverWritten } from './references/variable-never-written.ts';

/** The rules about texts that can be stored, by their ids. The rules of the compiler are in compiler-rules.ts. */
export const RULES = {
  'catch-shadowed': catchShadowed,
  'catch-without-cause': catchWithoutCause,
  'condition-constant': conditionConstant,
  'context-not-text': contextNotText,
  'cron-never': cronNever,
  'duration-unchecked': durationUnchecked,
  'event-never-sent': eventNeverSent,
  'expected-never-late': expectedNeverLate,
  'foreach-not-objects': foreachNotObjects,
  'function-unused': functionUnused,
  'input-fields': inputFields,
  'jq-differs': jqDiffers,
  'jq-syntax': jqSyntax,
  'jq-unknown-name': jqUnknownName,
  'js-syntax': jsSyntax,
  'js-without-result': jsWithoutResult,
  'limits-of-scope': limitsOfScope,
  'loop-without-wait': loopWithoutWait,
  'mail-fields': mailFields,
  'member-missing': memberMissing,
  'message-arguments': messageArguments,
  'number-imprecise': numberImprecise,
  'odd-space': oddSpace,
  'pattern-syntax': patternSyntax,
  'priority-without-queue': priorityWithoutQueue,
  'query-several-results': querySeveralResults,
  'query-without-script': queryWithoutScript,
  'retry-unawaited': retryUnawaited,
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
