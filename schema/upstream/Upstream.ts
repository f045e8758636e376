/** The published status of a third party, and what a caller of it should do now. */
import { Schema } from "effect"
import { fromTarget, orNull, textLike, Timestamp } from "../Fields.ts"

export const UpstreamVerdict = Schema.Literal("proceed", "retry", "fallback", "pause")
export type UpstreamVerdict = typeof UpstreamVerdict.Type

/** The states of a component, from best to worst, in the words of most status pages. */
export const UpstreamCondition = Schema.Literal(
  "operational",
  "under_maintenance",
  "unknown",
  "degraded_performance",
  "partial_outage",
  "major_outage"
)
export type UpstreamCondition = typeof UpstreamCondition.Type

export const UpstreamIncident = Schema.Struct({
  id: textLike("p31zjtct2jer"),
  title: fromTarget(textLike("Elevated error rates")),
  status: fromTarget(textLike("investigating", "In the words of the third party")),
  impact: UpstreamCondition,
  url: Schema.NullOr(textLike("https://stspg.io/p31zjtct2jer")),
  startedAt: Timestamp,
  updatedAt: Timestamp,
  resolvedAt: Schema.NullOr(Timestamp)
}).annotations({ identifier: "UpstreamIncident" })
export type UpstreamIncident = typeof UpstreamIncident.Type

export const UpstreamStatus = Schema.Struct({
  schema: Schema.Literal("belltower/upstream-status/v1").annotations({ description: "The version of this document" }),
  service: textLike("github", "Slug of the third party"),
  serviceName: textLike("GitHub", "Its name, for people"),
  component: Schema.Struct({ slug: textLike("api"), name: textLike("API") }),
  verdict: UpstreamVerdict.annotations({
    description: "proceed: call it. retry: call it, and again after retryAfterSec if that fails. fallback: prefer another way. " +
      "pause: do not call it"
  }),
  status: UpstreamCondition.annotations({ description: "What the third party publishes; unknown before its first reading" }),
  reason: fromTarget(textLike("GitHub reports: API operational", "Why this verdict")),
  retryAfterSec: orNull(Schema.Int, "Seconds; only with retry", null),
  incident: orNull(UpstreamIncident, "The worst open incident of the component", null),
  probe: Schema.Struct({
    state: Schema.Literal("up", "down", "unknown").annotations({
      description: "Whether its API answered our own request without a key. Any answer below 500 counts as up"
    }),
    statusCode: Schema.NullOr(Schema.Int).annotations({ examples: [401] })
  }).annotations({ description: "Our own request to its API" }),
  stale: Schema.Boolean.annotations({ description: "Whether its status could not be read for over 15 minutes" }),
  readAt: orNull(Timestamp, "When its status was last read"),
  source: textLike("https://www.githubstatus.com", "Where the third party publishes its status")
}).annotations({ identifier: "UpstreamStatus" })
export type UpstreamStatus = typeof UpstreamStatus.Type

/** A third party of the catalogue, and what of it can be asked about. */
export const UpstreamService = Schema.Struct({
  service: textLike("github", "Slug of the third party"),
  name: textLike("GitHub"),
  components: Schema.Array(Schema.Struct({ slug: textLike("api"), name: textLike("API") })).annotations({
    description: "Its components; all means the service as a whole"
  })
}).annotations({ identifier: "UpstreamService" })
export type UpstreamService = typeof UpstreamService.Type

/** The third party's incident that likely caused one of ours. */
export const LikelyUpstream = Schema.Struct({
  service: textLike("github", "Slug of the third party"),
  name: textLike("GitHub"),
  incident: fromTarget(textLike("Elevated error rates", "Title of the third party's incident")),
  url: Schema.NullOr(textLike("https://stspg.io/p31zjtct2jer")),
  startedAt: Timestamp
}).annotations({ identifier: "LikelyUpstream" })
export type LikelyUpstream = typeof LikelyUpstream.Type
