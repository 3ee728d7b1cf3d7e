import { at, bytesAt, textAt, textsAt } from '../client/replies.ts';
import { CommandFailedError, type Outcome, result, success, toJson, toTable, UsageError } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';
import { findNode, type Remote, treePathOf } from '../transfer/remote.ts';
import { missingNode, shownPath } from './listing.ts';
import { openPlace, type Values } from './options.ts';

type Verb = (values: Values, args: readonly string[], terminal: Terminal) => Promise<Outcome>;

/** The URL of an operation on a workflow. */
const urlOf = (remote: Remote, path: string, query: Readonly<Record<string, string>>): string =>
  `${treePathOf(remote, path)}?${new URLSearchParams(query)}`;

/** A plain list in a reply; empty if there is none. */
const listAt = (reply: unknown, name: string): unknown[] => {
  const found = at(reply, name);
  return Array.isArray(found) ? found : [];
};

/** The error of a move, which names the mistake in its target. */
function moveFailure(error: unknown, { namespace }: Remote, target: string): unknown {
  const status = error instanceof CommandFailedError ? error.status : undefined;
  const folder = target.replace(/\/?[^/]*$/, '');
  if (status === 409) return new CommandFailedError(`there is '${target}' in '${namespace}' already`, status);
  if (status === 404) return new CommandFailedError(`no directory '${folder}' in '${namespace}'`, status);
  return error;
}

/** Moves or renames a workflow with its revisions and variables. */
export const move: Verb = async (values, [path = '', to = ''], terminal) => {
  const { service, remote } = await openPlace(values, terminal);
  const target = shownPath(to);
  if ((await findNode(remote, path)) === undefined) throw missingNode(remote, path);
  const url = urlOf(remote, path, { op: 'rename-node' });
  await service.call('POST', url, { new: `/${target}` }).catch((error: unknown) => {
    throw moveFailure(error, remote, target);
  });
  return result(values, { path: shownPath(path), moved: target }, () => `moved ${shownPath(path)} to ${target}`);
};

/** An operation that makes a revision the latest one, or keeps it, and answers the revision. */
const changing =
  (op: string, done: string): Verb =>
  async (values, [path = ''], terminal) => {
    const { service, remote } = await openPlace(values, terminal);
    const revision = textAt(await service.call('POST', urlOf(remote, path, { op })), 'revision', 'name');
    return result(values, { path: shownPath(path), revision }, () => `${shownPath(path)}: ${done} ${revision}`);
  };

/** Saves the latest revision, so that the next update keeps it. */
export const save = changing('save-workflow', 'saved the revision');

/** Discards the latest revision if it is not saved. */
export const discard = changing('discard-workflow', 'the latest revision is');

/** Deletes a saved revision without tags: `delete PATH --ref REF`. */
export const removeRevision: Verb = async (values, paths, terminal) => {
  const { ref = '' } = values;
  const [path = '', ...more] = paths;
  if (more.length > 0) throw new UsageError('--ref names a revision of one workflow; give one path');
  const { service, remote } = await openPlace(values, terminal);
  await service.call('POST', urlOf(remote, path, { op: 'delete-revision', ref }));
  return result(values, { path: shownPath(path), deleted: ref }, () => `deleted ${shownPath(path)} ${ref}`);
};

/** Prints the attributes of a workflow after it added and removed some. */
export const attributes: Verb = async ({ add = [], remove = [], ...values }, [path = ''], terminal) => {
  const { service, remote } = await openPlace(values, terminal);
  if (add.length > 0)
    await service.call('PUT', urlOf(remote, path, { op: 'create-node-attributes' }), { attributes: add });
  if (remove.length > 0)
    await service.call('DELETE', urlOf(remote, path, { op: 'delete-node-attributes' }), { attributes: remove });
  const names = textsAt(await service.call('GET', treePathOf(remote, path)), 'node', 'attributes');
  return result(values, names, () => (names.length === 0 ? 'no attributes' : names.join('\n')));
};

/** Prints the name under which the log lines of a workflow are also sent as events, and sets it. */
export const logger: Verb = async (values, [path = '', name], terminal) => {
  if (name !== undefined && values.off === true) throw new UsageError('give either a name or --off');
  const { service, remote } = await openPlace(values, terminal);
  const wanted = values.off === true ? '' : name;
  if (wanted !== undefined)
    await service.call('POST', urlOf(remote, path, { op: 'set-workflow-event-logging' }), { logger: wanted });
  const present = textAt(await service.call('GET', treePathOf(remote, path)), 'eventLogging');
  return result(values, { path: shownPath(path), logger: present }, () => present || 'no logger');
};

/** Checks a stored revision: the findings of the linter, whether it compiles, and the division of starts. */
export const check: Verb = async (values, [path = ''], terminal) => {
  const { ref = 'latest' } = values;
  const { service, remote } = await openPlace(values, terminal);
  const stored = await service.call('GET', `${treePathOf(remote, path)}?ref=${encodeURIComponent(ref)}`);
  const body = Buffer.from(bytesAt(stored, 'revision', 'source'));
  const linted = await service.upload('POST', urlOf(remote, path, { op: 'validate' }), { body });
  const verdicts = await Promise.all([
    service.call('POST', urlOf(remote, path, { op: 'validate-ref', ref })),
    service.call('POST', urlOf(remote, path, { op: 'validate-router' })),
  ]);
  const reasons = verdicts.flatMap((verdict) => (at(verdict, 'invalid') === true ? [textAt(verdict, 'reason')] : []));
  const problems = listAt(linted, 'problems');
  const lines = problems.map(
    (one) => `${shownPath(path)}:${textAt(one, 'line')}:${textAt(one, 'column')}: ${textAt(one, 'message')}`,
  );
  const record = { path: shownPath(path), ref, problems, reasons };
  const text = values.json ? toJson(record) : [...lines, ...reasons].join('\n') || `${record.path} ${ref}: no problems`;
  const isSuccess = reasons.length === 0 && !problems.some((one) => textAt(one, 'severity') === 'error');
  return { text, isSuccess };
};

/** Runs, failures and times of a workflow, and of each of its states. */
export const metrics: Verb = async (values, [path = ''], terminal) => {
  const { service, remote } = await openPlace(values, terminal);
  const flow = await service.call('GET', urlOf(remote, path, { op: 'metrics-sankey' }));
  return result(values, flow, () => {
    const [runs, complete, failed, mean] = [
      'totalInstancesRun',
      'successfulExecutions',
      'failedExecutions',
      'meanInstanceMilliseconds',
    ].map((name) => textAt(flow, name));
    if (runs === '0') return 'no runs';
    const times = listAt(flow, 'states').map((state) => [
      ...['name', 'totalExecutions', 'totalFailures', 'totalRetries'].map((name) => textAt(state, name)),
      meanOf(textAt(state, 'totalMilliseconds'), textAt(state, 'totalExecutions')),
    ]);
    const sum = `runs ${runs}, complete ${complete}, failed ${failed}, mean ${Math.round(Number(mean))} ms`;
    return `${sum}\n${toTable([['STATE', 'TIMES', 'FAILED', 'RETRIED', 'MEAN MS'], ...times])}`;
  });
};

const meanOf = (sum: string, times: string): string =>
  times === '0' ? '' : String(Math.round(Number(sum) / Number(times)));

/** The state machine that a workflow was compiled to, in the Amazon States Language. */
export const machine: Verb = async (values, [path = ''], terminal) => {
  const { service, remote } = await openPlace(values, terminal);
  const { ref = 'latest' } = values;
  const reply = await service.call('GET', urlOf(remote, path, { op: 'machine', ref }));
  const definition = at(reply, 'definition');
  if (definition === undefined) throw new CommandFailedError(`'${shownPath(path)}' has no state machine`);
  return success(toJson(values.json ? reply : definition));
};
