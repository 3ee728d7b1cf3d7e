import { type Asked, type Decision, type Outcome, takeDecision } from '../approvals/decisions.ts';
import { deliver } from '../delivery/deliver.ts';
import type { RunnerPorts } from '../ports.ts';
import { wake } from '../step/resume.ts';

/**
 * Decides an approval, once: later decisions have no effect. The decision resumes the run here. The same one may be sent
 * again, until the run has gone on: that leaves the run to its machine, as its states may have ended the process.
 */
export async function decide(
  ports: RunnerPorts,
  asked: Asked,
  given: Pick<Decision, 'form' | 'by' | 'from'>,
): Promise<Outcome> {
  const { outcome, run, isFirst } = await takeDecision(ports, asked, given);
  if (run !== undefined) await (isFirst ? wake : deliver)(ports, run);
  return outcome;
}
