import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { parseJson } from '../../../clients/api/numbers.ts';
import { Json } from '../json/json.tsx';
import { Skeleton } from '../note/note.tsx';

interface ValueProps {
  readonly bytes: Blob;
  readonly type: string;
  readonly name: string;
}

const HEX_BYTES = 512;
const PER_LINE = 16;

/** The bytes as hexadecimal numbers and letters. */
function hexOf(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let start = 0; start < bytes.length; start += PER_LINE) {
    const part = [...bytes.slice(start, start + PER_LINE)];
    const numbers = part.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const letters = part.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '·')).join('');
    lines.push(`${start.toString(16).padStart(6, '0')}  ${numbers.padEnd(PER_LINE * 3)} ${letters}`);
  }
  return lines.join('\n');
}

type Shown = { readonly json: unknown } | { readonly text: string } | { readonly hex: string };

async function shownOf(bytes: Blob, type: string): Promise<Shown> {
  const all = new Uint8Array(await bytes.arrayBuffer());
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(all);
    if (/json/.test(type)) return { json: parseJson(text) };
    if (!text.includes('\0')) return { text };
  } catch {
    // Neither JSON nor text: its bytes are shown.
  }
  return { hex: hexOf(all.slice(0, HEX_BYTES)) };
}

/** A picture. In an `img` element, a script inside of it does not run. */
function Picture({ bytes, name }: Omit<ValueProps, 'type'>) {
  const url = useSignal('');
  useEffect(() => {
    const made = URL.createObjectURL(bytes);
    url.value = made;
    return () => URL.revokeObjectURL(made);
  }, [bytes, url]);
  return url.value === '' ? null : <img class="variable-picture" src={url.value} alt={name} />;
}

/** A value as JSON, text, a picture or bytes. */
export function Value({ bytes, type, name }: ValueProps) {
  const shown = useSignal<Shown | undefined>(undefined);
  const isPicture = type.startsWith('image/');
  useEffect(() => {
    if (isPicture) return;
    void shownOf(bytes, type).then((value) => {
      shown.value = value;
    });
  }, [bytes, type, isPicture, shown]);
  if (isPicture) return <Picture bytes={bytes} name={name} />;
  if (shown.value === undefined) return <Skeleton />;
  if ('json' in shown.value) return <Json value={shown.value.json} label={name} />;
  if ('text' in shown.value) return <pre class="variable-text">{shown.value.text || '(an empty text)'}</pre>;
  return <pre class="variable-text">{shown.value.hex}</pre>;
}
