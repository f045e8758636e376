/** Puts the records of a list into its answer. */
import { HttpServerResponse } from "@effect/platform"
import type { MonitorList } from "../../operations/monitor/ReadMonitors.ts"

/** The records are JSON already: encoding them by their schema would cost ten times as much. */
export const monitorList = ({ counts, data, next }: MonitorList): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(
    Buffer.concat([
      Buffer.from(`{"data":`),
      data,
      Buffer.from(`,${counts === undefined ? "" : `"counts":${JSON.stringify(counts)},`}"next":${JSON.stringify(next)}}`)
    ]),
    { contentType: "application/json" }
  )
