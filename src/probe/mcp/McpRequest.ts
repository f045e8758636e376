/** One message to an MCP server by Streamable HTTP, and its answer: as JSON, or as an event of a stream that may have no end. */
import { Effect, Either } from "effect"
import { firstLineOf, titleOf } from "../../domain/check/answer/BodyExcerpt.ts"
import { mediumOf, messageText, readAnswer } from "../../domain/check/answer/mcp/McpMessages.ts"
import type { Hop } from "../../domain/check/answer/Redirect.ts"
import { shownHeader } from "../../domain/check/answer/ResponseHead.ts"
import { cut } from "../../domain/tools/text/TrimText.ts"
import { decodeBody, type DecodedBody } from "../../egress/BodyDecoder.ts"
import type { Chain } from "../http/HttpChain.ts"
import { type Exchanged, exchangeIn, latencyOf, type McpFailed, mcpFailed, type McpRun, mostBytes } from "./McpRun.ts"

/** The next request to the server, with the session and the token that the check has. */
export const hopOf = ({ plan, session, token, version }: McpRun, method: "POST" | "DELETE", body: string | null): Hop => ({
  url: plan.first.url,
  method,
  headers: {
    ...plan.first.headers,
    accept: "application/json, text/event-stream",
    ...(body === null ? {} : { "content-type": "application/json" }),
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(session === null ? {} : { "mcp-session-id": session }),
    ...(version === null ? {} : { "mcp-protocol-version": version })
  },
  body
})

const typeOf = ({ last: { response } }: Chain): string | undefined => shownHeader(response?.headers["content-type"])

const statusOf = ({ last: { response } }: Chain): number => response?.statusCode ?? 0

/** Whether a stream has brought the answer, or something that is none. */
const isAnswered = (id: number) => (soFar: Chain, answer: (isEnough: boolean) => void): void => {
  if (mediumOf(typeOf(soFar)) !== "stream") return answer(false)
  decodeBody({ ...soFar.last, bodyComplete: false }, mostBytes, ({ text }) => {
    const read = readAnswer("stream", text, id, false)
    answer(Either.isLeft(read) || read.right !== null)
  })
}

/** The time of the answer's head is enough for a message without an answer. */
const isHeadEnough = (_: Chain, answer: (isEnough: boolean) => void): void => answer(true)

const redirectedFrom = ({ hop, redirects }: Chain): string => (redirects.length === 0 ? "" : ` from ${hop.url.href}`)

/** The message of a server with a status that is no success. */
const statusText = (chain: Chain, { text }: DecodedBody, id: number): string => {
  const { statusCode = 0, statusMessage = "" } = chain.last.response ?? {}
  const medium = mediumOf(typeOf(chain))
  const read = medium === null ? null : Either.getOrNull(readAnswer(medium, text, id, true))
  const why = read !== null && Either.isLeft(read) ? read.left : firstLineOf(text)
  const status = `${statusCode}${statusMessage === "" ? "" : ` ${cut(statusMessage, 100)}`}${redirectedFrom(chain)}`
  return why === null || why === statusMessage ? status : `${status}: ${cut(why, 300)}`
}

const unauthorized = ({ plan, token }: McpRun, chain: Chain): string => {
  const challenge = shownHeader(chain.last.response?.headers["www-authenticate"])
  const said = challenge === undefined ? "" : ` (WWW-Authenticate: ${cut(challenge, 200)})`
  const advice = token !== null
    ? "It refuses the access token of tokenUrl"
    : "authorization" in plan.first.headers
    ? "It refuses the Authorization header of the monitor"
    : "Set tokenUrl, clientId and clientSecret, or an Authorization header"
  return `The server requires sign-in: it answered 401${said}. ${advice}`
}

/** Null for a success. */
const statusProblem = (run: McpRun, { body, chain }: Exchanged, method: string, id: number): McpFailed | null => {
  const status = statusOf(chain)
  if (status >= 200 && status < 300) return null
  if (status === 401) return mcpFailed("status", unauthorized(run, chain))
  return status === 404 && run.session !== null
    ? mcpFailed("mcp_error", `The server ended the session before ${method} (${statusText(chain, body, id)})`)
    : mcpFailed("status", `Expected an answer to ${method}, got ${statusText(chain, body, id)}`)
}

const notMcp = (chain: Chain, { text }: DecodedBody, method: string): McpFailed => {
  const type = typeOf(chain)
  const title = titleOf(text)
  return mcpFailed(
    "protocol_error",
    `Expected JSON or an event stream in answer to ${method}, got ${type === undefined ? "no Content-Type" : cut(type, 100)}` +
      `${redirectedFrom(chain)}${title === null ? "" : ` (title "${title}")`}; the URL may not be that of an MCP server`
  )
}

const resultIn = ({ body, chain }: Exchanged, method: string, id: number): Effect.Effect<unknown, McpFailed> => {
  const medium = mediumOf(typeOf(chain))
  if (body.problem !== null) return mcpFailed("protocol_error", `The answer to ${method} ${body.problem.message}`)
  if (medium === null) return notMcp(chain, body, method)
  const { isAwaited } = chain.last
  if (isAwaited && !body.complete) return mcpFailed("body_too_large", `The answer to ${method} is larger than 1 MiB`)
  return Either.match(readAnswer(medium, body.text, id, isAwaited), {
    onLeft: (why) => mcpFailed("protocol_error", `The answer to ${method} ${why}`),
    onRight: (answer) =>
      answer === null
        ? mcpFailed(
          "protocol_error",
          `The ${medium === "stream" ? "stream ended without an" : "body has no"} answer to ${method}`
        )
        : Either.match(answer, {
          onLeft: (error) => mcpFailed("mcp_error", `The server answered ${method} with ${error}`),
          onRight: (result) => Effect.succeed(result)
        })
  })
}

export interface Answered {
  readonly result: unknown
  readonly chain: Chain
  readonly bytes: number
}

/** Status 401, for a caller that may sign in again. */
export const isUnauthorized = ({ last }: McpRun): boolean => last !== null && statusOf(last) === 401

export const request = (run: McpRun, method: string, params?: unknown): Effect.Effect<Answered, McpFailed> =>
  Effect.gen(function*() {
    const id = ++run.lastId
    const exchanged = yield* exchangeIn(run, {
      hop: hopOf(run, "POST", messageText(id, method, params)),
      isEnough: isAnswered(id),
      what: method,
      tls: run.plan.tls
    })
    run.latencyMs += latencyOf(exchanged.chain)
    const refused = statusProblem(run, exchanged, method, id)
    if (refused !== null) return yield* refused
    return { result: yield* resultIn(exchanged, method, id), chain: exchanged.chain, bytes: exchanged.chain.last.bodyBytes }
  })

/** A message without an answer: only its status counts. */
export const notify = (run: McpRun, method: string): Effect.Effect<void, McpFailed> =>
  Effect.gen(function*() {
    const before = run.last
    const exchanged = yield* exchangeIn(run, {
      hop: hopOf(run, "POST", messageText(null, method, undefined)),
      isEnough: isHeadEnough,
      what: method,
      tls: run.plan.tls
    })
    run.latencyMs += latencyOf(exchanged.chain)
    const refused = statusProblem(run, exchanged, method, 0)
    if (refused !== null) return yield* refused
    // The answer has nothing to show: the evidence is that of the one before.
    run.last = before
  })
