/** Takes mails of jobs as pings of the heartbeats that they are sent to. */
import { Effect, Option } from "effect"
import { type JobMail, mailReport } from "../../domain/monitor/job/MailSignal.ts"
import { Heartbeats, isTokenShaped } from "../../store/monitor/Heartbeats.ts"
import { TakePings } from "./TakePings.ts"

export class TakeMails extends Effect.Service<TakeMails>()("belltower/TakeMails", {
  effect: Effect.gen(function*() {
    const heartbeats = yield* Heartbeats
    const pings = yield* TakePings
    const targetOf = (token: string) => isTokenShaped(token) ? heartbeats.targetOf(token) : Effect.succeedNone

    return {
      /** Whether a heartbeat has this token. */
      isKnown: (token: string) => Effect.map(targetOf(token), Option.isSome),
      /** Completes once the mail is stored. A heartbeat that is gone meanwhile is `not_found`. */
      take: (token: string, mail: JobMail) =>
        Effect.flatMap(targetOf(token), (found) => pings.take(token, mailReport(Option.getOrElse(found, () => ({})), mail)))
    }
  })
}) {}
