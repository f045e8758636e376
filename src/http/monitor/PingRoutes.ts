/** Serves the short ping URLs for cron jobs: `/hb/<token>` and `/hb/<token>/fail`. */
import { HttpApiBuilder, HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { DateTime, Effect } from "effect"
import type { HeartbeatReceipt } from "../../../schema/monitor/Heartbeat.ts"
import { PublicCalls } from "../../operations/access/PublicCalls.ts"
import { TakePings } from "../../operations/monitor/TakePings.ts"
import { publicAdmission } from "../guard/PublicAdmission.ts"
import { bodyLimit } from "../request/RequestBody.ts"
import { hasBody, reportOf } from "./PingReport.ts"

/** Built by hand for speed; nothing in it needs escaping. */
export const receiptText = ({ at }: HeartbeatReceipt): string => `{"ok":true,"at":"${DateTime.formatIso(at)}"}`

const acknowledged = (receipt: HeartbeatReceipt) =>
  HttpServerResponse.text(receiptText(receipt), { contentType: "application/json" })

/** The bytes that are read of the body of a client that sent too much that was refused. */
const bodyOverBudget = 2 * 1024

export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function*() {
    const pings = yield* TakePings
    const calls = yield* PublicCalls
    /** Plain combinators, without a generator: thousands of pings arrive in the first second of an hour. */
    const answered = (failed: boolean, limit: number) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.flatMap(HttpRouter.RouteContext, ({ params }) =>
          Effect.flatMap(reportOf(request, limit), (report) =>
            Effect.map(pings.take(params["token"] ?? "", failed ? { ...report, status: "down" } : report), acknowledged))))
    const routed = (failed: boolean) => {
      const bare = answered(failed, bodyLimit)
      const admitted = publicAdmission(calls, { rate: null, overBudget: answered(failed, bodyOverBudget) })(bare)
      // A client that hangs up while it sends its output has run its job.
      return Effect.uninterruptible(
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
          hasBody(request) ? admitted : bare)
      )
    }
    // GET reports a failure too: it is curl's default method, and a 405 would lose the report.
    yield* router.get("/hb/:token", routed(false))
    yield* router.post("/hb/:token", routed(false))
    yield* router.get("/hb/:token/fail", routed(true))
    yield* router.post("/hb/:token/fail", routed(true))
  })
)
