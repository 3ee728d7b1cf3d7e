/** The module that lies beside functions: it is loaded for the first token. */
export { openIamVerification } from './iam-verification.ts';
export { openVerification } from './verification.ts';
