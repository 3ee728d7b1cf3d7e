import {
  forbiddenImports,
  misplacedDeliveries,
  misplacedGlobals,
  misplacedPackages,
  staleLayers,
} from './boundaries.ts';
import { circlesOfFiles, circlesOfFolders } from './circles.ts';
import { longGuide, missingPaths, unmappedFolders } from './guide.ts';
import type { Rule } from './house.ts';
import { drawers, repeatedClasses, repeatedNames, repeatedPrefixes, unmarkedErrors } from './names.ts';
import { longParameterLists, undocumentedExports } from './signatures.ts';
import { fullFolders, longClasses, longFiles, longFunctions, mixedTables } from './sizes.ts';

/** Every rule, under the sentence that it holds. */
export const RULES = {
  'a room imports only the rooms that its layer stands on': forbiddenImports,
  'layers.ts has a room for each file, and no room or name more than the imports need': staleLayers,
  'files do not import each other in a circle': circlesOfFiles,
  'folders do not import each other in a circle': circlesOfFolders,
  'a package is imported only in its folders': misplacedPackages,
  'the environment, the clock and random values are used only in their folders': misplacedGlobals,
  'what a commit owes is delivered in one place': misplacedDeliveries,
  'a file has at most 300 lines': longFiles,
  'a function has at most 50 lines': longFunctions,
  'a class has at most 200 lines': longClasses,
  'a folder has at most 15 files': fullFolders,
  'a table folder holds its index and its rows alone': mixedTables,
  'no file or folder is a drawer': drawers,
  'no file name begins with the name of its folder': repeatedPrefixes,
  'a file name stands in at most three folders of lib': repeatedNames,
  'the name of an error class ends in Error': unmarkedErrors,
  'no two classes have one name': repeatedClasses,
  'an exported function or class has a doc comment': undocumentedExports,
  'a function has at most four positional parameters': longParameterLists,
  'every path in AGENTS.md and in the README.md of a folder exists': missingPaths,
  'AGENTS.md has at most 160 lines': longGuide,
  'the map in AGENTS.md names every folder of two levels, or the folder has a README.md': unmappedFolders,
} as const satisfies Readonly<Record<string, Rule>>;

export type RuleName = keyof typeof RULES;
export const RULE_NAMES = Object.keys(RULES) as RuleName[];
