import type { Problem } from '../language/problem.ts';

/** A kind of mistake that the compiler reports, and because of which a text cannot be stored. */
export interface CompilerRule {
  /** The messages of this kind, in the words of the original (workflow-language 1.7). */
  readonly message: RegExp;
  readonly about: string;
  readonly wrong: string;
  readonly right: string;
}

const NOOP = '- {id: done, type: noop}\n';

/** The kinds of mistakes that the compiler reports, by the ids of their rules. The first whose message matches applies. */
export const COMPILER_RULES = {
  yaml: {
    message: /^yaml: /,
    about:
      'The text is not YAML. The hint names the cause, if it is one of the usual ones: indentation, tabs, missing quotes or brackets.',
    wrong: 'states:\n- id: first\n   type: noop\n',
    right: 'states:\n- id: first\n  type: noop\n',
  },
  'not-a-workflow': {
    message: /^this file defines /,
    about:
      'The file defines something else than a workflow: a gateway route, a consumer, a service, a page, or filters of events. `weft push` leaves it out.',
    wrong: 'direktiv_api: service/v1\nimage: acme/greet\n',
    right: 'direktiv_api: workflow/v1\nstates:\n- {id: greet, type: noop}\n',
  },
  'unknown-field': {
    message: /unknown field|is given twice/,
    about: 'A field does not exist at this place. Fields are checked everywhere except in the variables of a `setter`.',
    wrong: 'states:\n- id: first\n  type: noop\n  transiton: done\n- {id: done, type: noop}\n',
    right: 'states:\n- id: first\n  type: noop\n  transition: done\n- {id: done, type: noop}\n',
  },
  'unknown-type': {
    message: /type unrecognized|'type' field|: invalid$/,
    about: 'A state, function or start has no `type`, or one that does not exist.',
    wrong: 'states:\n- {id: first, type: dealy, duration: PT5S}\n',
    right: 'states:\n- {id: first, type: delay, duration: PT5S}\n',
  },
  'wrong-type': {
    message: /must be (a|text|true)|invalid type for|is not a (map|list)/,
    about: 'A value has the wrong type: a number where text is expected, text where a list is expected.',
    wrong: `states:\n- {id: first, type: error, error: 404, message: gone}\n`,
    right: `states:\n- {id: first, type: error, error: '404', message: gone}\n`,
  },
  'unknown-state': {
    message: /transition '.*' does not exist|start targets state/,
    about: 'A transition, or the `state` of the start, names a state that does not exist.',
    wrong: `states:\n- {id: first, type: noop, transition: dnoe}\n${NOOP}`,
    right: `states:\n- {id: first, type: noop, transition: done}\n${NOOP}`,
  },
  'unknown-function': {
    message: /function '.*' does not exist/,
    about: 'An action calls a function that `functions` does not declare.',
    wrong:
      'functions:\n- {id: pay, type: subflow, workflow: pay}\nstates:\n- {id: first, type: action, action: {function: apy}}\n',
    right:
      'functions:\n- {id: pay, type: subflow, workflow: pay}\nstates:\n- {id: first, type: action, action: {function: pay}}\n',
  },
  'duplicate-id': {
    message: /is used in more than one/,
    about: 'Two states, or two functions, have the same id.',
    wrong: `states:\n- {id: done, type: noop, transition: done}\n${NOOP}`,
    right: `states:\n- {id: first, type: noop, transition: done}\n${NOOP}`,
  },
  'invalid-id': {
    message: /id must match|id required/,
    about:
      'An id is missing, or has characters that ids must not have. Use lower-case letters, digits, dots, dashes and underscores.',
    wrong: 'states:\n- {id: First Step, type: noop}\n',
    right: 'states:\n- {id: first-step, type: noop}\n',
  },
  'invalid-duration': {
    message: /is not a ISO8601 string/,
    about: 'A duration is not written by ISO 8601: `PT30S`, `PT15M`, `P1DT12H`. Fractions are not allowed.',
    wrong: 'states:\n- {id: first, type: delay, duration: 30s}\n',
    right: 'states:\n- {id: first, type: delay, duration: PT30S}\n',
  },
  'missing-value': {
    message: /required|must define at least|has no defined states|requires at least/,
    about: 'A field that the state, function or start needs is missing or empty.',
    wrong: 'states:\n- {id: first, type: delay}\n',
    right: 'states:\n- {id: first, type: delay, duration: PT5S}\n',
  },
  'invalid-value': {
    message: /./,
    about: 'A value is not one of those that are allowed: a scope, a mode, a size, a JSON Schema.',
    wrong: 'states:\n- id: first\n  type: getter\n  variables:\n  - {key: a, scope: global}\n',
    right: 'states:\n- id: first\n  type: getter\n  variables:\n  - {key: a, scope: namespace}\n',
  },
} as const satisfies Readonly<Record<string, CompilerRule>>;

/** The id of the rule that a problem of the compiler belongs to. */
export function compilerRuleOf({ message }: Problem): string {
  const found = Object.entries<CompilerRule>(COMPILER_RULES).find(([, rule]) => rule.message.test(message));
  return found?.[0] ?? 'invalid-value';
}
