/** One check of an MCP server under way: what it has learnt so far, and its HTTP requests within one time limit. */
import { Data, Effect, Either } from "effect"
import type { McpTarget } from "../../../schema/monitor/kinds/mcp.ts"
import { down, type Problem } from "../../domain/check/answer/CheckVerdict.ts"
import type { Tool } from "../../domain/check/answer/mcp/McpTools.ts"
import type { Hop } from "../../domain/check/answer/Redirect.ts"
import { decodeBody, type DecodedBody } from "../../egress/BodyDecoder.ts"
import { causeOf, type EgressGuard } from "../../egress/EgressGuard.ts"
import type { TlsSettings } from "../../egress/TlsTrust.ts"
import { type Chain, follow } from "../http/HttpChain.ts"
import type { HttpPlan } from "../http/HttpPlan.ts"

/** The conversation ended before its end. */
export class McpFailed extends Data.TaggedError("McpFailed")<{ readonly problem: Problem }> {}

export const mcpFailed = (...args: Parameters<typeof down>): McpFailed => new McpFailed({ problem: down(...args) })

export interface McpRun {
  readonly plan: HttpPlan
  readonly target: McpTarget
  readonly clientSecret: string | null
  readonly guard: EgressGuard
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** On the monotonic clock. */
  readonly startedAt: number
  readonly timeoutMs: number
  /** The assignment: tokens are kept as long as it is. */
  readonly owner: object
  /** Texts to mask. */
  secrets: ReadonlyArray<string>
  token: string | null
  session: string | null
  version: string | null
  server: string | null
  tools: ReadonlyArray<Tool>
  /** The last exchange that evidence shows. */
  last: Chain | null
  /** False if the answer of `last` may hold a token. */
  showsBody: boolean
  /** The time of the exchanges with the server. */
  latencyMs: number
  lastId: number
}

/** Maximum size of an answer, and of all pages of tools together, bytes. */
export const mostBytes = 1_048_576

/** The first pause before a stream is read again, ms: most answers come with its head. */
const leastPauseMs = 50

export interface Exchanged {
  readonly chain: Chain
  readonly body: DecodedBody
}

interface Exchange {
  readonly hop: Hop
  readonly tls: TlsSettings
  /** Completes "no answer to". */
  readonly what: string
  readonly timeoutMs?: number
  readonly isEnough?: (soFar: Chain, answer: (isEnough: boolean) => void) => void
}

/** The time of a chain up to the last byte that came: the end of a stream is not awaited. */
export const latencyOf = ({ last, totalMs }: Chain): number => (last.isAwaited ? totalMs : totalMs - last.quietMs)

export const spentMs = ({ startedAt }: McpRun): number => performance.now() - startedAt

const failureOf = ({ timeoutMs }: McpRun, { failure, last: { response } }: Chain, what: string): McpFailed | null => {
  if (failure === null) return response === null ? mcpFailed("protocol_error", `No response to ${what}`) : null
  const cause = causeOf(failure)
  return cause === "timeout" && response !== null
    ? mcpFailed("timeout", `The response began, but no answer to ${what} came within ${timeoutMs} ms`)
    : mcpFailed(cause, failure.message)
}

/** Makes one HTTP request, follows its redirects and reads the body. */
export const exchangeIn = (
  run: McpRun,
  { hop, isEnough, timeoutMs = run.timeoutMs, tls, what }: Exchange
): Effect.Effect<Exchanged, McpFailed> =>
  Effect.async((resume) => {
    let stop = (): void => {}
    const read = (chain: Chain): void => {
      run.last = chain
      const failed = failureOf(run, chain, what)
      if (failed !== null) return resume(Effect.fail(failed))
      stop = decodeBody(chain.last, mostBytes, (body) => resume(Effect.succeed({ chain, body })))
    }
    const limits = {
      followRedirects: true,
      timeoutMs,
      spentMs: Math.min(spentMs(run), timeoutMs),
      readLimit: mostBytes,
      keepLimit: mostBytes,
      tls,
      leastPauseMs,
      ...(isEnough === undefined ? {} : { isEnough })
    }
    const giveUp = follow(
      run.guard,
      limits,
      hop,
      run.now,
      Either.match({ onLeft: (defect) => resume(Effect.die(defect)), onRight: read })
    )
    return Effect.sync(() => {
      giveUp()
      stop()
    })
  })
