import { useEffect } from 'preact/hooks';
import { call } from '../data/api/client.ts';
import { askNow, lastingTrouble, type Trouble, trouble } from '../data/api/reach.ts';
import { now } from '../data/browser/clock.ts';
import { useDerived } from '../data/browser/derived.ts';
import { duration, relativeTime } from '../data/format/time.ts';
import { Button } from '../parts/button/button.tsx';
import { Icon } from '../parts/icon/icon.tsx';

const WORDS: Readonly<Record<Trouble['kind'], string>> = {
  away: 'The service does not answer',
  busy: 'The service has too much to do',
};

/** Asks again when the service may be asked: a page without streams would not notice that it is back. */
function useProbe(one: Trouble | undefined): void {
  useEffect(() => {
    if (one === undefined) return undefined;
    const timer = setTimeout(
      () => {
        askNow();
        // The call itself notes its failure.
        call('getVersion', {}).catch(() => {});
      },
      Math.max(0, one.until - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [one]);
}

/** Shows that the service is away or busy, since when, and when it is asked again; until then no page is up to date. */
export function Reach() {
  useProbe(trouble.value);
  const one = lastingTrouble.value;
  const next = useDerived(() => (one === undefined ? '' : relativeTime(one.until, now.value)), [one]).value;
  if (one === undefined) return null;
  return (
    <div class="reach" role="status">
      <Icon name="warning" />
      <span class="grows">
        <strong>{WORDS[one.kind]}</strong>, since {duration(now.value - one.since)}. What is shown may be out of date;
        what you type is kept. {one.kind === 'busy' && <span class="quiet">{one.message}</span>}
      </span>
      <span class="quiet">{one.until > now.value ? `asked again ${next}` : 'asking …'}</span>
      <Button kind="bare" icon="retry" onClick={askNow}>
        Ask now
      </Button>
    </div>
  );
}
