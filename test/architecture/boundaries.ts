import type { Node } from 'typescript/unstable/ast';
import {
  isCallExpression,
  isIdentifier,
  isImportDeclaration,
  isNewExpression,
  isPropertyAccessExpression,
} from 'typescript/unstable/ast/is';
import { type House, placeOf, type Source, type Violation } from './house.ts';
import { importsOf, specifiersOf } from './imports.ts';
import type { Layer } from './layers.ts';

const isWithin = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`);

/** The room of a file: the innermost one that contains it. */
function roomOf({ layers }: House, path: string): string | undefined {
  const around = layers.flatMap(({ rooms }) => rooms).filter((room) => isWithin(room, path));
  return around.sort((one, other) => other.length - one.length)[0];
}

/** Each room with all rooms that it may import. The layers are read from the lowest, so those of `on` are known. */
function groundOf({ layers }: House): Map<string, ReadonlySet<string>> {
  const ground = new Map<string, ReadonlySet<string>>();
  for (const { rooms, on } of layers) {
    const all = new Set(on.flatMap((room) => [room, ...(ground.get(room) ?? [])]));
    for (const room of rooms) ground.set(room, all);
  }
  return ground;
}

/** Imports between rooms that the layers do not allow. */
export function forbiddenImports(house: House): Violation[] {
  const ground = groundOf(house);
  return house.sources.flatMap((source) => {
    const from = roomOf(house, source.path) ?? '';
    const isAllowed = (to: string | undefined) => to !== undefined && (to === from || ground.get(from)?.has(to));
    const targets = importsOf(source).map((target) => ({ target, to: roomOf(house, target) }));
    const forbidden = targets.filter(({ to }) => !isAllowed(to));
    return forbidden.map(({ target, to }) => ({
      at: `${source.path} -> ${target}`,
      why: `'${from}' may not import '${to}' (layers.ts)`,
    }));
  });
}

/** Files without a room, rooms without a file, and rooms in `on` that are not of a lower layer or that no import needs. */
export function staleLayers(house: House): Violation[] {
  const lower = new Set<string>();
  const imports = house.sources.flatMap((source) =>
    importsOf(source).map((target) => `${roomOf(house, source.path)} -> ${roomOf(house, target)}`),
  );
  const ofLayer = ({ rooms, on }: Layer): Violation[] => {
    const empty = rooms.filter((room) => !house.paths.some((path) => isWithin(room, path)));
    const notLower = on.filter((room) => !lower.has(room));
    const unused = on.filter((to) => !rooms.some((from) => imports.includes(`${from} -> ${to}`)));
    for (const room of rooms) lower.add(room);
    return [
      ...empty.map((at) => ({ at, why: 'no such folder or file' })),
      ...notLower.map((to) => ({ at: `${rooms.join(', ')} -> ${to}`, why: 'is in no layer further up in the list' })),
      ...unused.map((to) => ({ at: `${rooms.join(', ')} -> ${to}`, why: 'no import needs this' })),
    ];
  };
  const homeless = house.sources.filter(({ path }) => roomOf(house, path) === undefined);
  return [
    ...homeless.map(({ path }) => ({ at: path, why: 'the file is in no room of layers.ts' })),
    ...house.layers.flatMap(ofLayer),
  ];
}

/** The only folders that may import a package. */
const PACKAGES: readonly { readonly name: RegExp; readonly folders: readonly string[] }[] = [
  { name: /^@aws-sdk\//, folders: ['lib/adapters'] },
  { name: /^(aws-cdk-lib|cdk-nag|constructs)(\/|$)/, folders: ['cdk'] },
];

/** The only folders that may import nothing but modules of Node and their own files. */
const WITHOUT_PACKAGES = ['clients', 'lib/containers/sidecar'];

const isIn = (folders: readonly string[], path: string) => folders.some((folder) => isWithin(folder, path));

/** Packages outside their folders, and packages in the program that runs beside a container, which has none. */
export function misplacedPackages({ sources }: House): Violation[] {
  const isMisplaced = (path: string, name: string) =>
    PACKAGES.some((row) => row.name.test(name) && !isIn(row.folders, path)) ||
    (isIn(WITHOUT_PACKAGES, path) && !/^(node:|\.)/.test(name));
  return sources.flatMap((source) =>
    specifiersOf(source)
      .filter((name) => isMisplaced(source.path, name))
      .map((name) => ({ at: `${source.path} imports ${name}`, why: 'the package belongs to other folders' })),
  );
}

const ENVIRONMENT = ['lib/adapters/aws', 'lib/containers/sidecar', 'bin', 'cdk', 'bench'];
/**
 * A script runs in a thread of its own (lib/language/js), which has no ports and stops itself at its deadline; its server of
 * jobs sets the time that scripts see. Programs of users (clients) have no ports either.
 */
const SCRIPTS = ['lib/language/js', 'lib/language/sandbox/job-server.ts'];
const CLOCKS = ['lib/adapters', 'lib/containers/sidecar', ...SCRIPTS, 'bin', 'bench', 'clients'];

/** Members of globals that read the clock or make random values. */
const CLOCK_MEMBERS = ['Date.now', 'performance.now', 'process.hrtime', 'Math.random', 'crypto.randomUUID'];
/** Imports that do so, on any object. */
const CLOCK_IMPORTS = ['randomUUID', 'randomBytes', 'randomInt', 'getRandomValues', 'hrtime'];

function isClock(node: Node): boolean {
  if (isPropertyAccessExpression(node)) return CLOCK_MEMBERS.includes(node.getText());
  if (isNewExpression(node)) return node.expression.getText() === 'Date' && (node.arguments ?? []).length === 0;
  if (isCallExpression(node)) return node.expression.getText() === 'Date';
  return isIdentifier(node) && CLOCK_IMPORTS.includes(node.text);
}

function isEnvironment(node: Node): boolean {
  if (isImportDeclaration(node)) return /\{[^}]*\benv\b[^}]*\} from 'node:process'/.test(node.getText());
  return isPropertyAccessExpression(node) && node.getText() === 'process.env';
}

function uses(source: Source, isUse: (node: Node) => boolean, what: string): Violation[] {
  const found = source.nodes.filter(isUse);
  return found.map((node) => ({ at: placeOf(node, source), why: `${what} is used outside its folders` }));
}

/** Uses of the environment, of the clock and of random values outside their folders: elsewhere the ports give them. */
export function misplacedGlobals({ sources }: House): Violation[] {
  return sources.flatMap((source) => [
    ...(isIn(ENVIRONMENT, source.path) ? [] : uses(source, isEnvironment, 'process.env')),
    ...(isIn(CLOCKS, source.path) ? [] : uses(source, isClock, 'the clock or a random value')),
  ]);
}

/** Calls with the only files of the engine that may make them: what a commit owes is delivered in one place. */
const CALLERS: Readonly<Record<string, readonly string[]>> = {
  'executions.answer': ['lib/engine/machines/tasks.ts'],
  // A commit's tasks; the task that calls the step; the task of a timer whose call failed.
  endTask: ['lib/engine/delivery/deliver.ts', 'lib/engine/tasks/step.ts', 'lib/engine/tasks/retry-call.ts'],
  outboxOf: ['lib/engine/delivery/deliver.ts'],
  notifyEnd: ['lib/engine/delivery/deliver.ts'],
  'listeners.removeAll': ['lib/engine/delivery/deliver.ts'],
};

/** Calls of the engine that end tasks, report ends or remove listeners elsewhere than in the delivery of a commit. */
export function misplacedDeliveries({ sources }: House): Violation[] {
  const nameOf = (node: Node): string | undefined =>
    isCallExpression(node)
      ? Object.keys(CALLERS).find((name) =>
          new RegExp(`(^|\\.)${name.replace('.', '\\.')}$`).test(node.expression.getText()),
        )
      : undefined;
  return sources
    .filter(({ path }) => isWithin('lib/engine', path))
    .flatMap((source) => {
      const names = new Set(source.nodes.map(nameOf).filter((name) => name !== undefined));
      const misplaced = [...names].filter((name) => CALLERS[name]?.includes(source.path) === false);
      return misplaced.map((name) => ({
        at: `${source.path} calls ${name}`,
        why: 'only the delivery of a commit does',
      }));
    });
}
