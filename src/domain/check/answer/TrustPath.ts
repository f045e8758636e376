/** Finds the certificates by which clients trust a host: of all that a server sends, only those on the way to a trusted authority. */
import type { X509Certificate } from "node:crypto"
import { expiryOf, sentWith, type TrustPath } from "./Certificates.ts"

/** Trusted authorities by their subject. */
export type Anchors = ReadonlyMap<string, ReadonlyArray<X509Certificate>>

/** The trusted certificate that issued this one, or that it is itself. */
const anchorOf = (anchors: Anchors, certificate: X509Certificate): X509Certificate | undefined =>
  anchors.get(certificate.subject)?.find(({ fingerprint256 }) => fingerprint256 === certificate.fingerprint256) ??
    anchors.get(certificate.issuer)?.find((anchor) => certificate.checkIssued(anchor))

interface Step {
  readonly path: TrustPath["sent"]
  readonly last: X509Certificate
  /** When the first certificate of the path expires. */
  readonly until: number
}

const longest = (steps: ReadonlyArray<Step>): Step | undefined =>
  steps.reduce<Step | undefined>((one, other) => one === undefined || other.until > one.until ? other : one, undefined)

/**
 * The path that stays valid for the longest time. Clients build a path of their own, so a superseded or an unrelated certificate
 * beside it is no news. A widest path: what was reached first was reached by the best path.
 */
export const trustPath = (certificate: X509Certificate, anchors: Anchors): TrustPath => {
  const left = new Set(sentWith(certificate).slice(1))
  let reached: TrustPath["sent"] = [certificate]
  let open: ReadonlyArray<Step> = [{ path: [certificate], last: certificate, until: expiryOf(certificate) }]
  for (let best = longest(open); best !== undefined; best = longest(open)) {
    const { last, path, until } = best
    const anchor = anchorOf(anchors, last)
    if (anchor !== undefined) return { sent: path, anchor }
    if (path.length > reached.length) reached = path
    const issuers = [...left].filter((issuer) => last.checkIssued(issuer))
    for (const issuer of issuers) left.delete(issuer)
    open = [
      ...open.filter((step) => step.last !== last),
      ...issuers.map((issuer): Step => ({ path: [...path, issuer], last: issuer, until: Math.min(until, expiryOf(issuer)) }))
    ]
  }
  return { sent: reached, anchor: null }
}
