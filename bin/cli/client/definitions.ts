import { setTimeout as sleep } from 'node:timers/promises';
import { barText } from '../shell/progress.ts';
import type { Terminal } from '../shell/terminal.ts';
import { at, textAt } from './replies.ts';
import { namespacePath, type Service } from './service.ts';

/** A namespace on a server. */
interface Place {
  readonly service: Pick<Service, 'send'>;
  readonly namespace: string;
}

/** The progress of a service on AWS in defining the state machines of the workflows that it has stored. */
export interface Definitions {
  readonly defined: number;
  readonly waiting: number;
  /** Those of all namespaces, which share the quota. */
  readonly waitingInAll: number;
  readonly failed: readonly { readonly path: string; readonly error: string }[];
}

/** AWS accepts one definition a second. */
const PER_MINUTE = 60;
const POLL_MS = 5_000;

/** How many state machines of a namespace are not defined yet. Undefined: the server has no such route. */
export async function definitionsOf({ service, namespace }: Place): Promise<Definitions | undefined> {
  const reply = await service.send('GET', `${namespacePath(namespace)}/definitions`);
  const body: unknown = await reply.json().catch(() => undefined);
  const failed: unknown = at(body, 'failed');
  if (!reply.ok || !Array.isArray(failed)) return undefined;
  const numberAt = (name: string): number => Number(textAt(body, name));
  return {
    defined: numberAt('defined'),
    waiting: numberAt('waiting'),
    waitingInAll: numberAt('waitingInAll'),
    failed: failed.map((one) => ({ path: textAt(one, 'path'), error: textAt(one, 'error') })),
  };
}

/** The machines that are not defined yet, as lines; none if everything is defined. */
export function definitionLines({ defined, waiting, waitingInAll, failed }: Definitions): string[] {
  const minutes = Math.ceil(waitingInAll / PER_MINUTE);
  const left =
    `${waiting} state machines wait for the quota of AWS, of one definition a second; ${defined} were defined since ` +
    `the first one had to wait. That takes about ${minutes} minutes or more, and goes on by itself; --wait shows it`;
  return [
    ...(waiting === 0 ? [] : [left]),
    ...failed.map(
      ({ path, error }) => `the state machine of ${path} could not be defined, and is tried again: ${error}`,
    ),
  ];
}

/** Waits until no state machine of the namespace waits for the quota, and shows how many are defined. */
export async function awaitDefinitions(
  place: Place,
  { drawStatus, signal }: Pick<Terminal, 'drawStatus' | 'signal'>,
  pollMs = POLL_MS,
): Promise<Definitions | undefined> {
  for (;;) {
    const now = await definitionsOf(place);
    if (now === undefined || now.waiting === 0) {
      drawStatus?.('');
      return now;
    }
    const { defined, waiting, failed } = now;
    drawStatus?.(barText('state machines', defined, defined + waiting + failed.length));
    await sleep(pollMs, undefined, { signal });
  }
}
