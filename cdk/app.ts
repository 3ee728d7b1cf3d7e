/** The CDK app of `npm run cdk`: the two stacks of one installation, validated by the rules of cdk-nag. */
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { DataStack, ServiceStack } from './service-stack.ts';
import { settingsOf } from './settings/read.ts';

const app = new App();
const settings = settingsOf(app.node);
const { data } = new DataStack(app, 'WeftData', { settings });
new ServiceStack(app, 'Weft', { settings, data });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
app.synth();
