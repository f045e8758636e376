/** Ends mutes whose time is over. Their event frees the alerts that waited. */
import { Effect } from "effect"
import { Mutes } from "../../src/store/alert/Mutes.ts"
import { EventLog } from "../../src/store/event/EventLog.ts"
import type { DueStep } from "./UnlockedWorkspaces.ts"

export const makeEndMutes = Effect.gen(function*() {
  const mutes = yield* Mutes
  const events = yield* EventLog

  const endSome: DueStep = Effect.fnUntraced(function*(now, except, of) {
    const ended = yield* mutes.endDue(now, except)
    const [first] = ended
    if (first === undefined) return false
    of(first.workspaceId)
    yield* events.append(first.workspaceId, ended.map(({ mute }) => ({ type: "mute.ended", data: { mute } })))
    return true
  })
  return endSome
})
