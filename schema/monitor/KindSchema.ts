/** What the contract says about one check kind: what its monitors watch, and how that looks in records and events. */
import { Schema } from "effect"
import { optional } from "../Fields.ts"
import type { MonitorKind } from "./MonitorKind.ts"

type Settings = Readonly<Record<string, Schema.Schema.AnyNoContext>>

/** A setting in the record of any monitor: null where its kind has no such setting. A list is empty there. */
type InRecord<Setting extends Schema.Schema.Any> = null extends Schema.Schema.Type<Setting> ? Setting
  : readonly [] extends Schema.Schema.Type<Setting> ? Setting
  : Schema.NullOr<Setting>

type RecordFields<S extends Settings> = { readonly [Field in keyof S]: InRecord<S[Field]> }

const inRecord = (setting: Schema.Schema.AnyNoContext) => {
  const accepts = Schema.is(setting)
  return accepts(null) || accepts([]) ? setting : Schema.NullOr(setting)
}

const recordFields = <S extends Settings>(settings: S, description: string | null): RecordFields<S> =>
  Object.assign(
    {},
    ...Object.entries(settings).map(([name, setting]) => ({
      [name]: description === null ? inRecord(setting) : inRecord(setting).annotations({ description })
    }))
  )

export const kindSchema = <const Kind extends MonitorKind, S extends Settings, E extends Settings, const Probed extends boolean>(
  kind: Kind,
  { inEvents, probed, recordDescription, settings }: {
    /** What its monitors watch, as stored. Each has the name of the input's field; headers and body are never among them. */
    readonly settings: S
    /** Those of them that events tell. Events go to channels and webhooks: nothing that may hold a credential. */
    readonly inEvents: E
    /** Whether probes check it; a heartbeat reports by itself. */
    readonly probed: Probed
    /** Describes its settings in the record of a monitor. */
    readonly recordDescription: string | null
  }
) => ({
  target: Schema.Struct({ kind: Schema.Literal(kind), ...settings }),
  settings,
  inEvents: optional(Schema.Struct(inEvents)),
  inRecord: recordFields(settings, recordDescription),
  probed
})
