import { inputSchemaOf, type ObjectSchema } from '../../compiler/input-schema.ts';
import type { Namespace } from '../../domain/namespaces/namespaces.ts';
import type { WorkflowNode } from '../../domain/tree/nodes.ts';
import * as walks from '../../domain/tree/walks.ts';
import type { EnginePorts } from '../ports.ts';
import { invocationProblem } from '../run/invocability.ts';

/** A workflow that a request can start. */
export interface ExecutableWorkflow {
  readonly path: string;
  /** The schemas of its latest revision; absent: any. */
  readonly input?: ObjectSchema;
  readonly output?: unknown;
}

/** Workflows that a request can start, and whether these are all. */
export interface ExecutableWorkflows {
  readonly workflows: readonly ExecutableWorkflow[];
  readonly complete: boolean;
}

/** The most workflows that are read for one request, and the most characters of their schemas. */
const MAX_WORKFLOWS = 1000;
const MAX_CHARACTERS = 4_000_000;

/** The workflows of a namespace that a request can start, by their latest revisions, in the order of their paths. */
export async function executableWorkflows(
  ports: Pick<EnginePorts, 'table' | 'blobs'>,
  namespace: Namespace,
): Promise<ExecutableWorkflows> {
  const nodes: WorkflowNode[] = [];
  let complete = true;
  for await (const node of walks.workflowsOf(ports, namespace)) {
    complete = nodes.length < MAX_WORKFLOWS;
    if (!complete) break;
    nodes.push(node);
  }
  const latest = await walks.latestOf(ports, nodes);
  const workflows: ExecutableWorkflow[] = [];
  let characters = 0;
  for (const [index, node] of nodes.entries()) {
    const revision = latest[index];
    if (revision?.plan === undefined || invocationProblem({ node, revision }) !== undefined) continue;
    const [input, { output }] = [inputSchemaOf(revision.plan), revision.plan];
    characters += JSON.stringify([input, output]).length;
    if (characters > MAX_CHARACTERS) return { workflows: sorted(workflows), complete: false };
    workflows.push({ path: node.path, ...(input && { input }), ...(output !== undefined && { output }) });
  }
  return { workflows: sorted(workflows), complete };
}

const sorted = (workflows: readonly ExecutableWorkflow[]): readonly ExecutableWorkflow[] =>
  workflows.toSorted((one, other) => (one.path < other.path ? -1 : 1));
