/** Notifies every process when a key, a session or a membership ends. Triggers on the rows send the notifications. */
import { Effect, Stream } from "effect"
import { Wakeups } from "../postgres/Wakeups.ts"

/** The PostgreSQL notification channel; the schema's triggers use the same name. */
export const accessEndedSignal = "belltower_access_ended"

export class AccessEnded extends Effect.Service<AccessEnded>()("belltower/AccessEnded", {
  effect: Effect.gen(function*() {
    const wakeups = yield* Wakeups

    return {
      /**
       * The ids of keys, sessions and users whose access ends or changes from now on. An empty id means that some may have
       * been missed, so all access must be checked.
       */
      heard: wakeups.listen(accessEndedSignal),
      /** See `Wakeups.hearing`. */
      hearing: wakeups.hearing(accessEndedSignal),
      /** The same, restricted to these ids. After each element, check whether access has ended. */
      heardOf: (ids: ReadonlyArray<string>): Stream.Stream<string> =>
        Stream.filter(wakeups.listen(accessEndedSignal), (id) => id === "" || ids.includes(id))
    }
  })
}) {}
