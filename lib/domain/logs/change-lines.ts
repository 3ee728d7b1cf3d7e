import type { Ports } from '../../ports/ports.ts';
import { type LogOwner, writeLine as write } from './lines.ts';
import { bare } from './records.ts';

type Owners = { readonly [Scope in LogOwner['scope']]: Omit<Extract<LogOwner, { readonly scope: Scope }>, 'scope'> };

const WRITTEN = { create: 'Created', update: 'Updated', delete: 'Deleted' } as const;
type Change = keyof typeof WRITTEN;

/** The maximum length of a line in the message that it could not be written. */
const MAX_SHOWN = 200;

interface Line {
  readonly log: LogOwner['scope'];
  readonly text: (...facts: never[]) => string;
}

/** The log lines about changes; users of the original know these texts (rest-api reference, 12). */
const LINES = {
  'namespace.create': { log: 'server', text: (name: string) => `Created namespace '${name}'.` },
  'namespace.delete': { log: 'server', text: (name: string) => `Deleted namespace '${name}'.` },
  'node.create': { log: 'namespace', text: (type: string, path: string) => `Created ${type} '${path}'.` },
  'node.delete': { log: 'namespace', text: (type: string, path: string) => `Deleted ${type} '${path}'.` },
  'node.rename': {
    log: 'namespace',
    text: (type: string, from: string, to: string) => `Renamed ${type} from '${bare(from)}' to '${bare(to)}'.`,
  },
  'namespace.variable': {
    log: 'namespace',
    text: (change: Change, name: string) => `${WRITTEN[change]} namespace variable '${name}'.`,
  },
  'namespace.secret': {
    log: 'namespace',
    text: (change: Change, name: string) => `${WRITTEN[change]} namespace secret '${name}'.`,
  },
  'event.replay': {
    log: 'namespace',
    text: (event: { readonly id: string; readonly type: string; readonly source: string }) =>
      `Replaying event: ${event.id} (${event.type} / ${event.source})`,
  },
  'webhook.refuse': {
    log: 'namespace',
    text: (path: string, reason: string, minutes: number) =>
      `Refused a request to the webhook of '${path}': ${reason}. Further ones in the next ${minutes} minutes are not logged.`,
  },
  'workflow.update': { log: 'workflow', text: () => 'Updated workflow.' },
  'workflow.toggle': {
    log: 'workflow',
    text: (isLive: boolean) => `Workflow is now ${isLive ? 'enabled' : 'disabled'}`,
  },
  'schedule.skip': {
    log: 'workflow',
    text: (planned: string, reason: string) => `Did not start for the planned time ${planned}: ${reason}.`,
  },
  'schedule.omit': {
    log: 'workflow',
    text: (from: string, to: string) =>
      `Did not start for the planned times after ${from} until ${to}: too many were missed. 'weft schedules backfill' with --from ${from} --to ${to} starts them.`,
  },
  'schedule.miss': {
    log: 'workflow',
    text: (from: string, before: string) =>
      `Did not start for the planned times from ${from} and before ${before}: the service did not run then, and 'missed' is not 'all'. 'weft schedules backfill' with --from ${from} --to ${before} starts them.`,
  },
  'workflow.logger': { log: 'workflow', text: (logger: string) => `Workflow now logging to cloudevents: ${logger}` },
  'workflow.variable': {
    log: 'workflow',
    text: (change: Change, name: string) => `${WRITTEN[change]} workflow variable '${name}'.`,
  },
  'revision.save': { log: 'workflow', text: (revision: string) => `Saved workflow: ${revision}.` },
  'revision.tag': {
    log: 'workflow',
    text: (tag: string, revision: string) => `Tagged workflow: ${tag} -> ${revision}.`,
  },
  'revision.untag': { log: 'workflow', text: (tag: string) => `Deleted workflow tag: ${tag}.` },
  'revision.delete': { log: 'workflow', text: (revision: string) => `Deleted workflow revision: ${revision}.` },
  'revision.discard': { log: 'workflow', text: () => 'Discard unsaved changes to workflow.' },
} as const satisfies Record<string, Line>;

type Kind = keyof typeof LINES;
type Facts<K extends Kind> = Parameters<(typeof LINES)[K]['text']>;

/**
 * Writes the line about a change into its log. Never throws, because the change was made already: a line that cannot be
 * written is reported on the console.
 */
export async function note<K extends Kind>(
  ports: Pick<Ports, 'table' | 'clock' | 'settings'>,
  kind: K,
  owner: Owners[(typeof LINES)[K]['log']],
  ...facts: Facts<K>
): Promise<void> {
  const { log, text } = LINES[kind];
  const line = (text as (...all: Facts<K>) => string)(...facts);
  await write(ports, { ...owner, scope: log } as LogOwner, line).catch((error: unknown) => {
    console.error(`cannot write the line '${line.slice(0, MAX_SHOWN)}' into the log`, error);
  });
}
