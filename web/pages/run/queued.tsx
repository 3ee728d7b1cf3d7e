import type { WaitingReply } from '../../../clients/api/operations.ts';
import { numeric } from '../../data/format/text.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { Id } from '../../parts/value/value.tsx';

/** The place of a run in the queue of its workflow. */
export type Queue = NonNullable<WaitingReply['concurrency']>;

/** Says where a queued run stands, and which runs have the places. */
export function Queued({ namespace, queue }: { readonly namespace: string; readonly queue: Queue }) {
  const { key, place, heldBy } = queue;
  return (
    <div class="reason resting-reason">
      <Icon name="wait" />
      <div class="grows">
        <p>
          Number {numeric(place)} in the queue of its workflow
          {key !== '' && (
            <>
              {' '}
              for the key <code>{key}</code>
            </>
          )}
        </p>
        {heldBy.length > 0 && (
          <p class="quiet">
            At work:{' '}
            {heldBy.map((id) => (
              <Id key={id} id={id} href={addresses.run(namespace, id)} />
            ))}
          </p>
        )}
      </div>
    </div>
  );
}
