/** What every type of alert channel is made of: the settings it takes, what it refuses of them, and how it sends. */
import type { Effect } from "effect"
import type { EventId } from "../../../schema/Ids.ts"
import type { Answer } from "../../domain/alert/DeliveryVerdict.ts"
import type { EgressGuard } from "../../egress/EgressGuard.ts"
import type { ChannelSecrets } from "../../store/alert/ChannelSecrets.ts"

/** The settings that belong to some types of channel and not to others. */
export type Setting = "emails" | "url" | "headers" | "botToken" | "chatId"

/** Settings as they were given: on creation those the type needs, on an update any. */
export interface GivenSettings {
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What is wrong with an input, as `details` of a 422 tell it. */
export interface Problem {
  readonly path: string
  readonly message: string
}

/** One event on its way to one channel. */
export interface Message {
  readonly eventId: EventId
  /** The same bytes at every attempt. */
  readonly body: string
  readonly url: string | null
  readonly secrets: ChannelSecrets
  /** For the whole attempt, in milliseconds. */
  readonly timeoutMs: number
}

export interface ChannelKind {
  readonly takes: ReadonlyArray<Setting>
  readonly needs: ReadonlyArray<Setting>
  /** Whether it signs what it sends, with a secret of its own. */
  readonly signs: boolean
  /** What is wrong with those settings that are given. */
  readonly problems: (given: GivenSettings) => Effect.Effect<ReadonlyArray<Problem>, never, EgressGuard>
  /** Makes one attempt. */
  readonly send: (message: Message) => Effect.Effect<Answer, never, EgressGuard>
}
