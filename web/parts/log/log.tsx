import { type Signal, signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { LogLine } from '../../../clients/api/operations.ts';
import { into } from '../../data/api/task.ts';
import { jsonIn } from '../../data/format/json.ts';
import { clockTime, exactTime, instantOf } from '../../data/format/time.ts';
import { Button } from '../button/button.tsx';
import { Search, Select } from '../filter/filter.tsx';
import { roomOf, useRows } from '../scroll/rows.ts';
import { CopyButton } from '../value/value.tsx';

type Level = LogLine['level'];

interface LogProps {
  readonly lines: readonly LogLine[];
  readonly label: string;
  /** Shows the state of each line. */
  readonly hasStates?: boolean;
  /** Shows the workflow of each line. */
  readonly hasWorkflows?: boolean;
}

const ROW = 24;
/** Within this distance of the end, pixels, the log follows new lines. */
const END = 2 * ROW;

/** Instead of a level: the lines that states log. */
const OWN = 'own';

const LEVELS = [
  { value: '', label: 'All levels' },
  { value: 'info', label: 'Info and worse' },
  { value: 'warn', label: 'Warnings and errors' },
  { value: 'error', label: 'Errors' },
  { value: OWN, label: 'Lines of states' },
];

const RANK: Readonly<Record<Level, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** With more lines, the oldest are left out where lines wrap: rows of different heights are all in the document. */
const MOST_WRAPPED = 2000;

/** What a state logs is JSON; no text of the engine is. A text without its quotes; undefined for a line of the engine. */
function ownText({ msg, level }: LogLine): string | undefined {
  const value = level === 'info' ? jsonIn(msg) : undefined;
  return value === undefined ? undefined : typeof value === 'string' ? value : msg;
}

function matching(lines: readonly LogLine[], level: string, term: string): readonly LogLine[] {
  if (level === '' && term === '') return lines;
  const least = RANK[level as Level] ?? 0;
  const text = term.toLowerCase();
  return lines.filter(
    (line) =>
      RANK[line.level] >= least &&
      (level !== OWN || ownText(line) !== undefined) &&
      (line.msg.toLowerCase().includes(text) || (line.tags['state-id'] ?? '').toLowerCase().includes(text)),
  );
}

/** The tags that are shown. */
const SHOWN_TAGS = ['workflow', 'state-id', 'loop-index', 'instance-id', 'invoker', 'callpath'];

function Detail({ line, onClose }: { readonly line: LogLine; readonly onClose: () => void }) {
  const tags = SHOWN_TAGS.flatMap((name) => (line.tags[name] === undefined ? [] : [[name, line.tags[name]] as const]));
  return (
    <section class="log-detail" aria-label="Line">
      <div class="line">
        <span class="quiet grows">{exactTime(instantOf(line.t))}</span>
        <CopyButton text={line.msg} label="Copy the message" />
        <Button kind="bare" icon="close" label="Close the line" onClick={onClose} />
      </div>
      <pre class="log-message">{line.msg}</pre>
      <dl class="log-tags">
        {tags.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

interface LineProps {
  readonly line: LogLine;
  readonly isOpen: boolean;
  readonly context: Context;
  readonly onOpen: () => void;
}

function Line({ line, isOpen, context, onOpen }: LineProps) {
  const time = instantOf(line.t);
  const where = context(line);
  const own = useMemo(() => ownText(line), [line]);
  return (
    <button
      type="button"
      class={`log-line ${own === undefined ? line.level : 'own'}`}
      aria-pressed={isOpen}
      onClick={onOpen}
    >
      <span class="log-time" title={exactTime(time)}>
        {clockTime(time)}
      </span>
      <span class="log-level">{line.level}</span>
      {where !== undefined && <span class="log-state cut">{where}</span>}
      <span class="log-text">{own ?? line.msg}</span>
    </button>
  );
}

/** Scrolls to new lines until the user scrolls up. */
function useFollowing(element: { current: HTMLElement | null }, count: number) {
  const isFollowing = useRef(true);
  const seen = useSignal(count);
  // A layout effect: after the page is drawn, a scroll event would find the end further away and stop the scrolling.
  useLayoutEffect(() => {
    const body = element.current;
    if (body === null) return;
    if (isFollowing.current) {
      body.scrollTop = body.scrollHeight;
      seen.value = count;
    }
  }, [element, count, seen]);
  const look = () => {
    const body = element.current;
    if (body === null) return;
    isFollowing.current = body.scrollHeight - body.scrollTop - body.clientHeight < END;
    if (isFollowing.current) seen.value = count;
  };
  const toEnd = () => {
    if (element.current !== null) element.current.scrollTop = element.current.scrollHeight;
  };
  return { fresh: count - seen.value, look, toEnd };
}

/** Whether long lines wrap, in all logs. */
const wraps = signal(false);

interface Finding {
  readonly level: Signal<string>;
  readonly term: Signal<string>;
}

function Tools({ level, term }: Finding) {
  const typed = useSignal('');
  return (
    <search class="log-tools">
      <Search label="Search the log" placeholder="Search" value={typed} onSearch={into(term)} />
      <Select label="Level" value={level.value} choices={LEVELS} onChange={into(level)} />
      <Button
        icon="wrap"
        label="Wrap long lines"
        attributes={{ 'aria-pressed': wraps.value }}
        onClick={() => into(wraps)(!wraps.peek())}
      />
    </search>
  );
}

type Context = (line: LogLine) => string | undefined;

const contextOf = ({ hasStates, hasWorkflows }: LogProps): Context => {
  const tag = hasStates ? 'state-id' : hasWorkflows ? 'workflow' : undefined;
  return ({ tags }) => (tag === undefined ? undefined : (tags[tag] ?? ''));
};

/** Lines of a log: one row each, opened for the whole message and its tags. */
export function Log(props: LogProps) {
  const { lines, label } = props;
  const level = useSignal('');
  const term = useSignal('');
  const open = useSignal<LogLine | undefined>(undefined);
  const shown = useMemo(() => matching(lines, level.value, term.value), [lines, level.value, term.value]);
  const { range, scroller } = useRows<HTMLElement>(ROW, shown.length);
  const { fresh, look: onScroll, toEnd } = useFollowing(scroller, shown.length);
  const isWrapped = wraps.value;
  const { from, to } = isWrapped ? { from: Math.max(0, shown.length - MOST_WRAPPED), to: shown.length } : range.value;
  const look = isWrapped ? 'log-body wrapped' : 'log-body';
  const toggle = (line: LogLine) => into(open)(open.peek() === line ? undefined : line);
  const context = contextOf(props);
  return (
    <section class="log" aria-label={label}>
      <Tools level={level} term={term} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region is reached by the keyboard */}
      <section class={look} ref={scroller} onScroll={onScroll} aria-label={`${label}: lines`} tabIndex={0}>
        {isWrapped && from > 0 && (
          <p class="log-none">
            The newest {MOST_WRAPPED} of {shown.length} lines.
          </p>
        )}
        <div class="rolled" style={isWrapped ? {} : roomOf(range.value, shown.length, ROW)}>
          {shown.slice(from, to).map((line, index) => (
            <Line
              key={`${line.t} ${from + index}`}
              isOpen={open.value === line}
              onOpen={() => toggle(line)}
              {...{ line, context }}
            />
          ))}
        </div>
        {shown.length === 0 && <p class="log-none">{lines.length === 0 ? 'No lines yet.' : 'No line matches.'}</p>}
      </section>
      {fresh > 0 && (
        <div class="log-fresh">
          <Button icon="down" onClick={toEnd}>
            {fresh} new
          </Button>
        </div>
      )}
      {open.value && <Detail line={open.value} onClose={() => into(open)(undefined)} />}
    </section>
  );
}
