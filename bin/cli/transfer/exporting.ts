import { textAt } from '../client/replies.ts';
import { bodyOf, refusalOf } from '../client/service.ts';
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
} from './layout.ts';
import type { Archive } from './packing.ts';
import * as remotes from './remote.ts';

const toText = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;

/** How much was written. */
export interface Counts {
  directories: number;
  workflows: number;
  revisions: number;
  variables: number;
}

interface Job {
  readonly remote: remotes.Remote;
  readonly archive: Archive;
  readonly counts: Counts;
  readonly tell: (path: string) => void;
}

/** The values go into the archive; answers what is told of them. */
async function writeVariables({ remote, archive, counts }: Job, workflow?: string): Promise<VariableEntry[]> {
  const entries: VariableEntry[] = [];
  for (const { name, mimeType } of (await remotes.listVariables(remote, workflow)) ?? []) {
    const response = await remote.service.send('GET', remotes.variablePath(remote, name, 'var', workflow));
    if (response.status >= 400) throw await refusalOf(response, remote.service.signal);
    const type = response.headers.get('content-type') ?? mimeType;
    const measured = await archive.addStream(variableFile(name, workflow), bodyOf(response, remote.service.signal));
    entries.push({ name, mimeType: type, ...measured });
    counts.variables += 1;
  }
  return entries;
}

/** Revisions of one source are one revision: it is the source that runs. */
function merged(revisions: readonly remotes.RemoteRevision[]): Map<string, remotes.RemoteRevision[]> {
  const byHash = new Map<string, remotes.RemoteRevision[]>();
  for (const revision of revisions) byHash.set(revision.hash, [...(byHash.get(revision.hash) ?? []), revision]);
  return byHash;
}

async function writeWorkflow(job: Job, path: string, workflow: remotes.RemoteWorkflow): Promise<void> {
  const { remote, archive, counts } = job;
  const history = await remotes.readHistory(remote, path, workflow);
  const latest = { ...workflow.latest, isSaved: history.isLatestSaved };
  const older = merged(history.older);
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
  job.tell(path);
}

async function writeDirectory(job: Job, path: string, attributes: readonly string[]): Promise<void> {
  const { remote, archive, counts } = job;
  const file: DirectoryFile = { path, attributes: [...attributes] };
  await archive.add(directoryFile(path), toText(file));
  counts.directories += 1;
  for (const child of await remotes.readChildren(remote, path)) {
    const childPath = path === '' ? child.name : `${path}/${child.name}`;
    if (child.isMirror) remote.note(`${childPath}: a Git mirror; its workflows are exported, not the link to Git`);
    if (child.type === 'directory') await writeDirectory(job, childPath, child.attributes);
    else if (child.type === 'workflow') await writeNode(job, childPath);
    else remote.note(`${childPath}: a ${child.type}; left out`);
  }
}

async function writeNode(job: Job, path: string): Promise<void> {
  const node = await remotes.findNode(job.remote, path);
  if (node !== undefined && remotes.isWorkflow(node)) await writeWorkflow(job, path, node);
  else job.remote.note(`${path}: it was deleted meanwhile; left out`);
}

/** Writes a whole namespace; what the server does not serve is noted. Throws Refusal, Unreachable. */
export async function exportNamespace(
  job: Omit<Job, 'counts'>,
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
  const told = { ...(config === undefined ? {} : { config }), secrets, registries, services };
  await archive.add(NAMESPACE, toText(told satisfies NamespaceFile));
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
