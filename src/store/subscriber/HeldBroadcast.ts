/** A delivery to a subscriber, as its worker holds it. */
import type { DateTime } from "effect"
import type { EventId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import type { BroadcastContents } from "../../domain/subscriber/BroadcastContent.ts"
import type { ReachedRow } from "./SubscriberRows.ts"

export interface HeldBroadcast {
  readonly eventId: EventId
  readonly pageId: PageId
  readonly workspaceId: WorkspaceId
  readonly subscriber: ReachedRow
  /** The components of the subscription when the event went out. */
  readonly componentIds: ReadonlyArray<string>
  readonly attempts: number
  readonly heldUntil: DateTime.Utc
  readonly contents: BroadcastContents
}
