/** Serves the iCalendar feeds of on-call schedules at GET /oncall/{id}/{token}.ics, outside the registry. */
import { HttpApiBuilder, HttpRouter, HttpServerResponse } from "@effect/platform"
import { Effect, type Layer } from "effect"
import { ReadOnCall } from "../../operations/oncall/ReadOnCall.ts"

const feed = ({ feed }: ReadOnCall) =>
  Effect.gen(function*() {
    const { file = "", id = "" } = yield* HttpRouter.params
    const text = yield* feed(id, file.endsWith(".ics") ? file.slice(0, -".ics".length) : "")
    return HttpServerResponse.text(text, {
      contentType: "text/calendar; charset=utf-8",
      // The address is a credential: shared caches must not keep the response.
      headers: { "cache-control": "private, max-age=300", "x-content-type-options": "nosniff", "x-robots-tag": "noindex" }
    })
  })

export const layer: Layer.Layer<never, never, ReadOnCall> = HttpApiBuilder.Router.use((router) =>
  Effect.flatMap(ReadOnCall, (reading) => router.get("/oncall/:id/:file", feed(reading)))
)
