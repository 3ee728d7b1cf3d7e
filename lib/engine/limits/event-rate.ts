import { tooMany } from '../../domain/errors.ts';
import type { Namespace } from '../../domain/namespaces/namespaces.ts';
import { mostOf, noRoom } from '../../domain/quotas.ts';
import type { EnginePorts } from '../ports.ts';
import { StartBlocks } from './start-blocks.ts';
import { StartRate } from './start-rate.ts';

type Needs = Pick<EnginePorts, 'table' | 'clock' | 'settings'>;
type Limited = Pick<Namespace, 'id' | 'limits'>;

/** What a process of several takes in a period without a call of the table: few events cost none. */
const UNREAD = 20;

/** A quota of nothing has no time after which there is room. */
const MAX_RETRY_S = 3600;

const rate = new StartRate();
const blocks = new StartBlocks('events', UNREAD);

const isShared = ({ settings }: Needs): boolean => settings.limits?.countedBy === 'table';
const mostFor = ({ settings }: Needs, { limits }: Limited): number => mostOf(settings, 'eventsPerSecond', limits);

/**
 * Admits events that a request sends; those that runs send are bounded by the runs. Throws `too-many`, with the seconds after
 * which a new attempt may succeed.
 */
export async function needEvents(ports: Needs, namespace: Limited, count: number): Promise<void> {
  const perSecond = mostFor(ports, namespace);
  const retryMs = isShared(ports)
    ? await blocks.take(ports, namespace.id, perSecond, count)
    : rate.take(namespace.id, perSecond, ports.clock.now(), count);
  if (retryMs === 0) return;
  throw tooMany(noRoom('eventsPerSecond', perSecond), Math.min(Math.ceil(retryMs / 1000), MAX_RETRY_S));
}

/** How many events a second requests have sent to a namespace in the last ten seconds. */
export async function eventsPerSecond(ports: Needs, namespace: Limited): Promise<number> {
  const perSecond = mostFor(ports, namespace);
  return isShared(ports) ? blocks.taken(ports, namespace.id) : rate.taken(namespace.id, perSecond, ports.clock.now());
}
