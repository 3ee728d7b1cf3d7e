import type { Step as RecordedStep, TimelineReply } from '../../../clients/api/operations.ts';
import { useLoad } from '../api/live.ts';

export type { RecordedStep };

/** The record of a run, read again when `version` changes; undefined until it is read. */
export function useTimeline(namespace: string, id: string, version: string): TimelineReply | undefined {
  return useLoad('getInstanceTimeline', { namespace, instance: id }, undefined, version).value.value;
}

/** The last recorded visit of each state, in the order of the visits. */
export function lastVisits(timeline: TimelineReply | undefined): readonly RecordedStep[] {
  const byState = new Map<string, RecordedStep>();
  for (const step of timeline?.steps ?? []) {
    byState.delete(step.state);
    byState.set(step.state, step);
  }
  return [...byState.values()];
}
