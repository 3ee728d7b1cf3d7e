import type { WaitingReply } from '../../../clients/api/operations.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { Time } from '../../parts/value/value.tsx';

type NearMiss = NonNullable<WaitingReply['waiting']>['nearMisses'][number];

const MOST_SHOWN = 3;

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value)) ?? 'nothing';

interface NearMissesProps {
  readonly namespace: string;
  /** The newest first. */
  readonly misses: readonly NearMiss[];
}

/** Events that did not match, with the attribute that differed. */
export function NearMisses({ namespace, misses }: NearMissesProps) {
  if (misses.length === 0) return null;
  return (
    <ul class="near-misses">
      {misses.slice(0, MOST_SHOWN).map(({ event, receivedAt, type, attribute, expected, found }) => (
        <li key={`${event} ${attribute}`}>
          Near miss <Time at={receivedAt} />:{' '}
          <a class="link" href={addresses.event(namespace, event)}>
            {type}
          </a>{' '}
          had{' '}
          <code>
            {attribute}={shown(found)}
          </code>
          , not <code>{shown(expected)}</code>
        </li>
      ))}
    </ul>
  );
}
