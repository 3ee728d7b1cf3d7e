import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ROOT } from '../console/folder.ts';

/** The first sentence of the comment, or of the description, with which a workflow begins. */
function aboutOf(workflow: string): string {
  const [, ...comment] = workflow.split('\n').slice(
    0,
    workflow.split('\n').findIndex((line) => !line.startsWith('#')),
  );
  const text = comment.map((line) => line.replace(/^#\s*/, '')).join(' ') || /^description: (.+)$/m.exec(workflow)?.[1];
  const [sentence = ''] = /^.+?\.(?=\s+[A-Z`]|$)/.exec(text ?? '') ?? [];
  return sentence.replaceAll('|', '\\|');
}

/** The text of examples/README.md: a row for each example. Throws Error for an example whose workflow says nothing of it. */
export function exampleIndex(): string {
  const files = globSync('examples/*/workflow.yaml', { cwd: ROOT }).toSorted();
  const rows = files.map((file) => {
    const about = aboutOf(readFileSync(join(ROOT, file), 'utf8'));
    if (about === '') throw new Error(`${file} begins with no sentence about it`);
    const name = basename(dirname(file));
    return `| [${name}](${name}) | ${about} |`;
  });
  return `# Examples

${files.length} complete workflows to copy from. Each folder has the workflow (\`workflow.yaml\`, with its subflows in \`flows/\`), its tests
(\`workflow.test.yaml\`), runs with their outputs (\`runs.yaml\`) and its state machine. This page is made by \`npm run docs\`.

| example | |
|---|---|
${rows.join('\n')}

**Next:** [states](../docs/states/README.md), [testing workflows](../docs/testing.md).
`;
}
