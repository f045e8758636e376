/** The response times of a component on a public page. */
import { Schema } from "effect"
import { orNull, Timestamp } from "../Fields.ts"

export const ResponseTimeRange = Schema.Literal("24h", "7d", "30d", "90d")
export type ResponseTimeRange = typeof ResponseTimeRange.Type

export const ResponseTimes = Schema.Struct({
  range: ResponseTimeRange.annotations({ description: "The range that was asked for" }),
  bucketSec: Schema.Int.annotations({ description: "Length of a bucket: 30 minutes, 3 hours, 12 hours or a day" }),
  data: Schema.Array(Schema.Struct({
    at: Timestamp.annotations({ description: "Start of the bucket" }),
    p50: orNull(Schema.Number, "Median, ms; null without a successful check"),
    p95: orNull(Schema.Number, "95th percentile, ms"),
    count: Schema.Int.annotations({ description: "Checks that were measured" })
  }))
}).annotations({ identifier: "ResponseTimes" })
export type ResponseTimes = typeof ResponseTimes.Type
