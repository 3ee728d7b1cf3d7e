import { generateKeyPairSync, sign } from 'node:crypto';

/** A certificate and its key, PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const LONG_FORM = 0x80;

/** A value in DER: tag, length, content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const bytes = [];
  for (let rest = content.length; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff);
  const length = content.length < LONG_FORM ? [content.length] : [LONG_FORM | bytes.length, ...bytes];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts);
const ECDSA_WITH_SHA256 = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
const COMMON_NAME = der(0x06, Buffer.from('550403', 'hex'));
const SUBJECT_ALT_NAME = der(0x06, Buffer.from('551d11', 'hex'));
const DNS_NAME = 0x82;

const nameOf = (text: string) => sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(text)))));

/** A self-signed certificate for a host, valid from 2020 to 2049 (RFC 5280). It is made new for each test. */
export function certificateFor(host: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const alternative = sequence(SUBJECT_ALT_NAME, der(0x04, sequence(der(DNS_NAME, Buffer.from(host)))));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    nameOf(host),
    sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231000000Z'))),
    nameOf(host),
    publicKey.export({ format: 'der', type: 'spki' }),
    der(0xa3, sequence(alternative)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const base64 = sequence(body, ECDSA_WITH_SHA256, signature).toString('base64');
  const lines = base64.replace(/.{64}/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}
