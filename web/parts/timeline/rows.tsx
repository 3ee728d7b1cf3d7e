import { duration } from '../../data/format/time.ts';
import type { Step } from '../../data/runs/steps.ts';
import { Button } from '../button/button.tsx';
import { StatusMark } from '../status/status.tsx';
import type { Lane, TimelineChild, TimelineChildren } from './lanes.ts';
import type { Scale } from './scale.ts';

/** The properties that all rows of a timeline share. */
export interface Room {
  readonly scale: Scale;
  /** The end of the time that is shown, milliseconds since 1970. */
  readonly end: number;
  readonly isOver: boolean;
  readonly chosen: number | undefined;
  readonly onChoose: ((step: number) => void) | undefined;
  readonly childRuns: TimelineChildren | undefined;
}

function moodOf(step: Step, isOver: boolean): string {
  if (step.error !== undefined) return step.isCaught ? 'caught' : 'failed';
  if (step.to !== undefined || isOver) return 'done';
  return step.waits.some(({ kind, to }) => to === undefined && kind !== 'child') ? 'waiting' : 'running';
}

/** The cuts through a bar where the time is shown shorter. */
function Breaks({ from, to, scale }: { readonly from: number; readonly to: number; readonly scale: Scale }) {
  const cut = scale.breaks.filter((one) => from <= one.from && one.to <= to);
  return (
    <>
      {cut.map((one) => (
        <span key={one.from} class="bar-break" style={one.place} />
      ))}
    </>
  );
}

function Bars({ step, room: { scale, end } }: { readonly step: Step; readonly room: Room }) {
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
      <Breaks from={step.from} to={stop} scale={scale} />
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

interface FoldProps {
  readonly step: Step;
  readonly childRuns: TimelineChildren;
}

function Fold({ step, childRuns }: FoldProps) {
  const isOpen = childRuns.isOpen(step);
  return (
    <span class="step-fold">
      <Button
        kind="bare"
        icon={isOpen ? 'down' : 'right'}
        label={`${isOpen ? 'Fold' : 'Show'} the child runs of step ${step.number}`}
        attributes={{ 'aria-expanded': isOpen }}
        onClick={() => childRuns.onFold(step)}
      />
    </span>
  );
}

function StepRow({ step, room }: { readonly step: Step; readonly room: Room }) {
  const { end, isOver, chosen, onChoose, childRuns } = room;
  const mood = moodOf(step, isOver);
  const spent = duration((step.to ?? end) - step.from);
  const detail = detailOf(step);
  return (
    <div class="step-row">
      <button
        type="button"
        class={`step step-${mood}`}
        aria-pressed={step.number === chosen}
        title={[`${step.number} ${step.state}: ${spent}`, detail].filter(Boolean).join('\n')}
        onClick={() => onChoose?.(step.number)}
      >
        <span class="step-number">{step.number}</span>
        <span class="step-name cut">{step.state}</span>
        <span class="unseen">{[mood, detail].filter(Boolean).join(', ')}</span>
        <Bars step={step} room={room} />
        <span class="step-time">{spent}</span>
      </button>
      {childRuns !== undefined && step.startsRuns && <Fold step={step} childRuns={childRuns} />}
    </div>
  );
}

function ChildRow({ child, room: { scale, end } }: { readonly child: TimelineChild; readonly room: Room }) {
  const spent = duration((child.to ?? end) - child.from);
  return (
    <a class="step child-run" href={child.href} title={`${child.name}: ${spent}`}>
      <span class="step-number">
        <StatusMark status={child.status} />
      </span>
      <span class="step-name cut">{child.name}</span>
      <span class="bars" aria-hidden="true">
        <span class={`bar-child is-${child.status}`} style={scale.place(child.from, child.to ?? end)} />
      </span>
      <span class="step-time">{spent}</span>
    </a>
  );
}

function RemarkRow({ text, href }: { readonly text: string; readonly href?: string | undefined }) {
  return <p class="step-remark quiet cut">{href === undefined ? text : <a href={href}>{text}</a>}</p>;
}

/** A row of the timeline. */
export function LaneRow({ lane, room }: { readonly lane: Lane; readonly room: Room }) {
  if (lane.kind === 'step') return <StepRow step={lane.step} room={room} />;
  return lane.kind === 'child' ? (
    <ChildRow child={lane.child} room={room} />
  ) : (
    <RemarkRow text={lane.text} href={lane.href} />
  );
}
