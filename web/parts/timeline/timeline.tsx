import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { now } from '../../data/browser/clock.ts';
import { isNarrow } from '../../data/browser/viewport.ts';
import type { Step } from '../../data/runs/steps.ts';
import { Button } from '../button/button.tsx';
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
        {scale.ticks.map(({ at, text }) => (
          <span key={at} class="tick" style={{ left: `${at}%` }}>
            {text}
          </span>
        ))}
      </span>
    </div>
  );
}

/**
 * One row per step: a bar for its time, hatched for waits, thin between attempts; below it its child runs. It zooms
 * around the chosen step.
 */
export function Timeline({ steps, from, to, chosen, onChoose, childRuns }: TimelineProps) {
  const end = to ?? now.value;
  const part = useSignal<Span | undefined>(undefined);
  const all = { from, to: Math.max(end, steps.at(-1)?.to ?? end) };
  const shown = part.value ?? all;
  const scale = scaleOf(shown, from, isNarrow.value ? 2 : 4);
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
    </section>
  );
}
