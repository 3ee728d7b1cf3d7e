/** The entry point of the thread that reads texts of workflows. */
import { serveJobs } from '../../../language/sandbox/job-server.ts';
import { createWorkflowEngine } from './workflow-engine.ts';

serveJobs({ workflow: async () => createWorkflowEngine() });
