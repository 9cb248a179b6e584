export type Encoding = 'br' | 'gzip' | 'identity';

/** The smallest encoding of a file that the client accepts (RFC 9110, 12.5.3). */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding {
  const accepted = new Map(
    (acceptEncoding ?? '').split(',').map((part) => {
      const [coding = '', weight] = part.split(/;\s*q=/i);
      return [coding.trim().toLowerCase(), weight === undefined ? 1 : Number(weight)];
    }),
  );
  const takes = (coding: string) => (accepted.get(coding) ?? accepted.get('*') ?? 0) > 0;
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : 'identity';
}
