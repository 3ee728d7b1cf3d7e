// The CDK construct in an app of a user: prints the number of Lambda functions in the template.
import { App, Stack } from 'aws-cdk-lib';
import { Weft } from 'weft-workflows/cdk';

const app = new App({ outdir: process.argv[2] });
const stack = new Stack(app, 'Flows');
new Weft(stack, 'Weft', { name: 'flows' });
const { Resources } = app.synth().getStackByName('Flows').template;
const types = Object.values(Resources).map(({ Type }) => Type);
console.log(types.filter((type) => type === 'AWS::Lambda::Function').length);
