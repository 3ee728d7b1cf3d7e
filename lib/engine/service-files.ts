import type { ActionPlan } from '../compiler/plan.ts';
import { isVariableName } from '../domain/names.ts';
import type { ServiceCall, WantedFile } from '../domain/pauses.ts';
import type { Run } from '../domain/runs.ts';
import * as variables from '../domain/variables.ts';
import type { ContainerFile } from '../ports.ts';
import type { EnginePorts } from './engine-ports.ts';
import { evaluate } from './evaluation.ts';
import { failure, invalidKey, plainFailure } from './failures.ts';
import { ownerOf } from './owners.ts';
import { evaluateWithSecrets, type SecretReader } from './secrets.ts';

type Written = ActionPlan['files'][number];

const SCOPES: ReadonlySet<string> = new Set<WantedFile['scope']>(['instance', 'workflow', 'namespace', 'thread']);
const TYPES: ReadonlySet<string> = new Set<WantedFile['type']>(['plain', 'base64', 'tar', 'tar.gz']);

const isScope = (text: string): text is WantedFile['scope'] => SCOPES.has(text);
const isType = (text: string): text is WantedFile['type'] => TYPES.has(text);

type Evaluate = (query: unknown) => Promise<unknown>;

/** What is left out, or evaluates to null, is the empty text. */
async function textOf(evaluated: Evaluate, query: unknown): Promise<string> {
  const value = query === undefined ? '' : ((await evaluated(query)) ?? '');
  if (typeof value === 'string') return value;
  throw failure('jq.notString', 'the `jq` or `js` command of a file produced a non-string output');
}

async function fileOf(written: Written, evaluated: Evaluate, shown: (text: string) => string): Promise<WantedFile> {
  const [key, as, scope, type] = [
    await textOf(evaluated, written.key),
    await textOf(evaluated, written.as),
    (await textOf(evaluated, written.scope)) || 'instance',
    (await textOf(evaluated, written.type)) || 'plain',
  ];
  if (!isScope(scope)) {
    throw failure('var.invalidScope', `invalid scope '${shown(scope)}': choose ${[...SCOPES].join(', ')}`);
  }
  if (!isVariableName(key)) throw invalidKey(shown(key));
  const name = as || key;
  if (isType(type)) return { key, scope, name, type };
  const types = [...TYPES].join(', ');
  throw plainFailure(`the file '${shown(name)}' has the type '${shown(type)}': choose ${types}`);
}

/**
 * The files that an action gives to a container, evaluated over the data and the secrets that the action lists
 * (workflow-language reference, 2.1). Throws `jq.badCommand`, `jq.notString`, `var.invalidKey`, `var.invalidScope`,
 * `secrets.notFound`, and a failure without a code for two files of one name and for an unknown type.
 */
export async function filesOf(
  { files, secrets }: ActionPlan,
  data: unknown,
  readSecrets: SecretReader,
): Promise<readonly WantedFile[]> {
  if (files.length === 0) return [];
  const values = secrets.length === 0 ? undefined : await readSecrets(secrets);
  const evaluated: Evaluate = (query) =>
    values === undefined ? evaluate(query, data) : evaluateWithSecrets(query, data, values);
  // What was made of secrets is not told.
  const shown = (text: string) => (values === undefined ? text : '***');
  const wanted = new Map<string, WantedFile>();
  for (const written of files) {
    const file = await fileOf(written, evaluated, shown);
    if (wanted.has(file.name)) throw plainFailure(`multiple files with same name: ${shown(file.name)}`);
    wanted.set(file.name, file);
  }
  return [...wanted.values()];
}

/** The caller as the owner of variables. */
export function ownerFor(child: Run, { caller, workflow }: ServiceCall, scope: WantedFile['scope'], name: string) {
  return ownerOf({ run: { ...child, id: caller, workflowId: workflow.id }, threads: child.threads }, scope, name);
}

/** The files with what the variables hold now; a missing one is empty (workflow-language reference, 11.6). */
export function readFiles(ports: EnginePorts, child: Run, call: ServiceCall): Promise<readonly ContainerFile[]> {
  const read = call.files.map(async ({ key, scope, name, type }) => {
    const variable = await variables.find(ports, ownerFor(child, call, scope, key), key);
    return { name, type, bytes: variable?.bytes ?? new Uint8Array() };
  });
  return Promise.all(read);
}
