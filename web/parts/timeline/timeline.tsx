import { useSignal } from '@preact/signals';
import { now } from '../../data/browser/clock.ts';
import { isNarrow } from '../../data/browser/viewport.ts';
import { duration } from '../../data/format/time.ts';
import type { Step } from '../../data/runs/steps.ts';
import { Button } from '../button/button.tsx';
import { useRows } from '../scroll/rows.ts';
import { type Scale, type Span, scaleOf, zoomed } from './scale.ts';

interface TimelineProps {
  readonly steps: readonly Step[];
  readonly from: number;
  /** Undefined while the run goes on. */
  readonly to: number | undefined;
  readonly chosen?: number | undefined;
  readonly onChoose?: ((step: number) => void) | undefined;
}

const ROW = 28;

interface BarProps {
  readonly step: Step;
  readonly scale: Scale;
  readonly end: number;
}

function moodOf(step: Step, isOver: boolean): string {
  if (step.error !== undefined) return step.isCaught ? 'caught' : 'failed';
  if (step.to !== undefined || isOver) return 'done';
  return step.waits.some(({ kind, to }) => to === undefined && kind !== 'child') ? 'waiting' : 'running';
}

function Bars({ step, scale, end }: BarProps) {
  const stop = step.to ?? end;
  return (
    <span class="bars" aria-hidden="true">
      <span class="bar-work" style={scale.place(step.from, stop)} />
      {step.waits.map((wait) => (
        <span
          key={`${wait.kind} ${wait.from}`}
          class={`bar-wait wait-${wait.kind}`}
          style={scale.place(wait.from, wait.to ?? stop)}
        />
      ))}
    </span>
  );
}

function detailOf(step: Step): string {
  const parts = [
    step.attempts > 0 ? `${step.attempts} failed ${step.attempts === 1 ? 'attempt' : 'attempts'}` : '',
    step.children.length > 0 ? `${step.children.length} child ${step.children.length === 1 ? 'run' : 'runs'}` : '',
    step.error === undefined ? '' : `error ${step.error}`,
  ];
  return parts.filter(Boolean).join(', ');
}

interface RowProps extends BarProps {
  readonly index: number;
  readonly isOver: boolean;
  readonly isChosen: boolean;
  readonly onChoose: ((step: number) => void) | undefined;
}

function Row({ step, scale, end, index, isOver, isChosen, onChoose }: RowProps) {
  const mood = moodOf(step, isOver);
  const spent = duration((step.to ?? end) - step.from);
  const detail = detailOf(step);
  return (
    <button
      type="button"
      class={`step step-${mood}`}
      style={{ transform: `translateY(${index * ROW}px)` }}
      aria-pressed={isChosen}
      title={[`${step.number} ${step.state}: ${spent}`, detail].filter(Boolean).join('\n')}
      onClick={() => onChoose?.(step.number)}
    >
      <span class="step-number">{step.number}</span>
      <span class="step-name cut">{step.state}</span>
      <span class="unseen">{[mood, detail].filter(Boolean).join(', ')}</span>
      <Bars step={step} scale={scale} end={end} />
      <span class="step-time">{spent}</span>
    </button>
  );
}

interface AxisProps {
  readonly scale: Scale;
  readonly isZoomed: boolean;
  /** Shows a part of the time that is so many times as long; 0: all of it. */
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

/** A row a step: a bar for its time, hatched where it waited, thin between attempts; it zooms around the chosen step. */
export function Timeline({ steps, from, to, chosen, onChoose }: TimelineProps) {
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
  const { range, scroller } = useRows<HTMLDivElement>(ROW, steps.length);
  const rows = steps.slice(range.value.from, range.value.to);
  return (
    <section class="timeline" aria-label="Steps" style={{ '--rows': String(steps.length) }}>
      <Axis scale={scale} isZoomed={part.value !== undefined} onZoom={zoom} />
      <div class="timeline-body" ref={scroller}>
        <div class="timeline-rows" style={{ height: `${steps.length * ROW}px` }}>
          {rows.map((step, index) => (
            <Row
              key={step.number}
              index={range.value.from + index}
              isOver={to !== undefined}
              isChosen={step.number === chosen}
              {...{ step, scale, end, onChoose }}
            />
          ))}
        </div>
      </div>
    </section>
  );
}
