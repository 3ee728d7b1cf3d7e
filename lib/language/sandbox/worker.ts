/** The entry point of the thread that runs scripts, validates by JSON Schemas and renders templates (sandbox.ts describes its bundle). */
import { createJqEngine } from '../jq/engine.ts';
import { createJsEngine } from '../js/engine.ts';
import { serveJobs } from './job-server.ts';

serveJobs({
  jq: createJqEngine,
  js: createJsEngine,
  // Loaded late: most threads never validate or render, and the validator takes time to load.
  schema: async () => (await import('./schema-engine.ts')).createSchemaEngine(),
  defaults: async () => (await import('./schema-engine.ts')).createDefaultsEngine(),
  template: async () => (await import('./template-engine.ts')).createTemplateEngine(),
});
