/** Certificates that browsers refuse for weak cryptography. Checks allow it in handshakes, to reach old servers. */
import { Option } from "effect"
import type { X509Certificate } from "node:crypto"
import type { TrustPath } from "./Certificates.ts"

/** The shortest RSA key that browsers accept, bits. */
const leastModulus = 1024

/** Signature algorithms with MD2, MD5 or SHA-1, as DER of their object identifiers (RFC 3279, RFC 5758). */
const brokenSignatures = new Set([
  "2a864886f70d010102",
  "2a864886f70d010104",
  "2a864886f70d010105",
  "2a8648ce3d0401",
  "2a8648ce380403"
])

/** Where the content of a DER element begins and ends. */
const elementAt = (der: Uint8Array, at: number): readonly [from: number, to: number] => {
  const first = der[at + 1] ?? 0
  if (first < 0x80) return [at + 2, at + 2 + first]
  const bytes = first & 0x7f
  const length = der.subarray(at + 2, at + 2 + bytes).reduce((sum, byte) => sum * 256 + byte, 0)
  return [at + 2 + bytes, at + 2 + bytes + length]
}

/** `Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm SEQUENCE { OBJECT IDENTIFIER, ... }, ... }` (RFC 5280, section 4.1) */
const signatureAlgorithm = ({ raw }: X509Certificate): string => {
  const [certificate] = elementAt(raw, 0)
  const [, algorithm] = elementAt(raw, certificate)
  const [identifier] = elementAt(raw, algorithm)
  const [from, to] = elementAt(raw, identifier)
  return raw.subarray(from, to).toString("hex")
}

/** Node cannot read the keys of some algorithms, which are not short. */
const modulusOf = ({ publicKey }: X509Certificate): number | undefined => publicKey.asymmetricKeyDetails?.modulusLength
const isShort = (certificate: X509Certificate): boolean =>
  Option.exists(Option.liftThrowable(modulusOf)(certificate), (bits) => bits !== undefined && bits < leastModulus)

/** OpenSSL's code of what is weak in a path, as its stricter security levels report it; null if nothing is. */
export const weaknessOf = ({ anchor, sent }: TrustPath): string | null => {
  // Nothing relies on the signature of what is itself trusted.
  const signed = sent.filter(({ fingerprint256 }) => fingerprint256 !== anchor?.fingerprint256)
  if (signed.some((certificate) => brokenSignatures.has(signatureAlgorithm(certificate)))) return "CA_MD_TOO_WEAK"
  return sent.some(isShort) ? "EE_KEY_TOO_SMALL" : null
}
