import { at } from '../client/replies.ts';
import { CommandFailedError } from '../shell/command.ts';
import type { Act, Names } from './acts.ts';
import { type Checked, checkFile } from './offline.ts';
import {
  findNode,
  hasNamespace,
  isWorkflow,
  listRegistries,
  listSecrets,
  listServices,
  listVariables,
  type Remote,
  type RemoteVariable,
  readConfig,
  readHistory,
} from './remote.ts';
import { latestOf, type Wanted, type WantedDirectory, type WantedVariable, type WantedWorkflow } from './wanted.ts';
import { planWorkflow } from './workflow-plan.ts';

export type Change = 'create' | 'update' | 'unchanged' | 'conflict' | 'by-hand';

/** One thing of the namespace, and what would be done to it. */
export interface Item {
  readonly kind: 'namespace' | 'settings' | 'directory' | 'workflow' | 'variable' | 'secret' | 'registry' | 'service';
  /** A path of the tree, or a name; a variable of a workflow is `path: name`. */
  readonly name: string;
  readonly change: Change;
  readonly details: readonly string[];
  readonly acts: readonly Act[];
  readonly closing: readonly Act[];
  readonly names: Names;
}

type Told = Pick<Item, 'kind' | 'name' | 'change'> & Partial<Item>;

const item = (told: Told): Item => ({ details: [], acts: [], closing: [], names: new Map(), ...told });

/** What a plan is made for. */
export interface Task {
  readonly remote: Remote;
  readonly wanted: Wanted;
  /** Problems name files from here. */
  readonly cwd: string;
  /** Files are sent without a look; the service says what is wrong with them. */
  readonly isUnchecked: boolean;
}

const AT_ONCE = 4;

/** What the function answers for each, a few at a time, in their order. */
export async function mapSome<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(all.length);
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < all.length; at = next++) results[at] = await work(all[at] as T);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

const baseType = (mimeType: string): string => mimeType.trim().toLowerCase();

function isSame(wanted: WantedVariable, present: RemoteVariable): boolean {
  const isTyped =
    wanted.mimeType === undefined ||
    present.mimeType === '' ||
    baseType(wanted.mimeType) === baseType(present.mimeType);
  return isTyped && present.checksum === wanted.hash && present.size === wanted.size;
}

function variableItem(variable: WantedVariable, present: RemoteVariable | undefined, workflow?: string): Item {
  const name = workflow === undefined ? variable.name : `${workflow}: ${variable.name}`;
  if (present !== undefined && isSame(variable, present)) return item({ kind: 'variable', name, change: 'unchanged' });
  const act: Act = { do: 'set-variable', variable, ...(workflow === undefined ? {} : { workflow }) };
  return item({ kind: 'variable', name, change: present === undefined ? 'create' : 'update', acts: [act] });
}

async function variableItems(
  remote: Remote,
  wanted: readonly WantedVariable[],
  isThere: boolean,
  workflow?: string,
): Promise<Item[]> {
  if (wanted.length === 0) return [];
  const present = new Map((isThere ? await listVariables(remote, workflow) : [])?.map((one) => [one.name, one]));
  return wanted.map((variable) => variableItem(variable, present.get(variable.name), workflow));
}

async function directoryItem(remote: Remote, { path, attributes }: WantedDirectory, isThere: boolean): Promise<Item> {
  const node = isThere ? await findNode(remote, path) : undefined;
  const missing = attributes.filter((label) => !node?.attributes.includes(label));
  const labels: Act[] = missing.length > 0 ? [{ do: 'label', path, attributes: missing }] : [];
  const told = { kind: 'directory', name: path === '' ? '/' : path } as const;
  if (node === undefined)
    return item({ ...told, change: 'create', acts: [{ do: 'create-directory', path }, ...labels] });
  if (node.kind === 'workflow') return item({ ...told, change: 'conflict', details: ['a workflow stands there'] });
  return item({
    ...told,
    change: labels.length > 0 ? 'update' : 'unchanged',
    details: labels.length > 0 ? ['attributes'] : [],
    acts: labels,
  });
}

const problemsOf = ({ findings }: Checked): string[] =>
  findings.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);

/** The workflow without older revisions that cannot be stored, and what is wrong with its latest. */
async function check(task: Task, wanted: WantedWorkflow) {
  const { remote, cwd, isUnchecked } = task;
  const latest = latestOf(wanted);
  const checked = await checkFile(latest.file, cwd);
  const older = [];
  for (const revision of wanted.revisions.slice(0, -1)) {
    const { findings } = await checkFile(revision.file, cwd);
    if (findings.length === 0 || isUnchecked) older.push(revision);
    else
      remote.note(`${wanted.path}: revision ${revision.ids[0] ?? revision.hash} is left out: ${findings[0]?.message}`);
  }
  const kept = { ...wanted, revisions: [...older, latest] };
  return { kept, isSelfStarting: checked.isSelfStarting, problems: isUnchecked ? [] : problemsOf(checked) };
}

async function workflowItems(task: Task, wanted: WantedWorkflow, isThere: boolean): Promise<Item[]> {
  const { remote } = task;
  const told = { kind: 'workflow', name: wanted.path } as const;
  const conflict = (details: readonly string[]) => [item({ ...told, change: 'conflict', details })];
  const { kept, isSelfStarting, problems } = await check(task, wanted);
  if (problems.length > 0) return conflict(problems);
  const node = isThere ? await findNode(remote, wanted.path) : undefined;
  if (node !== undefined && !isWorkflow(node)) return conflict(['a directory stands there']);
  if (node?.isReadOnly) return conflict(['it is part of a Git mirror']);
  const history =
    node !== undefined && wanted.settings !== undefined ? await readHistory(remote, wanted.path, node) : undefined;
  const present = node === undefined ? undefined : { workflow: node, ...(history === undefined ? {} : { history }) };
  const { details, acts, closing, names } = planWorkflow(kept, present, isSelfStarting);
  const isSame = acts.length === 0 && closing.length === 0;
  const change = node === undefined ? 'create' : isSame ? 'unchanged' : 'update';
  const variables = await variableItems(remote, wanted.variables, node !== undefined, wanted.path);
  return [item({ ...told, change, details, acts, closing, names }), ...variables];
}

/** Only settings that this server has, and that are not as wanted. */
function differing(wanted: unknown, present: unknown): Record<string, Record<string, unknown>> {
  const changes: Record<string, Record<string, unknown>> = {};
  const broadcast = at(wanted, 'broadcast');
  for (const [key, value] of Object.entries(typeof broadcast === 'object' && broadcast !== null ? broadcast : {})) {
    const now = at(present, 'broadcast', key);
    if (typeof now === 'boolean' && now !== value) changes['broadcast'] = { ...changes['broadcast'], [key]: value };
  }
  const lookback = at(wanted, 'events', 'lookback');
  if (typeof lookback === 'string' && lookback !== at(present, 'events', 'lookback')) changes['events'] = { lookback };
  return changes;
}

async function settingsItems(remote: Remote, wanted: Wanted, isThere: boolean): Promise<Item[]> {
  if (wanted.namespace?.config === undefined) return [];
  // A new namespace has every broadcast off; which ones there are is known when it is there.
  const present = isThere ? await readConfig(remote) : { broadcast: falsesOf(wanted.namespace.config) };
  const config = differing(wanted.namespace.config, present);
  const names = Object.values(config).flatMap((changes) => Object.keys(changes));
  const change = names.length === 0 ? 'unchanged' : 'update';
  const closing: Act[] = names.length === 0 ? [] : [{ do: 'configure', config }];
  return [item({ kind: 'settings', name: 'settings', change, details: names, closing })];
}

function falsesOf(config: unknown): Record<string, boolean> {
  const broadcast = at(config, 'broadcast');
  const keys = typeof broadcast === 'object' && broadcast !== null ? Object.keys(broadcast) : [];
  return Object.fromEntries(keys.map((key) => [key, false]));
}

/** What nobody but its owner can bring over. */
async function handItems({ namespace }: Wanted, remote: Remote, isThere: boolean): Promise<Item[]> {
  const kinds = [
    {
      kind: 'secret',
      names: namespace?.secrets ?? [],
      list: listSecrets,
      how: (name: string) => `weft secrets set ${name}`,
    },
    {
      kind: 'registry',
      names: namespace?.registries ?? [],
      list: listRegistries,
      how: () => 'set its user and password',
    },
    { kind: 'service', names: namespace?.services ?? [], list: listServices, how: () => 'create it' },
  ] as const;
  const items: Item[] = [];
  for (const { kind, names, list, how } of kinds) {
    const there = names.length > 0 && isThere ? await list(remote) : [];
    for (const name of names) {
      if (there?.includes(name)) items.push(item({ kind, name, change: 'unchanged' }));
      else items.push(item({ kind, name, change: 'by-hand', details: [how(name)] }));
    }
  }
  return items;
}

/**
 * What would make the namespace hold what is wanted. Nothing is changed, and the plan takes nothing away. Throws
 * CommandFailedError, ServiceUnreachableError.
 */
export async function makePlan(task: Task): Promise<Item[]> {
  const { remote, wanted } = task;
  const isThere = await hasNamespace(remote);
  if (!isThere && wanted.namespace === undefined) {
    const { namespace } = remote;
    throw new CommandFailedError(
      `404: there is no namespace '${namespace}'; make it with 'weft namespaces create ${namespace}'`,
      404,
    );
  }
  const creation = isThere
    ? []
    : [item({ kind: 'namespace', name: remote.namespace, change: 'create', acts: [{ do: 'create-namespace' }] })];
  const directories = await mapSome(wanted.directories, (one) => directoryItem(remote, one, isThere));
  const workflows = await mapSome(wanted.workflows, (one) => workflowItems(task, one, isThere));
  return [
    ...creation,
    // A new namespace has its root already.
    ...(isThere ? directories : directories.map(toNewRoot)),
    ...(await variableItems(remote, wanted.variables, isThere)),
    ...workflows.flat(),
    ...(await settingsItems(remote, wanted, isThere)),
    ...(await handItems(wanted, remote, isThere)),
  ];
}

function toNewRoot(one: Item): Item {
  if (one.name !== '/') return one;
  const acts = one.acts.filter((act) => act.do !== 'create-directory');
  return { ...one, change: acts.length === 0 ? 'unchanged' : 'update', acts };
}

export const isToDo = ({ acts, closing }: Item): boolean => acts.length + closing.length > 0;
