/** The settings of a dns monitor: which records of a name it asks for, whom it asks, and the values that must be among them. */
import { Schema } from "effect"
import { kindSchema } from "../KindSchema.ts"

export const DnsRecordType = Schema.Literal("A", "AAAA", "CNAME", "MX", "TXT", "NS")
export type DnsRecordType = typeof DnsRecordType.Type

const settings = {
  host: Schema.String,
  port: Schema.NullOr(Schema.Int),
  recordType: DnsRecordType,
  expected: Schema.Array(Schema.String),
  resolvers: Schema.Array(Schema.String),
  degradedAfterMs: Schema.NullOr(Schema.Int)
}

export const dns = kindSchema("dns", { settings, inEvents: settings, probed: true })
export type DnsTarget = typeof dns.target.Type
