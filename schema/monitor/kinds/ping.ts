/** The settings of a ping monitor: a host that answers ICMP echo requests. */
import { Schema } from "effect"
import { kindSchema } from "../KindSchema.ts"

const settings = { host: Schema.String, degradedAfterMs: Schema.NullOr(Schema.Int) }

export const ping = kindSchema("ping", { settings, inEvents: settings, probed: true })
export type PingTarget = typeof ping.target.Type
