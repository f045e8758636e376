/** Gets one RDAP document through the egress guard. */
import { Either } from "effect"
import { decodeBody } from "../../egress/BodyDecoder.ts"
import type { EgressGuard } from "../../egress/EgressGuard.ts"
import { type Chain, follow } from "../HttpChain.ts"
import { userAgent } from "../UserAgent.ts"

const bodyLimit = 1_048_576

/** A document with its status, or why nothing came. */
export type RdapDocument = Either.Either<{ readonly status: number; readonly text: string; readonly chain: Chain }, string>

/** Calls `done` once, within the timeout. Returns a function that cancels. */
export const getRdap = (
  guard: EgressGuard,
  url: string,
  timeoutMs: number,
  now: () => number,
  done: (document: RdapDocument) => void
): () => void => {
  let stopDecoding: (() => void) | null = null
  const limits = { followRedirects: true, timeoutMs, readLimit: bodyLimit, keepLimit: bodyLimit }
  const headers = { "user-agent": userAgent, accept: "application/rdap+json, application/json" }
  const read = (chain: Chain): void => {
    const { bodyComplete, chunks, response } = chain.last
    if (chain.failure !== null || response === null) return done(Either.left(chain.failure?.message ?? "no response"))
    const status = response.statusCode ?? 0
    stopDecoding = decodeBody(
      chunks,
      bodyComplete,
      response.headers,
      bodyLimit,
      ({ text }) => done(Either.right({ status, text, chain }))
    )
  }
  const giveUp = follow(
    guard,
    limits,
    { url: new URL(url), method: "GET", headers, body: null },
    now,
    Either.match({ onLeft: () => done(Either.left("the request failed inside the probe")), onRight: read })
  )
  return () => {
    giveUp()
    stopDecoding?.()
  }
}
