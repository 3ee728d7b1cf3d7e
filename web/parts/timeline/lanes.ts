import type { Status } from '../../data/runs/status.ts';
import type { Step } from '../../data/runs/steps.ts';

/** A run that a step has started. */
export interface TimelineChild {
  readonly id: string;
  readonly name: string;
  readonly href: string;
  readonly status: Status;
  readonly from: number;
  /** Undefined while it is in progress. */
  readonly to: number | undefined;
}

/** The child runs of a timeline, and the steps that show them. */
export interface TimelineChildren {
  /** By the number of the step. */
  readonly of: ReadonlyMap<number, readonly TimelineChild[]>;
  readonly isOpen: (step: Step) => boolean;
  readonly onFold: (step: Step) => void;
  /** The remark below the children of a step that shows them, such as that there are more; undefined: none. */
  readonly remark: (step: Step) => { readonly text: string; readonly href?: string } | undefined;
}

/** A row of a timeline: a step, a run that it has started, or a remark about these. */
export type Lane =
  | { readonly kind: 'step'; readonly key: string; readonly step: Step }
  | { readonly kind: 'child'; readonly key: string; readonly child: TimelineChild }
  | { readonly kind: 'remark'; readonly key: string; readonly text: string; readonly href?: string };

function childLanes(step: Step, { of, remark }: TimelineChildren): readonly Lane[] {
  const lanes: Lane[] = (of.get(step.number) ?? []).map((child) => ({ kind: 'child', key: child.id, child }));
  const said = remark(step);
  return said === undefined ? lanes : [...lanes, { kind: 'remark', key: `remark ${step.number}`, ...said }];
}

/** The rows of a timeline: each step, and its child runs if they are shown. */
export function lanesOf(steps: readonly Step[], children: TimelineChildren | undefined): readonly Lane[] {
  return steps.flatMap((step) => {
    const lane: Lane = { kind: 'step', key: String(step.number), step };
    const isOpen = children !== undefined && step.startsRuns && children.isOpen(step);
    return isOpen ? [lane, ...childLanes(step, children)] : [lane];
  });
}
