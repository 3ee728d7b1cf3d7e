import { COMMAND_ERROR, imageFunction, textOf } from './call.ts';

/** `direktiv/functions/hello-world` greets a name, whose words it separates by one space (docs/native-images.md). */
export const helloWorld = imageFunction(COMMAND_ERROR, async ({ fields }) => {
  const words = textOf(fields, 'name', 'World').trim().split(/\s+/);
  return { 'hello-world': `Hello ${words.join(' ')}` };
});
