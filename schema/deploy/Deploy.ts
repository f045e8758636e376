/** A deploy marker: a change that was shipped, to compare incidents with. */
import { Schema } from "effect"
import { httpUrl, list, optional, orNull, text, textLike, Timestamp } from "../Fields.ts"
import { DeployId, MonitorId, PageId } from "../Ids.ts"

export const DeployInput = Schema.Struct({
  version: optional(text(100).annotations({ examples: ["2026.11.3"] })),
  commit: optional(text(80), "Git commit", "9f2c1ab"),
  url: optional(httpUrl(2000), "Of the release or pipeline"),
  environment: optional(text(40), "Where it was deployed", "production"),
  description: optional(text(2000)),
  service: optional(text(120), "Monitors with this tag or name"),
  monitorIds: optional(list(MonitorId, 100), "Only these monitors"),
  monitorId: optional(text(60), "Added to monitorIds"),
  pageId: optional(text(60), "Added to pageIds"),
  pageIds: optional(list(Schema.String, 100), "Only these pages, by id or slug"),
  at: optional(Timestamp, "Default now")
}).annotations({ identifier: "DeployInput" })
export type DeployInput = typeof DeployInput.Type

export const Deploy = Schema.Struct({
  id: DeployId,
  version: Schema.NullOr(textLike("2026.11.3")),
  commit: orNull(textLike("9f2c1ab"), "Git commit"),
  url: Schema.NullOr(textLike("https://git.example.com/acme/shop/releases/2026.11.3")),
  environment: orNull(textLike("production"), "Where it was deployed"),
  description: Schema.NullOr(Schema.String),
  service: orNull(textLike("checkout"), "Tag or name of the monitors that it is narrowed to; null for all"),
  monitorIds: Schema.Array(MonitorId),
  monitorId: optional(Schema.NullOr(MonitorId), "The only one of monitorIds; null for none or several", null),
  pageIds: Schema.Array(PageId),
  pageId: optional(Schema.NullOr(PageId), "The only one of pageIds; null for none or several", null),
  at: Timestamp,
  createdAt: Timestamp
}).annotations({ identifier: "Deploy" })
export type Deploy = typeof Deploy.Type
