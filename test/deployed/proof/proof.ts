import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EMULATED } from '../assemblies.ts';
import { type AwsAccess, Deployment } from '../deployment.ts';
import { Installation } from '../installation.ts';
import { synthesizeEach } from '../synthesis.ts';
import type { Tally } from '../tally.ts';
import { checksOf, type Finding, type Subject } from './checks.ts';

/** What a proof does, and with what. */
export interface ProofPlan {
  readonly access: AwsAccess;
  /** The name of the installation: nothing in the account may have it. */
  readonly name: string;
  /** Words in the paths of the tests that run; empty: all. */
  readonly words: readonly string[];
  /** The names of the checks that run; empty: all. */
  readonly checks: readonly string[];
  /** The file of the report. */
  readonly report: string;
}

/** More than a proof costs at the prices of us-east-1, US dollars: about 30,000 requests, and an hour of everything else. */
export const BUDGET_USD = 3;

interface Row extends Finding {
  readonly name: string;
  readonly seconds: number;
}

async function rowOf(name: string, check: () => Promise<Finding>): Promise<Row> {
  const began = performance.now();
  const finding = await check().catch(
    (error: unknown): Finding => ({ outcome: 'failed', text: error instanceof Error ? error.message : String(error) }),
  );
  const row = { name, ...finding, seconds: Math.round((performance.now() - began) / 1000) };
  console.log(`${row.outcome}: ${name} (${row.seconds} s): ${row.text}`);
  return row;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/g, ' ').slice(0, 2000);

/** The report as Markdown. */
function reportOf({ access, name }: ProofPlan, rows: readonly Row[]): string {
  const place = access.endpoint === undefined ? `account ${access.account}, ${access.region}` : 'an emulator of AWS';
  return [
    `# Proof of ${name} in ${place}`,
    '',
    new Date().toISOString(),
    '',
    '| check | outcome | seconds | seen |',
    '|---|---|---|---|',
    ...rows.map((row) => `| ${row.name} | ${row.outcome} | ${row.seconds} | ${cell(row.text)} |`),
    '',
  ].join('\n');
}

/** The settings of the installation: everything of it can be destroyed. */
const contextOf = ({ access, name }: ProofPlan) => ({
  ...(access.endpoint === undefined ? {} : EMULATED),
  ...{ name, retain: 'false', protect: 'false' },
});

async function destroyed(installation: Installation): Promise<Finding> {
  const remaining = await installation.destroy();
  const text = remaining.length === 0 ? 'no resources remain' : `remaining: ${remaining.join(', ')}`;
  return { outcome: remaining.length === 0 ? 'passed' : 'failed', text };
}

type Checks = ReturnType<typeof checksOf>;

async function checkAll(subject: Omit<Subject, 'target'>, checks: Checks): Promise<Row[]> {
  let target: Subject['target'] | undefined;
  const rows = [
    await rowOf('deployed', async () => {
      target = await subject.installation.deployFirst();
      return { outcome: 'passed', text: target.url };
    }),
  ];
  for (const { about, check } of target === undefined ? [] : checks) {
    const { url, key } = target as Subject['target'];
    rows.push(await rowOf(about, () => check({ ...subject, target: { url, key } })));
  }
  rows.push(await rowOf('destroyed', () => destroyed(subject.installation)));
  return rows;
}

/**
 * Deploys an installation of its own into an account, runs each check against it, destroys it, whatever they found, and writes
 * a report. Throws, before anything is deployed, for an unknown check, and when something in the
 * account has the name already.
 */
export async function prove(plan: ProofPlan): Promise<Tally> {
  const { access, name, words } = plan;
  const checks = checksOf(plan.checks);
  const folder = await mkdtemp(join(tmpdir(), 'weft-proof-'));
  const context = contextOf(plan);
  const { first, changed } = await synthesizeEach(folder, {
    first: context,
    changed: { ...context, logDays: '14', startBudgetMs: '90' },
  });
  const installation = new Installation(access, await Deployment.open({ access, assembly: first }), name);
  try {
    const existing = await installation.resources();
    if (existing.length > 0) throw new Error(`choose another --name: ${existing.slice(0, 5).join(', ')} exist already`);
    const rows = await checkAll({ access, name, installation, changed, words }, checks);
    await writeFile(plan.report, reportOf(plan, rows));
    const countOf = (outcome: Finding['outcome']) => rows.filter((row) => row.outcome === outcome).length;
    return { passed: countOf('passed'), failed: countOf('failed') };
  } finally {
    await installation.close();
    await rm(folder, { recursive: true, force: true });
  }
}
