/** What takes the place of an image. */
interface Replacement {
  /** The last part of the name of the image, without its tag. */
  readonly image: RegExp;
  readonly use: string;
}

const CONTAINER = 'stays a container';
const WORKER = `${CONTAINER}; or a worker with the same program (docs/workers.md)`;
const WEBHOOK = "a function of the type 'http' that posts to the webhook (docs/http.md)";

/** Images of the original's collection, and of public ones in its examples, by what takes their place. */
const REPLACEMENTS: readonly Replacement[] = [
  {
    image: /^(request|http-request)$/,
    use: "a function of the type 'http' (docs/http.md); its input and result differ",
  },
  { image: /^(greeting|hello-world|hello|echo|debug)$/, use: "a 'noop' state with a transform" },
  { image: /^(mustache|gotemplate|go-template)$/, use: 'a text with jq(...) in it (examples/letter-template)' },
  { image: /^(yaml2json|json2yaml|regex|solve|cruncher)$/, use: 'a query in js(...) or jq(...)' },
  { image: /^(git|(?:\w+-)?terraform|ansible|kubectl|usql|sql|csvkit)$/, use: WORKER },
  {
    image: /^(aws-cli|awsgo|aws-ec2-[a-z]+|amazon-(upload|sns))$/,
    use: `a function of the type 'http' with 'auth: {sigv4: …}' for one request to AWS (docs/http.md); else ${CONTAINER}`,
  },
  { image: /^(lambda|aws-lambda)$/, use: "a function of the type 'lambda' (docs/lambda.md)" },
  {
    image: /^(gcp|gcloud|gcloud-[a-z-]+|google-[a-z-]+)$/,
    use: `${CONTAINER}; or a function of the type 'http' with a token of Google Cloud (docs/http.md)`,
  },
  {
    image: /^(azure|azgo|azure-[a-z-]+)$/,
    use: `a function of the type 'http' with 'auth: {oauth2: …}' for one request to Azure (docs/http.md); else ${CONTAINER}`,
  },
  {
    image: /^karate$/,
    use: `functions of the type 'http' with 'expect', and states of the type 'validate'; else ${CONTAINER}`,
  },
  { image: /^(teams|discordmsg|slackmsg|googlemsg|googlechat)$/, use: WEBHOOK },
  {
    image: /^(python|py-[a-z]+|node|go|golang)$/,
    use: `${CONTAINER}; or the same code as a worker (docs/workers.md) or as a Lambda function (docs/lambda.md)`,
  },
  { image: /^(bash|ubuntu|ubuntu-shell|alpine|powershell)$/, use: WORKER },
  { image: /^(sshscp|ssh|scp)$/, use: `${CONTAINER}; or a worker on the host (docs/workers.md)` },
];

/** What takes the place of an image, for the user; undefined for an image that no public workflow has. */
export function replacementOf(image: string): string | undefined {
  const name = (image.split('/').at(-1) ?? '').replace(/[:@].*$/, '').toLowerCase();
  return REPLACEMENTS.find((one) => one.image.test(name))?.use;
}
