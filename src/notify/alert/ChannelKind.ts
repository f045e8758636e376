/** The interface of an alert channel type: its definition, and the kind that the rest of the program uses. */
import type { Effect, Schema } from "effect"
import type { ChannelSettings, ChannelType, ShownSettings } from "../../../schema/alert/Channel.ts"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import type { ChannelId, EventId, WorkspaceId } from "../../../schema/Ids.ts"
import type { Answer } from "../../domain/alert/DeliveryVerdict.ts"
import type { SigningSecret } from "../../domain/alert/Signature.ts"
import type { EgressGuard } from "../../egress/EgressGuard.ts"

/** An invalid setting, as listed in `details` of a 422. */
export interface Problem {
  readonly path: string
  readonly message: string
}

/** One event for one channel. */
export interface Message {
  readonly eventId: EventId
  readonly workspaceId: WorkspaceId
  readonly channelId: ChannelId
  /** Byte-identical at every attempt. */
  readonly body: string
  readonly signing: ReadonlyArray<SigningSecret>
  /** Time limit of the whole attempt, in milliseconds. */
  readonly timeoutMs: number
}

type Render = (event: WorkspaceEvent, acknowledge: string | null, alertKey?: string) => string

/** The services that channel kinds use. */
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
  /** Whether the channel signs its messages with its own secret. */
  readonly signs: boolean
  /** Validates the settings of an input beyond their schema. */
  readonly problems: (given: Partial<Settings>) => Effect.Effect<ReadonlyArray<Problem>, never, ChannelServices>
  /** The body of a message. `acknowledge` is the link of its button, `alertKey` the alert at a paging service; without, a new one. */
  readonly render: Render
  /** Makes one attempt. */
  readonly send: (message: Message, settings: Settings) => Effect.Effect<Answer, never, ChannelServices>
}

/** A channel kind whose settings type is hidden. */
export interface ChannelKind {
  readonly signs: boolean
  /** Merges the settings of an input over the stored ones. Fails with all problems at the same time. */
  readonly settle: (
    given: ChannelSettings,
    stored: StoredSettings
  ) => Effect.Effect<
    { readonly shown: ShownSettings; readonly sealed: StoredSettings["sealed"] },
    ReadonlyArray<Problem>,
    ChannelServices
  >
  readonly render: Render
  readonly send: (message: Message, stored: StoredSettings) => Effect.Effect<Answer, never, ChannelServices>
}
