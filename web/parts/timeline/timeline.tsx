import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { now } from '../../data/browser/clock.ts';
import { isNarrow } from '../../data/browser/viewport.ts';
import type { Step } from '../../data/runs/steps.ts';
import { Button } from '../button/button.tsx';
import { Legend, type Meaning } from '../legend/legend.tsx';
import { roomOf, useRows } from '../scroll/rows.ts';
import { lanesOf, type TimelineChildren } from './lanes.ts';
import { LaneRow } from './rows.tsx';
import { type Scale, type Span, scaleOf, zoomed } from './scale.ts';

interface TimelineProps {
  readonly steps: readonly Step[];
  readonly from: number;
  /** Undefined while the run is in progress. */
  readonly to: number | undefined;
  readonly chosen?: number | undefined;
  readonly onChoose?: ((step: number) => void) | undefined;
  readonly childRuns?: TimelineChildren | undefined;
}

const ROW = 28;

interface AxisProps {
  readonly scale: Scale;
  readonly isZoomed: boolean;
  /** Scales the shown time by this factor; 0: shows all of it. */
  readonly onZoom: (factor: number) => void;
}

function Axis({ scale, isZoomed, onZoom }: AxisProps) {
  return (
    <div class="axis">
      <span class="axis-tools">
        <Button kind="bare" icon="plus" label="Show less time, larger" onClick={() => onZoom(0.5)} />
        <Button kind="bare" icon="minus" label="Show more time" disabled={!isZoomed} onClick={() => onZoom(2)} />
        <Button kind="bare" icon="fit" label="Show the whole time" disabled={!isZoomed} onClick={() => onZoom(0)} />
      </span>
      <span class="axis-room" aria-hidden="true">
        {scale.breaks.map(({ from, place, text }) => (
          <span key={from} class="axis-break" style={place} title={`${text}, shown shorter`}>
            <span>{text}</span>
          </span>
        ))}
        {scale.ticks.map(({ at, text }) => (
          <span key={at} class="tick" style={{ left: `${at}%` }}>
            {text}
          </span>
        ))}
      </span>
    </div>
  );
}

/** When a step or a wait began or ended. */
const instantsOf = (steps: readonly Step[]): readonly number[] =>
  steps.flatMap(({ from, to, waits }) => [from, to ?? from, ...waits.flatMap((wait) => [wait.from, wait.to ?? from])]);

/** What the lines of the diagram above and the bars mean. */
const meaningsOf = (steps: readonly Step[], { breaks }: Scale): readonly Meaning[] => [
  { look: 'meaning-line', text: 'way taken' },
  { look: 'meaning-line faint', text: 'other way' },
  { look: 'meaning-line dashed', text: 'error, otherwise' },
  { look: 'meaning-bar bar-work', text: 'works' },
  { look: 'meaning-bar bar-wait', text: 'waits' },
  ...(steps.some(({ attempts }) => attempts > 0)
    ? [{ look: 'meaning-bar bar-wait wait-retry', text: 'retry pause' }]
    : []),
  ...(breaks.length > 0 ? [{ look: 'meaning-bar bar-break', text: 'shortened' }] : []),
];

/**
 * One row per step: a bar for its time, hatched for waits, thin between attempts; below it its child runs. It zooms
 * around the chosen step.
 */
export function Timeline({ steps, from, to, chosen, onChoose, childRuns }: TimelineProps) {
  const end = to ?? now.value;
  const part = useSignal<Span | undefined>(undefined);
  const all = { from, to: Math.max(end, steps.at(-1)?.to ?? end) };
  const shown = part.value ?? all;
  const instants = useMemo(() => instantsOf(steps), [steps]);
  const mostTicks = isNarrow.value ? 2 : 4;
  // A run of thousands of steps is drawn again while it scrolls.
  const scale = useMemo(
    () => scaleOf({ shown, origin: from, mostTicks, instants }),
    [shown.from, shown.to, from, mostTicks, instants],
  );
  const zoom = (factor: number) => {
    const step = steps.find(({ number }) => number === chosen);
    const middle = (span: Span) => (span.from + span.to) / 2;
    const around = middle(step === undefined ? shown : { from: step.from, to: step.to ?? end });
    part.value = factor === 0 ? undefined : zoomed(shown, all, factor, around);
  };
  const lanes = useMemo(() => lanesOf(steps, childRuns), [steps, childRuns]);
  const { range, scroller } = useRows<HTMLDivElement>(ROW, lanes.length);
  const room = { scale, end, isOver: to !== undefined, chosen, onChoose, childRuns };
  return (
    <section class="timeline" aria-label="Steps" style={{ '--rows': String(lanes.length) }}>
      <Axis scale={scale} isZoomed={part.value !== undefined} onZoom={zoom} />
      <div class="timeline-body" ref={scroller}>
        <div class="rolled" style={roomOf(range.value, lanes.length, ROW)}>
          {lanes.slice(range.value.from, range.value.to).map((lane) => (
            <LaneRow key={lane.key} {...{ lane, room }} />
          ))}
        </div>
      </div>
      <Legend meanings={meaningsOf(steps, scale)} />
    </section>
  );
}
