/** The settings of TLS connections: the authorities that are trusted, the protocols that are spoken, and the client's certificate. */
import type { X509Certificate } from "node:crypto"
import { constants } from "node:crypto"
import { createSecureContext, DEFAULT_CIPHERS, rootCertificates, type SecureContext } from "node:tls"
import type { Anchors } from "../domain/check/answer/TrustPath.ts"
import { certificatesIn } from "../domain/monitor/settings/TlsSettings.ts"
import { gather } from "../domain/tools/Gather.ts"

/** How a check shakes hands. */
export interface TlsSettings {
  /** Whether a certificate that is not trusted ends the connection. */
  readonly verify: boolean
  /** Authorities that are trusted beside the public ones, PEM; null for none. */
  readonly authorities: string | null
  /** The client's certificate with its chain, and its key, PEM; null for none. */
  readonly identity: { readonly certificate: string; readonly key: string } | null
}

/** The context of a handshake, and the authorities that it trusts. */
export interface Trust {
  readonly context: SecureContext
  readonly anchors: () => Anchors
}

/**
 * Old servers are checked, not refused: without secure renegotiation (RFC 5746), which browsers accept, and with TLS 1.0 and 1.1, which
 * is a note. Their weak signatures need OpenSSL's lowest security level; `weaknessOf` refuses weak certificates in its place.
 */
const reachingOldServers = {
  secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
  minVersion: "TLSv1",
  ciphers: `${DEFAULT_CIPHERS}:@SECLEVEL=0`
} as const

/** Contexts of checks with settings of their own that are kept; each takes about 40 KB and 1 ms to make. */
const mostKept = 500

const bySubject = (certificates: ReadonlyArray<X509Certificate>): Anchors =>
  gather(certificates.map((certificate) => [certificate.subject, certificate] as const))

/** Reading the public authorities takes some 10 ms, so they are read once, and only where TLS is checked. */
const once = (read: () => Anchors): () => Anchors => {
  let known: Anchors | null = null
  return () => (known ??= read())
}

/** `authorities` (PEM) are trusted beside the public ones by all connections. */
export const makeTlsTrust = (authorities: string | undefined) => {
  const ca = authorities === undefined ? {} : { ca: [...rootCertificates, authorities] }
  const anchors = once(() => bySubject([...rootCertificates, authorities ?? ""].flatMap(certificatesIn)))
  const usual: Trust = { context: createSecureContext(ca), anchors }
  const checks: Trust = { context: createSecureContext({ ...ca, ...reachingOldServers }), anchors }
  const kept = new Map<string, ReadonlyArray<Trust>>()

  const make = ({ authorities, identity }: TlsSettings): ReadonlyArray<Trust> => {
    const client = identity === null ? {} : { cert: identity.certificate, key: identity.key }
    const open = identity === null
      ? checks
      : { context: createSecureContext({ ...ca, ...reachingOldServers, ...client }), anchors }
    if (authorities === null) return [open]
    // On its own: a context with the public authorities as well would take 25 ms and a megabyte.
    const context = createSecureContext({ ...reachingOldServers, ...client, ca: authorities, allowPartialTrustChain: true })
    return [{ context, anchors: once(() => bySubject(certificatesIn(authorities))) }, open]
  }

  /** To be tried in turn while none knows the authority of the server. Without settings: for calls of the service itself. */
  return (settings: TlsSettings | undefined): ReadonlyArray<Trust> => {
    if (settings === undefined) return [usual]
    if (settings.authorities === null && settings.identity === null) return [checks]
    const key = JSON.stringify([settings.authorities, settings.identity])
    const found = kept.get(key) ?? make(settings)
    // Kept in order of use.
    kept.delete(key)
    kept.set(key, found)
    for (const oldest of kept.keys()) if (kept.size > mostKept) kept.delete(oldest)
    return found
  }
}
