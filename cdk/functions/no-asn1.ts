// In place of the package asn1.js in bundles. The AWS Encryption SDK describes with it how a signature is written for
// browsers; what we seal has no signatures, and Node checks its own without it.

function unused(): never {
  throw new Error('signatures of browsers are not read here');
}

// biome-ignore lint/style/noDefaultExport: the package has one
export default { define: () => ({ encode: unused, decode: unused }) };
