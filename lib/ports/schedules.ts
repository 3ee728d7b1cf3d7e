/** A schedule that starts a workflow. */
export interface Schedule {
  /** Unique in the installation, at most 60 characters of [A-Za-z0-9_-]. */
  readonly name: string;
  /** The valid cron text of the workflow: `CRON_TZ=Europe/Berlin 0 8 * * mon-fri`. */
  readonly cron: string;
  /** Passed to the function that starts the workflow, with the planned time of the tick. */
  readonly target: { readonly id: string; readonly namespace: string; readonly workflow: string };
  /**
   * `all`: each planned time is delivered that passed while the scheduler was stopped, up to a limit; by default the newest. A
   * scheduler that never stops ignores it.
   */
  readonly missed?: 'all';
}

/** Starts workflows by the clock; each tick is delivered at least once. */
export interface Schedules {
  /** Returns why this scheduler does not support a cron text; undefined when it does. */
  problemOf(cron: string): string | undefined;
  /** Creates the schedule, in place of one with the same name. */
  set(schedule: Schedule): Promise<void>;
  /** Deletes a schedule. Has no effect when there is none with that name. */
  remove(name: string): Promise<void>;
}
