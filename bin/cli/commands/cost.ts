import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { compile } from '../../../lib/compiler/compile.ts';
import { WAITS, type Waits } from '../../../lib/pricing/machines.ts';
import { BY_SIZE_AND_TIME, LABELS, openHour, PRICED_IN, PRICED_ON, perMillion } from '../../../lib/pricing/prices.ts';
import { priceRuns, type RunCost } from '../../../lib/pricing/runs.ts';
import { priceTemplates, type Template } from '../costs/template.ts';
import {
  counted,
  defineCommand,
  needArguments,
  type Outcome,
  success,
  toJson,
  toTable,
  UsageError,
} from '../shell/command.ts';
import { readText } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';

const SOURCE = `list prices of ${PRICED_IN} as of ${PRICED_ON}, without the free tier`;
const TEMPLATE = '.template.json';
const DEFAULT_ITEMS = 10;
const MAX_ITEMS = 100_000;
const dollars = (amount: number): string => `$${amount.toFixed(2)}`;

/** The CloudFormation templates in a folder that CDK wrote, or the one in a file. Throws UsageError. */
async function readTemplates(path: string): Promise<Template[]> {
  try {
    const isFolder = (await stat(path)).isDirectory();
    const names = isFolder ? (await readdir(path)).filter((name) => name.endsWith(TEMPLATE)).toSorted() : [''];
    if (names.length === 0) throw new UsageError(`${path} contains no file *${TEMPLATE}`);
    const texts = await Promise.all(names.map((name) => readFile(join(path, name), 'utf8')));
    return texts.map((text) => JSON.parse(text) as Template);
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${path} is no template in JSON: ${error.message}`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UsageError(
      `${path} cannot be read: ${code}; create the folder cdk.out with 'npm run cdk -- synth --quiet'`,
    );
  }
}

async function priceTemplate(path: string, isJson: boolean): Promise<Outcome> {
  const templates = await readTemplates(path);
  const price = priceTemplates(templates);
  const { metrics } = price;
  const isSuccess = price.unknown.length === 0;
  if (isJson) return { text: toJson({ ...price, pricedOn: PRICED_ON, region: PRICED_IN }), isSuccess };
  const stacks = `${price.count} resources in ${counted(templates.length, 'stack')}`;
  const lines = [
    `${dollars(price.monthly)} per month without any use: ${stacks} (${SOURCE})`,
    ...(price.paid.length === 0 ? [] : [toTable(price.paid.map((one) => [dollars(one.monthly), one.type, one.id]))]),
    ...(metrics.most === 0
      ? []
      : [
          `up to ${dollars(metrics.monthly)} more for at most ${metrics.most} metrics, for the hours in which they are used`,
        ]),
    ...price.unknown.map((one) => `unknown price: ${one}`),
  ];
  return { text: lines.join('\n'), isSuccess };
}

const NOTES = [
  'Least and most are the cheapest and the most expensive path through the workflow without failures and loops.',
  'Units are for data below 1 KB. The duration of Lambda is not included: $0.13 for each 10 ms at 1 GB. A subflow counts',
  'as one state that ends at once (least), or as a wait for its end (most); price the file of the subflow separately.',
  'The requests of workers, the decisions of approvals and the events that end waits are included. Most has each call refused',
  "that the limits of a function with 'whenFull: refuse' may refuse.",
  `Data above 16 KB is in S3: ${dollars(BY_SIZE_AND_TIME.objectWrites)} per million writes, ${dollars(BY_SIZE_AND_TIME.objectReads)} per million reads. A request with op=wait and an`,
  `event stream cost $${openHour().toFixed(3)} for each hour that they are open, at 1 GB.`,
];

const HEADS: Readonly<Record<RunCost['op'], string>> = {
  execute: 'op=execute',
  wait: 'op=wait',
  webhook: 'started by its webhook',
  event: 'started by its event',
};

const isSame = ({ least, most }: RunCost): boolean => JSON.stringify(least) === JSON.stringify(most);

function tableOf(cost: RunCost): string {
  const { op, least, most } = cost;
  const bounds = isSame(cost) ? [least] : [least, most];
  const head = isSame(cost) ? ['per run'] : ['least', 'most'];
  const names = Object.keys(LABELS) as (keyof typeof LABELS)[];
  const rows = names.filter((name) => most[name] > 0 || least[name] > 0);
  return toTable([
    [HEADS[op], ...head],
    ...rows.map((name) => [`  ${LABELS[name]}`, ...bounds.map((bound) => String(bound[name]))]),
    ['  one million runs', ...bounds.map((bound) => dollars(perMillion(bound)))],
  ]);
}

/** What the price of a workflow depends on. */
interface Assumed {
  readonly items: number;
  readonly waits: Waits;
}

async function priceWorkflow(
  file: string,
  { items, waits }: Assumed,
  isJson: boolean,
  terminal: Terminal,
): Promise<Outcome> {
  const compiled = compile(await readText(terminal, file));
  if ('problems' in compiled) throw new UsageError(`${file} is no valid workflow; see 'weft validate ${file}'`);
  const costs = priceRuns(compiled.plan, items, waits);
  const priced = costs.map(({ op, least, most }) => ({
    op,
    least: { ...least, perMillion: perMillion(least) },
    most: { ...most, perMillion: perMillion(most) },
  }));
  if (isJson) return success(toJson({ runs: priced, items, waits, pricedOn: PRICED_ON, region: PRICED_IN }));
  return success([...costs.map(tableOf), ...NOTES, `${SOURCE[0]?.toUpperCase()}${SOURCE.slice(1)}.`].join('\n'));
}

function itemsOf(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= MAX_ITEMS) return count;
  throw new UsageError(`--items is '${text}'; it must be a number from 1 to ${MAX_ITEMS}`);
}

function waitsOf(text: string): Waits {
  const found = WAITS.find((one) => one === text);
  if (found !== undefined) return found;
  throw new UsageError(`--waits is '${text}'; it must be ${WAITS.join(' or ')}`);
}

export const cost = defineCommand({
  about: 'Prints the price of a workflow on AWS, or the monthly price of an installation; it needs neither',
  usage: ['cost FILE [--items N] [--waits table]', 'cost --template cdk.out'],
  notes: ['The file - is the standard input.'],
  options: {
    items: { type: 'string', value: 'N', help: `number of items of each foreach (default: ${DEFAULT_ITEMS})` },
    waits: { type: 'string', value: 'HOW', help: 'setting `waits` of the installation: machine (default) or table' },
    template: { type: 'string', value: 'PATH', help: 'folder that CDK wrote, or one CloudFormation template in JSON' },
  },
  run: async ({ template, items = String(DEFAULT_ITEMS), waits = 'machine', json = false }, args, terminal) => {
    if (template !== undefined) {
      needArguments('cost --template PATH', [], args);
      return priceTemplate(resolve(terminal.cwd, template), json);
    }
    needArguments('cost', ['FILE'], args);
    return priceWorkflow(args[0] ?? '', { items: itemsOf(items), waits: waitsOf(waits) }, json, terminal);
  },
});
