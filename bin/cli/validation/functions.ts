import { compile } from '../../../lib/compiler/compile.ts';
import { calleeKindOf } from '../../../lib/compiler/plan/execution.ts';
import { nativeImageOfFunction } from '../../../lib/compiler/plan/native-images.ts';
import type { FunctionPlan, Plan } from '../../../lib/compiler/plan/plan.ts';
import { actionsOf } from '../../../lib/compiler/plan/traits.ts';
import type { ValidatedFile } from './files.ts';

/** What serves a function: its image, or its service. */
const nameOf = (plan: FunctionPlan): string => {
  if (plan.type === 'knative-workflow') return plan.image;
  return 'service' in plan ? `the service ${plan.service}` : plan.type;
};

/** Whether an action passes files to a function, which only a container can read. */
const getsFiles = ({ states }: Plan, id: string): boolean =>
  Object.values(states)
    .flatMap(({ work }) => actionsOf(work))
    .some(({ function: called, files }) => called === id && files.length > 0);

function lineOf(plan: Plan, id: string, called: FunctionPlan): string | undefined {
  if (calleeKindOf(called) !== 'container') return undefined;
  const isNative = nativeImageOfFunction(called) !== undefined;
  if (isNative && !getsFiles(plan, id)) return `function '${id}' runs without a container (${nameOf(called)})`;
  const reason = isNative ? `${nameOf(called)}, because an action passes files to it` : nameOf(called);
  return `function '${id}' needs a container (${reason})`;
}

/** A line for each function that is a container image or service: whether Weft serves it itself (docs/native-images.md). */
export function functionLines(files: readonly ValidatedFile[]): string[] {
  return files.flatMap(({ file, source }) => {
    if (source === undefined) return [];
    const compiled = compile(source);
    if ('problems' in compiled) return [];
    const { plan } = compiled;
    const lines = Object.entries(plan.functions).flatMap(([id, called]) => lineOf(plan, id, called) ?? []);
    return lines.map((line) => `${file}: ${line}`);
  });
}
