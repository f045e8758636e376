/** What every type of alert channel defines, and what the rest of the program sees of it. */
import type { Effect, Schema } from "effect"
import type { ChannelSettings, ChannelType, ShownSettings } from "../../../schema/alert/Channel.ts"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import type { EventId } from "../../../schema/Ids.ts"
import type { Answer } from "../../domain/alert/DeliveryVerdict.ts"
import type { SigningSecret } from "../../domain/alert/Signature.ts"
import type { EgressGuard } from "../../egress/EgressGuard.ts"

/** A setting that cannot be used, as `details` of a 422 carry it. */
export interface Problem {
  readonly path: string
  readonly message: string
}

/** One event for one channel. */
export interface Message {
  readonly eventId: EventId
  /** The same bytes at every attempt. */
  readonly body: string
  readonly signing: ReadonlyArray<SigningSecret>
  /** For the whole attempt, in milliseconds. */
  readonly timeoutMs: number
}

/** The services that kinds use. */
export type ChannelServices = EgressGuard

/** Settings as they are stored: what the record shows, and the sealed values by name. */
export interface StoredSettings {
  readonly shown: Readonly<Record<string, unknown>>
  readonly sealed: Readonly<Record<string, unknown>>
}

/** The secret ones of `Settings`, each with what the record shows in its place; undefined for nothing. */
type SealedSettings<Settings> = {
  readonly [Name in keyof Settings]?: (
    value: Exclude<Settings[Name], undefined>
  ) => Name extends keyof ShownSettings ? ShownSettings[Name] | undefined : undefined
}

/** What a file in `channels/` defines. `Settings` are plain JSON. */
export interface ChannelDefinition<Settings extends object> {
  readonly type: ChannelType
  /** The settings that it takes, made of `channelSetting`; the required ones are those that are not optional. */
  readonly settings: Schema.Schema<Settings>
  readonly sealed: SealedSettings<Settings>
  /** Whether it signs its messages with a secret of its own. */
  readonly signs: boolean
  /** What is wrong with the settings of an input beyond what their schema says. */
  readonly problems: (given: Partial<Settings>) => Effect.Effect<ReadonlyArray<Problem>, never, ChannelServices>
  /** The body of a message. */
  readonly render: (event: WorkspaceEvent) => string
  /** Makes one attempt. */
  readonly send: (message: Message, settings: Settings) => Effect.Effect<Answer, never, ChannelServices>
}

/** A kind without the type of its settings. */
export interface ChannelKind {
  readonly signs: boolean
  /** The stored settings with those of an input over them. Fails with everything that is wrong. */
  readonly settle: (
    given: ChannelSettings,
    stored: StoredSettings
  ) => Effect.Effect<
    { readonly shown: ShownSettings; readonly sealed: StoredSettings["sealed"] },
    ReadonlyArray<Problem>,
    ChannelServices
  >
  readonly render: (event: WorkspaceEvent) => string
  readonly send: (message: Message, stored: StoredSettings) => Effect.Effect<Answer, never, ChannelServices>
}
