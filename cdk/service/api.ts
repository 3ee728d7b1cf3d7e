import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  EndpointType,
  type Integration,
  LambdaIntegration,
  LogGroupLogDestination,
  ResponseTransferMode,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { LambdaName } from '../../lib/api/registry/families.ts';
import { gatewayPaths, lambdaOf, type Route } from '../../lib/api/registry/route.ts';
import { rows } from '../../lib/api/registry/routes/index.ts';
import type { WeftFunction } from '../functions/function.ts';
import type { Functions } from '../functions/functions.ts';
import { newLogGroup } from '../functions/log-group.ts';
import { acknowledge } from '../rights/acknowledge.ts';
import type { Settings } from '../settings/settings.ts';
import { compactPaths } from './gateway-paths.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { reachability } from './reachability.ts';

/** Every path exists with both prefixes (rest-api reference, 17). */
const PREFIXES = ['/api', '/api/v2'];

const prefixesOf = ({ unversioned }: Pick<Route, 'unversioned'>): readonly string[] =>
  unversioned ? PREFIXES.slice(0, 1) : PREFIXES;

/** Replies to requests without a route, with 404 or 405. */
const FALLBACK: LambdaName = 'system';

/** The paths of API Gateway, each with the Lambda for its requests of all methods. */
function gatewayRoutes(): ReadonlyMap<string, LambdaName> {
  const served = rows.flatMap(([, route]) =>
    prefixesOf(route).flatMap((prefix) =>
      gatewayPaths(route.path).map((path) => [prefix + path, lambdaOf(route)] as const),
    ),
  );
  return new Map([...compactPaths(new Map(served)), ['/{elsewhere+}', FALLBACK]]);
}

/** The paths of the console; the root redirects a browser to it. */
const CONSOLE_PATHS = ['/', '/ui', '/ui/{page+}'];

/**
 * The REST API: resources for the paths of the registry (`compactPaths`), with one integration for all methods. The Lambda distinguishes
 * methods and `op`, authorizes the key and validates bodies, so that no authorizer, model or validator is needed here.
 */
export class Api extends Construct {
  readonly rest: RestApi;
  /** The access log, with a line for each request. */
  readonly logs: LogGroup;
  /** The target of the CNAME record of the domain name. */
  readonly domainTarget: string | undefined;

  constructor(scope: Construct, id: string, settings: Settings, functions: Functions) {
    super(scope, id);
    this.logs = newLogGroup(this, 'Logs', settings);
    this.rest = this.#make(settings);
    const integrations = new Map<WeftFunction, Integration>();
    const integrationOf = (handler: WeftFunction): Integration => {
      const integration = integrations.get(handler) ?? toIntegration(handler, settings);
      integrations.set(handler, integration);
      return integration;
    };
    for (const [path, family] of gatewayRoutes()) {
      this.rest.root.resourceForPath(path).addMethod('ANY', integrationOf(functions.http(family)));
    }
    // Its replies are short and are not streamed.
    const console = toIntegration(functions.console, { streaming: false });
    for (const path of CONSOLE_PATHS) this.rest.root.resourceForPath(path).addMethod('ANY', console);
    addGatewayResponses(this.rest);
    this.#acknowledge(settings);
    // The stack defines its own outputs.
    this.rest.node.tryRemoveChild('Endpoint');
    this.domainTarget = this.#name(settings);
    const { webAcl: webAclArn } = settings;
    const { stageArn: resourceArn } = this.rest.deploymentStage;
    if (webAclArn !== undefined) new CfnWebACLAssociation(this, 'WebAcl', { webAclArn, resourceArn });
  }

  #make(settings: Settings): RestApi {
    const { name, tracing, loggingRole, requestsPerSecond: rate } = settings;
    return new RestApi(this, 'Rest', {
      restApiName: name,
      // A changed description would replace the deployment of the API.
      description: 'Workflows: Direktiv’s REST API',
      ...reachability(this, settings),
      // Without this, API Gateway would read bodies as text.
      binaryMediaTypes: ['*/*'],
      cloudWatchRole: loggingRole,
      ...(loggingRole ? { cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN } : {}),
      deployOptions: {
        stageName: 'prod',
        accessLogDestination: new LogGroupLogDestination(this.logs),
        accessLogFormat: AccessLogFormat.jsonWithStandardFields(),
        ...(tracing ? { tracingEnabled: true } : {}),
        ...(rate === undefined ? {} : { throttlingRateLimit: rate, throttlingBurstLimit: 2 * rate }),
      },
    });
  }

  /** Serves the API at the root of the domain name of the settings. */
  #name({ domain, certificate }: Settings): string | undefined {
    if (domain === undefined || certificate === undefined) return undefined;
    const name = this.rest.addDomainName('Domain', {
      domainName: domain,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificate),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    return name.domainNameAliasDomainName;
  }

  #acknowledge({ webAcl }: Settings): void {
    const inside =
      'The Lambda authorizes the key: it may be in any of seven headers, so that an authorizer could not use its cache.';
    acknowledge(this.rest, {
      APIG2: 'The Lambda validates bodies by the shapes of the registry, with the error messages that clients know.',
      ...(webAcl === undefined
        ? { APIG3: 'A web ACL has a fixed monthly price; the setting `webAcl` attaches one.' }
        : {}),
      APIG4: inside,
      COG4: inside,
      APIG6: 'The access log has every request; the execution log would add the headers with the keys.',
      'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
        'API Gateway accepts only this role for its logs, one for an account and region.',
    });
  }
}

/** Without a timeout of its own, an integration ends after 29 seconds, streamed or not. */
function toIntegration({ called, handler }: WeftFunction, { streaming }: Pick<Settings, 'streaming'>): Integration {
  return new LambdaIntegration(called, {
    scopePermissionToMethod: false,
    ...(streaming && handler.timeout !== undefined ? { timeout: handler.timeout } : {}),
    responseTransferMode: streaming ? ResponseTransferMode.STREAM : ResponseTransferMode.BUFFERED,
  });
}
