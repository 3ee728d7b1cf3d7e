import * as runs from '../../domain/runs/runs.ts';
import type { AlertKind } from '../../events/alerts.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import type { EnginePorts } from '../ports.ts';

/** What an alert says: the input of the workflow that it starts, and the body of the request that it sends. */
export interface Alert {
  /** The same each time when the alert is sent again. */
  readonly id: string;
  readonly kind: AlertKind;
  readonly namespace: string;
  /** The path of the workflow, with a leading slash. */
  readonly workflow: string;
  readonly instance: string;
  readonly status: runs.Status;
  /** The error code, empty for a run that is late, and why the alert is sent. */
  readonly code: string;
  readonly message: string;
  /** The state in which it failed, or is; empty: in none. */
  readonly state: string;
  readonly started: string;
  /** When it failed or was late. */
  readonly time: string;
  /** The last lines of its log, the oldest first. */
  readonly log: readonly string[];
  /** The run in the console: a path if the URL of the service is not known. */
  readonly url: string;
  /** How many alerts of the workflow were left out since the one before. */
  readonly more: number;
  /** All of it in one line, as chat services show it. */
  readonly text: string;
}

/** The identity of an alert. */
interface AlertIdentity extends Pick<Alert, 'id' | 'kind' | 'more'> {
  /** When the run failed or was late, milliseconds since 1970. */
  readonly time: number;
}

const LAST_LINES = 5;
const MAX_LENGTH = 1000;

const shortened = (text: string): string => (text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`);

async function lastLines(ports: Pick<EnginePorts, 'table' | 'blobs'>, run: runs.Run): Promise<string[]> {
  const from = Math.max(run.flushed + run.tail.length - LAST_LINES, 0);
  const lines: string[] = [];
  for await (const part of runs.logParts(ports, run, from)) lines.push(...part.map(({ text }) => shortened(text)));
  return lines.slice(-LAST_LINES);
}

const addressOf = ({ settings }: Pick<EnginePorts, 'settings'>, { namespace, id }: runs.Run): string =>
  `${(settings.url ?? '').replace(/\/$/, '')}/ui/n/${namespace}/runs/${id}`;

/** The text of each kind of alert. */
const TEXTS: Readonly<Record<AlertKind, (alert: Omit<Alert, 'text'>) => string>> = {
  failed: ({ namespace, workflow, state, code, message }) =>
    `${namespace}${workflow} failed${state === '' ? '' : ` in '${state}'`}: ${code}: ${message}`,
  late: ({ namespace, workflow, state, message }) => `${namespace}${workflow} is late in '${state}': ${message}`,
};

const lateness = ({ settings }: runs.Run): string => `it was expected within ${settings.expected ?? ''}, and goes on`;

/** Writes the alert about a run as it is stored. */
export async function alertOf(
  ports: Pick<EnginePorts, 'table' | 'blobs' | 'settings'>,
  run: runs.Run,
  { id, kind, more, time }: AlertIdentity,
): Promise<Alert> {
  const { namespace, status, code } = run;
  const alert = {
    ...{ id, kind, namespace, workflow: run.path, instance: run.id, status, code },
    message: kind === 'late' ? lateness(run) : shortened(run.message),
    state: run.handling?.from ?? run.at,
    started: toTimestamp(run.created),
    time: toTimestamp(time),
    log: await lastLines(ports, run),
    url: addressOf(ports, run),
    more,
  };
  const others = more === 0 ? '' : ` (and ${more} more)`;
  return { ...alert, text: `${TEXTS[kind](alert)}${others} ${alert.url}` };
}
