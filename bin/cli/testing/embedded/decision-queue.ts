import * as runs from '../../../../lib/domain/runs/runs.ts';
import { askedOf, isDecided, type Open, openOf } from '../../../../lib/engine/approvals/decisions.ts';
import { decide } from '../../../../lib/engine/requests/deciding.ts';
import { durationText } from '../../../../lib/testing/checking.ts';
import { functionIn } from '../../../../lib/testing/format/function-keys.ts';
import { momentAfter } from '../../../../lib/testing/format/moments.ts';
import type { TestDecision } from '../../../../lib/testing/format/suite.ts';
import type { ObservedProblem } from '../../../../lib/testing/observation.ts';
import type { TestWorld } from './world.ts';

/** The decisions of a case. */
export interface DecisionOptions {
  readonly decisions: readonly TestDecision[];
  /** The path of the workflow of the case. */
  readonly main: string;
  /** When the case begins, milliseconds since 1970. */
  readonly start: number;
  /** Each decision is sent twice. */
  readonly repeats: boolean;
}

function standingOf(run: runs.Run | undefined): string {
  if (run === undefined) return 'no run was started';
  return run.status === 'pending' ? `the run is in '${run.at}'` : `the run is ${run.status}, at last in '${run.at}'`;
}

/** Makes the decisions of a case in their order, as requests do. */
export class DecisionQueue {
  /** The decisions that could not be made. */
  readonly problems: ObservedProblem[] = [];
  readonly #world: TestWorld;
  readonly #options: DecisionOptions;
  readonly #left: TestDecision[];

  constructor(world: TestWorld, options: DecisionOptions) {
    this.#world = world;
    this.#options = options;
    this.#left = [...options.decisions];
  }

  /** When the next decision is due, milliseconds since 1970; undefined if it has no time, or there is none. */
  get due(): number | undefined {
    const after = this.#left[0]?.after;
    return after === undefined ? undefined : momentAfter(this.#options.start, after);
  }

  /** Makes the next decision if it has no time and its approval waits. Returns whether it was made. */
  async makeWaiting(): Promise<boolean> {
    const [next] = this.#left;
    if (next === undefined || next.after !== undefined) return false;
    const open = await this.#openFor(next);
    if (open !== undefined) await this.#make(next, open);
    return open !== undefined;
  }

  /** Makes the next decision, which has come due. It is a problem if no approval waits for it. */
  async makeDue(): Promise<void> {
    const [next] = this.#left;
    if (next === undefined) return;
    const open = await this.#openFor(next);
    if (open !== undefined) return this.#make(next, open);
    this.#left.shift();
    await this.#miss(next, '', "; leave out 'after' to decide as soon as one waits");
  }

  /** Reports the decision for which no approval has waited. */
  async finish(): Promise<void> {
    const [next] = this.#left;
    if (next !== undefined) await this.#miss(next, 'until the end of the case, ', '');
  }

  async #runs(): Promise<runs.Run[]> {
    const { recording, ports } = this.#world;
    const ids = [...recording.runs.values()].filter(({ isCall }) => !isCall).map(({ id }) => id);
    return (await runs.findMany(ports, ids)).filter((run) => run !== undefined);
  }

  /** The approval for a decision; of several, the one that has waited longest. */
  async #openFor({ state }: TestDecision): Promise<Open | undefined> {
    const wanted = state === undefined ? undefined : functionIn(state, this.#options.main);
    const open: Open[] = [];
    for (const run of await this.#runs()) {
      const one = await openOf(this.#world.ports, run);
      const isWanted = wanted === undefined || (run.path === `/${wanted.path}` && one?.run.wait.state === wanted.id);
      if (one !== undefined && isWanted && !isDecided(one)) open.push(one);
    }
    return open.toSorted((a, b) => a.run.wait.entered - b.run.wait.entered)[0];
  }

  async #make(decision: TestDecision, { run, work }: Open): Promise<void> {
    this.#left.shift();
    const { choice, form, by, from } = decision;
    const { number, state } = run.wait;
    if (askedOf({ run, work }, choice) === undefined) {
      const names = work.choices.map(({ name }) => name).join(', ');
      return this.#report(decision, `the approval '${state}' has no choice '${choice}'; it has ${names}`);
    }
    let violations: readonly string[] = [];
    for (let times = this.#options.repeats ? 2 : 1; times > 0; times -= 1) {
      await this.#world.request(async (ports) => {
        const open = await openOf(ports, await runs.find(ports, run.id));
        const asked = open && askedOf(open, choice);
        // The request before took effect: the process crashed before its reply, or it is sent twice.
        if (asked === undefined || asked.run.wait.number !== number) return;
        const outcome = await decide(ports, asked, { form, by, from });
        if (outcome.kind === 'invalid') violations = outcome.violations;
      });
    }
    if (violations.length > 0) this.#report(decision, `the form of '${state}' is not valid: ${violations.join('; ')}`);
  }

  async #miss(decision: TestDecision, until: string, mend: string): Promise<void> {
    const { state, choice } = decision;
    const where = state === undefined ? '' : ` in '${state}'`;
    const run = (await this.#runs()).find(({ path }) => path === `/${this.#options.main}`);
    const when = `${until}${durationText(this.#world.time.clock.now() - this.#options.start)} after the start`;
    this.#report(decision, `no approval waited${where} for '${choice}' ${when}: ${standingOf(run)}${mend}`);
  }

  #report(decision: TestDecision, text: string): void {
    const { line, column } = decision;
    const message = `decisions[${this.#options.decisions.indexOf(decision)}]: ${text}`;
    this.problems.push({ message, at: { line, column } });
  }
}
