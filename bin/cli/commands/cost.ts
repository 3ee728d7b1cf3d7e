import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { compile } from '../../../lib/compiler/compile.ts';
import { PRICED_IN, PRICED_ON, type PRICES, perMillion } from '../costs/prices.ts';
import { priceTemplates, type Template } from '../costs/template.ts';
import { priceRuns, type RunCost } from '../costs/workflow.ts';
import { defineCommand, good, needWords, type Outcome, toJson, toTable, UsageError } from '../shell/command.ts';
import { readBytes } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';

const SOURCE = `list prices of ${PRICED_IN} as of ${PRICED_ON}, without the free tier`;
const TEMPLATE = '.template.json';
const ITEMS = 10;
const MOST_ITEMS = 100_000;
const dollars = (amount: number): string => `$${amount.toFixed(2)}`;

/** The templates of a folder that CDK wrote, or the one in a file. Throws UsageError. */
async function readTemplates(path: string): Promise<Template[]> {
  try {
    const isFolder = (await stat(path)).isDirectory();
    const names = isFolder ? (await readdir(path)).filter((name) => name.endsWith(TEMPLATE)).toSorted() : [''];
    if (names.length === 0) throw new UsageError(`${path} holds no file that ends with ${TEMPLATE}`);
    const texts = await Promise.all(names.map((name) => readFile(join(path, name), 'utf8')));
    return texts.map((text) => JSON.parse(text) as Template);
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${path} is no template in JSON: ${error.message}`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UsageError(`${path} cannot be read: ${code}; 'npm run cdk -- synth --quiet' writes the folder cdk.out`);
  }
}

async function tellTemplate(path: string, isJson: boolean): Promise<Outcome> {
  const templates = await readTemplates(path);
  const price = priceTemplates(templates);
  const { metrics } = price;
  const isGood = price.unknown.length === 0;
  if (isJson) return { text: toJson({ ...price, pricedOn: PRICED_ON, region: PRICED_IN }), isGood };
  const stacks = `${price.count} resources of ${templates.length} ${templates.length === 1 ? 'stack' : 'stacks'}`;
  const lines = [
    `${dollars(price.monthly)} a month before anything is used: ${stacks} (${SOURCE})`,
    ...(price.paid.length === 0 ? [] : [toTable(price.paid.map((one) => [dollars(one.monthly), one.type, one.id]))]),
    ...(metrics.most === 0
      ? []
      : [`and up to ${dollars(metrics.monthly)} for ${metrics.most} metrics, by the hours in which they are used`]),
    ...price.unknown.map((one) => `the price is not known: ${one}`),
  ];
  return { text: lines.join('\n'), isGood };
}

const LABELS: Readonly<Record<keyof typeof PRICES, string>> = {
  requests: 'requests of API Gateway',
  lambdas: 'calls of Lambdas',
  readUnits: 'read units of DynamoDB',
  writeUnits: 'write units of DynamoDB',
  transitions: 'transitions of Step Functions',
  express: 'executions of the tier Express',
  events: 'events of EventBridge',
};

const NOTES = [
  'Least and most are the cheapest and the dearest way through the workflow on which nothing fails or comes twice.',
  'Units are for data below a kilobyte. The time of Lambdas comes on top: $0.13 for each 10 ms at 1 GB. A subflow is',
  'counted as one state that is over at once, or, at the most, as a wait for it; price its own file besides.',
];

const isSame = ({ least, most }: RunCost): boolean => JSON.stringify(least) === JSON.stringify(most);

function tableOf(cost: RunCost): string {
  const { op, least, most } = cost;
  const ends = isSame(cost) ? [least] : [least, most];
  const head = isSame(cost) ? ['a run'] : ['least', 'most'];
  const names = Object.keys(LABELS) as (keyof typeof LABELS)[];
  const rows = names.filter((name) => most[name] > 0 || least[name] > 0);
  return toTable([
    [`op=${op}`, ...head],
    ...rows.map((name) => [`  ${LABELS[name]}`, ...ends.map((end) => String(end[name]))]),
    ['  a million of them', ...ends.map((end) => dollars(perMillion(end)))],
  ]);
}

async function tellWorkflow(file: string, items: number, isJson: boolean, terminal: Terminal): Promise<Outcome> {
  const compiled = compile((await readBytes(terminal, file)).toString('utf8'));
  if ('problems' in compiled) throw new UsageError(`${file} is no workflow; 'weft validate ${file}' says why`);
  const costs = priceRuns(compiled.plan, items);
  const priced = costs.map(({ op, least, most }) => ({
    op,
    least: { ...least, perMillion: perMillion(least) },
    most: { ...most, perMillion: perMillion(most) },
  }));
  if (isJson) return good(toJson({ runs: priced, items, pricedOn: PRICED_ON, region: PRICED_IN }));
  return good([...costs.map(tableOf), ...NOTES, `${SOURCE[0]?.toUpperCase()}${SOURCE.slice(1)}.`].join('\n'));
}

function itemsOf(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= MOST_ITEMS) return count;
  throw new UsageError(`--items is '${text}'; it must be a number from 1 to ${MOST_ITEMS}`);
}

/** Prices what CDK made, or a workflow, without a service and without AWS. */
export const cost = defineCommand({
  about: 'Tells what a workflow costs on AWS, or what an installation costs by the month',
  usage: ['cost FILE [--items N]', 'cost --template cdk.out'],
  notes: [
    '--items N         how many items a foreach has (else 10)',
    '--template PATH   what CDK wrote: its folder, or one template in JSON',
    'A file called - is the standard input.',
  ],
  options: { template: { type: 'string' }, items: { type: 'string' } },
  run: async ({ template, items = String(ITEMS), json = false }, rest, terminal) => {
    if (template !== undefined) {
      needWords('cost --template PATH', [], rest);
      return tellTemplate(resolve(terminal.cwd, template), json);
    }
    needWords('cost', ['FILE'], rest);
    return tellWorkflow(rest[0] ?? '', itemsOf(items), json, terminal);
  },
});
