import { type GatewayResponseOptions, ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';

/** An error of API Gateway itself in the shape of the service's errors (rest-api reference, 1.3). */
function errorOf(type: ResponseType, status: number, message: string, retryAfter?: number): GatewayResponseOptions {
  const body = { code: status, message, Error: message, StatusCode: status };
  return {
    type,
    statusCode: String(status),
    templates: { 'application/json': JSON.stringify(body) },
    // Single quotes mark a constant value.
    ...(retryAfter === undefined ? {} : { responseHeaders: { 'Retry-After': `'${retryAfter}'` } }),
  };
}

/**
 * Any other error of API Gateway, with its own message. A template has no variable for the status, and a status set here
 * would replace that of each such error, so that `code` and `StatusCode` are absent.
 */
const otherError = (type: ResponseType): GatewayResponseOptions => ({
  type,
  // The variable has the message in quotes, as JSON.
  templates: { 'application/json': '{"message":$context.error.messageString,"Error":$context.error.messageString}' },
});

/** The replies that API Gateway gives without a Lambda, by the ids of their constructs. */
const RESPONSES: Readonly<Record<string, GatewayResponseOptions>> = {
  // As the Lambda replies to a path that has no such method: an empty body.
  Unknown: {
    type: ResponseType.MISSING_AUTHENTICATION_TOKEN,
    statusCode: '405',
    templates: { 'application/json': '' },
  },
  TooLarge: errorOf(
    ResponseType.REQUEST_TOO_LARGE,
    413,
    'request payload too large; on AWS, the body of a request has at most about 4.5 MB',
  ),
  Throttled: errorOf(
    ResponseType.THROTTLED,
    429,
    'the limit of requests per second of this installation is reached; try again later',
    1,
  ),
  Timeout: errorOf(
    ResponseType.INTEGRATION_TIMEOUT,
    504,
    'there was no reply in time; instances that the request started continue',
  ),
  Failure: errorOf(
    ResponseType.INTEGRATION_FAILURE,
    504,
    'the function for this request could not be called; try again later',
  ),
  OtherClientError: otherError(ResponseType.DEFAULT_4XX),
  OtherServerError: otherError(ResponseType.DEFAULT_5XX),
};

/** Gives the errors of API Gateway itself the shape of the service's errors. */
export function addGatewayResponses(rest: RestApi): void {
  for (const [id, options] of Object.entries(RESPONSES)) rest.addGatewayResponse(id, options);
}
