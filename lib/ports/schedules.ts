/** When a workflow is to be started by the clock. */
export interface Schedule {
  /** Unique in the installation, at most 60 characters of [A-Za-z0-9_-]. */
  readonly name: string;
  /** The cron text of the workflow, checked: `CRON_TZ=Europe/Berlin 0 8 * * mon-fri`. */
  readonly cron: string;
  /** Handed to the function that starts the workflow, with the planned time of the tick. */
  readonly target: { readonly id: string; readonly namespace: string; readonly workflow: string };
}

/** The clock that starts workflows: each tick is told at least once. */
export interface Schedules {
  /** Why this clock cannot keep a cron text; undefined: it can. */
  problemOf(cron: string): string | undefined;
  /** Puts the schedule in place, in the place of one of that name. */
  set(schedule: Schedule): Promise<void>;
  /** Takes it away; one that is not there is fine. */
  remove(name: string): Promise<void>;
}
