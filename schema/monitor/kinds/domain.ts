/** The settings of a domain monitor: a registration that must not expire. */
import { Schema } from "effect"
import { kindSchema } from "../KindSchema.ts"

const settings = {
  host: Schema.String,
  /** Degraded if the registration expires within this many days. */
  expiryDays: Schema.Int
}

export const domain = kindSchema("domain", { settings, inEvents: settings, probed: true })
export type DomainTarget = typeof domain.target.Type
