import { CfnOutput, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Settings } from './settings/settings.ts';
import { Weft, WeftData } from './weft.ts';

const addTags = (stack: Stack, { tags }: Settings): void => {
  for (const [key, value] of Object.entries(tags)) Tags.of(stack).add(key, value);
};

export interface DataStackProps extends StackProps {
  readonly settings: Settings;
}

/** The stack of an installation's data, which outlives the service. */
export class DataStack extends Stack {
  readonly data: WeftData;

  constructor(scope: Construct, id: string, { settings, ...props }: DataStackProps) {
    super(scope, id, {
      stackName: `${settings.name}-data`,
      description: 'Weft: data of an installation',
      terminationProtection: settings.protect,
      tags: settings.tags,
      ...props,
    });
    this.data = new WeftData(this, 'Default', settings);
    addTags(this, settings);
  }
}

export interface ServiceStackProps extends StackProps {
  readonly settings: Settings;
  readonly data: WeftData;
}

/** The stack of an installation's service. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, { settings, data, ...props }: ServiceStackProps) {
    super(scope, id, {
      stackName: settings.name,
      description: 'Weft: serverless workflows',
      tags: settings.tags,
      ...props,
    });
    const weft = new Weft(this, 'Default', { ...settings, data });
    addTags(this, settings);
    this.#output('Url', weft.url, 'URL of the REST API; its paths begin with api/');
    this.#output('ShowKey', weft.showKeyCommand, 'Command that prints the API key of the administrator');
    if (weft.domainTarget === undefined) return;
    this.#output('DomainTarget', weft.domainTarget, `Target of the CNAME record of ${settings.domain}`);
  }

  #output(id: string, value: string, description: string): void {
    new CfnOutput(this, id, { value, description });
  }
}
