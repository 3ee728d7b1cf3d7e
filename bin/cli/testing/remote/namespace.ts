import { functionKey } from '../../../../lib/testing/format/function-keys.ts';
import { stagedSource } from '../../../../lib/testing/mocking/functions.ts';
import { mockSubflow } from '../../../../lib/testing/mocking/subflows.ts';
import { namespacePath, type Service, treePath } from '../../client/service.ts';
import { losesStart, type PreparedCase } from '../cases/prepared.ts';

/** The folder of the tree with the workflows that stand for mocks. */
export const MOCKS = 'weft-mocks';

/** The namespace of one case on a service. */
export interface TestNamespace {
  readonly service: Service;
  readonly name: string;
  /** The keys of mocked functions by the paths of the workflows that stand for them. */
  readonly mocked: ReadonlyMap<string, string>;
}

function foldersOf(paths: Iterable<string>): string[] {
  const nested = [...paths].flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index)));
  return [...new Set(nested)].toSorted();
}

/** The workflows of a case by their paths, with those that stand for its mocks. Each mock must be possible as a subflow. */
function sourcesOf(prepared: PreparedCase, mocked: ReadonlyMap<string, string>): Map<string, string> {
  const paths = new Map([...mocked].map(([path, key]) => [key, path]));
  const standIns = new Map([...paths].map(([key, path]) => [key, { type: 'subflow', workflow: `/${path}` }]));
  const sources = new Map<string, string>();
  for (const [key, mock] of prepared.mocks) {
    const made = mockSubflow(mock);
    if ('source' in made) sources.set(paths.get(key) ?? '', made.source);
  }
  for (const one of prepared.workflows.values()) {
    const startsByHand = losesStart(prepared, one);
    sources.set(one.path, stagedSource({ ...one, isMocked: (key) => prepared.mocks.has(key), startsByHand, standIns }));
  }
  return sources;
}

/** The mocks of functions that the workflows of the case have, by the paths of their workflows. */
function mockPaths({ workflows, mocks }: PreparedCase): Map<string, string> {
  const known = [...workflows.values()].flatMap(({ path, plan }) =>
    Object.keys(plan.functions).map((id) => functionKey(path, id)),
  );
  const used = known.filter((key) => mocks.has(key));
  return new Map(used.map((key, index) => [`${MOCKS}/mock-${index + 1}`, key]));
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Creates the namespace of a case with its workflows, variables and secrets. Throws what requests throw. */
export async function createNamespace(service: Service, name: string, prepared: PreparedCase): Promise<TestNamespace> {
  const mocked = mockPaths(prepared);
  const sources = sourcesOf(prepared, mocked);
  const base = namespacePath(name);
  await service.call('PUT', base);
  for (const folder of foldersOf(sources.keys())) {
    await service.call('PUT', `${treePath(name, folder)}?op=create-directory`);
  }
  for (const [path, source] of sources) {
    await service.upload('PUT', `${treePath(name, path)}?op=create-workflow`, { body: source });
  }
  const { variables, secrets } = prepared.test;
  for (const [key, value] of Object.entries(variables.namespace ?? {})) {
    await service.upload('PUT', `${base}/vars/${encodeURIComponent(key)}`, {
      body: JSON.stringify(value),
      headers: JSON_TYPE,
    });
  }
  for (const [key, value] of Object.entries(variables.workflow ?? {})) {
    const path = `${treePath(name, prepared.main.path)}?op=set-var&var=${encodeURIComponent(key)}`;
    await service.upload('PUT', path, { body: JSON.stringify(value), headers: JSON_TYPE });
  }
  for (const [key, value] of Object.entries(secrets)) {
    await service.upload('PUT', `${base}/secrets/${encodeURIComponent(key)}`, { body: value });
  }
  return { service, name, mocked };
}

/** Deletes the namespace with all that it has. */
export async function deleteNamespace(service: Service, name: string): Promise<void> {
  await service.call('DELETE', `${namespacePath(name)}?recursive=true`);
}
