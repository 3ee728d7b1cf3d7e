import { replacementOf } from '../../../lib/authoring/migration/replacements.ts';
import { compile } from '../../../lib/compiler/compile.ts';
import { nativeImageOfFunction, servesAction } from '../../../lib/compiler/plan/native-images.ts';
import type { ActionPlan, FunctionPlan, Plan } from '../../../lib/compiler/plan/plan.ts';
import { actionsOf } from '../../../lib/compiler/plan/traits.ts';
import type { ValidatedFile } from './files.ts';

/** The actions of a plan that call a function. */
const actionsFor = ({ states }: Plan, id: string): readonly ActionPlan[] =>
  Object.values(states)
    .flatMap(({ work }) => actionsOf(work))
    .filter(({ function: called }) => called === id);

const OWNER_OF = { 'knative-namespace': 'of the namespace', 'knative-global': 'of the installation' } as const;

function lineOf(plan: Plan, id: string, called: FunctionPlan): string | undefined {
  if (called.type === 'knative-namespace' || called.type === 'knative-global') {
    const service = `the service '${called.service}' ${OWNER_OF[called.type]}`;
    return `function '${id}' runs without a container if Weft serves the image of ${service} itself`;
  }
  if (called.type !== 'knative-workflow') return undefined;
  const native = nativeImageOfFunction(called);
  const isServed = native !== undefined && actionsFor(plan, id).every((action) => servesAction(native, action));
  if (isServed) return `function '${id}' runs without a container (${called.image})`;
  if (native !== undefined)
    return `function '${id}' needs a container (${called.image}, because an action passes files to it)`;
  const other = replacementOf(called.image);
  return `function '${id}' needs a container (${called.image}${other === undefined ? '' : `: ${other}`})`;
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
