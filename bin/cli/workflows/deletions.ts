import { listAt, textAt, textsAt } from '../client/replies.ts';
import type { Service } from '../client/service.ts';
import { type Outcome, result, toJson, toTable } from '../shell/command.ts';
import { limitOf } from '../shell/limit.ts';
import type { Terminal } from '../shell/terminal.ts';
import { treePathOf } from '../transfer/remote.ts';
import { shownPath } from './listing.ts';
import { openPlace, type Values } from './options.ts';

/** The replies of all pages of a call. */
async function* pagesOf(service: Service, method: string, path: string): AsyncGenerator<unknown> {
  const separator = path.includes('?') ? '&' : '?';
  for (let cursor = ''; ; ) {
    const reply = await service.call(method, cursor === '' ? path : `${path}${separator}cursor=${cursor}`);
    yield reply;
    cursor = encodeURIComponent(textAt(reply, 'next'));
    if (cursor === '') return;
  }
}

/** Lists the deleted workflows that can be restored, the newest deletion first. */
export async function deleted(values: Values, [path = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, remote } = await openPlace(values, terminal);
  const limit = Number(limitOf(values));
  const rows: unknown[] = [];
  for await (const reply of pagesOf(service, 'GET', `${treePathOf(remote, path)}?op=deletions`)) {
    rows.push(...listAt(reply, 'deleted'));
    if (limit > 0 && rows.length >= limit) break;
  }
  const shown = limit > 0 ? rows.slice(0, limit) : rows;
  const timeOf = (row: unknown, name: string) => textAt(row, name).replace(/\.\d+Z$/, 'Z');
  const cells = shown.map((row) => [
    shownPath(textAt(row, 'path')),
    timeOf(row, 'deletedAt'),
    timeOf(row, 'restorableUntil'),
    textAt(row, 'revision'),
  ]);
  return result(values, shown, () =>
    cells.length === 0
      ? 'nothing can be restored'
      : toTable([['PATH', 'DELETED', 'RESTORABLE UNTIL', 'REVISION'], ...cells]),
  );
}

/** Creates a deleted workflow again, or the workflows of a deleted directory: the newest deletion, or that of `--ref`. */
export async function restore(values: Values, [path = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, remote } = await openPlace(values, terminal);
  const ref = values.ref === undefined ? '' : `&ref=${encodeURIComponent(values.ref)}`;
  const restored: string[] = [];
  const failed: { readonly path: string; readonly message: string }[] = [];
  for await (const reply of pagesOf(service, 'POST', `${treePathOf(remote, path)}?op=restore${ref}`)) {
    restored.push(...textsAt(reply, 'restored').map(shownPath));
    const rows = listAt(reply, 'failed');
    failed.push(...rows.map((row) => ({ path: shownPath(textAt(row, 'path')), message: textAt(row, 'message') })));
  }
  const lines = [
    ...restored.map((one) => `restored ${one}`),
    ...failed.map((one) => `not restored ${one.path}: ${one.message}`),
  ];
  return { text: values.json ? toJson({ restored, failed }) : lines.join('\n'), isSuccess: failed.length === 0 };
}
