import { type DesiredRevision, type DesiredWorkflow, latestOf, type WorkflowSettings } from './desired-state.ts';
import type { Operation, Ref, RevisionNames } from './operations.ts';
import type { RemoteWorkflow, WorkflowHistory } from './remote.ts';

/** The operations of a workflow, their details for the user, and the server's names of the present revisions. */
export interface WorkflowPlan {
  readonly details: readonly string[];
  readonly operations: readonly Operation[];
  /** Applied after the operations of all items: they enable the workflow. */
  readonly finalOperations: readonly Operation[];
  readonly revisionNames: RevisionNames;
}

/** The workflow on the server. */
export interface PresentWorkflow {
  readonly workflow: RemoteWorkflow;
  /** Left out if only the source is compared. */
  readonly history?: WorkflowHistory;
}

const LATEST = 'latest';

/** The names of the present revisions by the hash of their source; of several names, the most durable one. */
function namesOf({ workflow, history }: PresentWorkflow): RevisionNames {
  const names: RevisionNames = new Map([[workflow.latest.hash, LATEST]]);
  const revisions = [...(history?.older ?? []), workflow.latest];
  const byId = new Map(revisions.map(({ id, hash }) => [id, hash]));
  for (const [tag, id] of history?.tags ?? []) names.set(byId.get(id) ?? '', tag);
  for (const { id, hash, isSaved } of history?.older ?? []) if (isSaved) names.set(hash, id);
  if (history?.isLatestSaved) names.set(workflow.latest.hash, workflow.latest.id);
  return names;
}

const tagsOf = (settings: WorkflowSettings | undefined, hash: string): string[] =>
  Object.entries(settings?.tags ?? {})
    .filter(([, tagged]) => tagged === hash)
    .map(([tag]) => tag);

/** The hash of the revision that a tag has on the server. */
function presentHashOf({ workflow, history }: PresentWorkflow, tag: string): string | undefined {
  const id = history?.tags.get(tag);
  return [...(history?.older ?? []), workflow.latest].find((revision) => revision.id === id)?.hash;
}

function tagOperation(path: string, tag: string, ref: Ref, present: PresentWorkflow | undefined): Operation {
  return { do: 'tag-revision', path, tag, ref, how: present?.history?.tags.has(tag) ? 'retag' : 'tag' };
}

/** Stores a revision, then saves and tags it while it is the latest: later, no name would refer to it. */
function storeOperations(
  { path, settings }: DesiredWorkflow,
  { file, hash, isSaved }: DesiredRevision,
  how: 'create' | 'update',
  present?: PresentWorkflow,
): Operation[] {
  const tags = tagsOf(settings, hash).filter((tag) => present === undefined || presentHashOf(present, tag) !== hash);
  return [
    { do: 'store-revision', path, how, file, hash },
    ...(isSaved ? [{ do: 'save-revision', path } as const] : []),
    ...tags.map((tag) => tagOperation(path, tag, { name: LATEST }, present)),
  ];
}

/** The ref of a route in a form that is valid on both servers; undefined if the archive has no such revision. */
function toRef({ revisions, settings }: DesiredWorkflow, ref: string): Ref | undefined {
  if (ref === LATEST || Object.hasOwn(settings?.tags ?? {}, ref)) return { name: ref };
  const found = revisions.find(({ ids }) => ids.includes(ref));
  return found === undefined ? undefined : { hash: found.hash };
}

/** How starts are divided among revisions. */
type TrafficSplit = (Ref & { readonly weight: number })[];

function desiredSplit(desired: DesiredWorkflow): TrafficSplit {
  const routes = (desired.settings?.routes ?? []).map(({ ref, weight }) => ({ ref: toRef(desired, ref), weight }));
  return routes.flatMap(({ ref, weight }) => (ref === undefined || weight <= 0 ? [] : [{ ...ref, weight }]));
}

function presentSplit({ workflow, history }: PresentWorkflow): TrafficSplit {
  const revisions = [...(history?.older ?? []), workflow.latest];
  return (history?.routes ?? []).map(({ ref, weight }) => {
    const found = revisions.find(({ id }) => id === ref);
    return found === undefined ? { name: ref, weight } : { hash: found.hash, weight };
  });
}

const splitText = (split: TrafficSplit): string =>
  split
    .map((route) => `${'name' in route ? route.name : route.hash}=${route.weight}`)
    .sort()
    .join(' ');

/** Sets the router and enables the workflow. `isDisabled`: an earlier operation of the plan disables it. */
function finalOperationsOf(
  desired: DesiredWorkflow,
  present: PresentWorkflow | undefined,
  isDisabled: boolean,
): Operation[] {
  const { path, settings } = desired;
  const live = settings?.live ?? present?.history?.live ?? true;
  const wasLive = present?.history?.live ?? true;
  const routes = desiredSplit(desired);
  const before = present === undefined ? [] : presentSplit(present);
  if (settings !== undefined && splitText(routes) !== splitText(before)) {
    return [{ do: 'edit-router', path, live, routes }];
  }
  return (isDisabled ? false : wasLive) === live ? [] : [{ do: 'toggle', path, live }];
}

/** Disables a workflow until the plan is applied: events and schedules must not start it before. */
const disableOperations = (path: string, isNeeded: boolean): Operation[] =>
  isNeeded ? [{ do: 'toggle', path, live: false }] : [];

function planCreation(desired: DesiredWorkflow, startsItself: boolean): WorkflowPlan {
  const { path, revisions, settings } = desired;
  const isDisabled = settings !== undefined && (startsItself || !settings.live);
  const [first = [], ...rest] = revisions.map((one, index) =>
    storeOperations(desired, one, index === 0 ? 'create' : 'update'),
  );
  const operations: Operation[] = [
    ...first.slice(0, 1),
    ...disableOperations(path, isDisabled),
    ...first.slice(1),
    ...rest.flat(),
    ...(settings?.logger ? [{ do: 'set-logger', path, logger: settings.logger } as const] : []),
    ...(settings?.attributes.length ? [{ do: 'add-attributes', path, attributes: settings.attributes } as const] : []),
  ];
  return {
    details: revisions.length === 1 ? [] : [`${revisions.length} revisions`],
    operations,
    finalOperations: finalOperationsOf(desired, undefined, isDisabled),
    revisionNames: new Map(),
  };
}

/** The older revisions that the server does not have, or has without being saved although they should be. */
function missingRevisions(
  { revisions, settings }: DesiredWorkflow,
  { workflow, history }: PresentWorkflow,
): DesiredRevision[] {
  const present = [...(history?.older ?? []), { ...workflow.latest, isSaved: history?.isLatestSaved === true }];
  return revisions.slice(0, -1).filter(({ hash, isSaved }) => {
    const isNamed = isSaved || tagsOf(settings, hash).length > 0;
    return isNamed && !present.some((one) => one.hash === hash && (one.isSaved || !isSaved));
  });
}

function planUpdate(desired: DesiredWorkflow, present: PresentWorkflow, startsItself: boolean): WorkflowPlan {
  const { path, settings } = desired;
  const { workflow, history } = present;
  const latest = latestOf(desired);
  const missing = history === undefined ? [] : missingRevisions(desired, present);
  const hasNewSource = workflow.latest.hash !== latest.hash;
  const isDisabled = missing.length > 0 && startsItself && history?.live !== false;
  const isStored = hasNewSource || missing.length > 0;
  const stored = isStored ? [...missing, latest] : [];
  const storedHashes = new Set(stored.map(({ hash }) => hash));
  const isSaved = !isStored && latest.isSaved && history?.isLatestSaved === false;
  const tags = Object.entries(settings?.tags ?? {}).filter(([tag, hash]) => presentHashOf(present, tag) !== hash);
  const earlyTags = tags.filter(([, hash]) => !storedHashes.has(hash));
  const attributes = (settings?.attributes ?? []).filter((one) => !workflow.attributes.includes(one));
  const hasNewLogger = settings !== undefined && settings.logger !== workflow.logger;
  const finalOperations = finalOperationsOf(desired, present, isDisabled);
  const shown = finalOperations.filter((operation) => operation.do === 'edit-router' || !isDisabled);
  return {
    details: [
      ...(hasNewSource ? ['source'] : []),
      ...(missing.length > 0 ? [`${missing.length} older revision${missing.length === 1 ? '' : 's'}`] : []),
      ...(isSaved ? ['saved'] : []),
      ...tags.map(([tag]) => `tag ${tag}`),
      ...(hasNewLogger ? ['logger'] : []),
      ...(attributes.length > 0 ? ['attributes'] : []),
      ...shown.map((operation) => (operation.do === 'edit-router' ? 'router' : 'switch')),
    ],
    operations: [
      ...disableOperations(path, isDisabled),
      // Before a revision is stored: after that, `latest` refers to another revision.
      ...earlyTags.map(([tag, hash]) => tagOperation(path, tag, { hash }, present)),
      ...stored.flatMap((one) => storeOperations(desired, one, 'update', present)),
      ...(isSaved ? [{ do: 'save-revision', path } as const] : []),
      ...(hasNewLogger ? [{ do: 'set-logger', path, logger: settings.logger } as const] : []),
      ...(attributes.length > 0 ? [{ do: 'add-attributes', path, attributes } as const] : []),
    ],
    finalOperations,
    revisionNames: namesOf(present),
  };
}

/** The plan that would bring a workflow into the desired state. It deletes nothing. */
export function planWorkflow(
  desired: DesiredWorkflow,
  present: PresentWorkflow | undefined,
  startsItself: boolean,
): WorkflowPlan {
  return present === undefined ? planCreation(desired, startsItself) : planUpdate(desired, present, startsItself);
}
