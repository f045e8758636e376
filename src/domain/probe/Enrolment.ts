/** Enrolment of a probe by a token: the proof that the probe has it, and the answer that only this probe can read. */
import { createHmac } from "node:crypto"
import { ProbeTokenId } from "../../../schema/Ids.ts"
import type { EnrolmentRequest } from "../../../schema/probe/Enrolment.ts"
import { isSameToken } from "../secret/SameToken.ts"
import { framed, openBytes, sealBytes } from "../tools/SealedBytes.ts"
import { expanded, type ProbeLink } from "./ProbeLink.ts"

/** A token as its holder has it. */
export interface ProbeToken {
  readonly id: ProbeTokenId
  /** 32 bytes. */
  readonly secret: Uint8Array
  /** The public key of the installation that made the token, so that its holder knows whom it talks to. */
  readonly installation: Uint8Array
}

/** The secret follows from the id, so that it is stored nowhere. */
export const tokenSecret = (installationKey: Uint8Array, id: ProbeTokenId): Uint8Array =>
  expanded(installationKey, "belltower/probe-token/v1", id)

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url")

export const tokenText = ({ id, installation, secret }: ProbeToken): string => `${id}.${textOf(secret)}.${textOf(installation)}`

/** Null if the text is no token. */
export const readToken = (text: string): ProbeToken | null => {
  const [, id, secret, installation] = /^(prt_\w{1,40})\.([\w-]{43})\.([\w-]{43})$/.exec(text.trim()) ?? []
  if (id === undefined || secret === undefined || installation === undefined) return null
  return {
    id: ProbeTokenId.make(id),
    secret: Buffer.from(secret, "base64url"),
    installation: Buffer.from(installation, "base64url")
  }
}

type Asked = Omit<EnrolmentRequest, "proof">

const proofOf = (secret: Uint8Array, { publicKey, token, version }: Asked): string =>
  createHmac("sha256", secret).update(framed("belltower/enrolment/v1", token, publicKey, version)).digest("base64url")

export const enrolmentRequest = ({ id, secret }: ProbeToken, publicKey: Uint8Array, version: string): EnrolmentRequest => {
  const asked: Asked = { token: id, publicKey: textOf(publicKey), version }
  return { ...asked, proof: proofOf(secret, asked) }
}

/** Whether the sender has the token, which says nothing about whether the token is still good. Compared in constant time. */
export const hasToken = (installationKey: Uint8Array, { proof, ...asked }: EnrolmentRequest): boolean =>
  isSameToken(proof, proofOf(tokenSecret(installationKey, asked.token), asked))

const aboutAnswer = framed("belltower/enrolled/v1")
const aboutNews = framed("belltower/probe-news/v1")

/** Seals what the servers say to one probe: the answer to its enrolment, or news later. `nonce` must be 12 fresh random bytes. */
const sealTo = (about: Uint8Array) => ({ sealing }: ProbeLink, nonce: Uint8Array, text: string): string =>
  sealBytes(sealing, nonce, about, text).toString("base64url")

/** Null if it was not sealed for this probe, or was changed. */
const openAs = (about: Uint8Array) => ({ sealing }: ProbeLink, sealed: string): string | null =>
  openBytes(sealing, about, Buffer.from(sealed, "base64url"))?.toString("utf8") ?? null

export const sealAnswer = sealTo(aboutAnswer)
export const openAnswer = openAs(aboutAnswer)
export const sealNews = sealTo(aboutNews)
export const openNews = openAs(aboutNews)
