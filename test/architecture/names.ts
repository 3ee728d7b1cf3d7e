import { basename, dirname } from 'node:path';
import type { ClassLikeDeclaration } from 'typescript/unstable/ast';
import { isClassLikeDeclaration } from 'typescript/unstable/ast/is';
import type { House, Source, Violation } from './house.ts';

const DRAWERS = /(^|\/)(utils?|common|helpers?|shared|misc|types)(\/|\.tsx?$)/;

/** Files and folders that are named as a place for anything. */
export function drawers({ sources }: House): Violation[] {
  const wrong = sources.filter(({ path }) => DRAWERS.test(path));
  return wrong.map(({ path }) => ({ at: path, why: 'the name says nothing about the contents' }));
}

/** Files whose name begins with that of their folder, in the plural or the singular: `events/event-start.ts`. */
export function repeatedPrefixes({ sources }: House): Violation[] {
  return sources.flatMap(({ path }) => {
    const folder = basename(dirname(path));
    const isRepeated = [folder, folder.replace(/s$/, '')].some((name) => basename(path).startsWith(`${name}-`));
    return isRepeated ? [{ at: path, why: `repeats the name of its folder '${folder}'` }] : [];
  });
}

const FOLDERS_OF_A_NAME = 3;

/**
 * File names that stand in more than three folders of lib/, tables aside: the tabs of an editor cannot distinguish
 * them.
 */
export function repeatedNames({ sources, tables }: House): Violation[] {
  const tableFolders = tables.map((index) => dirname(index));
  const counted = sources.filter(({ path }) => path.startsWith('lib/') && !tableFolders.includes(dirname(path)));
  const names = Map.groupBy(counted, ({ path }) => basename(path));
  const repeated = [...names].filter(([, files]) => files.length > FOLDERS_OF_A_NAME);
  return repeated.map(([name, files]) => ({
    at: `${name} in ${files.length} folders`,
    why: `a name stands in at most ${FOLDERS_OF_A_NAME} folders: ${files.map(({ path }) => dirname(path)).join(', ')}`,
  }));
}

interface ClassOf {
  readonly path: string;
  readonly name: string;
  readonly base: string | undefined;
}

function baseOf(node: ClassLikeDeclaration): string | undefined {
  const clause = node.heritageClauses?.find((one) => one.getText().startsWith('extends'));
  return clause?.types[0]?.expression.getText();
}

function classesOf({ path, nodes }: Source): ClassOf[] {
  const found = nodes.filter(isClassLikeDeclaration);
  return found.flatMap((node) => (node.name === undefined ? [] : { path, name: node.name.text, base: baseOf(node) }));
}

/** Classes that extend an error, also by way of others, and whose name does not end in `Error`. */
export function unmarkedErrors({ sources }: House): Violation[] {
  const classes = sources.flatMap(classesOf);
  const isError = (name: string | undefined): boolean => {
    if (name === undefined) return false;
    if (/Error$/.test(name)) return true;
    return classes.some((one) => one.name === name && isError(one.base));
  };
  const wrong = classes.filter(({ name, base }) => isError(base) && !/Error$/.test(name));
  return wrong.map(({ path, name }) => ({ at: `${path} ${name}`, why: 'the name of an error class ends in Error' }));
}

/** Classes that have the name of a class in another place. */
export function repeatedClasses({ sources }: House): Violation[] {
  const classes = Map.groupBy(sources.flatMap(classesOf), ({ name }) => name);
  const repeated = [...classes].filter(([, places]) => places.length > 1);
  return repeated.map(([at, places]) => ({ at, why: `is in ${places.map(({ path }) => path).join(', ')}` }));
}
