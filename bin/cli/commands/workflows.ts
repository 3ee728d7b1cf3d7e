import { resolve } from 'node:path';
import { bytesAt, textAt } from '../client/replies.ts';
import { namespacePath } from '../client/service.ts';
import {
  CommandFailedError,
  data,
  defineVerbs,
  type Outcome,
  result,
  toJson,
  toTable,
  UsageError,
} from '../shell/command.ts';
import { limitOf } from '../shell/limit.ts';
import { openProgress } from '../shell/progress.ts';
import { paint, type Terminal } from '../shell/terminal.ts';
import { mapConcurrently } from '../transfer/plan.ts';
import { findNode, isWorkflow, type Remote, treePathOf } from '../transfer/remote.ts';
import { deleted, restore } from '../workflows/deletions.ts';
import { patchOf } from '../workflows/differences.ts';
import {
  needTag,
  type PastRevision,
  revisionBefore,
  revisionsOf,
  type Source,
  setTag,
  sourceOf,
} from '../workflows/history.ts';
import { missingNode, shownPath, stateOf, trafficText, workflowsBelow } from '../workflows/listing.ts';
import { OPTIONS, openPlace, type Place, type Values } from '../workflows/options.ts';
import { pathsOf, pull, shownFile } from '../workflows/pull.ts';
import * as upkeep from '../workflows/upkeep.ts';

async function list(values: Values, [path = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { remote } = await openPlace(values, terminal);
  const rows = await workflowsBelow(remote, shownPath(path));
  const states = await mapConcurrently(rows, (row) => stateOf(remote, row));
  return result(values, states, () => {
    if (states.length === 0) return 'no workflows';
    const lines = states.map((one) => [
      one.path,
      one.enabled ? 'enabled' : paint(terminal, 'yellow', 'disabled'),
      trafficText(one),
      one.updatedAt.replace(/\.\d+Z$/, 'Z'),
    ]);
    return toTable([['WORKFLOW', 'STATE', 'TRAFFIC', 'UPDATED'], ...lines]);
  });
}

async function get(values: Values, [path = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, remote } = await openPlace(values, terminal);
  const query = values.ref === undefined ? '' : `?ref=${encodeURIComponent(values.ref)}`;
  const reply = await service.call('GET', `${treePathOf(remote, path)}${query}`);
  if (textAt(reply, 'node', 'type') === 'directory') {
    throw new UsageError(`'${shownPath(path)}' is a directory; 'weft workflows list ${shownPath(path)}' lists it`);
  }
  const source = Buffer.from(textAt(reply, 'revision', 'source'), 'base64').toString('utf8');
  return data(values.json ? toJson(reply) : source.replace(/\n$/, ''));
}

async function pullFiles(values: Values, [path = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { remote } = await openPlace(values, terminal);
  const { output = '.' } = values;
  const paths = await pathsOf({ remote, path });
  const progress = openProgress(terminal, 'pull', paths.length);
  const isDryRun = values['dry-run'] === true;
  const keepsExtension = values['keep-extension'] === true;
  const folder = resolve(terminal.cwd, output);
  const job = { remote, path, folder, keepsExtension, isDryRun, onFile: progress.step };
  const files = await pull(job, paths).finally(progress.end);
  const doubled = files.filter(({ file }) => /\.ya?ml\.yaml$/.test(file)).length;
  if (doubled > 0)
    remote.note(`${doubled} workflows have names with .yaml; --keep-extension keeps them in pull and push`);
  return result(values, files, () => {
    const changed = files.filter(({ change }) => change !== 'unchanged');
    const lines = changed.map(({ file, change }) => `${change.padEnd(9)} ${shownFile(output, file)}`);
    const count = files.length - changed.length;
    return [...lines, `${changed.length} written${isDryRun ? ' (dry run)' : ''}, ${count} unchanged`].join('\n');
  });
}

async function remove(values: Values, paths: readonly string[], terminal: Terminal): Promise<Outcome> {
  if (values.ref !== undefined) return upkeep.removeRevision(values, paths, terminal);
  const { service, remote } = await openPlace(values, terminal);
  for (const path of paths) {
    const node = await findNode(remote, path);
    if (node === undefined) throw missingNode(remote, path);
    if (!isWorkflow(node)) throw new UsageError(`'${shownPath(path)}' is a directory; give the paths of workflows`);
  }
  const what = paths.length === 1 ? `workflow '${shownPath(paths[0] ?? '')}'` : `${paths.length} workflows`;
  if (!values.yes) {
    if (!terminal.isInteractive) throw new UsageError(`nothing was deleted: to delete the ${what}, add --yes`);
    const answer = await terminal.ask(`Delete the ${what} of '${remote.namespace}'? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailedError('nothing was deleted');
  }
  for (const path of paths) await service.call('DELETE', `${treePathOf(remote, path)}?op=delete-node`);
  const gone = paths.map(shownPath);
  return result(values, { deleted: gone }, () => gone.map((path) => `deleted ${path}`).join('\n'));
}

const toggle =
  (live: boolean) =>
  async (values: Values, paths: readonly string[], terminal: Terminal): Promise<Outcome> => {
    const { service, remote } = await openPlace(values, terminal);
    for (const path of paths) {
      await service.call('POST', `${treePathOf(remote, path)}?op=toggle`, { live });
    }
    const word = live ? 'enabled' : 'disabled';
    return result(values, { [word]: paths.map(shownPath) }, () =>
      paths.map((path) => `${word} ${shownPath(path)}`).join('\n'),
    );
  };

/** The names of the tags of a workflow with the revision of each. */
async function tags(values: Values, path: string, { service, remote }: Place): Promise<Outcome> {
  const url = treePathOf(remote, path);
  const reply = await service.call('GET', `${url}?op=tags`);
  const rows = (reply as { readonly results?: readonly { readonly name: string }[] }).results ?? [];
  const named = await mapConcurrently(rows, async ({ name }) => ({
    tag: name,
    revision: textAt(await service.call('GET', `${url}?ref=${encodeURIComponent(name)}`), 'revision', 'name'),
  }));
  return result(values, named, () => toTable(named.map(({ tag, revision }) => [tag, revision])));
}

async function tag(values: Values, [path = '', name]: readonly string[], terminal: Terminal): Promise<Outcome> {
  const place = await openPlace(values, terminal);
  const { remote } = place;
  if (name === undefined) return tags(values, path, place);
  needTag(name);
  const { ref = 'latest' } = values;
  await setTag(remote, path, ref, name);
  return result(values, { path: shownPath(path), tag: name, ref }, () => `tagged ${shownPath(path)} ${ref} as ${name}`);
}

async function untag(values: Values, [path = '', name = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, remote } = await openPlace(values, terminal);
  const url = `${treePathOf(remote, path)}?${new URLSearchParams({ op: 'untag', ref: name })}`;
  await service.call('POST', url);
  return result(
    values,
    { path: shownPath(path), untagged: name },
    () => `removed the tag ${name} of ${shownPath(path)}`,
  );
}

/** The routes of `REF=WEIGHT` words. Throws UsageError. */
function routesOf(words: readonly string[]): { readonly ref: string; readonly weight: number }[] {
  return words.map((word) => {
    const [, ref = '', weight = ''] = /^([^=]+)=(\d{1,9})$/.exec(word) ?? [];
    if (ref === '') throw new UsageError(`'${word}' is no route; write REF=WEIGHT, as in latest=20`);
    return { ref, weight: Number(weight) };
  });
}

async function traffic(values: Values, words: readonly string[], terminal: Terminal): Promise<Outcome> {
  const [path = '', ...routeWords] = words;
  const { service, remote } = await openPlace(values, terminal);
  const row = { path: shownPath(path), updatedAt: '' };
  if (routeWords.length > 0) {
    const route = routeWords.join() === 'latest' ? [] : routesOf(routeWords);
    const { enabled } = await stateOf(remote, row);
    await service.call('POST', `${treePathOf(remote, path)}?op=edit-router`, { live: enabled, route });
  }
  const state = await stateOf(remote, row);
  return result(values, { path: row.path, routes: state.routes }, () => trafficText(state));
}

async function history(values: Values, [path = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { remote } = await openPlace(values, terminal);
  const limit = Number(limitOf(values));
  const read = async (): Promise<PastRevision[]> => {
    const rows: PastRevision[] = [];
    for await (const one of revisionsOf(remote, path)) {
      rows.push(one);
      if (limit > 0 && rows.length >= limit) break;
    }
    return rows;
  };
  const rows = await read();
  const cells = rows.map(({ revision, createdAt, isLatest, tags: names }) => [
    revision,
    createdAt.replace(/\.\d+Z$/, 'Z'),
    [...(isLatest ? ['latest'] : []), ...names].join(', '),
  ]);
  return result(values, rows, () => toTable([['REVISION', 'STORED', 'TAGS'], ...cells]));
}

/** The sources that are compared: by default that before the latest one, and the latest one. */
async function pair(remote: Remote, path: string, [from, to = 'latest']: readonly string[]): Promise<[Source, Source]> {
  const after = await sourceOf(remote, path, to);
  return [await sourceOf(remote, path, from ?? (await revisionBefore(remote, path)).revision), after];
}

async function diff(values: Values, [path = '', ...refs]: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { remote } = await openPlace(values, terminal);
  const [before, after] = await pair(remote, path, refs);
  const names = [before, after].map(({ revision }) => `${shownPath(path)}@${revision}`) as [string, string];
  const patch = before.text === after.text ? '' : patchOf(terminal, names, before.text, after.text);
  const record = { path: shownPath(path), from: before.revision, to: after.revision, patch };
  return result(values, record, () => (patch === '' ? 'no difference' : patch));
}

/** Stores the source of an older revision as the latest one. The revisions between them stay. */
async function rollback(values: Values, [path = '', ref]: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, remote } = await openPlace(values, terminal);
  const [target, latest] = await pair(remote, path, ref === undefined ? [] : [ref]);
  const record = { path: shownPath(path), from: latest.revision, to: target.revision };
  if (target.text === latest.text) return result(values, record, () => `${record.path} has this source already`);
  const patch = patchOf(terminal, [latest.revision, target.revision], latest.text, target.text);
  if (values['dry-run'] === true) return result(values, { ...record, patch }, () => patch);
  const url = `${treePathOf(remote, path)}?op=update-workflow`;
  const reply = await service.upload('POST', url, { body: Buffer.from(target.text) });
  const revision = textAt(reply, 'revision', 'name');
  return result(
    values,
    { ...record, revision },
    () => `${record.path} has the source of ${target.revision} again, as revision ${revision}`,
  );
}

/** The source of a workflow, or of the revision that a run ran. */
async function source(values: Values, [path]: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { run } = values;
  if (run === undefined) {
    if (path === undefined) throw new UsageError('give the path of a workflow, or a run with --run');
    return get(values, [path], terminal);
  }
  if (path !== undefined) throw new UsageError('--run names the workflow; leave out the path');
  const { service, remote } = await openPlace(values, terminal);
  const url = `${namespacePath(remote.namespace)}/instances/${encodeURIComponent(run)}?op=source`;
  const reply = await service.call('GET', url);
  const text = bytesAt(reply, 'revision', 'source').toString('utf8');
  return data(values.json ? toJson(reply) : text.replace(/\n$/, ''));
}

export const workflows = defineVerbs({
  about:
    'Lists, shows, checks, compares, pulls, moves, deletes, restores, enables and tags workflows, returns to an older revision, divides starts',
  usage: [
    'workflows [list [PATH]]',
    'workflows get PATH [--ref REF]',
    'workflows source PATH [--ref REF] | --run INSTANCE',
    'workflows history PATH [--limit N]',
    'workflows diff PATH [REF [REF]]',
    'workflows rollback PATH [REF] [--dry-run]',
    'workflows pull [PATH] [--output FOLDER] [--dry-run]',
    'workflows move PATH PATH',
    'workflows delete PATH... [--yes]',
    'workflows delete PATH --ref REF',
    'workflows deleted [PATH] [--limit N] | restore PATH [--ref REVISION]',
    'workflows save|discard PATH',
    'workflows enable|disable PATH...',
    'workflows tag PATH [TAG [--ref REF]]',
    'workflows untag PATH TAG',
    'workflows attributes PATH [--add NAME ...] [--remove NAME ...]',
    'workflows logger PATH [NAME | --off]',
    'workflows check PATH [--ref REF]',
    'workflows metrics PATH',
    'workflows machine PATH [--ref REF]',
    'workflows traffic PATH [REF=WEIGHT REF=WEIGHT | latest]',
  ],
  notes: [
    'pull writes the files from which push makes the same workflows: a/wf becomes a/wf.yaml, its variable v a/wf.yaml.v.',
    'A REF is a revision, a tag or latest. diff and rollback take the revision before the latest one by default.',
    'rollback stores the older source as a new revision; revisions of deleted workflows can be read while their runs are kept.',
    'restore creates a workflow, or those of a directory, that was deleted in the last 30 days, with its latest source.',
    'save keeps the latest revision when the next one is stored; discard returns from an unsaved one to that before it.',
    'logger sends the log lines of the workflow as events too, under this name.',
    'traffic PATH latest gives all starts to the latest revision.',
  ],
  options: OPTIONS,
  defaultVerb: 'list',
  verbs: {
    list: { takes: ['[PATH]'], run: list },
    get: { takes: ['PATH'], run: get },
    source: { takes: ['[PATH]'], run: source },
    history: { takes: ['PATH'], run: history },
    diff: { takes: ['PATH', '[REF]', '[REF]'], run: diff },
    rollback: { takes: ['PATH', '[REF]'], run: rollback },
    pull: { takes: ['[PATH]'], run: pullFiles },
    delete: { takes: ['PATH', '[PATH…]'], run: remove },
    deleted: { takes: ['[PATH]'], run: deleted },
    restore: { takes: ['PATH'], run: restore },
    enable: { takes: ['PATH', '[PATH…]'], run: toggle(true) },
    disable: { takes: ['PATH', '[PATH…]'], run: toggle(false) },
    move: { takes: ['PATH', 'PATH'], run: upkeep.move },
    save: { takes: ['PATH'], run: upkeep.save },
    discard: { takes: ['PATH'], run: upkeep.discard },
    attributes: { takes: ['PATH'], run: upkeep.attributes },
    logger: { takes: ['PATH', '[NAME]'], run: upkeep.logger },
    check: { takes: ['PATH'], run: upkeep.check },
    metrics: { takes: ['PATH'], run: upkeep.metrics },
    machine: { takes: ['PATH'], run: upkeep.machine },
    tag: { takes: ['PATH', '[TAG]'], run: tag },
    untag: { takes: ['PATH', 'TAG'], run: untag },
    traffic: { takes: ['PATH', '[REF=WEIGHT…]'], run: traffic },
  },
});
