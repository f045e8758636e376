/** Hears in every process that a key, a session or a membership has ended; the rows' own triggers tell it. */
import { Effect, Stream } from "effect"
import { Wakeups } from "../postgres/Wakeups.ts"

/** Of notifications of PostgreSQL; the triggers of the schema name it too. */
export const accessEndedSignal = "belltower_access_ended"

export class AccessEnded extends Effect.Service<AccessEnded>()("belltower/AccessEnded", {
  effect: Effect.gen(function*() {
    const wakeups = yield* Wakeups

    return {
      /**
       * The ids of keys, sessions and users whose access has ended or changed, from now on. An empty one says that some may
       * have been missed, so that everybody is to look.
       */
      heard: wakeups.listen(accessEndedSignal),
      /** See `Wakeups.hearing`. */
      hearing: wakeups.hearing(accessEndedSignal),
      /** The same, only of these ids: at each something may have ended, so it is to be looked. */
      heardOf: (ids: ReadonlyArray<string>): Stream.Stream<string> =>
        Stream.filter(wakeups.listen(accessEndedSignal), (told) => told === "" || ids.includes(told))
    }
  })
}) {}
