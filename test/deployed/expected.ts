/** Tests that fail on the emulator. */
export interface ExpectedFailure {
  /** Matches their names. */
  readonly tests: RegExp;
  readonly reason: string;
}

/** The failures that are expected because the emulator differs from AWS. */
export const EXPECTED_FAILURES: readonly ExpectedFailure[] = [
  {
    tests: /bytes of another encoding|the body 255,254|400 when the script is no text/,
    reason: 'its API Gateway treats every body as UTF-8 text, although all media types are binary',
  },
  {
    tests: /namespaces\.test\.ts .*a%2Fb|GET %\.60s is rejected|an escape as its id|an invalid escape/,
    reason: 'its API Gateway decodes percent-encoding in a path before it matches the route',
  },
  {
    tests: /system\.test\.ts a path .* is redirected to /,
    reason: 'its redirects have the path of the stage, but its URLs are below another path',
  },
];
