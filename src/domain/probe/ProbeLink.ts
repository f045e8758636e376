/**
 * The keys that a probe and the servers share without having exchanged a secret: X25519 (RFC 7748) between the probe's key pair and
 * that of the installation, expanded by HKDF-SHA-256 (RFC 5869). Keys are 32 bytes.
 */
import { Either } from "effect"
import { createPrivateKey, createPublicKey, createSecretKey, diffieHellman, hkdfSync, type KeyObject } from "node:crypto"
import { framed } from "../tools/SealedBytes.ts"

/** The key of a purpose, derived from other key material. */
export const expanded = (material: Uint8Array, ...purpose: ReadonlyArray<string | Uint8Array>): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", material, "", framed(...purpose), 32))

/** The bytes before the bare key in DER (RFC 8410). */
const privatePrefix = Buffer.from("302e020100300506032b656e04220420", "hex")
const publicPrefix = Buffer.from("302a300506032b656e032100", "hex")
const keyLength = 32

const privateKeyOf = (key: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([privatePrefix, key]), format: "der", type: "pkcs8" })

/** The public half of a private key, which is any 32 random bytes. */
export const publicKeyOf = (privateKey: Uint8Array): Buffer =>
  createPublicKey(privateKeyOf(privateKey)).export({ format: "der", type: "spki" }).subarray(publicPrefix.length)

/** The secret of two key pairs; null if the public key is none, or one of the few that give the same secret with every other. */
const agreedSecret = (privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array | null =>
  publicKey.length !== keyLength ? null : Either.getOrNull(Either.try(() =>
    diffieHellman({
      privateKey: privateKeyOf(privateKey),
      publicKey: createPublicKey({ key: Buffer.concat([publicPrefix, publicKey]), format: "der", type: "spki" })
    })
  ))

/** The keys by which a probe and the servers prove themselves to each other. */
export interface ProbeLink {
  /** Signs what the probe sends. */
  readonly signing: KeyObject
  /** Seals what the servers send to this probe alone. */
  readonly sealing: Uint8Array
}

interface Ends {
  /** The private key of one end; the public keys of both. */
  readonly privateKey: Uint8Array
  readonly probe: Uint8Array
  readonly installation: Uint8Array
}

const linkBetween = ({ installation, privateKey, probe }: Ends, other: Uint8Array): ProbeLink | null => {
  const secret = agreedSecret(privateKey, other)
  return secret === null ? null : {
    signing: createSecretKey(expanded(secret, "belltower/probe-signing/v1", installation, probe)),
    sealing: expanded(secret, "belltower/probe-sealing/v1", installation, probe)
  }
}

/** The servers' end of a link; null if the probe's public key is not acceptable. */
export const linkToProbe = (installationKey: Uint8Array, probe: Uint8Array): ProbeLink | null =>
  linkBetween({ privateKey: installationKey, probe, installation: publicKeyOf(installationKey) }, probe)

/** The probe's end of the same link; null if the installation's public key is not acceptable. */
export const linkToServers = (probeKey: Uint8Array, installation: Uint8Array): ProbeLink | null =>
  linkBetween({ privateKey: probeKey, probe: publicKeyOf(probeKey), installation }, installation)
