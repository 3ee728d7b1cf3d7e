import type { WaitingReply } from '../../../clients/api/operations.ts';
import { numeric } from '../../data/format/text.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { Id, Time } from '../../parts/value/value.tsx';

/** The place of a run in the queue of its workflow, or the time until which it is held back. */
export type Queue = NonNullable<WaitingReply['concurrency'] | WaitingReply['held']>;

const OfKey = ({ name }: { readonly name: string }) =>
  name === '' ? null : (
    <>
      {' '}
      for the key <code>{name}</code>
    </>
  );

/** Says where a queued run stands and which runs have the places, or until when it is held back. */
export function Queued({ namespace, queue }: { readonly namespace: string; readonly queue: Queue }) {
  const { key } = queue;
  if ('until' in queue) {
    return (
      <div class="reason resting-reason">
        <Icon name="wait" />
        <p>
          Held back by the {queue.by} of its workflow
          <OfKey name={key} /> until <Time at={queue.until} />
        </p>
      </div>
    );
  }
  const { place, heldBy } = queue;
  return (
    <div class="reason resting-reason">
      <Icon name="wait" />
      <div class="grows">
        <p>
          Number {numeric(place)} in the queue of its workflow
          <OfKey name={key} />
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
