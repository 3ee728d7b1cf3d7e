import { addDuration, parseDuration } from '../../time/durations.ts';

/** The milliseconds of an ISO 8601 duration from 1970 on; undefined for another text. */
export function lengthOf(text: string | undefined): number | undefined {
  const duration = text === undefined ? undefined : parseDuration(text);
  return duration === undefined ? undefined : addDuration(0, duration);
}

const UNITS: readonly { readonly names: RegExp; readonly unit: string; readonly isTime: boolean }[] = [
  { names: /^(s|sec|secs|seconds?)$/, unit: 'S', isTime: true },
  { names: /^(m|min|mins|minutes?)$/, unit: 'M', isTime: true },
  { names: /^(h|hrs?|hours?)$/, unit: 'H', isTime: true },
  { names: /^(d|days?)$/, unit: 'D', isTime: false },
  { names: /^(w|weeks?)$/, unit: 'W', isTime: false },
];

/** `90s`, `5 minutes`, `1h30m`. */
function fromWords(text: string): string | undefined {
  const parts = [...text.matchAll(/(\d+)\s*([a-z]+)\s*/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined;
  const units = parts.map(([, count = '', name = '']) => ({ count, row: UNITS.find(({ names }) => names.test(name)) }));
  const of = (isTime: boolean) =>
    units.flatMap(({ count, row }) => (row?.isTime === isTime ? [`${count}${row.unit}`] : [])).join('');
  if (units.some(({ row }) => row === undefined)) return undefined;
  return `P${of(false)}${of(true) === '' ? '' : `T${of(true)}`}`;
}

/** `PT0.5S` is rounded up, `P30S` lacks its T, `00:05:00` is hours, minutes and seconds. */
function fromIso(text: string): string | undefined {
  const upper = text.toUpperCase();
  const clock = /^(\d+):(\d\d)(?::(\d\d))?$/.exec(text);
  if (clock !== null) {
    const [, hours = 0, minutes = 0, seconds = 0] = clock.map(Number);
    return `PT${
      [
        [hours, 'H'],
        [minutes, 'M'],
        [seconds || 0, 'S'],
      ]
        .filter(([count]) => count !== 0)
        .join('')
        .replaceAll(',', '') || '0S'
    }`;
  }
  const fraction = /^PT(\d+)[.,](\d+)S$/.exec(upper);
  if (fraction !== null) return `PT${Number(fraction[1]) + 1}S`;
  if (/^\d+$/.test(text)) return `PT${text}S`;
  if (/^T?(\d+[HMS])+$/.test(upper)) return `PT${upper.replace(/^T/, '')}`;
  if (/^P(\d+[HS])+$/.test(upper)) return upper.replace('P', 'PT');
  return upper;
}

/** Longer texts are not read as durations: the expressions take quadratic time. */
const MAX_CHARACTERS = 100;

/** The ISO 8601 duration that a text in another notation means; undefined if it is not clear. */
export function durationFrom(text: string): string | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const trimmed = text.trim();
  const found = fromWords(trimmed.toLowerCase()) ?? fromIso(trimmed);
  return found !== undefined && found !== text && parseDuration(found) !== undefined ? found : undefined;
}
