/**
 * `npm run release`: builds the package, checks versions and contents, writes its software bill of materials, and tries it
 * in an empty project with each supported Node. It publishes nothing: it prints the command that does (docs/releasing.md).
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FOLDER, pack, packedProblems, ROOT, stage, writeBom } from './release/packing.ts';
import { refusals, repositoryProblems, versionsOf } from './release/repository.ts';
import {
  installInto,
  type Node,
  nodesOf,
  type Project,
  removeProject,
  tryTypes,
  tryUse,
  usesOf,
} from './release/trial.ts';
import { startService } from './server/service.ts';
import { buildSite } from './site/build.ts';

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

let passed = 0;
let failed = 0;

/** Prints the outcome of a check, and counts it. */
function report(name: string, problems: readonly string[], detail = ''): void {
  if (problems.length === 0) passed += 1;
  else failed += 1;
  console.log(`${problems.length === 0 ? 'ok    ' : 'failed'}  ${name}${detail === '' ? '' : `: ${detail}`}`);
  for (const problem of problems) console.log(`        ${problem.replaceAll('\n', '\n        ')}`);
}

async function tryWith(project: Project, nodes: readonly Node[]): Promise<void> {
  const settings = { port: 0, host: '127.0.0.1', data: undefined, apiKey: undefined, databaseEndpoint: undefined };
  const service = await startService({ ...settings, brand: 'service', version: `v${versionsOf(ROOT).package}` });
  const tryAll = async (node: Node) => {
    for (const use of usesOf(`node-${Number.parseInt(node.version.slice(1), 10)}`)) {
      const problem = await tryUse(project, node, use, service);
      report(`${use.name} with Node ${node.version.slice(1)}`, problem === undefined ? [] : [problem]);
    }
  };
  await Promise.all(nodes.map(tryAll));
  await service.close();
}

/** Makes the documentation as pages in a folder. Returns its problems, and how large it is. */
async function tryDocs(folder: string): Promise<[problems: string[], size?: string]> {
  try {
    const { pages, bytes } = await buildSite(folder);
    return [[], `${pages} pages, ${megabytes(bytes)}`];
  } catch (error) {
    return [[error instanceof Error ? error.message : String(error)]];
  }
}

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
const isTrial = values['dry-run'];
const reasons = isTrial ? [] : refusals(ROOT);
if (reasons.length > 0) {
  console.error("Not released ('npm run release -- --dry-run' tries everything else):");
  for (const reason of reasons) console.error(`- ${reason}`);
  process.exit(1);
}

const versions = versionsOf(ROOT);
const stated = `package ${versions.package}, REST API ${versions.api}, stored schema ${versions.schema}`;
report('versions', repositoryProblems(ROOT), stated);
await stage();
const packed = pack();
const archive = join(FOLDER, packed.filename);
const size = `${packed.files.length} files, ${megabytes(packed.size)} packed, ${megabytes(packed.unpackedSize)} unpacked`;
report('contents', packedProblems(packed), size);
report('bill of materials', [], `${writeBom(packed)} packages`);
const docs = join(FOLDER, 'docs');
report('documentation', ...(await tryDocs(docs)));
const project = await installInto(archive);
try {
  report('installed in an empty project', [], megabytes(project.bytes));
  await tryWith(project, await nodesOf());
  const problem = await tryTypes(project);
  report('types', problem === undefined ? [] : [problem]);
} finally {
  await removeProject(project);
}
console.log(`${passed} passed, ${failed} failed`);
if (failed === 0 && !isTrial) {
  console.log(`To publish: npm publish ${archive}`);
  console.log(`To publish the documentation: aws s3 sync ${docs} s3://BUCKET --delete`);
}
process.exit(failed === 0 ? 0 : 1);
