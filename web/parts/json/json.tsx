import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Button } from '../button/button.tsx';
import { Search } from '../filter/filter.tsx';
import { Icon } from '../icon/icon.tsx';
import { CopyButton } from '../value/value.tsx';
import { CHUNK, type JsonRow, pathsWith, rowsOf } from './rows.ts';

const OPEN_DEPTH = 3;
const LONGEST = 400;
/** With fewer rows, there is no search field. */
const FEW_ROWS = 16;

const BRACKETS: Readonly<Record<string, readonly [string, string]>> = { object: ['{', '}'], array: ['[', ']'] };

function textOf({ kind, value, size, isOpen }: JsonRow): string {
  const [open, close] = BRACKETS[kind] ?? ['', ''];
  if (kind === 'object' || kind === 'array')
    return isOpen ? '' : size === 0 ? `${open}${close}` : `${open}…${close} ${size}`;
  if (kind === 'text') return String(value);
  const text = JSON.stringify(value) ?? '';
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

const copied = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

interface RowProps {
  readonly row: JsonRow;
  readonly isFound: boolean;
  readonly onToggle: (row: JsonRow) => void;
}

function Row({ row, isFound, onToggle }: RowProps) {
  const canOpen = row.isOpen || ((row.kind === 'object' || row.kind === 'array') && row.size > 0) || row.size > 1;
  const look = { paddingLeft: `${Math.max(0, row.depth - 1) * 14 + 4}px` };
  if (row.kind === 'more') {
    return (
      <li class="json-row" style={look}>
        <Button kind="bare" onClick={() => onToggle(row)}>
          {String(row.value)} more
        </Button>
      </li>
    );
  }
  const content = (
    <>
      <span class={`json-mark${row.isOpen ? ' open' : ''}`}>{canOpen && <Icon name="right" size={12} />}</span>
      {row.name !== undefined && <span class="json-name">{row.name}</span>}
      <span class={`json-value ${row.kind}`}>{textOf(row)}</span>
    </>
  );
  return (
    <li class={`json-row${isFound ? ' found' : ''}`} style={look}>
      {canOpen ? (
        <button type="button" class="json-line" aria-expanded={row.isOpen} onClick={() => onToggle(row)}>
          {content}
        </button>
      ) : (
        <span class="json-line">{content}</span>
      )}
      {row.kind !== 'text' && (
        <span class="json-copy">
          <CopyButton text={copied(row.value)} label={`Copy the value of ${row.path}`} />
          {row.path !== '.' && (
            <span class="json-path">
              <CopyButton text={row.path} label={`Copy the path ${row.path}`} />
            </span>
          )}
        </span>
      )}
    </li>
  );
}

/** JSON as a tree that opens, with a search, and with the path of each value to copy for jq. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  const toggled = useSignal<ReadonlySet<string>>(new Set());
  const lengths = useSignal<ReadonlyMap<string, number>>(new Map());
  const typed = useSignal('');
  const term = useSignal('');
  const found = useMemo(() => (term.value === '' ? undefined : pathsWith(value, term.value)), [value, term.value]);
  const rows = useMemo(() => {
    const isOpen = (path: string, depth: number): boolean =>
      found?.has(path) === true || depth < OPEN_DEPTH !== toggled.value.has(path);
    const all = [...rowsOf(value, { isOpen, shown: (path) => lengths.value.get(path) ?? CHUNK })];
    // The row of the whole value is left out.
    return all.length > 1 && all[0]?.size !== 0 ? all.slice(1) : all;
  }, [value, found, toggled.value, lengths.value]);
  const toggle = ({ kind, path }: JsonRow) => {
    if (kind === 'more') {
      lengths.value = new Map(lengths.value).set(path, (lengths.value.get(path) ?? CHUNK) + CHUNK);
      return;
    }
    const next = new Set(toggled.value);
    if (!next.delete(path)) next.add(path);
    toggled.value = next;
  };
  return (
    <div class="json">
      {(rows.length > FEW_ROWS || term.value !== '') && (
        <search class="json-tools">
          <Search
            label={`Search ${label}`}
            placeholder="Search names and values"
            value={typed}
            onSearch={(text) => {
              term.value = text;
            }}
          />
        </search>
      )}
      {found?.size === 0 && <p class="json-none">Nothing here holds “{term.value}”.</p>}
      <ul class="json-rows" aria-label={label}>
        {rows.map((row, index) => (
          <Row key={`${row.path} ${index}`} row={row} isFound={found?.has(row.path) === true} onToggle={toggle} />
        ))}
      </ul>
    </div>
  );
}
