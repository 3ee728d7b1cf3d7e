import type { ActionPlan } from '../../compiler/plan/plan.ts';
import { isVariableName } from '../../domain/names.ts';
import * as variables from '../../domain/namespaces/variables.ts';
import type { CallSite, WantedFile } from '../../domain/runs/calls.ts';
import type { Call, Run } from '../../domain/runs/runs.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import type { ContainerFile } from '../../ports/containers.ts';
import { evaluate } from '../evaluation/evaluation.ts';
import { failure, invalidKey, plainFailure } from '../evaluation/failures.ts';
import { evaluateWithSecrets, type SecretReader } from '../evaluation/secrets.ts';
import type { EnginePorts } from '../ports.ts';
import { ownerOf } from '../variables/owners.ts';
import * as treeFiles from '../variables/tree-files.ts';

type FilePlan = ActionPlan['files'][number];

const SCOPES: ReadonlySet<string> = new Set<WantedFile['scope']>([
  'instance',
  'workflow',
  'namespace',
  'thread',
  'file',
]);
const TYPES: ReadonlySet<string> = new Set<WantedFile['type']>(['plain', 'base64', 'tar', 'tar.gz']);

const isScope = (text: string): text is WantedFile['scope'] => SCOPES.has(text);
const isType = (text: string): text is WantedFile['type'] => TYPES.has(text);

type Evaluate = (query: unknown) => Promise<unknown>;

/** The text of a field; a field that is absent or evaluates to null is the empty text. */
async function textOf(evaluateField: Evaluate, query: unknown): Promise<string> {
  const value = query === undefined ? '' : ((await evaluateField(query)) ?? '');
  if (typeof value === 'string') return value;
  throw failure('jq.notString', 'the `jq` or `js` command of a file produced a non-string output');
}

const OCTAL = /^[0-7]{1,4}$/;

/** The mode of octal text; undefined for the empty text. Throws `var.perms`. */
function modeOf(permissions: string, shown: (text: string) => string): number | undefined {
  if (permissions === '') return undefined;
  if (OCTAL.test(permissions)) return Number.parseInt(permissions, 8);
  throw failure('var.perms', `invalid permissions '${shown(permissions)}': write octal digits, for example '0755'`);
}

/** How the fields of files are evaluated, and how an error shows a text of a file. */
interface Evaluation {
  readonly evaluateField: Evaluate;
  readonly shown: (text: string) => string;
}

async function fileOf(plan: FilePlan, { evaluateField, shown }: Evaluation): Promise<WantedFile> {
  const [key, as, scope, type] = [
    await textOf(evaluateField, plan.key),
    await textOf(evaluateField, plan.as),
    (await textOf(evaluateField, plan.scope)) || 'instance',
    (await textOf(evaluateField, plan.type)) || 'plain',
  ];
  if (!isScope(scope)) {
    throw failure('var.invalidScope', `invalid scope '${shown(scope)}': choose ${[...SCOPES].join(', ')}`);
  }
  if (key === '' || (scope !== 'file' && !isVariableName(key))) throw invalidKey(shown(key));
  const name = as || (scope === 'file' ? treeFiles.resolvePath('/', key).slice(1) : key);
  const mode = modeOf(await textOf(evaluateField, plan.permissions), shown);
  if (isType(type)) return { key, scope, name, type, ...omitUndefined({ mode }) };
  const types = [...TYPES].join(', ');
  throw plainFailure(`the file '${shown(name)}' has the type '${shown(type)}': choose ${types}`);
}

/**
 * The files that an action gives to a container, evaluated over the data and the secrets that the action lists
 * (workflow-language reference, 2.1). A file of the tree has the same path below the container's directory as in the tree.
 * Throws `jq.badCommand`, `jq.notString`, `var.invalidKey`, `var.invalidScope`, `var.perms`, `secrets.notFound`, and a failure without
 * a code for two files of one name and for an unknown type.
 */
export async function filesOf(
  { files, secrets }: ActionPlan,
  data: unknown,
  readSecrets: SecretReader,
): Promise<readonly WantedFile[]> {
  if (files.length === 0) return [];
  const values = secrets.length === 0 ? undefined : await readSecrets(secrets);
  const evaluateField: Evaluate = (query) =>
    values === undefined ? evaluate(query, data) : evaluateWithSecrets(query, data, values);
  // An error must not show a text that may hold a secret.
  const shown = (text: string) => (values === undefined ? text : '***');
  return wantedFiles(files, { evaluateField, shown });
}

/** As `filesOf`, by another evaluation of the fields. */
export async function wantedFiles(files: ActionPlan['files'], evaluation: Evaluation): Promise<readonly WantedFile[]> {
  const wanted = new Map<string, WantedFile>();
  for (const plan of files) {
    const file = await fileOf(plan, evaluation);
    if (wanted.has(file.name)) throw plainFailure(`multiple files with same name: ${evaluation.shown(file.name)}`);
    wanted.set(file.name, file);
  }
  return [...wanted.values()];
}

/**
 * The bytes of a variable that the caller of a container sees, or of a file of the tree; undefined where there is none.
 * `shown` is how an error names the file. Throws `var.invalidKey` for a directory of the tree.
 */
export async function readVariable(
  ports: EnginePorts,
  child: Run,
  { caller, workflow }: CallSite,
  { scope, key, shown }: Pick<WantedFile, 'scope' | 'key'> & { readonly shown?: string },
): Promise<Uint8Array | undefined> {
  if (scope === 'file') return treeFiles.find(ports, child, key, shown);
  const run = { ...child, id: caller, workflowId: workflow.id };
  return (await variables.find(ports, ownerOf({ run, threads: child.threads }, scope, key), key))?.bytes;
}

/** The most bytes of the files of a call: they are held in the process that serves all tenants. */
const MAX_FILES_BYTES = 256 * 1024 * 1024;

/**
 * The files of a call with the present values of their variables; a missing variable is an empty file (workflow-language
 * reference, 11.6). Throws `var.invalidKey` for a directory of the tree, without its path, which may hold a secret, and an
 * error without a code for more than `mostBytes` in all; then it has read one more file at most.
 */
export async function readFiles(
  ports: EnginePorts,
  child: Call,
  mostBytes = MAX_FILES_BYTES,
): Promise<readonly ContainerFile[]> {
  const files: ContainerFile[] = [];
  let total = 0;
  for (const [index, { key, scope, name, type, mode }] of child.site.files.entries()) {
    const shown = `files[${index}] of the action`;
    const bytes = (await readVariable(ports, child, child.site, { scope, key, shown })) ?? new Uint8Array();
    total += bytes.length;
    if (total > mostBytes) throw plainFailure(`the files of the call have more than ${mostBytes} bytes in all`);
    files.push({ name, type, bytes, ...omitUndefined({ mode }) });
  }
  return files;
}
