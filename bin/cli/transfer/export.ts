import { textAt } from '../client/replies.ts';
import { bodyOf, toFailure } from '../client/service.ts';
import {
  type DirectoryFile,
  directoryFile,
  FORMAT,
  MANIFEST,
  type Manifest,
  NAMESPACE,
  type NamespaceFile,
  revisionFile,
  VARIABLES,
  type VariableEntry,
  VERSION,
  variableFile,
  type WorkflowFile,
  workflowFile,
} from './archive-layout.ts';
import type { ArchiveWriter } from './archive-writer.ts';
import * as remotes from './remote.ts';

const toText = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;

/** The number of exported items. */
export interface Counts {
  directories: number;
  workflows: number;
  revisions: number;
  variables: number;
}

export interface ExportJob {
  readonly remote: remotes.Remote;
  readonly archive: ArchiveWriter;
  readonly counts: Counts;
  readonly onExported: (path: string) => void;
}

/** Writes the values of variables, and returns their descriptions. */
async function writeVariables({ remote, archive, counts }: ExportJob, workflow?: string): Promise<VariableEntry[]> {
  const entries: VariableEntry[] = [];
  for (const { name, mimeType } of (await remotes.listVariables(remote, workflow)) ?? []) {
    const response = await remote.service.send('GET', remotes.variablePath(remote, name, 'var', workflow));
    if (response.status >= 400) throw await toFailure(response, remote.service.signal);
    const type = response.headers.get('content-type') ?? mimeType;
    const measured = await archive.addStream(variableFile(name, workflow), bodyOf(response, remote.service.signal));
    entries.push({ name, mimeType: type, ...measured });
    counts.variables += 1;
  }
  return entries;
}

/** The revisions by their source: revisions with the same source are one revision. */
function byHash(revisions: readonly remotes.RemoteRevision[]): Map<string, remotes.RemoteRevision[]> {
  const groups = new Map<string, remotes.RemoteRevision[]>();
  for (const revision of revisions) groups.set(revision.hash, [...(groups.get(revision.hash) ?? []), revision]);
  return groups;
}

async function writeWorkflow(job: ExportJob, path: string, workflow: remotes.RemoteWorkflow): Promise<void> {
  const { remote, archive, counts } = job;
  const history = await remotes.readHistory(remote, path, workflow);
  const latest = { ...workflow.latest, isSaved: history.isLatestSaved };
  const older = byHash(history.older);
  const same = older.get(latest.hash) ?? [];
  older.delete(latest.hash);
  const groups = [...older.values(), [...same, latest]];
  for (const [index, [first]] of groups.entries()) {
    if (first !== undefined) await archive.add(revisionFile(path, index + 1), first.source);
  }
  const hashes = new Map([...history.older, latest].map(({ id, hash }) => [id, hash]));
  const file: WorkflowFile = {
    path,
    live: history.live,
    logger: workflow.logger,
    attributes: [...workflow.attributes],
    revisions: groups.map((group) => ({
      ids: group.map(({ id }) => id),
      createdAt: group[0]?.createdAt ?? '',
      hash: group[0]?.hash ?? '',
      saved: group.some(({ isSaved }) => isSaved),
    })),
    tags: Object.fromEntries([...history.tags].sort().map(([tag, id]) => [tag, hashes.get(id) ?? ''])),
    routes: [...history.routes],
    variables: await writeVariables(job, path),
  };
  await archive.add(workflowFile(path), toText(file));
  counts.workflows += 1;
  counts.revisions += groups.length;
  job.onExported(path);
}

async function writeDirectory(job: ExportJob, path: string, attributes: readonly string[]): Promise<void> {
  const { remote, archive, counts } = job;
  const file: DirectoryFile = { path, attributes: [...attributes] };
  await archive.add(directoryFile(path), toText(file));
  counts.directories += 1;
  for (const child of await remotes.readChildren(remote, path)) {
    const childPath = path === '' ? child.name : `${path}/${child.name}`;
    if (child.isMirror) remote.note(`${childPath}: a Git mirror; its workflows are exported without the link to Git`);
    if (child.type === 'directory') await writeDirectory(job, childPath, child.attributes);
    else if (child.type === 'workflow') await writeNode(job, childPath);
    else remote.note(`${childPath}: a ${child.type}; left out`);
  }
}

async function writeNode(job: ExportJob, path: string): Promise<void> {
  const node = await remotes.findNode(job.remote, path);
  if (node !== undefined && remotes.isWorkflow(node)) await writeWorkflow(job, path, node);
  else job.remote.note(`${path}: it was deleted during the export; left out`);
}

/**
 * Exports a namespace. Parts that the server does not serve are left out, with a note. Throws CommandFailedError,
 * ServiceUnreachableError.
 */
export async function exportNamespace(
  job: Omit<ExportJob, 'counts'>,
  about: { readonly exportedAt: string; readonly notes: readonly string[] },
): Promise<Counts> {
  const { remote, archive } = job;
  const counts = { directories: 0, workflows: 0, revisions: 0, variables: 0 };
  const whole = { ...job, counts };
  const version = textAt(
    await remotes.ifServed(remote, 'version', () => remote.service.call('GET', '/api/version')),
    'api',
  );
  const root = await remotes.findNode(remote, '');
  const config = await remotes.readConfig(remote);
  const secrets = (await remotes.listSecrets(remote)) ?? [];
  const registries = (await remotes.listRegistries(remote)) ?? [];
  const services = (await remotes.listServices(remote)) ?? [];
  const described: NamespaceFile = { config, secrets, registries, services };
  await archive.add(NAMESPACE, toText(described));
  await archive.add(VARIABLES, toText({ variables: await writeVariables(whole) }));
  await writeDirectory(whole, '', root?.attributes ?? []);
  const manifest: Manifest = {
    format: FORMAT,
    version: VERSION,
    namespace: remote.namespace,
    exportedAt: about.exportedAt,
    server: { url: remote.service.url, version },
    notes: [...about.notes],
  };
  await archive.add(MANIFEST, toText(manifest));
  return counts;
}
