import { LIMIT_FIELDS, toLimits } from '../decoding/call-limits.ts';
import { anyText, integer, list, oneOf, required, text } from '../decoding/decoders.ts';
import { type Decoded, type Fields, object } from '../decoding/object.ts';
import { defineVariant, unionOf, type Variant } from '../decoding/variants.ts';
import type { FunctionPlan } from '../plan/plan.ts';
import { httpFunction } from './functions/http.ts';
import { LAMBDA_FIELDS, toLambdaPlan } from './functions/lambda.ts';
import { MAIL_FUNCTION_FIELDS, toMailPlan } from './functions/mail.ts';
import { subflowFunction } from './functions/subflow.ts';
import { toWorkerTask, WORKER_FIELDS } from './functions/worker.ts';
import { identifier } from './identifiers.ts';

const id = identifier('function id must match regex: %');

/** Defines a function type by its names, its fields beside the id, and its plan. */
function defineFunction<F extends Fields>(
  names: readonly string[],
  fields: F,
  lower: (fields: Decoded<F>) => FunctionPlan,
): Variant<FunctionPlan> {
  return defineVariant(names, { id, ...fields }, lower as (fields: object) => FunctionPlan);
}

/** As `defineFunction`, for a type whose calls may be limited. */
function defineLimited<F extends Fields>(
  names: readonly string[],
  fields: F,
  lower: (fields: Decoded<F>) => FunctionPlan,
): Variant<FunctionPlan> {
  const all = { ...fields, ...LIMIT_FIELDS };
  return defineFunction(names, all, (values) => ({
    ...lower(values as object as Decoded<F>),
    ...toLimits((values as object as Decoded<{ id: typeof id }>).id, values),
  }));
}

const container = defineLimited(
  ['knative-workflow', 'reusable'],
  {
    image: required(text),
    size: oneOf(['small', 'medium', 'large']),
    cmd: text,
    scale: integer,
    envs: list(required(object({ name: required(text), value: anyText })), { prefix: 'envs' }),
  },
  ({ image, size = 'small', cmd = '', scale = 0, envs }) => ({
    type: 'knative-workflow',
    image,
    size,
    cmd,
    scale,
    envs: Object.fromEntries(envs.map(({ name, value = '' }) => [name, value])),
  }),
);

function defineService(
  type: 'knative-namespace' | 'knative-global',
  ...others: readonly string[]
): Variant<FunctionPlan> {
  return defineLimited([type, ...others], { service: required(text) }, ({ service }) => ({ type, service }));
}

/** The types of functions by their names in the plan (workflow-language 2). */
const FUNCTIONS: Readonly<Record<FunctionPlan['type'], Variant<FunctionPlan>>> = {
  'knative-workflow': container,
  'knative-namespace': defineService('knative-namespace'),
  'knative-global': defineService('knative-global', 'knative-system'),
  subflow: subflowFunction(id),
  http: httpFunction(id),
  worker: defineFunction(['worker'], WORKER_FIELDS, (fields) => ({ type: 'worker', task: toWorkerTask(fields) })),
  lambda: defineLimited(['lambda'], LAMBDA_FIELDS, (fields) => ({ type: 'lambda', invocation: toLambdaPlan(fields) })),
  mail: defineLimited(['mail'], MAIL_FUNCTION_FIELDS, toMailPlan),
};

/** The union of the types of functions. */
export const FUNCTION_TYPES = unionOf(FUNCTIONS, ['reusable', 'knative-workflow', 'knative-namespace', 'subflow']);
