/** The body of a team webhook: the exact text that every attempt sends and signs. (Specification: Events, Team payload.) */
import { DateTime } from "effect"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"

export const teamPayload = ({ at, data, id, type, workspaceId }: WorkspaceEvent): string =>
  JSON.stringify({ id, type, timestamp: DateTime.formatIso(at), workspaceId, data })
