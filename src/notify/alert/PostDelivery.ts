/** One delivery by HTTP POST through the egress guard, for webhooks and chat services. */
import { DateTime, Effect, Option } from "effect"
import { mask } from "../../../schema/Mask.ts"
import { parsedUrl } from "../../../schema/UrlText.ts"
import { type ReadAnswer, type ServiceAnswer, withWords } from "../../domain/alert/answers/ServiceAnswer.ts"
import { Answer } from "../../domain/alert/DeliveryVerdict.ts"
import { parseRetryAfter } from "../../domain/alert/RetrySchedule.ts"
import { maskUrl } from "../../domain/secret/UrlSecrets.ts"
import { EgressGuard } from "../../egress/EgressGuard.ts"
import { type Exchange, exchange, type ExchangeRequest, startExchange } from "../../egress/HttpExchange.ts"
import type { Problem } from "./ChannelKind.ts"

export const deliveryHeaders = { "user-agent": "Belltower-Webhook/1.0", "content-type": "application/json" } as const

/** Bytes. What a service says is at the beginning, so reading stops here. */
const readLimit = 65_536

/** Rejects a URL whose host is private as it is written. Other names are checked at each attempt, after DNS resolution. */
export const blockedProblems = Effect.fn("PostDelivery.blockedProblems")(function*(url: URL | string | undefined) {
  const { refusalOf } = yield* EgressGuard
  const message = url === undefined ? null : refusalOf(new URL(url).hostname)
  const problems: ReadonlyArray<Problem> = message === null ? [] : [{ path: "url", message }]
  return problems
})

/** Rejects a setting of another form. */
export const formProblems = (path: string, value: string | undefined, form: RegExp, message: string): ReadonlyArray<Problem> =>
  value === undefined || form.test(value) ? [] : [{ path, message }]

/** The form in which a channel's record shows a URL that is a secret as a whole: its origin. */
export const shownUrl = (url: string): string => `${new URL(url).origin}/${mask}`

/** Adds fields of a channel, such as a secret, to the text of a JSON object with at least one field. */
export const withFields = (body: string, fields: Readonly<Record<string, string | boolean>>): string =>
  `${JSON.stringify(fields).slice(0, -1)},${body.slice(1)}`

export interface Post {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Null for a GET. */
  readonly body: string | Buffer | null
  readonly timeoutMs: number
}

/** The rules of a service beyond plain HTTP. */
export interface ServiceRules {
  /** The meaning of its statuses and the remedy. */
  readonly meanings?: Readonly<Record<number, string>>
  /** Reads the body beyond the status. */
  readonly read?: ReadAnswer
  /** Secrets beside those of the URL and the headers, which no words of the service may repeat. */
  readonly secrets?: ReadonlyArray<string>
  /** How much of the body is kept to be read, bytes; default 4096. */
  readonly keep?: number
}

const keptForRules = 4096

const requestOf = (post: Post, { keep = keptForRules, read }: ServiceRules): ExchangeRequest => ({
  ...post,
  method: post.body === null ? "GET" : "POST",
  spentMs: 0,
  readLimit,
  keepLimit: read === undefined ? 0 : keep,
  // The status is the verdict, unless the service says more in its body.
  isEnough: (_, answer) => answer(read === undefined)
})

/** A part of a path that may be a key: not a word of the service's API. */
const mayBeKey = (part: string): boolean => part.length >= 16 || (part.length >= 6 && /\d/.test(part))

const secretsOf = ({ headers, url }: Post, { secrets = [] }: ServiceRules): ReadonlyArray<string> =>
  [
    ...url.pathname.split("/").filter(mayBeKey),
    ...[...url.searchParams.values()].filter(mayBeKey),
    ...(headers["authorization"] ?? "").split(" ").slice(1),
    ...secrets
  ].filter((secret) => secret !== "").sort((one, other) => other.length - one.length)

const withoutSecrets = (text: string, secrets: ReadonlyArray<string>): string =>
  secrets.reduce((left, secret) => left.replaceAll(secret, mask), text)

/** Where a redirect points, without what may be secret. */
const movedTo = ({ statusCode }: ServiceAnswer, location: string | undefined, { url }: Post): string | undefined => {
  const next = statusCode < 300 || statusCode >= 400 || location === undefined ? null : parsedUrl(location, url)
  return next === null
    ? undefined
    : `the receiver sends on to ${maskUrl(next.href)}, and redirects are not followed; set url to the new address`
}

/** The answer as the service gave it; null if there was none. */
const saidBy = ({ chunks, response }: Exchange): ServiceAnswer | null =>
  response === null ? null : { statusCode: response.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") }

const answerOf = (post: Post, seen: Exchange, rules: ServiceRules, now: DateTime.Utc): Answer => {
  const { failure, response } = seen
  if (failure?._tag === "BlockedTarget") return Answer.Impossible({ reason: failure.message })
  const said = saidBy(seen)
  // The answer is the verdict, however its body ends (Specification: Events, Retries).
  if (said === null || response === null) return Answer.Unanswered({ reason: failure?.message ?? "No answer" })
  const { fate, meaning: read, retryAfter, words } = rules.read?.(said) ?? {}
  const known = read ?? rules.meanings?.[said.statusCode] ?? movedTo(said, response.headers.location, post)
  // Before they are cut, which could leave a part of a secret.
  const kept = withoutSecrets(words ?? "", secretsOf(post, rules))
  const meaning = known === undefined && kept === "" ? undefined : withWords(known ?? "The service refuses the message", kept)
  return Answer.Answered({
    statusCode: said.statusCode,
    retryAfter: Option.orElse(parseRetryAfter(response.headers["retry-after"], now), () => Option.fromNullable(retryAfter)),
    ...(meaning === undefined ? {} : { meaning }),
    ...(fate === undefined ? {} : { fate })
  })
}

/** The answer, and what the service said in it, for a service that says where to go. */
export const postAndRead = Effect.fnUntraced(function*(post: Post, rules: ServiceRules) {
  const guard = yield* EgressGuard
  const seen = yield* exchange(guard, requestOf(post, rules))
  return { answer: answerOf(post, seen, rules, yield* DateTime.now), said: saidBy(seen) }
})

export const postDelivery = (post: Post, rules: ServiceRules = {}) => Effect.map(postAndRead(post, rules), ({ answer }) => answer)

/** Posts to the webhook of a channel that may have another way. */
export const postToWebhook = (
  url: string | undefined,
  message: { readonly body: string; readonly timeoutMs: number },
  rules: ServiceRules
) =>
  url === undefined
    ? Effect.succeed(Answer.Impossible({ reason: "The channel has no url; update the channel" }))
    : postDelivery({ url: new URL(url), headers: deliveryHeaders, ...message }, rules)

/** The same as `postDelivery` without a fiber; calls back once. Returns a function that abandons the request. */
export const startPost = (
  guard: EgressGuard,
  post: Post,
  rules: ServiceRules,
  now: () => DateTime.Utc,
  done: (answer: Answer) => void
): () => void => startExchange(guard, requestOf(post, rules), (seen) => done(answerOf(post, seen, rules, now())))
