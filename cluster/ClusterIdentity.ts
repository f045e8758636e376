/**
 * Proof that a process belongs to this installation, which each end of a connection between processes demands of the other: mutual TLS.
 *
 * By default, both ends know a random key that is sealed in the database (TLS with a pre-shared key and fresh Diffie-Hellman keys,
 * RFC 5489 with the ciphers of RFC 7905), so that nothing has to be distributed or renewed, and processes with a new BELLTOWER_SECRET
 * and those with the previous one are members alike. Operators can give certificates of an authority of their own instead; any
 * certificate of it is a member, since processes move and their addresses prove nothing.
 */
import { Context, Layer, Redacted } from "effect"
import type { ConnectionOptions, TlsOptions } from "node:tls"

/** Texts in PEM. */
export interface ClusterCertificates {
  readonly authority: string
  readonly certificate: string
  readonly key: Redacted.Redacted
}

/** For both ends of a connection, of which none connects unless both are members. */
type MutualTls = Pick<ConnectionOptions, "ca" | "cert" | "ciphers" | "key" | "maxVersion" | "minVersion"> & {
  readonly client: Pick<ConnectionOptions, "pskCallback">
  readonly server: Pick<TlsOptions, "pskCallback" | "requestCert">
}

/** Certificates for Node. */
export const tlsOf = ({ authority, certificate, key }: ClusterCertificates) => ({
  ca: authority,
  cert: certificate,
  key: Redacted.value(key)
})

/** Sent in the clear, as RFC 4279 has it. */
const identity = "belltower"

export class ClusterIdentity extends Context.Tag("belltower/ClusterIdentity")<ClusterIdentity, MutualTls>() {
  /** `key` has 32 bytes. */
  static readonly ofKey = (key: Uint8Array): Layer.Layer<ClusterIdentity> => {
    const psk = Buffer.from(key)
    return Layer.succeed(ClusterIdentity, {
      ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
      // Node offers pre-shared keys up to this version.
      minVersion: "TLSv1.2",
      maxVersion: "TLSv1.2",
      client: { pskCallback: () => ({ psk, identity }) },
      server: { pskCallback: (_, given) => given === identity ? psk : null }
    })
  }

  static readonly ofCertificates = (given: ClusterCertificates): Layer.Layer<ClusterIdentity> =>
    Layer.succeed(ClusterIdentity, {
      ...tlsOf(given),
      minVersion: "TLSv1.3",
      client: {},
      server: { requestCert: true }
    })
}
