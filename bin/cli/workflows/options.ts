import { needNamespace, openService, type Service } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import type { ValuesOf } from '../shell/command.ts';
import { limitOption } from '../shell/limit.ts';
import { paint, type Terminal } from '../shell/terminal.ts';
import type { Remote } from '../transfer/remote.ts';

/** The options of `weft workflows`. */
export const OPTIONS = {
  ref: {
    type: 'string',
    value: 'REF',
    help: 'get, source, tag, check, machine, delete: revision, tag or latest (default: latest); restore: of deleted',
  },
  output: { type: 'string', short: 'o', value: 'FOLDER', help: 'pull: the folder to write to (default: this folder)' },
  'keep-extension': { type: 'boolean', help: 'pull: write the workflow wf.yaml to the file wf.yaml, not wf.yaml.yaml' },
  'dry-run': { type: 'boolean', help: 'pull, rollback: print what would be written' },
  run: { type: 'string', value: 'INSTANCE', help: 'source: the revision that this run ran' },
  add: { type: 'string', multiple: true, value: 'NAME', help: 'attributes: an attribute that the workflow gets' },
  remove: { type: 'string', multiple: true, value: 'NAME', help: 'attributes: an attribute that the workflow loses' },
  off: { type: 'boolean', help: 'logger: send no more events' },
  limit: limitOption('revisions or deletions'),
  yes: { type: 'boolean', short: 'y', help: 'delete: do not ask for confirmation' },
  ...NAMESPACE_OPTION,
  ...TARGET_OPTIONS,
} as const;

/** Their values. */
export type Values = ValuesOf<typeof OPTIONS>;

/** The service, and the namespace in it that a verb acts on. */
export interface Place {
  readonly service: Service;
  readonly remote: Remote;
}

/** The place that the options select. Notes are printed as status. Throws UsageError. */
export async function openPlace(values: Values, terminal: Terminal): Promise<Place> {
  const service = await openService(values, terminal);
  const note = (text: string) => terminal.printStatus(paint(terminal, 'yellow', `note: ${text}`));
  return { service, remote: { service, namespace: needNamespace(service), note } };
}
