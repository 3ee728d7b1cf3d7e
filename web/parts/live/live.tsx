import type { StreamState } from '../../data/api/streams.ts';

const WORDS: Readonly<Record<StreamState, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  stale: 'Reconnecting',
  ended: 'Not live',
};

const HINTS: Readonly<Record<StreamState, string>> = {
  connecting: 'The first values are on their way',
  live: 'Changes appear by themselves',
  stale: 'The connection was lost: what is shown may be out of date',
  ended: 'Changes do not appear by themselves',
};

/** The state of a stream as a mark. */
export function LiveMark({ state }: { readonly state: StreamState }) {
  return (
    <span class={`live-mark stream-${state}`} title={HINTS[state]} role="status">
      <span class="live-dot" aria-hidden="true" />
      {WORDS[state]}
    </span>
  );
}
