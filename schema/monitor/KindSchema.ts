/** The contract of one check kind: its settings, and their form in records and events. */
import { Schema } from "effect"
import { optional } from "../Fields.ts"
import type { MonitorKind } from "./MonitorKind.ts"

type Settings = Readonly<Record<string, Schema.Schema.AnyNoContext>>

/** A setting in the record of any monitor: null if its kind lacks the setting, or an empty list for lists. */
type InRecord<Setting extends Schema.Schema.Any> = null extends Schema.Schema.Type<Setting> ? Setting
  : readonly [] extends Schema.Schema.Type<Setting> ? Setting
  : Schema.NullOr<Setting>

type RecordFields<S extends Settings> = { readonly [Field in keyof S]: InRecord<S[Field]> }

const inRecord = (setting: Schema.Schema.AnyNoContext) => {
  const accepts = Schema.is(setting)
  return accepts(null) || accepts([]) ? setting : Schema.NullOr(setting)
}

const recordFields = <S extends Settings>(settings: S | undefined, description?: string): RecordFields<S> =>
  Object.assign(
    {},
    ...Object.entries(settings ?? {}).map(([name, setting]) => ({
      [name]: description === undefined ? inRecord(setting) : inRecord(setting).annotations({ description })
    }))
  )

type OptionalFields<S extends Settings> = { readonly [Field in keyof S]: Schema.optionalWith<S[Field], { exact: true }> }

const optionalFields = <S extends Settings>(settings: S | undefined): OptionalFields<S> =>
  Object.assign({}, ...Object.entries(settings ?? {}).map(([name, setting]) => ({ [name]: optional(setting) })))

export const kindSchema = <
  const Kind extends MonitorKind,
  S extends Settings,
  E extends Schema.Struct.Fields,
  const Probed extends boolean,
  L extends Settings = Record<never, never>
>(
  kind: Kind,
  { inEvents, later, probed, recordDescription, settings }: {
    /** The settings as stored, named like the input fields. Never headers, body or a key. */
    readonly settings: S
    /** Settings that rows of earlier releases lack. A missing one has its usual value, and is stored only with another one. */
    readonly later?: L
    /** The settings that events contain. Events go to channels and webhooks, so never a setting that can hold a credential. */
    readonly inEvents: E
    /** False for a kind whose jobs report themselves, such as heartbeats. */
    readonly probed: Probed
    /** The description of these settings in monitor records. */
    readonly recordDescription?: string
  }
) => ({
  target: Schema.Struct({ kind: Schema.Literal(kind), ...settings, ...optionalFields(later) }),
  settings: { ...settings, ...later },
  inEvents: optional(Schema.Struct(inEvents)),
  inRecord: { ...recordFields(settings, recordDescription), ...recordFields(later) },
  probed
})
