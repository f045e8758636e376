/** Takes a recipient off an email channel, by the signed link of a mail. */
import { DateTime, Effect } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import { readLeaveToken } from "../../domain/mail/LeaveToken.ts"
import { Channels } from "../../store/alert/Channels.ts"
import { LinkKeys } from "../../store/LinkKeys.ts"

const invalid = new NotFound({ message: "This link is invalid" })

export class LeaveChannel extends Effect.Service<LeaveChannel>()("belltower/LeaveChannel", {
  effect: Effect.gen(function*() {
    const channels = yield* Channels
    const signer = yield* LinkKeys

    const read = (token: string) => Effect.mapError(readLeaveToken(signer, token), () => invalid)

    /** The channel without its last recipient is disabled. A link that was used before changes nothing. */
    const leave = Effect.fn("LeaveChannel.leave")(function*(token: string) {
      const { channelId, email, workspaceId } = yield* read(token)
      const updatedAt = yield* DateTime.now
      yield* channels.change(workspaceId, channelId, (current) => {
        const emails = (current.channel.emails ?? []).filter((one) => one !== email)
        const enabled = current.channel.enabled && emails.length > 0
        return Effect.succeed({ ...current, channel: { ...current.channel, emails, enabled, updatedAt } })
      })
      return email
    })

    return { read, leave }
  })
}) {}
