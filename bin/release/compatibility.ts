/** The versions of a release. The schema version is a number, because each migration increases it by one. */
export interface Versions {
  readonly package: string;
  readonly api: string;
  readonly schema: number;
}

/** A version of Weft with the operations of its API. */
export interface Release {
  readonly versions: Versions;
  readonly operations: ReadonlySet<string>;
}

/** How much a version changes: none, patch, minor, major. */
const CHANGE = { none: 0, patch: 1, minor: 2, major: 3 } as const;

type Change = (typeof CHANGE)[keyof typeof CHANGE];

/** How much a semantic version grew: 0 to 3; negative if it is smaller. */
function versionChange(from: string, to: string): number {
  const before = from.split('.').map(Number);
  const after = to.split('.').map(Number);
  const at = after.findIndex((part, index) => part !== before[index]);
  if (at < 0) return CHANGE.none;
  return (after[at] ?? 0) > (before[at] ?? 0) ? CHANGE.major - at : -1;
}

/** Before 1.0.0, a minor version may break (Semantic Versioning 2.0.0, 4). */
const within = (version: string, change: Change): Change =>
  version.startsWith('0.') && change === CHANGE.major ? CHANGE.minor : change;

interface Required {
  readonly api: Change;
  readonly package: Change;
  readonly reasons: readonly string[];
}

/** How much the versions must grow: a removed operation breaks clients, a new one is an addition, as is a schema version. */
function requiredChange(last: Release, next: Release): Required {
  const removed = [...last.operations].filter((one) => !next.operations.has(one));
  const added = [...next.operations].filter((one) => !last.operations.has(one));
  const api = removed.length > 0 ? CHANGE.major : added.length > 0 ? CHANGE.minor : CHANGE.none;
  const migrated = next.versions.schema === last.versions.schema ? CHANGE.none : CHANGE.minor;
  const own = Math.max(CHANGE.patch, api, migrated) as Change;
  return {
    api: within(last.versions.api, api),
    package: within(last.versions.package, own),
    reasons: [
      ...removed.map((one) => `${one} was removed`),
      ...added.map((one) => `${one} was added`),
      ...(migrated > 0 ? [`stored schema ${next.versions.schema} after ${last.versions.schema}`] : []),
      ...(own === CHANGE.patch ? ['a release has a version of its own'] : []),
    ],
  };
}

/** The requirements of semantic versioning that a release after the last one does not meet; empty if it meets all. */
export function changeProblems(last: Release, next: Release): string[] {
  const required = requiredChange(last, next);
  return (['api', 'package'] as const)
    .filter((part) => versionChange(last.versions[part], next.versions[part]) < required[part])
    .map((part) => {
      const name = part === 'api' ? 'the REST API' : 'the package';
      const [from, to] = [last.versions[part], next.versions[part]];
      return `${name}: ${to} after ${from} is too small a change: ${required.reasons.join('; ')}`;
    });
}

interface Operation {
  readonly operationId: string;
  readonly 'x-operations'?: readonly Operation[];
}

/** The part of an OpenAPI document that is compared. */
export interface Description {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** The operations of the API by name, method and path: a client depends on each of them. */
export function operationsOf({ paths }: Description): Set<string> {
  return new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { 'x-operations': more = [], operationId }]) =>
        [operationId, ...more.map((one) => one.operationId)].map((name) => `${name} (${method.toUpperCase()} ${path})`),
      ),
    ),
  );
}
