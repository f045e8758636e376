/**
 * Serves the addresses that jobs ping: `/hb/<token>`, and with `/start`, `/fail`, `/log` or an exit code after it. The same below
 * `/ping/`, as Healthchecks has them. Before the router, because most cron jobs ping on the full hour.
 */
import { Context, Effect, Exit, Layer, Runtime } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { clientNetwork } from "../../domain/access/TrustedProxies.ts"
import type { PingReport } from "../../domain/monitor/job/JobSignal.ts"
import { isPingKeyShaped } from "../../domain/monitor/job/PingSlug.ts"
import type { BaseUrl } from "../../links/BaseUrl.ts"
import { PublicCalls } from "../../operations/access/PublicCalls.ts"
import { ManagePingKey } from "../../operations/monitor/ManagePingKey.ts"
import { TakePings } from "../../operations/monitor/TakePings.ts"
import { CurrentTrace } from "../../telemetry/Tracing.ts"
import { addressBehind, Proxies } from "../request/ClientAddress.ts"
import { bodyLimit, readIncoming } from "../request/RequestBody.ts"
import { FastPath } from "../server/FastPath.ts"
import { requestContext } from "../server/ResponseHeaders.ts"
import { type PingAddress, pingAddress } from "./PingAddress.ts"
import { makePingReplies, type PingReply } from "./PingReplies.ts"
import { type PingBytes, reportOf } from "./PingReport.ts"

/** The bytes that are read of the body of a client that sent too much that was refused. */
const bodyOverBudget = 2 * 1024

const isPing = ({ method }: IncomingMessage): boolean => method === "GET" || method === "POST" || method === "HEAD"

/** The declared length of a body; null where it is unknown. */
const lengthOf = ({ headers }: IncomingMessage): number | null =>
  headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : null

const wantsCreation = (query: string | null): boolean => query !== null && /(?:^|&)create=(?:1|true)(?:&|$)/i.test(query)

type Send = PingReply["send"]

/** A ping under way. */
interface Call {
  readonly address: PingAddress
  readonly body: PingBytes | null
  readonly reply: PingReply
  /** The address of the client; null where its connection is gone. */
  readonly client: () => string | null
  readonly send: Send
}

/** Answers all pings, and leaves other requests to the router. */
export const layer: Layer.Layer<FastPath, never, BaseUrl | ManagePingKey | PublicCalls | TakePings> = Layer.effect(
  FastPath,
  Effect.gen(function*() {
    const pings = yield* TakePings
    const calls = yield* PublicCalls
    const keys = yield* ManagePingKey
    const proxies = yield* Proxies
    const clock = yield* Effect.clock
    const replyTo = yield* makePingReplies
    const run = Runtime.runFork(yield* Effect.runtime())

    /** Runs to its end, also when the client hangs up: its job has run. */
    const fork = <A>({ client, reply, send }: Call, work: Effect.Effect<A, unknown>, then: (done: A) => void): void => {
      const context = Context.add(requestContext(reply.requestId, client()), CurrentTrace, reply.traceparent)
      run(Effect.provide(work, context)).addObserver((exit) => {
        if (Exit.isSuccess(exit)) then(exit.value)
        else send(Exit.failCause(exit.cause))
      })
    }

    const withReport = (call: Call, suffix: string | null, then: (report: PingReport) => void): void => {
      const report = reportOf(suffix, call.address.query, call.body)
      if (Effect.isEffect(report)) fork(call, report, then)
      else then(report)
    }

    /** Below a ping key the first part of the path is the slug of a heartbeat. */
    const takeBySlug = (call: Call): void => {
      const { query, suffix, token } = call.address
      const [slug = "", ...rest] = (suffix ?? "").split("/")
      fork(
        call,
        keys.heartbeatOf(token, slug, wantsCreation(query)),
        (hash) => withReport(call, rest.length === 0 ? null : rest.join("/"), (report) => pings.submitTo(hash, report, call.send))
      )
    }

    const take = (call: Call): void => {
      const { suffix, token } = call.address
      if (isPingKeyShaped(token)) takeBySlug(call)
      else withReport(call, suffix, (report) => pings.submit(token, report, call.send))
    }

    const takeWithBody = (call: Call, request: IncomingMessage, length: number | null): void => {
      const now = clock.unsafeCurrentTimeMillis()
      const settle = calls.takeBody(() => clientNetwork(call.client() ?? "unknown"), length, now)
      const isOver = typeof settle === "number"
      readIncoming(request, isOver ? bodyOverBudget : bodyLimit, ({ bytes, fault }) => {
        const type = request.headers["content-type"] ?? ""
        const body = { bytes, whole: fault === null, type, encoding: request.headers["content-encoding"] ?? "" }
        const send: Send = (answer) => {
          if (!isOver) settle(bytes.length, Exit.isSuccess(answer), clock.unsafeCurrentTimeMillis())
          call.send(answer)
        }
        take({ ...call, body, send })
      })
    }

    return (request: IncomingMessage, response: ServerResponse): boolean => {
      const address = isPing(request) ? pingAddress(request.url ?? "") : null
      if (address === null) return false
      const reply = replyTo(address, request, response)
      const call: Call = { address, body: null, reply, client: () => addressBehind(proxies, request), send: reply.send }
      const length = lengthOf(request)
      if (length === 0) take(call)
      else takeWithBody(call, request, length)
      return true
    }
  })
)
