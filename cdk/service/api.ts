import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  EndpointType,
  type Integration,
  LambdaIntegration,
  LogGroupLogDestination,
  ResponseTransferMode,
  ResponseType,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FamilyName } from '../../lib/api/registry/families.ts';
import { gatewayPaths, lambdaOf } from '../../lib/api/registry/route.ts';
import { rows } from '../../lib/api/registry/routes/index.ts';
import type { WeftFunction } from '../functions/function.ts';
import type { Functions } from '../functions/functions.ts';
import { acknowledge } from '../rights/acknowledgements.ts';
import type { Settings } from '../settings/settings.ts';

/** The two spellings of every path (rest-api reference, 17). */
const PREFIXES = ['/api', '/api/v2'];

/** Whatever no route is: the Lambda says 404 or 405. */
const ELSEWHERE: FamilyName = 'system';

/** The paths of API Gateway, each with the family whose Lambda gets its requests, whatever their method. */
function gatewayRoutes(): ReadonlyMap<string, FamilyName> {
  const served = rows.flatMap(([, route]) => gatewayPaths(route.path).map((path) => [path, lambdaOf(route)] as const));
  const prefixed = PREFIXES.flatMap((prefix) => served.map(([path, name]) => [prefix + path, name] as const));
  return new Map([...prefixed, ['/{elsewhere+}', ELSEWHERE]]);
}

/** The paths of the console; from the root, a browser is sent there. */
const CONSOLE_PATHS = ['/', '/ui', '/ui/{page+}'];

/**
 * The REST API: a resource for each path of the registry, all methods to the Lambda of its family. The Lambda tells
 * methods and `op` apart, knows the key, and checks bodies by their shapes; so no authorizer, model or validator is here.
 */
export class Api extends Construct {
  readonly rest: RestApi;
  /** Has a line for each request. */
  readonly logs: LogGroup;
  /** What a domain name of one's own has to point to. */
  readonly domainTarget: string | undefined;

  constructor(scope: Construct, id: string, settings: Settings, functions: Functions) {
    super(scope, id);
    const { logDays: retention } = settings;
    this.logs = new LogGroup(this, 'Logs', { retention, removalPolicy: RemovalPolicy.DESTROY });
    this.rest = this.#make(settings);
    const integrations = new Map<WeftFunction, Integration>();
    const integrationOf = (handler: WeftFunction): Integration => {
      const integration = integrations.get(handler) ?? toIntegration(handler, settings);
      integrations.set(handler, integration);
      return integration;
    };
    for (const [path, family] of gatewayRoutes()) {
      this.rest.root.resourceForPath(path).addMethod('ANY', integrationOf(functions.serving(family)));
    }
    // Its replies are short, and leave whole.
    const console = toIntegration(functions.console, { streaming: false });
    for (const path of CONSOLE_PATHS) this.rest.root.resourceForPath(path).addMethod('ANY', console);
    this.#refuse();
    this.#acknowledge();
    // Whoever makes the stack says what it tells.
    this.rest.node.tryRemoveChild('Endpoint');
    this.domainTarget = this.#name(settings);
  }

  #make({ name, tracing }: Settings): RestApi {
    return new RestApi(this, 'Rest', {
      restApiName: name,
      description: 'Workflows: Direktiv’s REST API',
      endpointTypes: [EndpointType.REGIONAL],
      // Bodies are bytes: without this, API Gateway would take them for text.
      binaryMediaTypes: ['*/*'],
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName: 'prod',
        accessLogDestination: new LogGroupLogDestination(this.logs),
        accessLogFormat: AccessLogFormat.jsonWithStandardFields(),
        ...(tracing ? { tracingEnabled: true } : {}),
      },
    });
  }

  /** Answers to a domain name of the installation's own, from its root. */
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

  /** A path that API Gateway itself does not know is answered as the Lambda would: 405, nothing in it. */
  #refuse(): void {
    this.rest.addGatewayResponse('Unknown', {
      type: ResponseType.MISSING_AUTHENTICATION_TOKEN,
      statusCode: '405',
      templates: { 'application/json': '' },
    });
  }

  #acknowledge(): void {
    const inside = 'The key is checked in the Lambda: keys come in any of seven headers, which forbids a cache here.';
    acknowledge(this.rest, {
      APIG2: 'Bodies are checked in the Lambda by the shapes of the registry, with the messages that clients know.',
      APIG3: 'A web ACL costs a fixed sum each month; who wants one can attach it to the stage.',
      APIG4: inside,
      COG4: inside,
      APIG6: 'The access log has every request; the execution log would add the headers that hold the keys.',
      'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
        'API Gateway accepts only this role for its log, one in an account and region.',
    });
  }
}

function toIntegration({ handler }: WeftFunction, { streaming }: Pick<Settings, 'streaming'>): Integration {
  return new LambdaIntegration(handler, {
    scopePermissionToMethod: false,
    responseTransferMode: streaming ? ResponseTransferMode.STREAM : ResponseTransferMode.BUFFERED,
  });
}
