import type { FunctionPlan } from '../plan/plan.ts';
import { defineKind, type Kind, tableOf } from '../read/kind.ts';
import { type Fields, type Read, record } from '../read/record.ts';
import { anyText, integer, list, needed, text, word } from '../read/shape.ts';
import { identifier } from './names.ts';

const id = identifier('function id must match regex: %');

/** A function type is its names, its fields, and what it becomes; its id is known to who declares it. */
function defineFunction<F extends Fields>(
  names: readonly string[],
  fields: F,
  lower: (fields: Read<F>) => FunctionPlan,
): Kind<FunctionPlan> {
  return defineKind(names, { id, ...fields }, lower as (fields: object) => FunctionPlan);
}

const container = defineFunction(
  ['knative-workflow', 'reusable'],
  {
    image: needed(text),
    size: word(['small', 'medium', 'large']),
    cmd: text,
    scale: integer,
    envs: list(needed(record({ name: needed(text), value: anyText })), { as: 'envs' }),
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

const subflow = defineFunction(['subflow'], { workflow: needed(text) }, ({ workflow }) => ({
  type: 'subflow',
  workflow,
}));

function defineService(type: 'knative-namespace' | 'knative-global'): Kind<FunctionPlan> {
  return defineFunction([type], { service: needed(text) }, ({ service }) => ({ type, service }));
}

/** All types of functions (workflow-language 2). */
export const FUNCTIONS = tableOf([
  container,
  defineService('knative-namespace'),
  defineService('knative-global'),
  subflow,
]);

/** Those that the original names when it refuses one. */
export const TOLD_FUNCTIONS = ['reusable', 'knative-workflow', 'knative-namespace', 'subflow'];
