import { EndpointType, type RestApiProps } from 'aws-cdk-lib/aws-apigateway';
import { InterfaceVpcEndpoint } from 'aws-cdk-lib/aws-ec2';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { Settings } from '../settings/settings.ts';

const PORT = 443;
const INVOKE = { actions: ['execute-api:Invoke'], resources: ['execute-api:/*'], principals: [new AnyPrincipal()] };

/** From where the API is called: from everywhere, or through the VPC endpoints of the settings alone. */
export function reachability(
  scope: Construct,
  { vpcEndpoints }: Pick<Settings, 'vpcEndpoints'>,
): Pick<RestApiProps, 'endpointTypes' | 'endpointConfiguration' | 'policy'> {
  if (vpcEndpoints.length === 0) return { endpointTypes: [EndpointType.REGIONAL] };
  const endpoints = vpcEndpoints.map((vpcEndpointId, index) =>
    InterfaceVpcEndpoint.fromInterfaceVpcEndpointAttributes(scope, `Endpoint${index}`, { vpcEndpointId, port: PORT }),
  );
  const conditions = { StringNotEquals: { 'aws:SourceVpce': [...vpcEndpoints] } };
  return {
    endpointConfiguration: { types: [EndpointType.PRIVATE], vpcEndpoints: endpoints },
    policy: new PolicyDocument({
      statements: [new PolicyStatement(INVOKE), new PolicyStatement({ ...INVOKE, effect: Effect.DENY, conditions })],
    }),
  };
}
