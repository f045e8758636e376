/** Reads a TLS certificate: its expiry, and why it is not trusted. */
import type { X509Certificate } from "node:crypto"
import type { Certificate } from "../../../../schema/check/Check.ts"

const day = 86_400_000

/** The end of validity in milliseconds since 1970. */
export const expiryOf = (certificate: X509Certificate): number => Date.parse(certificate.validTo)

/** Whole days left at `now`; negative after expiry. */
export const daysLeft = (certificate: X509Certificate, now: number): number => Math.floor((expiryOf(certificate) - now) / day)

const expiresWithin = (certificate: X509Certificate, days: number, now: number): boolean =>
  expiryOf(certificate) - now <= days * day

/** The expiry date, such as 2026-11-20. */
const expiryDay = (certificate: X509Certificate): string => new Date(expiryOf(certificate)).toISOString().slice(0, 10)

/** Longer chains are cut. */
const longestChain = 10

/** The certificate and those that the server sent to prove it, from the host's own towards the root. */
const chainOf = (certificate: X509Certificate): ReadonlyArray<X509Certificate> => {
  const chain = [certificate]
  for (let next = certificate.issuerCertificate; next !== undefined && chain.length < longestChain;) {
    const known = next.fingerprint256
    if (chain.some(({ fingerprint256 }) => fingerprint256 === known)) break
    chain.push(next)
    next = next.issuerCertificate
  }
  return chain
}

/** The warning if a certificate, or another one of its chain, expires within `days` (null for no limit) from `now`, else null. */
export const expiryWarning = (certificate: X509Certificate, host: string, days: number | null, now: number): string | null => {
  if (days === null) return null
  const first = chainOf(certificate).reduce((one, other) => (expiryOf(other) < expiryOf(one) ? other : one))
  if (!expiresWithin(first, days, now)) return null
  const what = first === certificate
    ? `The TLS certificate of ${host}`
    : `The certificate "${oneLine(first.subject)}" in the TLS chain of ${host}`
  return `${what} expires on ${expiryDay(first)}, in ${daysLeft(first, now)} days; expected more than ${days}`
}

const oneLine = (name: string | undefined): string => (name ?? "").split("\n").join(", ")

/** `DNS:a.example, IP Address:192.0.2.1` as `a.example`, `192.0.2.1`. */
const altNames = (certificate: X509Certificate): ReadonlyArray<string> =>
  (certificate.subjectAltName ?? "").split(", ").filter((name) => name !== "").map((name) => name.replace(/^[^:]*:/, ""))

const names = (certificate: X509Certificate): string => {
  const all = altNames(certificate)
  const shown = all.length > 0 ? all.slice(0, 5).join(", ") : oneLine(certificate.subject)
  return all.length > 5 ? `${shown} and ${all.length - 5} more` : shown
}

/** Explains a certificate error from Node, given by its code, in a sentence that names the cause. */
export const explainDistrust = (code: string, host: string, certificate: X509Certificate | null): string => {
  switch (code) {
    case "CERT_HAS_EXPIRED":
      return `The TLS certificate of ${host} expired${certificate === null ? "" : ` on ${expiryDay(certificate)}`}`
    case "CERT_NOT_YET_VALID":
      return `The TLS certificate of ${host} is not valid yet`
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
      return `The TLS certificate of ${host} is self-signed`
    case "SELF_SIGNED_CERT_IN_CHAIN":
      return `The TLS certificate of ${host} is signed by an authority that is not publicly trusted`
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
      return `The TLS certificate chain of ${host} is incomplete or its issuer is unknown`
    case "ERR_TLS_CERT_ALTNAME_INVALID":
    case "HOSTNAME_MISMATCH":
      return `The TLS certificate is not for ${host}${certificate === null ? "" : `; it is for ${names(certificate)}`}`
    case "CERT_REVOKED":
      return `The TLS certificate of ${host} is revoked`
    default:
      return `The TLS certificate of ${host} is not trusted (${code})`
  }
}

/** The certificate as stored in a check's evidence. */
export const describeCertificate = (certificate: X509Certificate, distrust: string | null, now: number): Certificate => ({
  subject: oneLine(certificate.subject),
  issuer: oneLine(certificate.issuer),
  validFrom: new Date(Date.parse(certificate.validFrom)).toISOString(),
  validTo: new Date(expiryOf(certificate)).toISOString(),
  daysLeft: daysLeft(certificate, now),
  fingerprint256: certificate.fingerprint256,
  altNames: altNames(certificate),
  authorized: distrust === null,
  authorizationError: distrust,
  chain: chainOf(certificate).slice(1).map((issuer) => ({
    subject: oneLine(issuer.subject),
    issuer: oneLine(issuer.issuer),
    validTo: new Date(expiryOf(issuer)).toISOString(),
    daysLeft: daysLeft(issuer, now)
  }))
})
