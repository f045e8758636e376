/** Makes the HTTP requests and pauses of one script run: under the egress guard, and within the limits of a run. */
import { Either } from "effect"
import type { IncomingHttpHeaders } from "node:http"
import type { ScriptRequest } from "../../../schema/check/Check.ts"
import { HttpMethod } from "../../../schema/monitor/kinds/http.ts"
import { webUrl } from "../../../schema/UrlText.ts"
import { isStream } from "../../domain/check/answer/BodyNeed.ts"
import type { Hop } from "../../domain/check/answer/Redirect.ts"
import { headerProblem, sendable } from "../../domain/check/answer/RequestHeaders.ts"
import { shownHeader } from "../../domain/check/answer/ResponseHead.ts"
import { scriptLimits } from "../../domain/check/answer/ScriptLimits.ts"
import { decodeBody } from "../../egress/BodyDecoder.ts"
import { causeOf, type EgressGuard } from "../../egress/EgressGuard.ts"
import type { TlsSettings } from "../../egress/TlsTrust.ts"
import { type Chain, follow, userAgent } from "../http/HttpChain.ts"
import { tenths } from "../ProbeResult.ts"
import type { HttpCall } from "./ScriptMessages.ts"

/** How long a script waits for a stream without an end, ms; it gets what came by then. */
const streamMs = 1000

/** `value` is JSON for a response, or the message of an error. */
type Reply = (id: number, ok: boolean, value: string) => void

interface Calls {
  readonly guard: EgressGuard
  readonly tls: TlsSettings
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** The rest of the run's time, ms. */
  readonly left: () => number
  readonly reply: Reply
  /** The requests so far, as evidence. */
  readonly requests: Array<ScriptRequest>
  readonly stops: Set<() => void>
  readonly queue: Array<HttpCall>
  made: number
  running: number
  stopped: boolean
}

const isMethod = (text: string): text is HttpMethod => HttpMethod.literals.some((method) => method === text)

/** Left: why the request is not sent. */
const hopOf = ({ body, headers, method, url }: HttpCall): Either.Either<Hop, string> => {
  const address = webUrl(url)
  if (address === null) {
    return Either.left(`"${url.slice(0, 200)}" is not an absolute http or https URL`)
  }
  if (!isMethod(method)) return Either.left(`The method ${method} is not supported; use ${HttpMethod.literals.join(", ")}`)
  if (body !== null && body.length > scriptLimits.requestBody) {
    return Either.left(`The body of a request is at most ${scriptLimits.requestBody} characters`)
  }
  const own = sendable(headers)
  const wrong = Object.entries(own).map(([name, value]) => headerProblem(name, value)).find((problem) => problem !== null)
  return wrong === undefined
    ? Either.right({ url: address, method, headers: { "user-agent": userAgent, accept: "*/*", ...own }, body })
    : Either.left(wrong)
}

const plainHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, shownHeader(value) ?? ""])
  )

/** Starts work that `stop` cancels until it calls `done`, which can be before `start` returns. */
const cancellable = ({ stops }: Calls, start: (done: () => void) => () => void): void => {
  let cancel = (): void => {}
  const stop = (): void => cancel()
  stops.add(stop)
  cancel = start(() => stops.delete(stop))
}

const answer = (calls: Calls, id: number, chain: Chain): void => {
  const { response } = chain.last
  if (chain.failure !== null || response === null) return calls.reply(id, false, chain.failure?.message ?? "No response")
  cancellable(calls, (done) =>
    decodeBody(chain.last, scriptLimits.responseBody, ({ complete, text }) => {
      done()
      const value = {
        status: response.statusCode,
        headers: plainHeaders(response.headers),
        body: text,
        truncated: !complete,
        url: chain.hop.url.href,
        ms: tenths(chain.totalMs)
      }
      if (!calls.stopped) calls.reply(id, true, JSON.stringify(value))
    }))
}

const requestOf = (method: string, url: string, chain: Chain): ScriptRequest => ({
  method,
  url,
  status: chain.last.response?.statusCode ?? null,
  ms: tenths(chain.totalMs),
  remoteAddress: chain.last.address,
  cause: chain.failure === null ? null : causeOf(chain.failure),
  error: chain.failure?.message ?? null
})

const begin = (calls: Calls, call: HttpCall, hop: Hop): void => {
  const limits = {
    followRedirects: call.followRedirects,
    timeoutMs: Math.max(1, calls.left()),
    readLimit: scriptLimits.responseBody,
    keepLimit: scriptLimits.responseBody,
    tls: calls.tls,
    isEnough: ({ last: { bodyMs, response } }: Chain, answer: (isEnough: boolean) => void) =>
      answer(response !== null && isStream(response.headers) && bodyMs >= streamMs)
  }
  calls.running++
  cancellable(calls, (done) =>
    follow(calls.guard, limits, hop, calls.now, (ended) => {
      calls.running--
      done()
      if (calls.stopped) return
      Either.match(ended, {
        onLeft: () => calls.reply(call.id, false, "The request failed inside the probe"),
        onRight: (chain) => {
          calls.requests.push(requestOf(call.method, hop.url.href, chain))
          answer(calls, call.id, chain)
        }
      })
      const next = calls.queue.shift()
      if (next !== undefined) start(calls, next)
    }))
}

const start = (calls: Calls, call: HttpCall): void =>
  Either.match(hopOf(call), {
    onLeft: (problem) => calls.reply(call.id, false, problem),
    onRight: (hop) => begin(calls, call, hop)
  })

export const makeScriptCalls = (given: Pick<Calls, "guard" | "tls" | "now" | "left" | "reply">) => {
  const calls: Calls = { ...given, requests: [], stops: new Set(), queue: [], made: 0, running: 0, stopped: false }
  return {
    requests: calls.requests,
    http: (call: HttpCall): void => {
      if (++calls.made > scriptLimits.requests) {
        return calls.reply(call.id, false, `A script makes at most ${scriptLimits.requests} requests`)
      }
      if (calls.running < scriptLimits.concurrentRequests) start(calls, call)
      else calls.queue.push(call)
    },
    sleep: (id: number, ms: number): void => {
      const wait = Math.min(Math.max(0, Number.isFinite(ms) ? ms : 0), 120_000)
      cancellable(calls, (done) =>
        calls.guard.deadlines.after(wait, () => {
          done()
          calls.reply(id, true, "null")
        }))
    },
    stop: (): void => {
      calls.stopped = true
      for (const stop of calls.stops) stop()
    }
  }
}
export type ScriptCalls = ReturnType<typeof makeScriptCalls>
