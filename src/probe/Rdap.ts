/** Asks registries about domains by RDAP. Their addresses come from IANA's bootstrap registry; that and registrations are kept. */
import { Context, Effect, Either, Option } from "effect"
import {
  type DomainAnswer,
  readBootstrap,
  readDomain,
  type Registries,
  registryOf
} from "../domain/check/answer/DomainVerdict.ts"
import { decodeBody } from "../egress/BodyDecoder.ts"
import { EgressGuard } from "../egress/EgressGuard.ts"
import { type Chain, follow, userAgent } from "./http/HttpChain.ts"

/** The base URL of `dns.json`, the bootstrap registry; without the final slash. */
export class RdapAddress extends Context.Reference<RdapAddress>()("belltower/RdapAddress", {
  defaultValue: () => "https://data.iana.org/rdap"
}) {}

const hour = 3_600_000

/** The bootstrap registry changes about once a week. */
const registriesLifeMs = 24 * hour
/** Shorter than the shortest interval of domain monitors: spares the registry checks on demand. */
const freshMs = hour / 2
/** While a registry cannot be asked, its last answer of this time stands. */
const staleMs = 7 * 24 * hour
/** Answers that are kept; the oldest is dropped. */
const mostAnswers = 10_000
/** How much of an answer is kept, characters: what evidence shows, and one more. */
const keptText = 16_385

export interface RdapResult {
  readonly answer: DomainAnswer
  /** The request that answered; null if a kept answer stands, or none came. */
  readonly chain: Chain | null
  readonly url: string | null
  readonly body: string | null
}

const unknown = (reason: string, url: string | null = null): RdapResult => ({
  answer: { _tag: "Unknown", reason },
  chain: null,
  url,
  body: null
})

/** Maximum size of an answer, bytes. */
const bodyLimit = 1_048_576

/** A document with its status, or why nothing came. */
type RdapDocument = Either.Either<{ readonly status: number; readonly text: string; readonly chain: Chain }, string>

/** Gets one document through the egress guard. Calls `done` once, within the timeout. Returns a function that cancels. */
const getRdap = (
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
    const { response } = chain.last
    if (chain.failure !== null || response === null) return done(Either.left(chain.failure?.message ?? "no response"))
    const status = response.statusCode
    stopDecoding = decodeBody(chain.last, bodyLimit, ({ text }) => done(Either.right({ status, text, chain })))
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

const answerOf = (status: number, text: string): DomainAnswer => {
  if (status === 404) return { _tag: "NotRegistered" }
  if (status !== 200) return { _tag: "Unknown", reason: `the registry answered with status ${status}` }
  return Option.match(readDomain(text), {
    onNone: () => ({ _tag: "Unknown", reason: "the registry's answer is no RDAP" }),
    onSome: (registration) => ({ _tag: "Registered", registration })
  })
}

const resultOf = (url: string, document: RdapDocument): RdapResult =>
  Either.match(document, {
    onLeft: (reason) => unknown(reason, url),
    onRight: ({ chain, status, text }) => ({ answer: answerOf(status, text), chain, url, body: text.slice(0, keptText) })
  })

const registriesIn = (document: RdapDocument): Either.Either<Registries, string> =>
  Either.flatMap(document, ({ status, text }) =>
    status === 200
      ? Either.fromOption(readBootstrap(text), () => "it is no bootstrap registry")
      : Either.left(`it answered with status ${status}`))

const makeAnswers = () => {
  const answers = new Map<string, { readonly result: RdapResult; readonly at: number }>()
  return {
    of: (domain: string, now: number, lifeMs: number): RdapResult | null => {
      const known = answers.get(domain)
      return known !== undefined && now - known.at < lifeMs ? known.result : null
    },
    keep: (domain: string, result: RdapResult, now: number): void => {
      answers.delete(domain)
      answers.set(domain, { result: { ...result, chain: null }, at: now })
      const [oldest] = answers.keys()
      if (answers.size > mostAnswers && oldest !== undefined) answers.delete(oldest)
    }
  }
}

export class Rdap extends Effect.Service<Rdap>()("belltower/Rdap", {
  effect: Effect.gen(function*() {
    const guard = yield* EgressGuard
    const bootstrap = `${(yield* RdapAddress).replace(/\/$/, "")}/dns.json`
    const clock = yield* Effect.clock
    const now = () => clock.unsafeCurrentTimeMillis()
    const answers = makeAnswers()
    let registries: { readonly known: Registries; readonly at: number } | null = null

    /** Calls `then` once: with the registries, or with why they are not known. */
    const withRegistries = (timeoutMs: number, then: (known: Registries | string) => void): () => void => {
      if (registries !== null && now() - registries.at < registriesLifeMs) {
        then(registries.known)
        return () => {}
      }
      return getRdap(guard, bootstrap, timeoutMs, now, (document) => {
        const read = registriesIn(document)
        if (Either.isRight(read)) registries = { known: read.right, at: now() }
        // An old list is better than none.
        const known = registries?.known
        then(known ?? `${bootstrap} cannot be read: ${Either.merge(Either.map(read, () => "it is empty"))}`)
      })
    }

    /** Calls `done` once, within the timeout. Returns a function that cancels. */
    const query = (domain: string, timeoutMs: number, done: (result: RdapResult) => void): () => void => {
      const startedAt = performance.now()
      const fresh = answers.of(domain, now(), freshMs)
      let stopLast = (): void => {}
      if (fresh !== null) {
        done(fresh)
        return stopLast
      }
      const conclude = (seen: RdapResult): void => {
        // A failure is never kept: a check that confirms it has to ask again.
        if (seen.answer._tag === "Registered") answers.keep(domain, seen, now())
        done(seen.answer._tag === "Unknown" ? answers.of(domain, now(), staleMs) ?? seen : seen)
      }
      const stopFirst = withRegistries(timeoutMs, (found) => {
        if (typeof found === "string") return conclude(unknown(found))
        const registry = registryOf(found, domain)
        if (registry === null) return conclude(unknown(`the registry of .${domain.split(".").at(-1)} offers no RDAP`))
        const url = `${registry}domain/${encodeURIComponent(domain)}`
        const left = Math.max(1, Math.ceil(timeoutMs - (performance.now() - startedAt)))
        stopLast = getRdap(guard, url, left, now, (document) => conclude(resultOf(url, document)))
      })
      return () => {
        stopFirst()
        stopLast()
      }
    }

    return { query }
  })
}) {}
