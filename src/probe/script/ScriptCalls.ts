/** Makes the HTTP requests and pauses of one script run: under the egress guard, and within the limits of a run. */
import { Either } from "effect"
import type { IncomingHttpHeaders } from "node:http"
import type { ScriptRequest } from "../../../schema/check/Check.ts"
import { HttpMethod } from "../../../schema/monitor/kinds/http.ts"
import type { Hop } from "../../domain/check/answer/Redirect.ts"
import { headerProblem, sendable } from "../../domain/check/answer/RequestHeaders.ts"
import { scriptLimits } from "../../domain/check/answer/ScriptLimits.ts"
import { decodeBody } from "../../egress/BodyDecoder.ts"
import { causeOf, type EgressGuard } from "../../egress/EgressGuard.ts"
import { type Chain, follow, userAgent } from "../HttpChain.ts"
import { tenths } from "../ProbeResult.ts"
import type { HttpCall } from "./ScriptMessages.ts"

/** `value` is JSON for a response, or the message of an error. */
type Reply = (id: number, ok: boolean, value: string) => void

export interface ScriptCalls {
  readonly http: (call: HttpCall) => void
  readonly sleep: (id: number, ms: number) => void
  /** The requests so far, as evidence. */
  readonly requests: ReadonlyArray<ScriptRequest>
  readonly stop: () => void
}

const isMethod = (text: string): text is HttpMethod => HttpMethod.literals.some((method) => method === text)

/** Left: why the request is not sent. */
const hopOf = ({ body, headers, method, url }: HttpCall): Either.Either<Hop, string> => {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    return Either.left(`"${url.slice(0, 200)}" is not an absolute http or https URL`)
  }
  if (!isMethod(method)) return Either.left(`The method ${method} is not supported; use ${HttpMethod.literals.join(", ")}`)
  if (body !== null && body.length > scriptLimits.requestBody) {
    return Either.left(`The body of a request is at most ${scriptLimits.requestBody} characters`)
  }
  const own = sendable(headers)
  const wrong = Object.entries(own).map(([name, value]) => headerProblem(name, value)).find((problem) => problem !== null)
  return wrong === undefined
    ? Either.right({ url: new URL(url), method, headers: { "user-agent": userAgent, accept: "*/*", ...own }, body })
    : Either.left(wrong)
}

const plainHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value ?? ""])
  )

const nothing = (): void => {}

export const makeScriptCalls = (
  guard: EgressGuard,
  now: () => number,
  /** The rest of the run's time, ms. */
  left: () => number,
  reply: Reply
): ScriptCalls => {
  const requests: Array<ScriptRequest> = []
  const stops = new Set<() => void>()
  const queue: Array<HttpCall> = []
  let made = 0
  let running = 0
  let stopped = false

  const answer = (id: number, chain: Chain): void => {
    const { response } = chain.last
    if (chain.failure !== null || response === null) {
      return reply(id, false, chain.failure?.message ?? "No response")
    }
    const ms = tenths(chain.totalMs)
    // Both this and the next callback can come before the function that cancels.
    let cancel = nothing
    const stop = (): void => cancel()
    stops.add(stop)
    cancel = decodeBody(chain.last, scriptLimits.responseBody, ({ complete, text }) => {
      stops.delete(stop)
      const headers = plainHeaders(response.headers)
      const value = { status: response.statusCode ?? 0, headers, body: text, truncated: !complete, url: chain.hop.url.href, ms }
      if (!stopped) reply(id, true, JSON.stringify(value))
    })
  }

  const record = (method: string, url: string, chain: Chain): void => {
    requests.push({
      method,
      url,
      status: chain.last.response?.statusCode ?? null,
      ms: tenths(chain.totalMs),
      remoteAddress: chain.last.address,
      cause: chain.failure === null ? null : causeOf(chain.failure),
      error: chain.failure?.message ?? null
    })
  }

  const begin = (call: HttpCall, hop: Hop): void => {
    running++
    const limits = {
      followRedirects: call.followRedirects,
      timeoutMs: Math.max(1, left()),
      readLimit: scriptLimits.responseBody,
      keepLimit: scriptLimits.responseBody
    }
    let giveUp = nothing
    const stop = (): void => giveUp()
    stops.add(stop)
    giveUp = follow(guard, limits, hop, now, (ended) => {
      running--
      stops.delete(stop)
      if (stopped) return
      Either.match(ended, {
        onLeft: () => reply(call.id, false, "The request failed inside the probe"),
        onRight: (chain) => {
          record(call.method, hop.url.href, chain)
          answer(call.id, chain)
        }
      })
      const next = queue.shift()
      if (next !== undefined) start(next)
    })
  }

  const start = (call: HttpCall): void =>
    Either.match(hopOf(call), {
      onLeft: (problem) => reply(call.id, false, problem),
      onRight: (hop) => begin(call, hop)
    })

  return {
    requests,
    http: (call) => {
      if (++made > scriptLimits.requests) {
        return reply(call.id, false, `A script makes at most ${scriptLimits.requests} requests`)
      }
      if (running < scriptLimits.concurrentRequests) start(call)
      else queue.push(call)
    },
    sleep: (id, ms) => {
      const cancel = guard.deadlines.after(Math.min(Math.max(0, Number.isFinite(ms) ? ms : 0), 120_000), () => {
        stops.delete(cancel)
        reply(id, true, "null")
      })
      stops.add(cancel)
    },
    stop: () => {
      stopped = true
      for (const stop of stops) stop()
    }
  }
}
