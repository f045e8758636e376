/** Takes a push to its component's actor. */
import { DateTime, Effect } from "effect"
import { ComponentEntity, entityId } from "../../../cluster/component/ComponentProtocol.ts"
import { asking } from "../../../cluster/LeanContext.ts"
import type { PushInput } from "../../../schema/component/Push.ts"
import { NotFound, Unavailable } from "../../../schema/Errors.ts"
import type { ComponentId, WorkspaceId } from "../../../schema/Ids.ts"

/** Longer than it takes another runner to take over from one that was killed. */
const askTimeout = "20 seconds"

const unanswered = () =>
  new Unavailable({
    message: "The push could not be taken in",
    hint: "Send it again in a moment; with observedAt it is counted once, however often it is sent"
  })

export const noSuchToken = new NotFound({
  message: "No component has this push token",
  hint: "The pushUrl of a component made with push=true holds its token"
})

export class TakePush extends Effect.Service<TakePush>()("belltower/TakePush", {
  effect: Effect.gen(function*() {
    const component = yield* ComponentEntity.client

    /** What came of it, which is committed by then. Fails with `unavailable` where no runner took it in. */
    const take = Effect.fn("TakePush.take")(function*(workspaceId: WorkspaceId, id: ComponentId, input: PushInput) {
      const receipt = yield* asking(
        component(entityId(workspaceId, id)).Push({
          status: input.status,
          message: input.message === undefined || input.message.trim() === "" ? null : input.message.trim(),
          confirmed: input.confirmed ?? false,
          observedAt: input.observedAt === undefined ? null : DateTime.toEpochMillis(input.observedAt)
        })
      ).pipe(
        Effect.timeoutFail({ duration: askTimeout, onTimeout: unanswered }),
        Effect.catchTags({ MailboxFull: unanswered, AlreadyProcessingMessage: unanswered, PersistenceError: unanswered })
      )
      return receipt ?? (yield* noSuchToken)
    })

    return { take }
  })
}) {}
