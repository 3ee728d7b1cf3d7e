import type { Act, Names, Ref } from './acts.ts';
import type { History, RemoteWorkflow } from './remote.ts';
import { latestOf, type Settings, type WantedRevision, type WantedWorkflow } from './wanted.ts';

/** What would be done to a workflow, what people are told of it, and what the server calls its revisions already. */
export interface WorkflowPlan {
  readonly details: readonly string[];
  readonly acts: readonly Act[];
  /** Done when everything else of the namespace is there: from then on the workflow runs. */
  readonly closing: readonly Act[];
  readonly names: Names;
}

/** What the server has of the workflow. */
export interface Present {
  readonly workflow: RemoteWorkflow;
  /** Left out where nothing but the source is compared. */
  readonly history?: History;
}

const LATEST = 'latest';

/** The names of revisions that are there, by their source; the one that lasts longest counts. */
function namesOf({ workflow, history }: Present): Names {
  const names: Names = new Map([[workflow.latest.hash, LATEST]]);
  const revisions = [...(history?.older ?? []), workflow.latest];
  const byId = new Map(revisions.map(({ id, hash }) => [id, hash]));
  for (const [tag, id] of history?.tags ?? []) names.set(byId.get(id) ?? '', tag);
  for (const { id, hash, isSaved } of history?.older ?? []) if (isSaved) names.set(hash, id);
  if (history?.isLatestSaved) names.set(workflow.latest.hash, workflow.latest.id);
  return names;
}

const tagsOf = (settings: Settings | undefined, hash: string): string[] =>
  Object.entries(settings?.tags ?? {})
    .filter(([, wanted]) => wanted === hash)
    .map(([tag]) => tag);

/** The hash of the revision that a tag names on the server. */
function tagged({ workflow, history }: Present, tag: string): string | undefined {
  const id = history?.tags.get(tag);
  return [...(history?.older ?? []), workflow.latest].find((revision) => revision.id === id)?.hash;
}

function tagAct(path: string, tag: string, ref: Ref, present: Present | undefined): Act {
  return { do: 'tag', path, tag, ref, how: present?.history?.tags.has(tag) ? 'retag' : 'tag' };
}

/** Stores a revision and gives it its names while it is the latest: later nothing would name it. */
function storing(
  { path, settings }: WantedWorkflow,
  { file, hash, isSaved }: WantedRevision,
  how: 'create' | 'update',
  present?: Present,
): Act[] {
  const tags = tagsOf(settings, hash).filter((tag) => present === undefined || tagged(present, tag) !== hash);
  return [
    { do: 'store', path, how, file, hash },
    ...(isSaved ? [{ do: 'save', path } as const] : []),
    ...tags.map((tag) => tagAct(path, tag, { name: LATEST }, present)),
  ];
}

/** A route's ref as it means the same on both servers; undefined where the archive does not know it. */
function toRef({ revisions, settings }: WantedWorkflow, ref: string): Ref | undefined {
  if (ref === LATEST || Object.hasOwn(settings?.tags ?? {}, ref)) return { name: ref };
  const found = revisions.find(({ ids }) => ids.includes(ref));
  return found === undefined ? undefined : { hash: found.hash };
}

type Division = (Ref & { readonly weight: number })[];

function divisionOf(wanted: WantedWorkflow): Division {
  const routes = (wanted.settings?.routes ?? []).map(({ ref, weight }) => ({ ref: toRef(wanted, ref), weight }));
  return routes.flatMap(({ ref, weight }) => (ref === undefined || weight <= 0 ? [] : [{ ...ref, weight }]));
}

const divisionText = (division: Division): string =>
  division
    .map((route) => `${'name' in route ? route.name : route.hash}=${route.weight}`)
    .sort()
    .join(' ');

function presentDivision({ workflow, history }: Present): Division {
  const revisions = [...(history?.older ?? []), workflow.latest];
  return (history?.routes ?? []).map(({ ref, weight }) => {
    const found = revisions.find(({ id }) => id === ref);
    return found === undefined ? { name: ref, weight } : { hash: found.hash, weight };
  });
}

/** How the workflow runs in the end. `isOff`: it is switched off until then. */
function closingOf(wanted: WantedWorkflow, present: Present | undefined, isOff: boolean): Act[] {
  const { path, settings } = wanted;
  const live = settings?.live ?? present?.history?.live ?? true;
  const wasLive = present?.history?.live ?? true;
  const division = divisionOf(wanted);
  const before = present === undefined ? [] : presentDivision(present);
  if (settings !== undefined && divisionText(division) !== divisionText(before)) {
    return [{ do: 'route', path, live, routes: division }];
  }
  return (isOff ? false : wasLive) === live ? [] : [{ do: 'switch', path, live }];
}

/** A workflow that events or the clock start sleeps until everything is there. */
const off = (path: string, isNeeded: boolean): Act[] => (isNeeded ? [{ do: 'switch', path, live: false }] : []);

function creation(wanted: WantedWorkflow, isSelfStarting: boolean): WorkflowPlan {
  const { path, revisions, settings } = wanted;
  const isOff = settings !== undefined && (isSelfStarting || !settings.live);
  const [first, ...rest] = revisions.map((one, index) => storing(wanted, one, index === 0 ? 'create' : 'update'));
  const acts: Act[] = [
    ...(first?.slice(0, 1) ?? []),
    ...off(path, isOff),
    ...(first?.slice(1) ?? []),
    ...rest.flat(),
    ...(settings?.logger ? [{ do: 'log-to', path, logger: settings.logger } as const] : []),
    ...(settings?.attributes.length ? [{ do: 'label', path, attributes: settings.attributes } as const] : []),
  ];
  const count = revisions.length === 1 ? '' : `${revisions.length} revisions`;
  return {
    details: count === '' ? [] : [count],
    acts,
    closing: closingOf(wanted, undefined, isOff),
    names: new Map(),
  };
}

/** Older revisions that the server lacks, or has without the name of their own that they should have. */
function missingOf({ revisions, settings }: WantedWorkflow, { workflow, history }: Present): WantedRevision[] {
  const there = [...(history?.older ?? []), { ...workflow.latest, isSaved: history?.isLatestSaved === true }];
  return revisions.slice(0, -1).filter(({ hash, isSaved }) => {
    const isNamed = isSaved || tagsOf(settings, hash).length > 0;
    return isNamed && !there.some((one) => one.hash === hash && (one.isSaved || !isSaved));
  });
}

function alteration(wanted: WantedWorkflow, present: Present, isSelfStarting: boolean): WorkflowPlan {
  const { path, settings } = wanted;
  const { workflow, history } = present;
  const latest = latestOf(wanted);
  const missing = history === undefined ? [] : missingOf(wanted, present);
  const isOther = workflow.latest.hash !== latest.hash;
  const isOff = missing.length > 0 && isSelfStarting && history?.live !== false;
  const stored = missing.flatMap((one) => storing(wanted, one, 'update', present));
  const isStored = isOther || missing.length > 0;
  const last: Act[] = isStored ? storing(wanted, latest, 'update', present) : [];
  const isSaving = !isStored && latest.isSaved && history?.isLatestSaved === false;
  const done = new Set([...missing, ...(isStored ? [latest] : [])].map(({ hash }) => hash));
  const tags = Object.entries(settings?.tags ?? {}).filter(([tag, hash]) => tagged(present, tag) !== hash);
  const labels = (settings?.attributes ?? []).filter((label) => !workflow.attributes.includes(label));
  const isLogging = settings !== undefined && settings.logger !== workflow.logger;
  const closing = closingOf(wanted, present, isOff);
  return {
    details: [
      ...(isOther ? ['source'] : []),
      ...(missing.length > 0 ? [`${missing.length} older revision${missing.length === 1 ? '' : 's'}`] : []),
      ...(isSaving ? ['saved'] : []),
      ...tags.map(([tag]) => `tag ${tag}`),
      ...(isLogging ? ['logging'] : []),
      ...(labels.length > 0 ? ['attributes'] : []),
      ...closing.filter((act) => act.do === 'route' || !isOff).map((act) => (act.do === 'route' ? 'router' : 'switch')),
    ],
    acts: [
      ...off(path, isOff),
      // Before anything is stored: after that, 'latest' names another revision.
      ...tags.filter(([, hash]) => !done.has(hash)).map(([tag, hash]) => tagAct(path, tag, { hash }, present)),
      ...stored,
      ...last,
      ...(isSaving ? [{ do: 'save', path } as const] : []),
      ...(isLogging ? [{ do: 'log-to', path, logger: settings.logger } as const] : []),
      ...(labels.length > 0 ? [{ do: 'label', path, attributes: labels } as const] : []),
    ],
    closing,
    names: namesOf(present),
  };
}

/** What would make the server's workflow the wanted one. Nothing is taken away. */
export function planWorkflow(
  wanted: WantedWorkflow,
  present: Present | undefined,
  isSelfStarting: boolean,
): WorkflowPlan {
  return present === undefined ? creation(wanted, isSelfStarting) : alteration(wanted, present, isSelfStarting);
}
