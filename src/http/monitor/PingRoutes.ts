/**
 * Serves the addresses that jobs ping: `/hb/<token>`, and with `/start`, `/fail`, `/log` or an exit code after it. The same below
 * `/ping/`, as Healthchecks has them.
 */
import { HttpApiBuilder, HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { DateTime, Effect } from "effect"
import type { HeartbeatReceipt } from "../../../schema/monitor/Heartbeat.ts"
import { longestLog } from "../../../schema/monitor/JobRun.ts"
import { isPingKeyShaped } from "../../domain/monitor/PingSlug.ts"
import { withoutTrailing } from "../../domain/tools/TrimText.ts"
import { PublicCalls } from "../../operations/access/PublicCalls.ts"
import { ManagePingKey } from "../../operations/monitor/ManagePingKey.ts"
import { TakePings } from "../../operations/monitor/TakePings.ts"
import { publicAdmission } from "../guard/PublicAdmission.ts"
import { bodyLimit } from "../request/RequestBody.ts"
import { hasBody, reportOf } from "./PingReport.ts"

/** The header by which each answer to a stored ping says how much of a body is kept. */
export const pingHeaders = { "ping-body-limit": String(longestLog) }

/** Built by hand for speed; nothing in it needs escaping. */
export const receiptText = ({ at }: HeartbeatReceipt): string => `{"ok":true,"at":"${DateTime.formatIso(at)}"}`

/** The answer that clients of Healthchecks expect. */
export const briefReceipt = "OK"

const acknowledged = (receipt: HeartbeatReceipt) =>
  HttpServerResponse.text(receiptText(receipt), { contentType: "application/json", headers: pingHeaders })

const acknowledgedBriefly = () => HttpServerResponse.text(briefReceipt, { headers: pingHeaders })

/** The bytes that are read of the body of a client that sent too much that was refused. */
const bodyOverBudget = 2 * 1024

type Params = Readonly<Record<string, string | undefined>>

/** The path after the token; null if nothing follows. */
const suffixOf = (params: Params): string | null => withoutTrailing(params["*"] ?? "", "/") || null

const wantsCreation = (url: string): boolean => /[?&]create=(?:1|true)(?:&|$)/i.test(url)

export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function*() {
    const pings = yield* TakePings
    const calls = yield* PublicCalls
    const keys = yield* ManagePingKey

    /** Below a ping key the first part of the path is the slug of a heartbeat. */
    const takeBySlug = (key: string, path: string, request: HttpServerRequest.HttpServerRequest, limit: number) => {
      const [slug = "", ...rest] = path.split("/")
      return Effect.flatMap(keys.heartbeatOf(key, slug, wantsCreation(request.url)), (hash) =>
        Effect.flatMap(
          reportOf(request, limit, rest.length === 0 ? null : rest.join("/")),
          (report) => pings.takeFor(hash, report)
        ))
    }

    const take = (params: Params, request: HttpServerRequest.HttpServerRequest, limit: number) => {
      const { token = "" } = params
      const suffix = suffixOf(params)
      return isPingKeyShaped(token)
        ? takeBySlug(token, suffix ?? "", request, limit)
        : Effect.flatMap(reportOf(request, limit, suffix), (report) => pings.take(token, report))
    }

    /** Plain combinators, without a generator: thousands of pings arrive in the first second of an hour. */
    const answered = (limit: number, answer: (receipt: HeartbeatReceipt) => HttpServerResponse.HttpServerResponse) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.flatMap(HttpRouter.RouteContext, ({ params }) => Effect.map(take(params, request, limit), answer)))
    const routed = (answer: (receipt: HeartbeatReceipt) => HttpServerResponse.HttpServerResponse) => {
      const bare = answered(bodyLimit, answer)
      const admitted = publicAdmission(calls, { rate: null, overBudget: answered(bodyOverBudget, answer) })(bare)
      // A client that hangs up while it sends its output has run its job.
      return Effect.uninterruptible(
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
          hasBody(request) ? admitted : bare)
      )
    }
    // GET reports a failure too: it is curl's default method, and a 405 would lose the report.
    for (
      const [path, handler] of [["/hb/:token", routed(acknowledged)], ["/ping/:token", routed(acknowledgedBriefly)]] as const
    ) {
      yield* router.get(path, handler)
      yield* router.post(path, handler)
      yield* router.get(`${path}/*`, handler)
      yield* router.post(`${path}/*`, handler)
    }
  })
)
