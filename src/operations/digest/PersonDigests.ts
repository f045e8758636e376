/** The weekly digests that a person can get: one of each of their workspaces. */
import { DateTime, Effect } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { MyDigest } from "../../../schema/people/Person.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import { digestWeek } from "../../domain/digest/DigestWeek.ts"
import { Digests } from "../../store/digest/Digests.ts"

export class PersonDigests extends Effect.Service<PersonDigests>()("belltower/PersonDigests", {
  effect: Effect.gen(function*() {
    const digests = yield* Digests

    const list = Effect.fn("PersonDigests.list")(function*({ userId }: PersonIdentity) {
      const now = yield* DateTime.now
      const found = yield* digests.ofPerson(userId)
      return found.map((one): MyDigest => ({ ...one, nextSendAt: digestWeek(now, one.timezone).nextAt }))
    })

    /** Fails with `not_found` for a workspace of others. */
    const subscribe = Effect.fn("PersonDigests.subscribe")(
      function*(person: PersonIdentity, id: WorkspaceId, subscribed: boolean) {
        if (!(yield* list(person)).some((one) => one.id === id)) {
          return yield* new NotFound({ message: `You are not a member of ${id}` })
        }
        yield* digests.subscribe(id, person.userId, subscribed)
      }
    )

    return { list, subscribe }
  })
}) {}
