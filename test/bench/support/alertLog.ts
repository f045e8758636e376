/** A receiver of webhooks that notes when each alert of each monitor came, by the wall clock. */
import { Clock, Effect, Runtime, Schema } from "effect"
import { createServer } from "node:http"
import { listening } from "../../support/targets/LocalTargets.ts"

const Alert = Schema.parseJson(Schema.Struct({
  type: Schema.String,
  data: Schema.Struct({ monitor: Schema.Struct({ _id: Schema.String }) })
}))

export interface Arrival {
  readonly type: string
  readonly at: number
}

export const makeAlertLog = Effect.gen(function*() {
  const arrivals = new Map<string, Array<Arrival>>()
  const runtime = yield* Effect.runtime()
  const note = (body: string) =>
    Effect.gen(function*() {
      const at = yield* Clock.currentTimeMillis
      const { data, type } = yield* Schema.decode(Alert)(body)
      arrivals.set(data.monitor._id, [...arrivals.get(data.monitor._id) ?? [], { type, at }])
    }).pipe(Effect.ignore)
  const port = yield* listening(createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (part) => void (body += part))
    request.on("end", () => {
      Runtime.runSync(runtime)(note(body))
      response.end()
    })
  }))
  const of = (monitorId: string): ReadonlyArray<Arrival> => arrivals.get(monitorId) ?? []
  return {
    url: `http://127.0.0.1:${port}/`,
    of,
    /** The first alert of a type after an instant; undefined if none comes within `ms`. */
    next: (monitorId: string, type: string, after: number, ms: number) => {
      const find = Effect.sync(() => of(monitorId).find((one) => one.type === type && one.at >= after))
      return find.pipe(
        Effect.delay("50 millis"),
        Effect.repeat({ until: (found) => found !== undefined }),
        Effect.timeoutTo({ duration: ms, onSuccess: (found) => found, onTimeout: () => undefined })
      )
    }
  }
})
