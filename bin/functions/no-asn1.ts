// Replaces the package asn1.js in bundles. The AWS Encryption SDK uses it for signatures in browsers. Weft's messages have
// no signatures, and Node does not need it to verify them.

function unused(): never {
  throw new Error('signatures of browsers are not supported here');
}

// biome-ignore lint/style/noDefaultExport: the package has one
export default { define: () => ({ encode: unused, decode: unused }) };
