/** Notes that channels were alerted about the incidents of a summary, so that they also learn of acknowledgements. */
import { type DateTime, Effect } from "effect"
import type { IncidentId } from "../../schema/Ids.ts"
import { AlertedChannels } from "../../src/store/alert/AlertedChannels.ts"
import type { WaitingChannel } from "./WaitingChannel.ts"

interface SummarizedAlert {
  readonly incidentId: IncidentId | null
}

/** Returns the incidents that the alerts are about. In the caller's transaction. */
export const makeNoteAlerted = Effect.map(
  AlertedChannels,
  (alerted) => ({ channelId, workspaceId }: WaitingChannel, alerts: ReadonlyArray<SummarizedAlert>, now: DateTime.Utc) => {
    const about = alerts.flatMap(({ incidentId }) => incidentId ?? [])
    return Effect.as(Effect.orDie(alerted.add(about.map((incidentId) => ({ workspaceId, incidentId, channelId })), now)), about)
  }
)
