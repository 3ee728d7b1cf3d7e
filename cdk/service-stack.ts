import { CfnOutput, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Settings } from './settings/settings.ts';
import { Weft, WeftData } from './weft.ts';

const tagged = (stack: Stack, { tags }: Settings): void => {
  for (const [key, value] of Object.entries(tags)) Tags.of(stack).add(key, value);
};

/** The data of one installation: what outlives its service. */
export class DataStack extends Stack {
  readonly data: WeftData;

  constructor(scope: Construct, id: string, settings: Settings, props: StackProps = {}) {
    super(scope, id, {
      stackName: `${settings.name}-data`,
      description: 'Weft: the data of an installation',
      terminationProtection: settings.protect,
      tags: settings.tags,
      ...props,
    });
    this.data = new WeftData(this, 'Default', settings);
    tagged(this, settings);
  }
}

/** The service of one installation, beside its data. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, settings: Settings, data: WeftData, props: StackProps = {}) {
    super(scope, id, {
      stackName: settings.name,
      description: 'Weft: workflows without a server to keep',
      tags: settings.tags,
      ...props,
    });
    const weft = new Weft(this, 'Default', { ...settings, data });
    tagged(this, settings);
    this.#tell('Url', weft.url, 'Where the interface is: the paths that begin with api/ are below it');
    this.#tell('ShowKey', weft.showKeyCommand, 'Shows the administrative key');
    if (weft.domainTarget === undefined) return;
    this.#tell('DomainTarget', weft.domainTarget, `What the domain name ${settings.domain} has to point to (CNAME)`);
  }

  #tell(id: string, value: string, description: string): void {
    new CfnOutput(this, id, { value, description });
  }
}
