/** Reads a TLS certificate: its expiry, and why it is not trusted. */
import type { X509Certificate } from "node:crypto"
import type { Certificate } from "../../../../schema/check/Check.ts"
import { counted } from "../../tools/text/Counted.ts"

const day = 86_400_000

/** The end of validity in milliseconds since 1970. */
export const expiryOf = (certificate: X509Certificate): number => Date.parse(certificate.validTo)

/** Whole days left at `now`; negative after expiry. */
export const daysLeft = (certificate: X509Certificate, now: number): number => Math.floor((expiryOf(certificate) - now) / day)

const expiresWithin = (certificate: X509Certificate, days: number, now: number): boolean =>
  expiryOf(certificate) - now <= days * day

const dayOf = (at: string): string => new Date(Date.parse(at)).toISOString().slice(0, 10)

/** Longer bundles are cut. */
const mostSent = 10

/** The host's own certificate and the others that the server sent, in its order. */
export const sentWith = (certificate: X509Certificate): ReadonlyArray<X509Certificate> => {
  const sent = [certificate]
  for (let next = certificate.issuerCertificate; next !== undefined && sent.length < mostSent;) {
    const known = next.fingerprint256
    if (sent.some(({ fingerprint256 }) => fingerprint256 === known)) break
    sent.push(next)
    next = next.issuerCertificate
  }
  return sent
}

/** The certificates by which a host is trusted. Public authorities change in clients, not in servers, so only what was sent is judged. */
export interface TrustPath {
  /** From the host's own certificate towards the trusted one, as far as it was sent. */
  readonly sent: readonly [X509Certificate, ...ReadonlyArray<X509Certificate>]
  /** The trusted certificate; null if the path leads to none. */
  readonly anchor: X509Certificate | null
}

const earliest = (one: X509Certificate, other: X509Certificate): X509Certificate => expiryOf(other) < expiryOf(one) ? other : one

/** The certificate of the path that expires first. Where nothing is trusted, only the host's own counts. */
const firstToExpire = ({ anchor, sent: [own, ...others] }: TrustPath): X509Certificate =>
  anchor === null ? own : others.reduce(earliest, own)

/** When the path ends, ms since 1970. */
export const pathExpiry = (path: TrustPath): number => expiryOf(firstToExpire(path))

const oneLine = (name: string | undefined): string => (name ?? "").split("\n").join(", ")

/** `one` is of the path to `host`. */
const named = (one: X509Certificate, { sent: [own] }: TrustPath, host: string): string =>
  one === own ? `The TLS certificate of ${host}` : `The certificate "${oneLine(one.subject)}" in the TLS chain of ${host}`

/** The warning if a certificate of the path expires within `days` (null for no limit) from `now`, else null. */
export const expiryWarning = (path: TrustPath, host: string, days: number | null, now: number): string | null => {
  const first = firstToExpire(path)
  if (days === null || !expiresWithin(first, days, now)) return null
  const left = `in ${counted(daysLeft(first, now), "day")}; expected more than ${days}`
  return `${named(first, path, host)} expires on ${dayOf(first.validTo)}, ${left}`
}

/** `DNS:a.example, IP Address:192.0.2.1` as `a.example`, `192.0.2.1`. */
const altNames = (certificate: X509Certificate): ReadonlyArray<string> =>
  (certificate.subjectAltName ?? "").split(", ").filter((name) => name !== "").map((name) => name.replace(/^[^:]*:/, ""))

/** Browsers take no name from the subject. */
const names = (certificate: X509Certificate): string => {
  const all = altNames(certificate)
  const shown = all.slice(0, 5).join(", ")
  return all.length === 0
    ? `it has no alternative names, and its subject "${oneLine(certificate.subject)}" does not count`
    : `it is for ${all.length > 5 ? `${shown} and ${all.length - 5} more` : shown}`
}

/** Also an authority may be out of date. */
const expired = ({ anchor, sent: [own, ...others] }: TrustPath): X509Certificate =>
  [...others, ...(anchor === null ? [] : [anchor])].reduce(earliest, own)

const latestBegin = ({ sent: [own, ...others] }: TrustPath): X509Certificate =>
  others.reduce((one, other) => Date.parse(other.validFrom) > Date.parse(one.validFrom) ? other : one, own)

const incomplete = (host: string, path: TrustPath | null): string => {
  const top = path?.sent.at(-1)
  const missing = top === undefined ? "" : `: the server does not send the certificate of "${oneLine(top.issuer)}"`
  return `The TLS certificate chain of ${host} is incomplete or its issuer is unknown${missing}`
}

/** Explains a certificate error from Node, given by its code, in a sentence that names the cause. `path` is null without a certificate. */
export const explainDistrust = (code: string, host: string, path: TrustPath | null): string => {
  switch (code) {
    case "CERT_HAS_EXPIRED":
      return path === null
        ? `The TLS certificate of ${host} expired`
        : `${named(expired(path), path, host)} expired on ${dayOf(expired(path).validTo)}`
    case "CERT_NOT_YET_VALID":
      return path === null
        ? `The TLS certificate of ${host} is not valid yet`
        : `${named(latestBegin(path), path, host)} is not valid before ${dayOf(latestBegin(path).validFrom)}`
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
      return `The TLS certificate of ${host} is self-signed`
    case "SELF_SIGNED_CERT_IN_CHAIN":
      return `The TLS certificate of ${host} is signed by an authority that is not publicly trusted`
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
      return incomplete(host, path)
    case "ERR_TLS_CERT_ALTNAME_INVALID":
    case "HOSTNAME_MISMATCH":
      return `The TLS certificate is not for ${host}${path === null ? "" : `; ${names(path.sent[0])}`}`
    case "CERT_REVOKED":
      return `The TLS certificate of ${host} is revoked`
    case "INVALID_PURPOSE":
      return `The TLS certificate of ${host} is not meant for servers`
    case "CA_MD_TOO_WEAK":
      return `The TLS certificate of ${host} is signed with MD5 or SHA-1, which browsers refuse`
    case "EE_KEY_TOO_SMALL":
      return `The key of the TLS certificate of ${host} is too short; browsers refuse it`
    case "unreadable":
      return `The TLS certificate of ${host} cannot be read`
    default:
      return `The TLS certificate of ${host} is not trusted (${code})`
  }
}

/** TLS versions that browsers refuse (RFC 8996), for people. */
const outdated: Readonly<Record<string, string>> = { "TLSv1": "TLS 1.0", "TLSv1.1": "TLS 1.1" }

/** The warning about the TLS version of a connection, as Node names it; null for a current one. */
export const outdatedTls = (version: string | null, host: string): string | null => {
  const name = version === null ? undefined : outdated[version]
  return name === undefined ? null : `${host} speaks only ${name}, which current browsers refuse; it should speak TLS 1.2 or 1.3`
}

/** The certificate as stored in a check's evidence. */
export const describeCertificate = (
  certificate: X509Certificate,
  distrust: string | null,
  tlsVersion: string | null,
  now: number
): Certificate => ({
  subject: oneLine(certificate.subject),
  issuer: oneLine(certificate.issuer),
  validFrom: new Date(Date.parse(certificate.validFrom)).toISOString(),
  validTo: new Date(expiryOf(certificate)).toISOString(),
  daysLeft: daysLeft(certificate, now),
  fingerprint256: certificate.fingerprint256,
  altNames: altNames(certificate),
  authorized: distrust === null,
  authorizationError: distrust,
  ...(tlsVersion === null ? {} : { tlsVersion }),
  chain: sentWith(certificate).slice(1).map((issuer) => ({
    subject: oneLine(issuer.subject),
    issuer: oneLine(issuer.issuer),
    validTo: new Date(expiryOf(issuer)).toISOString(),
    daysLeft: daysLeft(issuer, now)
  }))
})
