/** A provider of phone services: what it takes, and how. */
import type { Effect } from "effect"
import type { PagingId } from "../../../../schema/Ids.ts"
import type { Answer } from "../../../domain/alert/DeliveryVerdict.ts"

/** One text or call. */
export interface PhoneMessage {
  readonly by: "sms" | "voice"
  /** The page, which is the same at every attempt; null for codes and tests. */
  readonly pagingId: PagingId | null
  /** E.164. */
  readonly to: string
  /** The text that is written, or spoken twice. */
  readonly text: string
  readonly timeoutMs: number
}

export interface PhoneProvider {
  /** Why it cannot text or call, and which setting helps; null if it can. */
  readonly lacks: (by: PhoneMessage["by"]) => string | null
  readonly send: (message: PhoneMessage) => Effect.Effect<Answer>
  /**
   * Its own name of a page that it took in an attempt whose answer nobody read; null if it knows none. Missing for a provider that drops
   * what it has taken already by itself.
   */
  readonly find?: (message: PhoneMessage) => Effect.Effect<string | null>
}
