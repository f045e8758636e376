/** Notes that channels were alerted about the incidents of a summary, so that they also learn of acknowledgements. */
import { type DateTime, Effect } from "effect"
import type { ChannelId, IncidentId } from "../../schema/Ids.ts"
import { AlertedChannels } from "../../src/store/alert/AlertedChannels.ts"
import { FanOut } from "../../src/store/alert/FanOut.ts"
import type { WaitingChannel } from "./WaitingChannel.ts"

interface SummarizedAlert {
  readonly incidentId: IncidentId | null
  readonly sharedWith: ReadonlyArray<ChannelId>
}

/** Returns the incidents that the alerts are about. In the caller's transaction. */
export const makeNoteAlerted = Effect.gen(function*() {
  const alerted = yield* AlertedChannels
  const fanOut = yield* FanOut

  return Effect.fnUntraced(
    function*({ channelId, sharedWith, workspaceId }: WaitingChannel, alerts: ReadonlyArray<SummarizedAlert>, now: DateTime.Utc) {
      const present = new Set((yield* fanOut.sharing(workspaceId, channelId, sharedWith)).map(({ id }) => id))
      const about = alerts.flatMap(({ incidentId, sharedWith }) => incidentId === null ? [] : [{ incidentId, sharedWith }])
      const rows = about.flatMap(({ incidentId, sharedWith }) =>
        [channelId, ...sharedWith.filter((id) => present.has(id))].map((id) => ({ workspaceId, incidentId, channelId: id }))
      )
      yield* Effect.orDie(alerted.add(rows, now))
      return about.map(({ incidentId }) => incidentId)
    }
  )
})
