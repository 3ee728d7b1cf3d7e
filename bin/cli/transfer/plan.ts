import { isDeepStrictEqual } from 'node:util';
import { omitUndefined } from '../../../lib/language/omit-undefined.ts';
import { at } from '../client/replies.ts';
import { CommandFailedError } from '../shell/command.ts';
import {
  type DesiredDirectory,
  type DesiredState,
  type DesiredVariable,
  type DesiredWorkflow,
  latestOf,
} from './desired-state.ts';
import type { Operation, RevisionNames } from './operations.ts';
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
import { type ValidatedSource, validateFile } from './validation.ts';
import { planWorkflow } from './workflow-plan.ts';

/** The change of an item by a plan; `by-hand`: only its owner can transfer it. */
export type Change = 'create' | 'update' | 'unchanged' | 'delete' | 'conflict' | 'by-hand';

/** One item of a namespace, and the operations that would bring it into the desired state. */
export interface PlanItem {
  readonly kind: 'namespace' | 'settings' | 'directory' | 'workflow' | 'variable' | 'secret' | 'registry' | 'service';
  /** A path of the tree, or a name; a variable of a workflow is `path: name`. */
  readonly name: string;
  readonly change: Change;
  readonly details: readonly string[];
  readonly operations: readonly Operation[];
  /** Applied after the operations of all items: they enable workflows. */
  readonly finalOperations: readonly Operation[];
  readonly revisionNames: RevisionNames;
}

type ItemFields = Pick<PlanItem, 'kind' | 'name' | 'change'> & Partial<PlanItem>;

const toItem = (fields: ItemFields): PlanItem => ({
  details: [],
  operations: [],
  finalOperations: [],
  revisionNames: new Map(),
  ...fields,
});

/** The item that deletes a workflow. */
export const deletionOf = (path: string): PlanItem =>
  toItem({ kind: 'workflow', name: path, change: 'delete', operations: [{ do: 'delete-workflow', path }] });

/** The input of a plan. */
export interface PlanRequest {
  readonly remote: Remote;
  readonly desired: DesiredState;
  /** The current folder, to which the paths in problems are relative. */
  readonly cwd: string;
  /** Workflows are not compiled before they are sent. */
  readonly skipsValidation: boolean;
}

const CONCURRENCY = 4;

/** The results of a function for all elements, in their order; at most four calls run at the same time. */
export async function mapConcurrently<T, R>(all: readonly T[], map: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(all.length);
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < all.length; at = next++) results[at] = await map(all[at] as T);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return results;
}

const normalizedType = (mimeType: string): string => mimeType.trim().toLowerCase();

function isSame(desired: DesiredVariable, present: RemoteVariable): boolean {
  const hasSameType =
    desired.mimeType === undefined ||
    present.mimeType === '' ||
    normalizedType(desired.mimeType) === normalizedType(present.mimeType);
  return hasSameType && present.checksum === desired.hash && present.size === desired.size;
}

function variableItem(variable: DesiredVariable, present: RemoteVariable | undefined, workflow?: string): PlanItem {
  const name = workflow === undefined ? variable.name : `${workflow}: ${variable.name}`;
  if (present !== undefined && isSame(variable, present))
    return toItem({ kind: 'variable', name, change: 'unchanged' });
  const change = present === undefined ? 'create' : 'update';
  return toItem({ kind: 'variable', name, change, operations: [{ do: 'set-variable', variable, workflow }] });
}

async function variableItems(
  remote: Remote,
  desired: readonly DesiredVariable[],
  exists: boolean,
  workflow?: string,
): Promise<PlanItem[]> {
  if (desired.length === 0) return [];
  const present = new Map((exists ? await listVariables(remote, workflow) : [])?.map((one) => [one.name, one]));
  return desired.map((variable) => variableItem(variable, present.get(variable.name), workflow));
}

async function directoryItem(
  remote: Remote,
  { path, attributes }: DesiredDirectory,
  exists: boolean,
): Promise<PlanItem> {
  const node = exists ? await findNode(remote, path) : undefined;
  const missing = attributes.filter((attribute) => !node?.attributes.includes(attribute));
  const additions: Operation[] = missing.length > 0 ? [{ do: 'add-attributes', path, attributes: missing }] : [];
  const item = { kind: 'directory', name: path === '' ? '/' : path } as const;
  if (node === undefined) {
    return toItem({ ...item, change: 'create', operations: [{ do: 'create-directory', path }, ...additions] });
  }
  if (node.kind === 'workflow') return toItem({ ...item, change: 'conflict', details: ['a workflow has this path'] });
  if (additions.length === 0) return toItem({ ...item, change: 'unchanged' });
  return toItem({ ...item, change: 'update', details: ['attributes'], operations: additions });
}

const textsOf = ({ problems }: ValidatedSource): string[] =>
  problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);

/** The workflow without older revisions that are invalid, and the problems of its latest revision. */
async function validate(request: PlanRequest, desired: DesiredWorkflow) {
  const { remote, cwd, skipsValidation } = request;
  const latest = latestOf(desired);
  const validated = await validateFile(latest.file, cwd);
  const older = [];
  for (const revision of desired.revisions.slice(0, -1)) {
    const { problems } = await validateFile(revision.file, cwd);
    if (problems.length === 0 || skipsValidation) older.push(revision);
    else {
      const name = revision.ids[0] ?? revision.hash;
      remote.note(`${desired.path}: revision ${name} is invalid and left out: ${problems[0]?.message}`);
    }
  }
  const valid = { ...desired, revisions: [...older, latest] };
  return { valid, startsItself: validated.startsItself, problems: skipsValidation ? [] : textsOf(validated) };
}

async function workflowItems(request: PlanRequest, desired: DesiredWorkflow, exists: boolean): Promise<PlanItem[]> {
  const { remote } = request;
  const item = { kind: 'workflow', name: desired.path } as const;
  const conflict = (details: readonly string[]) => [toItem({ ...item, change: 'conflict', details })];
  const { valid, startsItself, problems } = await validate(request, desired);
  if (problems.length > 0) return conflict(problems);
  const node = exists ? await findNode(remote, desired.path) : undefined;
  if (node !== undefined && !isWorkflow(node)) return conflict(['a directory has this path']);
  if (node?.isReadOnly) return conflict(['it is part of a Git mirror']);
  const needsHistory = node !== undefined && desired.settings !== undefined;
  const history = needsHistory ? await readHistory(remote, desired.path, node) : undefined;
  const present = node && omitUndefined({ workflow: node, history });
  const { details, operations, finalOperations, revisionNames } = planWorkflow(valid, present, startsItself);
  const isSame = operations.length === 0 && finalOperations.length === 0;
  const change = node === undefined ? 'create' : isSame ? 'unchanged' : 'update';
  const variables = await variableItems(remote, desired.variables, node !== undefined, desired.path);
  return [toItem({ ...item, change, details, operations, finalOperations, revisionNames }), ...variables];
}

const membersOf = (config: unknown, setting: string): [string, unknown][] => {
  const value = at(config, setting);
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
};

/** Settings of which each member is one of its own, and those that are replaced as a whole. Secrets in them are names. */
const MERGED = ['broadcast', 'events', 'limits', 'functions'] as const;
const REPLACED = ['record', 'egress', 'alerts', 'mail'] as const;

/** The settings that the server has with other values. Those that the archive lacks stay as they are. */
function changedSettings(desired: unknown, present: unknown): Record<string, unknown> {
  const isChanged = (setting: string, key: string, value: unknown): boolean => {
    const now = at(present, setting, key);
    // A server lists the broadcasts that it knows.
    return now !== value && (setting !== 'broadcast' || typeof now === 'boolean');
  };
  const merged = MERGED.map((setting) => {
    const members = membersOf(desired, setting).filter(([key, value]) => isChanged(setting, key, value));
    return [setting, members.length === 0 ? undefined : Object.fromEntries(members)] as const;
  });
  const replaced = REPLACED.filter((setting) => !isDeepStrictEqual(at(desired, setting), at(present, setting)));
  const all = [...merged, ...replaced.map((setting) => [setting, at(desired, setting)] as const)];
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

/** Settings whose changes are shown by their names alone: their values say little. */
const NAMED: ReadonlySet<string> = new Set(['broadcast', 'events']);

const detailsOf = (config: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(config).flatMap(([setting, value]) =>
    NAMED.has(setting) ? membersOf(config, setting).map(([key]) => key) : [`${setting} ${JSON.stringify(value)}`],
  );

/** All broadcasts of a new namespace are disabled. Which ones exist is known only after its creation. */
const newConfig = (desired: unknown) => ({
  broadcast: Object.fromEntries(membersOf(desired, 'broadcast').map(([key]) => [key, false])),
});

async function settingsItems(remote: Remote, desired: DesiredState, exists: boolean): Promise<PlanItem[]> {
  if (desired.namespace?.config === undefined) return [];
  const present = exists ? await readConfig(remote) : newConfig(desired.namespace.config);
  const config = changedSettings(desired.namespace.config, present);
  const names = detailsOf(config);
  const change = names.length === 0 ? 'unchanged' : 'update';
  const { broadcast, ...others } = config as { readonly broadcast?: unknown };
  // Workflows are enabled when the limits of the namespace hold; events of the import itself are not broadcast.
  const operations: Operation[] = Object.keys(others).length === 0 ? [] : [{ do: 'configure', config: others }];
  const finalOperations: Operation[] = broadcast === undefined ? [] : [{ do: 'configure', config: { broadcast } }];
  return [toItem({ kind: 'settings', name: 'settings', change, details: names, operations, finalOperations })];
}

/** Items that only their owner can transfer, because no server returns their secret part. */
async function manualItems({ namespace }: DesiredState, remote: Remote, exists: boolean): Promise<PlanItem[]> {
  const { secrets = [], registries = [], services = [] } = namespace ?? {};
  const kinds = [
    { kind: 'secret', names: secrets, list: listSecrets, how: (name: string) => `weft secrets set ${name}` },
    { kind: 'registry', names: registries, list: listRegistries, how: () => 'set its user and password' },
    { kind: 'service', names: services, list: listServices, how: () => 'create it' },
  ] as const;
  const items: PlanItem[] = [];
  for (const { kind, names, list, how } of kinds) {
    const present = names.length > 0 && exists ? await list(remote) : [];
    for (const name of names) {
      if (present?.includes(name)) items.push(toItem({ kind, name, change: 'unchanged' }));
      else items.push(toItem({ kind, name, change: 'by-hand', details: [how(name)] }));
    }
  }
  return items;
}

/**
 * The plan that would bring a namespace into the desired state. It deletes nothing, and nothing is changed yet. Throws
 * CommandFailedError, ServiceUnreachableError.
 */
export async function makePlan(request: PlanRequest): Promise<PlanItem[]> {
  const { remote, desired } = request;
  const { namespace } = remote;
  const exists = await hasNamespace(remote);
  if (!exists && desired.namespace === undefined) {
    const remedy = `create it with 'weft namespaces create ${namespace}'`;
    throw new CommandFailedError(`no namespace '${namespace}'; ${remedy}`, 404);
  }
  const creation = toItem({
    kind: 'namespace',
    name: namespace,
    change: 'create',
    operations: [{ do: 'create-namespace' }],
  });
  const directories = await mapConcurrently(desired.directories, (one) => directoryItem(remote, one, exists));
  const workflows = await mapConcurrently(desired.workflows, (one) => workflowItems(request, one, exists));
  return [
    ...(exists ? directories : [creation, ...directories.map(withExistingRoot)]),
    ...(await variableItems(remote, desired.variables, exists)),
    ...workflows.flat(),
    ...(await settingsItems(remote, desired, exists)),
    ...(await manualItems(desired, remote, exists)),
  ];
}

/** A new namespace already has its root directory. */
function withExistingRoot(item: PlanItem): PlanItem {
  if (item.name !== '/') return item;
  const operations = item.operations.filter((operation) => operation.do !== 'create-directory');
  return { ...item, change: operations.length === 0 ? 'unchanged' : 'update', operations };
}

/** Whether an item of a plan changes anything. */
export const hasOperations = ({ operations, finalOperations }: PlanItem): boolean =>
  operations.length + finalOperations.length > 0;
