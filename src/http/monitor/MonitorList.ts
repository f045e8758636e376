/** Encodes a list of monitors in slices, so that the event loop stays free in between. */
import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import type { MonitorList } from "../../operations/monitor/ReadMonitors.ts"

/** Records that are encoded in one turn of the event loop: about a millisecond. */
const slice = 50

/** The records are encoded already: encoding them by their schema would cost ten times as much. */
export const monitorList = ({ data, next }: MonitorList): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.gen(function*() {
    const parts: Array<string> = []
    for (let at = 0; at < data.length; at += slice) {
      if (at > 0) yield* Effect.sleep(0)
      parts.push(JSON.stringify(data.slice(at, at + slice)).slice(1, -1))
    }
    return HttpServerResponse.text(`{"data":[${parts.join(",")}],"next":${JSON.stringify(next)}}`, {
      contentType: "application/json"
    })
  })
