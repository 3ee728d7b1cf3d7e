import type { Work, WorkKind } from '../../compiler/plan/plan.ts';

/** The codes that the engine raises, without the brand (workflow-language 7.4). A test compares them with the engine's. */
export const ENGINE_CODES: readonly string[] = [
  'jq.badCommand',
  'jq.notObject',
  'jq.notString',
  'var.invalidKey',
  'var.invalidScope',
  'var.perms',
  'foreach.badArray',
  'parallel.allFailed',
  'approval.timeout',
  'schema.failed',
  'retries.exceeded',
  'cancels.timeout.soft',
  'cancels.timeout.hard',
  'cancels.api',
  'cancels.parent',
  'cancels.event',
  'flow.refused',
  'workflow.multipleErrors',
  'workflow.notfound',
  'workflow.invalid',
  'workflow.unparsable',
  'workflow.invoke',
  'secrets.notFound',
  'subflow.notAllowed',
  'subflow.notFound',
  'secrets.refused',
  'secrets.missing',
  'secrets.unavailable',
  'event.jq',
  'input.invalid',
  'output.invalid',
  'limits.activeRuns',
  'limits.runs',
  'limits.descendants',
  'limits.transitions',
  'limits.log',
  'limits.variables',
  'internal.error',
  'http.request',
  'http.blocked',
  'http.dns',
  'http.refused',
  'http.tls',
  'http.timeout',
  'http.connection',
  'http.redirects',
  'http.tooLarge',
  'http.response',
  'http.auth',
  'lambda.request',
  'lambda.notFound',
  'lambda.access',
  'lambda.throttled',
  'lambda.timeout',
  'lambda.tooLarge',
  'lambda.response',
  'lambda.service',
  'lambda.failed',
  'worker.task',
  'worker.failed',
  ...Array.from({ length: 500 }, (_, index) => `http.status.${100 + index}`),
];

/** Codes that any state may raise: by its queries, its transform, the workflow's interrupt and the limits of a run. */
const EVERY = ['jq.badCommand', 'jq.notObject', 'cancels.timeout.soft', 'limits.transitions', 'limits.log'];

/** The catchable codes of a kind of work beside EVERY; `any`: those of the functions that it calls too. */
const CODES: Readonly<Record<WorkKind, 'any' | readonly string[]>> = {
  nothing: [],
  choose: [],
  validate: ['schema.failed'],
  raise: ['workflow.multipleErrors'],
  read: ['jq.notString', 'var.invalidKey'],
  write: ['jq.notString', 'var.invalidKey'],
  emit: [],
  sleep: [],
  call: 'any',
  each: 'any',
  all: 'any',
  listen: [],
  'listen-any': [],
  approve: ['jq.notString', 'approval.timeout'],
};

/** The catchable codes that a state may raise, with the brand `service`; undefined if they may be any. */
export function codesOf(work: Work): readonly string[] | undefined {
  const codes = CODES[work.do];
  return codes === 'any' ? undefined : [...EVERY, ...codes].map((code) => `service.${code}`);
}
