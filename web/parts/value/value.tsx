import { useSignal } from '@preact/signals';
import { now } from '../../data/browser/clock.ts';
import { useDerived } from '../../data/browser/derived.ts';
import { cutMiddle } from '../../data/format/text.ts';
import { duration, exactTime, instantOf, relativeTime } from '../../data/format/time.ts';
import { Icon } from '../icon/icon.tsx';

/** A relative time, with the exact time on hover. */
export function Time({ at }: { readonly at: string | number }) {
  const instant = typeof at === 'number' ? at : instantOf(at);
  const text = useDerived(() => relativeTime(instant, now.value), [instant]);
  if (Number.isNaN(instant)) return <span>never</span>;
  return (
    <time dateTime={new Date(instant).toISOString()} title={exactTime(instant)}>
      {text}
    </time>
  );
}

/** The time between two instants, or from one until now while `to` is undefined. */
export function Duration({ from, to }: { readonly from: string | number; readonly to?: string | number | undefined }) {
  const start = typeof from === 'number' ? from : instantOf(from);
  const end = to === undefined || typeof to === 'number' ? to : instantOf(to);
  const text = useDerived(() => duration((end ?? now.value) - start), [start, end]);
  return <span class="duration">{text}</span>;
}

const SHOWN_MS = 1200;

/** A button that copies a text. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const isCopied = useSignal(false);
  const copy = async (event: MouseEvent) => {
    event.preventDefault();
    event.stopPropagation();
    await navigator.clipboard.writeText(text);
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, SHOWN_MS);
  };
  const words = isCopied.value ? 'Copied' : label;
  return (
    <button type="button" class="copy" title={words} aria-label={words} onClick={copy}>
      <Icon name={isCopied.value ? 'check' : 'copy'} size={14} />
    </button>
  );
}

interface IdProps {
  readonly id: string;
  /** The name of the id for the button that copies it. */
  readonly of?: string;
  readonly href?: string;
}

/** A shortened id with a button that copies it. */
export function Id({ id, of = 'id', href }: IdProps) {
  const text = cutMiddle(id);
  return (
    <span class="id">
      {href === undefined ? (
        <code title={id}>{text}</code>
      ) : (
        <a class="link" href={href} title={id}>
          <code>{text}</code>
        </a>
      )}
      <CopyButton text={id} label={`Copy ${of}`} />
    </span>
  );
}
