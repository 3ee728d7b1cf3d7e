import type { Status } from '../../data/runs/status.ts';
import { STATUS_WORDS } from '../../data/runs/status.ts';

/** The shape of each status: colour must not be the only distinction. */
const SHAPES: Readonly<Record<Status, string>> = {
  running: 'M8 2.5a5.5 5.5 0 1 1-5.5 5.5',
  queued: 'M3 4h10M3 8h7M3 12h4',
  waiting: 'M5 3h6M5 13h6M6 3c0 2.5 1.3 3.5 2 5 .7-1.5 2-2.5 2-5M6 13c0-2.5 1.3-3.5 2-5 .7 1.5 2 2.5 2 5',
  complete: 'M3.5 8.5l3 3 6-7',
  failed: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  crashed: 'M8 2.5l5.5 10.5h-11zM8 6.5v2.5M8 11h.01',
  cancelled: 'M8 2.5a5.5 5.5 0 1 0 .01 0M4.2 11.7l7.6-7.4',
  timedout: 'M8 2.5a5.5 5.5 0 1 0 .01 0M8 5v3.2l2 1.3',
};

/** The mark of a status alone, with its word for screen readers. */
export function StatusMark({ status }: { readonly status: Status }) {
  return (
    <svg class={`status-mark is-${status}`} width="16" height="16" viewBox="0 0 16 16" role="img">
      <title>{STATUS_WORDS[status]}</title>
      <path d={SHAPES[status]} />
    </svg>
  );
}

/** The mark of a status and its word. */
export function StatusWord({ status }: { readonly status: Status }) {
  return (
    <span class={`status is-${status}`}>
      <svg class={`status-mark is-${status}`} width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
        <path d={SHAPES[status]} />
      </svg>
      {STATUS_WORDS[status]}
    </span>
  );
}
