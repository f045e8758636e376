/** Reads the certificate of a server after the handshake: whether it is of the host, and how it is trusted. */
import { Cause, Either } from "effect"
import type { X509Certificate } from "node:crypto"
import { checkServerIdentity, type PeerCertificate, type TLSSocket } from "node:tls"
import type { TrustPath } from "../domain/check/answer/Certificates.ts"
import { trustPath } from "../domain/check/answer/TrustPath.ts"
import { weaknessOf } from "../domain/check/answer/WeakCertificate.ts"
import type { Trust } from "./TlsTrust.ts"

export interface TlsFacts {
  certificate: X509Certificate | null
  path: TrustPath | null
  distrust: string | null
  tlsVersion: string | null
}

/** Node lets a malformed certificate's exception escape from its event loop; here it is a distrusted certificate. */
export const identityProblem = (host: string, certificate: PeerCertificate): Error | undefined =>
  Either.merge(Either.try({
    try: () => checkServerIdentity(host, certificate),
    catch: (error) => new Cause.UnknownException(error)
  }))

const namesNoHost: NodeJS.ErrnoException = Object.assign(new Error("No alternative names"), {
  code: "ERR_TLS_CERT_ALTNAME_INVALID"
})

/** For checks: browsers take no name from the subject of a certificate, as Node does. */
export const browsersIdentityProblem = (host: string, certificate: PeerCertificate): Error | undefined =>
  /(?:DNS|IP Address):/.test(certificate.subjectaltname ?? "") ? identityProblem(host, certificate) : namesNoHost

const readCertificate = (encrypted: TLSSocket, trust: Trust, facts: TlsFacts): void => {
  facts.tlsVersion = encrypted.getProtocol()
  facts.certificate = encrypted.getPeerX509Certificate() ?? null
  facts.path = facts.certificate === null ? null : trustPath(facts.certificate, trust.anchors())
  facts.distrust = encrypted.authorized
    ? facts.path === null ? null : weaknessOf(facts.path)
    : String(encrypted.authorizationError)
}

/** Nothing that a server sends makes reading it throw out of the event loop. */
export const judgeCertificate = (encrypted: TLSSocket, trust: Trust, facts: TlsFacts): void => {
  if (Either.isRight(Either.try(() => readCertificate(encrypted, trust, facts)))) return
  facts.path = null
  facts.distrust = "unreadable"
}
