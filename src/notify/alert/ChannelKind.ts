/**
 * An alert channel type: its definition, and the kind made from it. The schema decides which settings are accepted, required,
 * shown and sealed.
 */
import { Effect, Either, identity, ParseResult, Predicate, Schema, SchemaAST } from "effect"
import { type ChannelSettings, type ChannelType, ShownSettings } from "../../../schema/alert/Channel.ts"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import type { ChannelId, EventId, WorkspaceId } from "../../../schema/Ids.ts"
import { mask } from "../../../schema/Mask.ts"
import { Answer } from "../../domain/alert/DeliveryVerdict.ts"
import type { SigningSecret } from "../../domain/alert/Signature.ts"
import type { EgressGuard } from "../../egress/EgressGuard.ts"

/** An invalid setting, as listed in `details` of a 422. */
export interface Problem {
  readonly path: string
  readonly message: string
}

export interface Message {
  readonly eventId: EventId
  readonly workspaceId: WorkspaceId
  readonly channelId: ChannelId
  /** Byte-identical at every attempt. */
  readonly body: string
  readonly signing: ReadonlyArray<SigningSecret>
  /** Time limit of the whole attempt, in milliseconds. */
  readonly timeoutMs: number
  /** Whether an attempt before may have reached the service. */
  readonly isRepeated?: boolean
}

type Render = (event: WorkspaceEvent, acknowledge: string | null, alertKey?: string) => string

export type ChannelServices = EgressGuard

/** Settings as stored: the values that the record shows, and the sealed values by name. */
export interface StoredSettings {
  readonly shown: Readonly<Record<string, unknown>>
  readonly sealed: Readonly<Record<string, unknown>>
}

/** The secret settings, each with a function that returns what the record shows instead; undefined shows nothing. */
type SealedSettings<Settings> = {
  readonly [Name in keyof Settings]?: (
    value: Exclude<Settings[Name], undefined>
  ) => Name extends keyof ShownSettings ? ShownSettings[Name] | undefined : undefined
}

/** The definition in a file of `channels/`. `Settings` is plain JSON. */
export interface ChannelDefinition<Settings extends object> {
  readonly type: ChannelType
  /** The accepted settings, built from `channelSetting`. Fields that are not optional are required. */
  readonly settings: Schema.Schema<Settings>
  readonly sealed: SealedSettings<Settings>
  /** Set if the channel signs its messages with its own secret. */
  readonly signs: boolean
  /** Validates the settings of an input beyond their schema. */
  readonly problems: (given: Partial<Settings>) => Effect.Effect<ReadonlyArray<Problem>, never, ChannelServices>
  /** Faults of the settings as a whole. */
  readonly lacks?: (settings: Settings) => ReadonlyArray<Problem>
  /** The body of a message. `acknowledge` is the link of its button, `alertKey` the alert at a paging service; without, a new one. */
  readonly render: Render
  readonly send: (message: Message, settings: Settings) => Effect.Effect<Answer, never, ChannelServices>
}

type Values = Readonly<Record<string, unknown>>

const strict = { errors: "all", onExcessProperty: "error" } as const

const shownOf = Schema.decodeUnknownSync(ShownSettings, strict)

export const problemsOf = (error: ParseResult.ParseError): ReadonlyArray<Problem> =>
  ParseResult.ArrayFormatter.formatErrorSync(error).map(({ message, path }) => ({ path: path.map(String).join("."), message }))

const pick = (values: object, wanted: (name: string) => boolean): Values =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => wanted(name) && value !== undefined && value !== null))

/** Null, or an empty list or map: what records have for settings of other types. */
const isEmpty = (value: unknown): boolean => value === null || (Predicate.isObject(value) && Object.keys(value).length === 0)

/** A value with the stored one in place of each mask, so that a record can be read, changed and sent back. */
const unmasked = (value: unknown, stored: unknown): unknown => {
  if (value === mask) return stored ?? value
  if (!Predicate.isRecord(value) || Array.isArray(value)) return value
  const before = Predicate.isRecord(stored) ? stored : {}
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unmasked(inner, before[name])]))
}

/** The masks that stand for nothing stored, by dotted path. */
const strayMasks = (value: unknown, path: string): ReadonlyArray<Problem> =>
  value === mask
    ? [{ path, message: `${path} is ${mask}, which only stands for a stored value, and none is stored` }]
    : Predicate.isRecord(value) && !Array.isArray(value)
    ? Object.entries(value).flatMap(([name, inner]) => strayMasks(inner, `${path}.${name}`))
    : []

/** Splits settings into shown and sealed values for storage, and joins them again. */
const makeStorage = <Settings extends object>({ sealed, settings }: ChannelDefinition<Settings>) => {
  const names = new Set(SchemaAST.getPropertySignatures(settings.ast).map(({ name }) => name))
  const masks = new Map<string, (value: unknown) => unknown>(Object.entries(sealed))
  return {
    /** A value can be the text that the record shows in place of the stored one, such as a URL with a hidden part. */
    isShown: (name: string, value: unknown, stored: unknown): boolean =>
      Predicate.isString(value) && Predicate.isString(stored) && masks.get(name)?.(stored) === value,
    split: (values: Settings) => {
      const shown = Object.entries(values).map(([name, value]) => [name, (masks.get(name) ?? identity)(value)])
      return {
        shown: shownOf({ url: null, headers: {}, ...pick(Object.fromEntries(shown), () => true) }),
        sealed: pick(values, (name) => masks.has(name))
      }
    },
    join: ({ sealed, shown }: StoredSettings): Values => ({
      ...pick(shown, (name) => names.has(name) && !masks.has(name)),
      ...pick(sealed, (name) => masks.has(name))
    })
  }
}

/** Makes a channel kind, whose settings type is hidden, from its definition. */
export const makeChannelKind = <Settings extends object>(definition: ChannelDefinition<Settings>) => {
  const { lacks = () => [], problems, render, send, settings, signs, type } = definition
  const { isShown, join, split } = makeStorage(definition)
  const fields = new Map(SchemaAST.getPropertySignatures(settings.ast).map(({ isOptional, name }) => [String(name), isOptional]))
  const decode = Schema.decodeUnknownEither(settings, strict)
  const decodeGiven = Schema.decodeUnknownEither(Schema.partialWith(settings, { exact: true }), strict)

  const missing = (values: Values) =>
    [...fields].filter(([name, isOptional]) => !isOptional && values[name] === undefined)
      .map(([path]) => ({ path, message: `${path} is required for ${type} channels` }))
  const foreign = (given: Values) =>
    Object.entries(given).filter(([name, value]) => !fields.has(name) && !isEmpty(value))
      .map(([path]) => ({ path, message: `${path} is not a setting of ${type} channels` }))

  /** Merges the settings of an input over the stored ones; null removes one. Fails with all problems at the same time. */
  const settle = Effect.fn("ChannelKind.settle")(function*(given: ChannelSettings, stored: StoredSettings) {
    const before = join(stored)
    const mine = Object.entries(pick(given, (name) => fields.has(name)))
    const sent = Object.fromEntries(
      mine.map(([name, value]) => [name, isShown(name, value, before[name]) ? before[name] : unmasked(value, before[name])])
    )
    const asked: Values = given
    const values = { ...pick(before, (name) => asked[name] !== null), ...sent }
    const own = yield* Either.match(decodeGiven(sent), {
      onLeft: (error) => Effect.succeed(problemsOf(error)),
      onRight: problems
    })
    const strays = Object.entries(sent).flatMap(([name, value]) => strayMasks(value, name))
    const found = [...missing(values), ...foreign(given), ...strays, ...own]
    if (found.length > 0) return yield* Effect.fail(found)
    return yield* Either.flatMap(Either.mapLeft(decode(values), problemsOf), (settled) => {
      const left = lacks(settled)
      return left.length > 0 ? Either.left(left) : Either.right(split(settled))
    })
  })

  return {
    signs,
    render,
    settle,
    send: (message: Message, stored: StoredSettings): Effect.Effect<Answer, never, ChannelServices> =>
      Either.match(decode(join(stored)), {
        onLeft: () => Effect.succeed(Answer.Impossible({ reason: "The channel's settings are invalid; update the channel" })),
        onRight: (values) => send(message, values)
      })
  }
}
export type ChannelKind = ReturnType<typeof makeChannelKind>
