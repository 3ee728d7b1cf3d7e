/** What `npm run cdk -- synth` and `deploy` run: one stack for one installation, and rules that it must keep. */
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ServiceStack } from './service-stack.ts';
import { settingsOf } from './settings.ts';

const app = new App();
new ServiceStack(app, 'Weft', settingsOf(app.node));
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
app.synth();
