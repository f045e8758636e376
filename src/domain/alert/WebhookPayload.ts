/** The body of a team webhook: the specification's envelope, as the very bytes that every attempt sends and signs. */
import { DateTime } from "effect"
import type { Event } from "../../../schema/event/Event.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"

export const teamPayload = (workspaceId: WorkspaceId, { at, data, id, type }: Event): string =>
  JSON.stringify({ id, type, timestamp: DateTime.formatIso(at), workspaceId, data })
